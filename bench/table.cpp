#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "bench/measure.h"

namespace sightline::bench {
namespace {

std::string times(double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : "-"; }
std::string mebibytes(std::uint64_t bytes) {
  return bytes > 0 ? fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20)) : "-";
}
std::string per_triangle(std::uint64_t bytes, const SceneResult& result) {
  if (bytes == 0) return "-";
  return fmt::format("{:.0f}", static_cast<double>(bytes) / static_cast<double>(result.triangles));
}

std::string stages(const Stats& stats, const char* separator) {
  std::string text;
  for (const Stage& stage : stats.stages)
    text += fmt::format("{}{} {:.1f}", text.empty() ? "" : separator, stage.name, stage.milliseconds);
  return text;
}

/// Notes beside the numbers.
std::string remarks(const PeerResult& row) {
  std::string text = stages(row.stats, ", ");
  if (row.missed + row.invented > 0) text += fmt::format("; missed {}, invented {}", row.missed, row.invented);
  if (row.stats.candidates > 0)
    text += fmt::format("; {} candidates, {} to double and exact", row.stats.candidates, row.stats.decided_exact);
  return text;
}

}  // namespace

void print_scene(const SceneResult& result) {
  fmt::print("\n{}: {} triangles, {} object{}, {} contacts, hash {:016x}\n", result.scene, result.triangles,
             result.objects, result.objects == 1 ? "" : "s", result.contacts, result.hash);
  fmt::print("  {:<18}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}  {}\n", "", "best ms", "median", "cpu ms",
             "x embree", "x cgal", "MB peak", "MB rss", "MB stats", "B/tri", "stages (ms)");
  for (const PeerResult& row : result.peers)
    fmt::print("  {:<18}{:>10.2f}{:>10.2f}{:>10.1f}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}  {}\n", row.peer, row.best(),
               row.median(), row.cpu_milliseconds, times(result.ratio(row.peer, kEmbree)),
               times(result.ratio(row.peer, kCgal)), mebibytes(row.peak_bytes), mebibytes(row.peak_resident_bytes),
               mebibytes(row.stats.peak_bytes), per_triangle(row.peak_bytes, result), remarks(row));
  std::fflush(stdout);
}

void write_csv(const std::string& path, const std::vector<SceneResult>& results) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
  if (file == nullptr) throw Error(fmt::format("{}: cannot be written", path));
  fmt::print(file.get(),
             "scene,triangles,objects,contacts,hash,peer,runs,best_ms,median_ms,cpu_ms,times_embree,times_cgal,missed,"
             "invented,peak_bytes,peak_resident_bytes,stats_bytes,candidates,decided_exact,stages\n");
  for (const SceneResult& result : results)
    for (const PeerResult& row : result.peers)
      fmt::print(file.get(), "{},{},{},{},{:016x},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{},{},{},{},{},{},{},{}\n",
                 result.scene, result.triangles, result.objects, result.contacts, result.hash, row.peer,
                 row.milliseconds.size(), row.best(), row.median(), row.cpu_milliseconds,
                 result.ratio(row.peer, kEmbree), result.ratio(row.peer, kCgal), row.missed, row.invented,
                 row.peak_bytes, row.peak_resident_bytes, row.stats.peak_bytes, row.stats.candidates,
                 row.stats.decided_exact, stages(row.stats, "; "));
  if (std::ferror(file.get()) != 0) throw Error(fmt::format("{}: write failed", path));
}

}  // namespace sightline::bench
