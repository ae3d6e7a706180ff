// `./dev bench tool`: the tool from the file to the answer, stage by stage, beside programs that a user would run
// instead (bench/users). Answers are compared before anything is timed. Files are written just before, so they are in
// the page cache.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "bench/child.h"
#include "scenes/scenes.h"
#include "sightline/io.h"
#include "sightline/query.h"

namespace sightline::bench {
namespace {

constexpr const char* kHelp =
    R"(sightline_tool_bench: `sightline check` from the file to the answer, beside programs of CGAL and Open3D.

  --quick      small files, one run: do all answers agree?
  --runs K     timed runs of each command (default 5, with --quick 1); the best counts
  --folder F   where files are written (default: a folder in the system's temporary folder)

Exit code: 0, or 1 if exact answers differ, or 2 for an error.
)";

struct ToolBench {
  bool quick = false;
  int runs = 0;
  std::filesystem::path folder, here = std::filesystem::canonical("/proc/self/exe").parent_path();
  unsigned cores = std::max(1u, std::thread::hardware_concurrency());

  std::string tool() const { return (here.parent_path() / "src/tool/sightline").string(); }
  std::string path(const std::string& name) const { return (folder / name).string(); }
};

using Pair = std::pair<std::uint32_t, std::uint32_t>;
using Pairs = std::vector<Pair>;

Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Pairs pairs_of_user(const std::string& path) {
  std::ifstream file(path);
  Pairs pairs;
  for (Pair pair; file >> pair.first >> pair.second;) pairs.push_back(pair);
  return sorted(std::move(pairs));
}

/// Columns triangle_a and triangle_b of --csv; names have no comma here.
Pairs pairs_of_tool(const std::string& path) {
  std::ifstream file(path);
  Pairs pairs;
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    std::istringstream cells(line);
    std::string cell[6];
    for (std::string& text : cell) std::getline(cells, text, ',');
    pairs.emplace_back(std::stoul(cell[4]), std::stoul(cell[5]));
  }
  return sorted(std::move(pairs));
}

Pairs check_pairs(const ToolBench& bench, const std::string& file, unsigned threads) {
  run_child({bench.tool(), "check", bench.path(file), "--threads", std::to_string(threads), "--csv",
             bench.path("contacts.csv")});
  return pairs_of_tool(bench.path("contacts.csv"));
}

std::size_t missing_from(const Pairs& list, const Pairs& other) {
  Pairs missing;
  std::set_difference(other.begin(), other.end(), list.begin(), list.end(), std::back_inserter(missing));
  return missing.size();
}

// ---- stages

struct Stages {
  double read = 0, topology = 0, query = 0;  ///< milliseconds
};

/// From the line "  time      95.1 ms: read 20.3, topology 20.1, frame 1.2, …"; above one second it is in seconds.
Stages stages_of(const std::string& output) {
  Stages stages;
  const std::size_t line = output.find("  time ");
  if (line == std::string::npos) throw Error("the tool printed no times:\n" + output);
  const std::string text = output.substr(line, output.find('\n', line) - line);
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos) throw Error("the tool printed no stages:\n" + output);
  const double unit = text.substr(0, colon).ends_with(" s") ? 1000 : 1;
  std::istringstream words(text.substr(colon + 2));
  std::string name;
  for (double value; words >> name >> value; words.ignore(1))
    (name == "read" ? stages.read : name == "topology" ? stages.topology : stages.query) += unit * value;
  return stages;
}

void print_check(const ToolBench& bench, const std::string& file, unsigned threads) {
  const ChildRun run = best_child(
      {bench.tool(), "check", bench.path(file), "--verbose", "--threads", std::to_string(threads)}, bench.runs);
  const Stages s = stages_of(run.output);
  const double megabytes = static_cast<double>(std::filesystem::file_size(bench.path(file))) / 1e6;
  fmt::print("{:<16}{:>7.1f}{:>9}{:>10.1f}{:>9.1f}{:>9.1f}{:>10.1f}{:>9.1f}{:>9.2f}{:>11.2f}{:>10.0f}\n", file,
             megabytes, threads, run.wall_ms, run.cpu_ms, s.read, s.topology, s.query, run.wall_ms / s.query,
             s.topology / s.query, megabytes / s.read * 1e3);
}

