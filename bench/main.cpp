#include <fmt/format.h>
#include <tbb/global_control.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "bench/bench.h"
#include "bench/child.h"
#include "bench/measure.h"
#include "bench/memory.h"
#include "bench/scene_list.h"

namespace sightline::bench {
namespace {

constexpr const char* kHelp =
    R"(sightline_bench: Sightline against Embree, CGAL, FCL and Bullet, end to end from raw arrays.

  --quick           small sizes, one run: a check that all peers run and agree; no targets
  --scene NAME      only this scene (may be repeated)
  --runs K          timed runs of each peer (default 5, with --quick 1)
  --threads N       threads for all peers (default: one for each core)
  --simd NAME       scalar, sse4, avx2 or avx512 (default: avx512 and avx2 where this machine has them)
  --no-peer NAME    leave a peer out (may be repeated)
  --no-memory       do not measure memory
  --csv FILE        write the table as CSV
  --list            scenes and peers

Exit code: 0, or 1 if two exact answers differ, or 2 for an error in the options.
)";

struct BenchOptions {
  bool quick = false;
  bool list = false;
  bool help = false;
  bool memory = true;
  std::set<std::string> scenes;  ///< empty: all but those that run only with --scene
  std::set<std::string> without;
  int runs = 0;
  unsigned threads = 0;  ///< 0: one for each core
  std::optional<Simd> simd;
  std::string csv;
  std::string serve;      ///< internal: run this peer on the one scene for another process
  std::string memory_of;  ///< internal: measure this peer's memory on the one scene and print it
};

int number(std::string_view option, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw Error(fmt::format("{}: {} is not a positive number", option, text));
  return value;
}

Simd simd_named(std::string_view name) {
  for (const Simd simd : {Simd::best, Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512})
    if (to_string(simd) == name) return simd;
  throw Error(fmt::format("--simd: {} is not an instruction set", name));
}

/// Throws Error for an unknown option.
BenchOptions parse_options(int argc, char** argv) {
  BenchOptions options;
  std::string_view option;
  int i = 1, runs = 0;
  const auto value = [&] {
    if (i + 1 >= argc) throw Error(fmt::format("{}: a value is missing", option));
    return std::string(argv[++i]);
  };
  const std::map<std::string_view, std::function<void()>> actions = {
      {"--quick", [&] { options.quick = true; }},
      {"--list", [&] { options.list = true; }},
      {"--help", [&] { options.help = true; }},
      {"-h", [&] { options.help = true; }},
      {"--no-memory", [&] { options.memory = false; }},
      {"--scene", [&] { options.scenes.insert(value()); }},
      {"--no-peer", [&] { options.without.insert(value()); }},
      {"--runs", [&] { runs = number(option, value()); }},
      {"--threads", [&] { options.threads = static_cast<unsigned>(number(option, value())); }},
      {"--simd", [&] { options.simd = simd_named(value()); }},
      {"--csv", [&] { options.csv = value(); }},
      {"--serve", [&] { options.serve = value(); }},
      {"--memory-of", [&] { options.memory_of = value(); }}};
  for (; i < argc; ++i) {
    option = argv[i];
    const auto action = actions.find(option);
    if (action == actions.end()) throw Error(fmt::format("{}: not an option; see --help", option));
    action->second();
  }
  options.runs = runs > 0 ? runs : options.quick ? 1 : 5;
  return options;
}

// Load average above which times are not reliable.
constexpr double kBusy = 0.5;

std::vector<Simd> instruction_sets(const BenchOptions& options) {
  if (options.simd) return {*options.simd};
  std::vector<Simd> sets;
  for (const Simd simd : {Simd::avx512, Simd::avx2})
    if (available(simd)) sets.push_back(simd);
  if (sets.empty()) sets.push_back(Simd::best);
  return sets;
}

/// Exact peers first, the reference (Embree with the exact test) before Sightline.
std::vector<PeerPtr> make_peers(const BenchOptions& options) {
  std::vector<PeerPtr> peers;
  const auto add = [&](PeerPtr peer) {
    if (!options.without.contains(peer->name())) peers.push_back(std::move(peer));
  };
  add(make_embree(options.threads, true));
  add(make_embree(options.threads, false));
  add(make_cgal());
  for (const Simd simd : instruction_sets(options)) add(make_sightline(simd, options.threads));
  add(make_fcl());
  add(make_bullet());
  add(make_relations(options.threads, true));
  add(make_relations(options.threads, false));
  add(make_fcl_yes_no());
  return peers;
}

std::vector<Peer*> peers_for(const SceneEntry& entry, const BenchScene& scene, const std::vector<PeerPtr>& peers) {
  std::vector<Peer*> result;
  for (const PeerPtr& peer : peers)
    if (peer->takes(scene) && (entry.for_cgal || peer->name() != kCgal)) result.push_back(peer.get());
  return result;
}

/// Throws Error for an unknown scene or peer.
void check_names(const BenchOptions& options) {
  std::set<std::string> scenes, peers;
  for (const SceneEntry& entry : scene_list(options.quick)) scenes.insert(entry.name);
  BenchOptions all = options;
  all.without.clear();
  for (const PeerPtr& peer : make_peers(all)) peers.insert(peer->name());
  for (const std::string& name : options.scenes)
    if (!scenes.contains(name)) throw Error(fmt::format("--scene: there is no scene {}; see --list", name));
  for (const std::string& name : options.without)
    if (!peers.contains(name)) throw Error(fmt::format("--no-peer: there is no peer {}; see --list", name));
}

void print_list(const BenchOptions& options) {
  fmt::print("Scenes\n");
  for (const SceneEntry& entry : scene_list(options.quick))
    fmt::print("  {}{}\n", entry.name, entry.on_request ? "  (on request)" : "");
  fmt::print("Peers\n");
  for (const PeerPtr& peer : make_peers(options))
    fmt::print("  {}{}\n", peer->name(), peer->exact() ? "" : "  (not exact)");
}

/// The other side of `command`: the peer by name over the one scene of the options.
template <typename Action>
int run_one(const BenchOptions& options, const std::string& name, const Action& action) {
  const std::vector<PeerPtr> peers = make_peers(options);
  for (const SceneEntry& entry : scene_list(options.quick))
    for (const PeerPtr& peer : peers) {
      if (!options.scenes.contains(entry.name) || peer->name() != name) continue;
      action(*peer, entry.make());
      return 0;
    }
  return 2;
}

/// One run in a fresh process, "peak resident" in bytes on stdout.
void print_memory(Peer& peer, const BenchScene& scene) {
  const MemoryMeter meter;
  const Report answer = peer.run(scene);
  fmt::print("{} {}\n", meter.peak_bytes(), meter.peak_resident_bytes());
}

/// This program in another process, with `action` ("--serve" or "--memory-of") for one peer and one scene.
std::vector<std::string> command(const BenchOptions& options, const char* action, const std::string& peer,
                                 const std::string& scene) {
  std::vector<std::string> words = {fmt::format("/proc/{}/exe", getpid()), action, peer, "--scene", scene, "--threads",
                                    std::to_string(options.threads)};
  if (options.quick) words.push_back("--quick");
  if (options.simd) words.insert(words.end(), {"--simd", std::string(to_string(*options.simd))});
  return words;
}

void measure_memory(const BenchOptions& options, SceneResult& result) {
  for (PeerResult& row : result.peers) {
    const ChildRun run = run_child(command(options, "--memory-of", row.peer, result.scene));
    unsigned long long peak = 0, resident = 0;
    if (std::sscanf(run.output.c_str(), "%llu %llu", &peak, &resident) != 2) continue;
    row.peak_bytes = peak;
    row.peak_resident_bytes = resident;
  }
}

SceneResult measure(const BenchOptions& options, const SceneEntry& entry, const std::vector<PeerPtr>& peers) {
  const BenchScene scene = entry.make();
  std::vector<std::unique_ptr<PeerProcess>> processes;
  for (const Peer* peer : peers_for(entry, scene, peers))
    processes.push_back(std::make_unique<PeerProcess>(*peer, command(options, "--serve", peer->name(), entry.name)));
  return measure(scene, processes, options.runs);
}

int run(const BenchOptions& options) {
  if (options.help) return std::fputs(kHelp, stdout), 0;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, options.threads);
  if (options.list) return print_list(options), 0;
  if (!options.serve.empty()) return run_one(options, options.serve, serve);
  if (!options.memory_of.empty()) return run_one(options, options.memory_of, print_memory);

  const std::vector<PeerPtr> peers = make_peers(options);
  fmt::print(
      "{} threads; best and median of {} runs, the peers in turn, each in a process of its own; times from raw arrays\n"
      "to the contact list\n",
      options.threads, options.runs);
  double load = 0;
  if (getloadavg(&load, 1) == 1 && load > kBusy)
    fmt::print("The machine is busy (load average {:.1f}): wall times favour the faster peer.\n", load);
  std::vector<SceneResult> results;
  for (const SceneEntry& entry : scene_list(options.quick)) {
    if (options.scenes.empty() ? entry.on_request : !options.scenes.contains(entry.name)) continue;
    results.push_back(measure(options, entry, peers));
    if (options.memory) measure_memory(options, results.back());
    print_scene(results.back());
  }
  if (!options.quick) print_targets(results, std::string(to_string(instruction_sets(options).front())));
  if (!options.csv.empty()) write_csv(options.csv, results);
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) {
  sightline::bench::BenchOptions options;
  try {
    options = sightline::bench::parse_options(argc, argv);
    if (options.threads == 0) options.threads = std::max(1u, std::thread::hardware_concurrency());
    sightline::bench::check_names(options);
  } catch (const sightline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  try {
    return sightline::bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
