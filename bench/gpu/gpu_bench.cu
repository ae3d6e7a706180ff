// Checks and measures the CUDA engine on a machine that has nothing but nvcc and a C++ compiler. Each answer is
// compared with the fingerprint of the CPU engine's (bench/gpu/expected.tsv) before a time is printed.
//   gpu_bench [--small] [--repeat N] [--peer] [--bytes] [EXPECTED [NAME [CELL [CELLS]]]]
// --small: a few small cases and no times, for compute-sanitizer. --repeat: each case N times, all answers the same.
// --bytes: each stage beside the time that its bytes would take at the speed of a copy.
// --peer: an LBVH (bench/gpu/lbvh.cuh) runs on one mesh of floats, too, and is compared with the same fingerprint.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "bench/gpu/cases.h"
#include "bench/gpu/lbvh.cuh"
#include "cuda/current.h"
#include "cuda/label.h"

namespace sightline::gpu_bench {
namespace {

struct Expected {
  std::size_t count = 0;
  std::uint64_t hash = 0;
};

std::map<std::string, Expected> read_expected(const char* path) {
  std::map<std::string, Expected> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    all[line.substr(0, first)] = {std::stoul(line.substr(first + 1)),
                                  std::stoull(line.substr(second + 1), nullptr, 16)};
  }
  return all;
}

/// A case in device memory.
class Loaded {
 public:
  Loaded(const std::vector<Mesh>& meshes, cudaStream_t stream) {
    bool wide = false;
    for (const Mesh& mesh : meshes) wide |= mesh.view().positions.is_double();
    std::vector<float> f32;
    std::vector<double> f64;
    std::vector<std::uint32_t> triangles;
    std::vector<cuda::LabelledObject> objects;
    for (const Mesh& mesh : meshes) {
      const MeshView view = mesh.view();
      const std::uint32_t base = static_cast<std::uint32_t>((f64.size() + f32.size()) / 3);
      for (std::size_t v = 0; v < view.positions.size(); ++v)
        for (const double x : view.positions.stored(v)) wide ? f64.push_back(x) : f32.push_back(static_cast<float>(x));
      for (const Triangle& t : view.triangles)
        for (const std::uint32_t v : t) triangles.push_back(base + v);
      objects.push_back({static_cast<std::uint32_t>(objects.size()),
                         static_cast<std::uint32_t>(view.triangles.size()),
                         {.self = meshes.size() == 1}});
    }
    if (wide)
      input.f64 = upload(f64, f64_);
    else
      input.f32 = upload(f32, f32_);
    input.vertex_count = (f64.size() + f32.size()) / 3;
    input.triangles = upload(triangles, triangles_);
    input.triangle_count = static_cast<std::uint32_t>(triangles.size() / 3);
    labels_.assign(objects, input, stream);
  }
  cuda::Input input;