// ---- other programs

struct User {
  std::string name;
  std::string program;
  bool exact;
};

void compare_user(const ToolBench& bench, const User& user, const std::string& file, const Pairs& expected, int runs) {
  const std::string program = (bench.here / user.program).string();
  if (!std::filesystem::exists(program)) {
    fmt::print("{:<16}{:<12}not built: its library is not installed\n", file, user.name);
    return;
  }
  run_child({program, bench.path(file), bench.path("pairs.txt")});
  const Pairs found = pairs_of_user(bench.path("pairs.txt"));
  const std::size_t missed = missing_from(found, expected), invented = missing_from(expected, found);
  if (user.exact && missed + invented > 0)
    throw Error(
        fmt::format("{}: {} has {} contacts that sightline has not, and lacks {}", file, user.name, invented, missed));
  const ChildRun own = best_child({bench.tool(), "check", bench.path(file)}, runs);
  const ChildRun other = best_child({program, bench.path(file)}, runs);
  fmt::print("{:<16}{:<12}{:>10.1f}{:>10.1f}{:>12.1f}{:>12.1f}{:>10.1f}{:>9}{:>10}\n", file, user.name, own.wall_ms,
             own.cpu_ms, other.wall_ms, other.cpu_ms, other.wall_ms / own.wall_ms, missed, invented);
}

// ---- writers and first queries

/// "wrote a.json in 123 ms" or "in 1.23 s".
double writing_ms(const std::string& output) {
  const std::size_t at = output.find(" in ", output.find("wrote "));
  if (at == std::string::npos) throw Error("the tool printed no time for its files:\n" + output);
  const double value = std::stod(output.substr(at + 4));
  return output.find(" ms", at) < output.find('\n', at) ? value : 1000 * value;
}

void print_writer(const ToolBench& bench, const std::string& file, const std::string& option, std::size_t contacts) {
  const ChildRun run = best_child({bench.tool(), "check", bench.path(file), option, bench.path("out")}, bench.runs);
  fmt::print("{:<16}{:<8}{:>10}{:>12.1f}{:>16.0f}\n", file, option, contacts, writing_ms(run.output),
             writing_ms(run.output) * 1e6 / static_cast<double>(contacts));
}

/// The child's side: the first query of a process, and the best of some more.
int print_queries(const std::string& path) {
  const Mesh mesh = read_mesh(path);
  double first = 0, best = 0;
  for (int i = 0; i < 8; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Report report = self_intersections(mesh);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (i == 0) first = best = ms;
    best = std::min(best, ms);
  }
  fmt::print("{} {}\n", first, best);
  return 0;
}

void print_first_query(const ToolBench& bench, const std::string& file, double& indexed) {
  double first = 0, warm = 0;
  for (int i = 0; i < bench.runs; ++i) {
    std::istringstream line(
        run_child({(bench.here / "sightline_tool_bench").string(), "--queries", bench.path(file)}).output);
    double a = 0, b = 0;
    line >> a >> b;
    first = i == 0 ? a : std::min(first, a);
    warm = i == 0 ? b : std::min(warm, b);
  }
  if (indexed == 0) indexed = warm;
  fmt::print("{:<16}{:>10.1f}{:>10.1f}{:>22.2f}{:>22.2f}\n", file, first, warm, warm / indexed, first / indexed);
}

// ---- all of it

