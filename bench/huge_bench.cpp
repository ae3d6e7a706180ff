// `./dev bench huge`: `sightline check` in memory and out of core, on a generated binary PLY of any size.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/child.h"
#include "scenes/scenes.h"

namespace sightline::bench {
namespace {

constexpr const char* kHelp =
    R"(sightline_huge_bench: `sightline check` in memory and with --memory, on crumpled cloths side by side.

  --triangles N   millions of triangles (default 10)
  --memory SIZE   the limit (default: a tenth of the mesh as arrays in memory)
  --folder F      of the file and of the scratch data (default: the system's temporary folder)
  --only-huge     no run in memory, for meshes that do not fit
  --keep          the file is not removed at the end

A file has 19 bytes a triangle, the scratch data about 46. Exit code: 0, 1 if the answers differ, 2 for an error.
)";

/// Cloths of a million triangles in a square grid, 4 apart from each other, as one binary PLY, written piece by piece.
void write_cloths(const std::filesystem::path& path, std::size_t cloths) {
  const Mesh cloth = scenes::crumpled_cloth(1'000'000);
  const auto& points = std::get<std::vector<Vec3f>>(cloth.positions);
  Vec3f low = points[0], high = points[0];
  for (const Vec3f& p : points)
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  std::size_t side = 1;
  while (side * side < cloths) ++side;
  std::ofstream file(path, std::ios::binary);
  file << fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float "
      "z\nelement face {}\nproperty list uchar uint vertex_indices\nend_header\n",
      cloths * points.size(), cloths * cloth.triangles.size());
  std::vector<Vec3f> moved(points.size());
  for (std::size_t i = 0; i < cloths; ++i) {
    const float x = static_cast<float>(i % side) * (high[0] - low[0] + 4);
    const float y = static_cast<float>(i / side) * (high[1] - low[1] + 4);
    for (std::size_t k = 0; k < points.size(); ++k) moved[k] = {points[k][0] + x, points[k][1] + y, points[k][2]};
    file.write(reinterpret_cast<const char*>(moved.data()), static_cast<std::streamsize>(moved.size() * sizeof(Vec3f)));
  }
  std::vector<char> faces(13 * cloth.triangles.size());
  for (std::size_t i = 0; i < cloths; ++i) {
    char* to = faces.data();
    for (Triangle t : cloth.triangles) {
      for (std::uint32_t& corner : t) corner += static_cast<std::uint32_t>(i * points.size());
      *to = 3;
      std::memcpy(to + 1, t.data(), 12);
      to += 13;
    }
    file.write(faces.data(), static_cast<std::streamsize>(faces.size()));
  }
  if (!file.flush()) throw Error(path.string() + ": cannot write");
}

void print(const char* what, const ChildRun& run, std::size_t millions) {
  fmt::print("{:<12} {:8.1f} s  {:8.1f} s CPU  {:6.0f} ns CPU a triangle  {:8.0f} MB\n", what, run.wall_ms / 1e3,
             run.cpu_ms / 1e3, run.cpu_ms / static_cast<double>(millions), static_cast<double>(run.peak_bytes) / 1e6);
}

/// The contacts' line of the summary.
std::string contacts_of(const std::string& summary) {
  const std::size_t at = summary.find("  contacts");
  return at == std::string::npos ? summary : summary.substr(at, summary.find('\n', at) - at);
}

int run(int argc, char** argv) {
  std::size_t millions = 10;
  std::string memory;
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  bool only_huge = false, keep = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return std::string(++i < argc ? argv[i] : throw Error(word + " needs a value")); };
    if (word == "--triangles")
      millions = std::stoul(value());
    else if (word == "--memory")
      memory = value();
    else if (word == "--folder")
      folder = value();
    else if (word == "--only-huge")
      only_huge = true;
    else if (word == "--keep")
      keep = true;
    else {
      fmt::print("{}", kHelp);
      return word == "--help" ? 0 : 2;
    }
  }
  if (millions == 0) throw Error("--triangles 0: at least 1 million");
  // 12 bytes a triangle and half a vertex of 12 bytes.
  if (memory.empty()) memory = fmt::format("{}K", std::max<std::size_t>(16 << 10, millions * 18'000'000 / 10 / 1024));
  const std::filesystem::path file = folder / fmt::format("sightline-huge-{}M.ply", millions);
  if (!std::filesystem::exists(file)) write_cloths(file, millions);
  const std::filesystem::path here = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::string tool = (here.parent_path() / "src/tool/sightline").string();
  fmt::print("{} million triangles, file of {:.1f} GB, limit {}\n", millions,
             static_cast<double>(std::filesystem::file_size(file)) / 1e9, memory);
  const ChildRun huge = run_child({tool, "check", file.string(), "--memory", memory, "--scratch", folder.string()});
  print("out of core", huge, millions);
  fmt::print("{}", huge.output);
  int status = huge.status > 1 || huge.status < 0 ? 2 : 0;
  if (!only_huge) {
    const ChildRun plain = run_child({tool, "check", file.string()});
    print("in memory", plain, millions);
    fmt::print("{}CPU time out of core / in memory: {:.2f}\n", plain.output, huge.cpu_ms / plain.cpu_ms);
    if (contacts_of(plain.output) != contacts_of(huge.output)) status = 1;
  }
  if (!keep) std::filesystem::remove(file);
  return status;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) {
  try {
    return sightline::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sightline_huge_bench: {}\n", error.what());
    return 2;
  }
}