 private:
  template <typename T>
  static const T* upload(const std::vector<T>& data, cuda::DeviceBuffer<T>& to) {
    SIGHTLINE_CUDA(cudaMemcpy(to.reserve(data.size()), data.data(), data.size() * sizeof(T), cudaMemcpyHostToDevice));
    return to.data();
  }
  cuda::MemoryCount memory_;
  cuda::DeviceBuffer<float> f32_{memory_};
  cuda::DeviceBuffer<double> f64_{memory_};
  cuda::DeviceBuffer<std::uint32_t> triangles_{memory_};
  cuda::Labels labels_{memory_};
};

template <typename Engine>
double median_ms(Engine& engine, const cuda::Input& input, cudaStream_t stream) {
  std::vector<double> times;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    engine.run(input, stream);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

struct Arguments {
  std::string expected = "bench/gpu/expected.tsv", only;
  double cell = 0, cells = 0;
  bool small = false, peer = false, bytes = false;
  int repeat = 1;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> plain;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--small")
      arguments.small = true;
    else if (word == "--peer")
      arguments.peer = true;
    else if (word == "--bytes")
      arguments.bytes = true;
    else if (word == "--repeat" && i + 1 < argc)
      arguments.repeat = std::stoi(argv[++i]);
    else if (word.starts_with("--"))
      throw Error("there is no option " + word);
    else
      plain.push_back(word);
  }
  if (plain.size() > 0) arguments.expected = plain[0];
  if (plain.size() > 1) arguments.only = plain[1];
  if (plain.size() > 2) arguments.cell = std::stod(plain[2]);
  if (plain.size() > 3) arguments.cells = std::stod(plain[3]);
  return arguments;
}

/// Cases that a sanitizer finishes in minutes: all that are not measured but only 160 of the small ones, and some of
/// the measured ones, so that every kernel runs with more than one block.
bool is_small(const Case& test) {
  if (test.name.starts_with("small ")) return std::stoi(test.name.substr(6)) <= 160;
  if (!test.timed) return true;
  for (const char* name : {"cloth 20000", "soup 20000", "lattice 20000", "1000 cubes"})
    if (test.name == name) return true;
  return false;
}

bool wanted(const Case& test, const Arguments& arguments) {
  return test.name.find(arguments.only) != std::string::npos && (!arguments.small || is_small(test));
}

std::vector<Contact> fetched(const cuda::Output& output) {
  std::vector<Contact> contacts(output.count);
  SIGHTLINE_CUDA(
      cudaMemcpy(contacts.data(), output.contacts, contacts.size() * sizeof(Contact), cudaMemcpyDeviceToHost));
  return contacts;
}

void print_stages(const cuda::Output& output) {
  for (const Stage& stage : output.stages)
    std::printf(" %.*s %.3f", static_cast<int>(stage.name.size()), stage.name.data(), stage.milliseconds);
}

bool equals(const std::vector<Contact>& contacts, const Expected& expected) {
  return contacts.size() == expected.count && fingerprint(contacts) == expected.hash;
}

/// The peer, with codes of 30 and of 63 bits. Its time is that of the faster one.
class Peer {
 public:
  /// `ours`: to compare with; 0 if there is nothing to measure.
  void run(const Case& test, const cuda::Input& input, const Expected& expected, double ours, cudaStream_t stream) {
    if (input.f32 == nullptr || input.object != nullptr) return;
    double ms[2] = {};
    for (const int wide : {0, 1}) {
      engine_.bits = wide == 0 ? 10 : 21;
      const std::vector<Contact> contacts = fetched(engine_.run(input, stream));
      if (!equals(contacts, expected)) {
        ++wrong;
        if (wrong < 20)
          std::printf("WRONG  %-24s LBVH, %d bits: %zu contacts, expected %zu\n", test.name.c_str(), engine_.bits * 3,
                      contacts.size(), expected.count);
        return;
      }
      if (ours > 0) ms[wide] = median_ms(engine_, input, stream);
    }
    ++right;
    if (!(ours > 0)) return;
    engine_.bits = ms[0] <= ms[1] ? 10 : 21;
    const cuda::Output detail = engine_.run(input, stream, true);
    std::printf("  LBVH / ours %6.2f       LBVH %8.3f ms (30 bits %.3f, 63 bits %.3f) |", std::min(ms[0], ms[1]) / ours,
                std::min(ms[0], ms[1]), ms[0], ms[1]);
    print_stages(detail);
    std::printf(" | candidates %.2f survivors %.4f a triangle, %zu MiB\n",
                double(detail.candidates) / input.triangle_count, double(detail.survivors) / input.triangle_count,
                detail.peak_bytes >> 20);
    std::fflush(stdout);
  }
  int right = 0, wrong = 0;

 private:
  LbvhEngine engine_;
};

/// Bytes a second that a copy within the device's memory moves, read and written.
double copy_bandwidth(cudaStream_t stream) {
  constexpr std::size_t kBytes = std::size_t{1} << 30;
  constexpr int kCopies = 10;
  cuda::MemoryCount memory;
  cuda::DeviceBuffer<std::byte> from(memory), to(memory);
  SIGHTLINE_CUDA(cudaMemsetAsync(from.reserve(kBytes), 0, kBytes, stream));
  to.reserve(kBytes);
  const cuda::Event start, end;
  const auto copy = [&] {
    SIGHTLINE_CUDA(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice, stream));
  };
  copy();
  SIGHTLINE_CUDA(cudaEventRecord(start, stream));
  for (int i = 0; i < kCopies; ++i) copy();
  SIGHTLINE_CUDA(cudaEventRecord(end, stream));
  SIGHTLINE_CUDA(cudaEventSynchronize(end));
  float ms = 0;
  SIGHTLINE_CUDA(cudaEventElapsedTime(&ms, start, end));
  return 2.0 * kCopies * kBytes / (ms * 1e-3);
}

/// How far each stage is from the floor: the bytes that it has to move, each array once a pass, at the speed of a copy.
void print_bytes(const cuda::Input& input, const cuda::Output& output, double bandwidth) {
  const double n = input.triangle_count,
               mesh = 12.0 * n + (input.f32 != nullptr ? 12.0 : 24.0) * double(input.vertex_count);
  const double cells = n, entries = double(output.entries), contacts = output.count;
  const auto bytes = [&](std::string_view stage) {
    if (stage == "bin")
      return 2 * mesh + 20 * cells + 8 * entries;  // two passes; cleared, scanned, counted up; entries
    if (stage == "pair") return mesh + 8 * entries + 4 * cells;
    if (stage == "exact") return 80.0 * double(output.survivors);
    if (stage == "sort") return 52 * contacts;  // keys read three times and written once, contacts written
    return 0.0;
  };
  for (const Stage& stage : output.stages) {
    const double moved = bytes(stage.name), floor_ms = moved / bandwidth * 1e3;
    std::printf("    %-6.*s %8.3f ms, %8.1f MB to move, %7.3f ms at %.0f GB/s: %5.1f times the floor\n",
                static_cast<int>(stage.name.size()), stage.name.data(), stage.milliseconds, moved * 1e-6, floor_ms,
                bandwidth * 1e-9, floor_ms > 0 ? stage.milliseconds / floor_ms : 0);
  }
}