void write_files(const ToolBench& bench) {
  const std::size_t part = bench.quick ? 20 : 1;
  const auto write = [&](const char* name, const Mesh& mesh) { write_mesh(bench.path(name), mesh); };
  const Mesh cloth = scenes::crumpled_cloth(1'000'000 / part);
  for (const char* name : {"cloth-1M.stl", "cloth-1M.ply", "cloth-1M.obj", "cloth-1M.off"}) write(name, cloth);
  write("cloth-4M.stl", scenes::crumpled_cloth(4'000'000 / part));
  write("bodies-1M.stl", scenes::two_bodies(500'000 / part));
  write("cloth-20k.stl", scenes::crumpled_cloth(20'000 / part));
  write("soup-1M.stl", scenes::uniform_soup(1'000'000 / part, 1, 14));
}

int run(ToolBench& bench) {
  if (bench.runs == 0) bench.runs = bench.quick ? 1 : 5;
  const bool own_folder = bench.folder.empty();
  if (own_folder) bench.folder = std::filesystem::temp_directory_path() / fmt::format("sightline-bench-{}", ::getpid());
  std::filesystem::create_directories(bench.folder);
  write_files(bench);

  const Pairs expected = check_pairs(bench, "cloth-1M.stl", 1);
  for (const char* file : {"cloth-1M.stl", "cloth-1M.ply", "cloth-1M.obj", "cloth-1M.off"})
    if (check_pairs(bench, file, bench.cores) != expected) throw Error(fmt::format("{}: other contacts", file));

  fmt::print("Best of {} runs. query: all stages but read and topology.\n", bench.runs);
  fmt::print("{:<16}{:>7}{:>9}{:>10}{:>9}{:>9}{:>10}{:>9}{:>9}{:>11}{:>10}\n", "file", "MB", "threads", "whole ms",
             "cpu ms", "read", "topology", "query", "whole/q", "topology/q", "read MB/s");
  for (const char* file :
       {"cloth-1M.stl", "bodies-1M.stl", "cloth-4M.stl", "cloth-1M.ply", "cloth-1M.obj", "cloth-1M.off"})
    for (const unsigned threads : std::set<unsigned>{1, std::min(2u, bench.cores), bench.cores})
      print_check(bench, file, threads);

  fmt::print("\n{:<16}{:<12}{:>10}{:>10}{:>12}{:>12}{:>10}{:>9}{:>10}\n", "file", "instead", "tool ms", "cpu ms",
             "instead ms", "cpu ms", "x faster", "missed", "invented");
  compare_user(bench, {"CGAL", "cgal_check", true}, "cloth-1M.stl", expected, std::min(bench.runs, 2));
  compare_user(bench, {"Open3D", "open3d_check", false}, "cloth-20k.stl",
               check_pairs(bench, "cloth-20k.stl", bench.cores), std::min(bench.runs, 2));

  fmt::print("\n{:<16}{:<8}{:>10}{:>12}{:>16}\n", "file", "writes", "contacts", "ms", "ns a contact");
  const std::size_t contacts = check_pairs(bench, "soup-1M.stl", bench.cores).size();
  for (const char* option : {"--json", "--csv"}) print_writer(bench, "soup-1M.stl", option, contacts);

  fmt::print("\n{:<16}{:>10}{:>10}{:>22}{:>22}\n", "file", "first ms", "warm ms", "warm/warm indexed",
             "first/warm indexed");
  double indexed = 0;
  for (const char* file : {"cloth-1M.ply", "cloth-1M.stl"}) print_first_query(bench, file, indexed);
  if (own_folder) std::filesystem::remove_all(bench.folder);
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) try {
  using namespace sightline::bench;
  ToolBench bench;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::fputs(kHelp, stdout), 0;
    if (option == "--quick") {
      bench.quick = true;
    } else if (i + 1 < argc && option == "--queries") {
      return print_queries(argv[i + 1]);
    } else if (i + 1 < argc && option == "--folder") {
      bench.folder = argv[++i];
    } else if (i + 1 < argc && option == "--runs") {
      bench.runs = std::max(1, std::atoi(argv[++i]));
    } else {
      throw sightline::Error(fmt::format("{}: not an option; see --help", option));
    }
  }
  return run(bench);
} catch (const sightline::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