/// The visibility cull switched on and off, for several objects. 1 if an answer is wrong.
int print_visibility(cuda::Engine& engine, const cuda::Input& input, const Expected& expected, cudaStream_t stream) {
  if (input.object == nullptr) return 0;
  const VisibilityCull setting = engine.visibility;
  int wrong = 0;
  for (const VisibilityCull mode : {VisibilityCull::on, VisibilityCull::off}) {
    engine.visibility = mode;
    const cuda::Output output = engine.run(input, stream);
    if (!equals(fetched(output), expected)) ++wrong;
    const double ms = median_ms(engine, input, stream);
    const cuda::Output detail = engine.run(input, stream, true);
    std::printf("  visibility cull %s %s %8.3f ms, %5.1f %% culled |", mode == VisibilityCull::on ? "on " : "off",
                wrong > 0 ? "WRONG" : "", ms, 100.0 * output.culled / input.triangle_count);
    print_stages(detail);
    std::printf("\n");
  }
  engine.visibility = setting;
  return wrong > 0 ? 1 : 0;
}

int run(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv);
  const std::map<std::string, Expected> expected = read_expected(arguments.expected.c_str());
  cudaStream_t stream;
  SIGHTLINE_CUDA(cudaStreamCreate(&stream));
  cuda::Engine engine;
  if (arguments.cell > 0) engine.cell = arguments.cell;
  if (arguments.cells > 0) engine.cells = arguments.cells;
  const double bandwidth = arguments.bytes ? copy_bandwidth(stream) : 0;
  Peer peer;
  int wrong = 0, right = 0;
  for (const Case& test : cases()) {
    if (!wanted(test, arguments)) continue;
    const Loaded loaded(test.make(), stream);
    const cuda::Output output = engine.run(loaded.input, stream);
    const std::vector<Contact> contacts = fetched(output);
    const auto at = expected.find(test.name);
    const std::uint64_t hash = fingerprint(contacts);
    if (at == expected.end() || at->second.count != contacts.size() || at->second.hash != hash) {
      ++wrong;
      if (wrong < 20)
        std::printf("WRONG  %-24s %zu contacts, expected %zu\n", test.name.c_str(), contacts.size(),
                    at == expected.end() ? 0 : at->second.count);
      continue;
    }
    int differ = 0;
    for (int i = 1; i < arguments.repeat; ++i) differ += fingerprint(fetched(engine.run(loaded.input, stream))) != hash;
    if (differ > 0) {
      ++wrong;
      std::printf("WRONG  %-24s %d of %d repeated runs differ\n", test.name.c_str(), differ, arguments.repeat);
      continue;
    }
    ++right;
    if (!test.timed || arguments.small || arguments.repeat > 1) {
      if (arguments.peer) peer.run(test, loaded.input, at->second, 0, stream);
      continue;
    }
    const double ms = median_ms(engine, loaded.input, stream);
    const cuda::Output detail = engine.run(loaded.input, stream, true);
    std::printf("%-24s %9u triangles %8u contacts %8.3f ms |", test.name.c_str(), loaded.input.triangle_count,
                output.count, ms);
    print_stages(detail);
    std::printf(" | entries %.2f candidates %.2f survivors %.4f a triangle, large %llu giants %llu, %zu MiB\n",
                double(output.entries) / loaded.input.triangle_count,
                double(output.candidates) / loaded.input.triangle_count,
                double(output.survivors) / loaded.input.triangle_count, (unsigned long long)output.large,
                (unsigned long long)output.giants, output.peak_bytes >> 20);
    if (arguments.bytes) print_bytes(loaded.input, detail, bandwidth);
    std::fflush(stdout);
    if (arguments.peer) peer.run(test, loaded.input, at->second, ms, stream);
    wrong += print_visibility(engine, loaded.input, at->second, stream);
  }
  if (arguments.repeat > 1) std::printf("each case %d times: ", arguments.repeat);
  std::printf("%d answers equal the CPU's, %d differ\n", right, wrong);
  if (arguments.peer) std::printf("LBVH: %d answers equal the CPU's, %d differ\n", peer.right, peer.wrong);
  return wrong + peer.wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sightline::gpu_bench

int main(int argc, char** argv) {
  try {
    return sightline::gpu_bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.what());
    return 2;
  }
}
