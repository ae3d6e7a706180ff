#include "image/selection.h"

#include <algorithm>

#include "base/parallel.h"

namespace sightline {
namespace {

/// Runs in ascending order cut into `parts` of nearly equal length.
std::vector<std::vector<Run>> cut(const std::vector<Run>& all, std::size_t parts) {
  std::uint64_t total = 0, done = 0;
  for (const Run& run : all) total += run.last - run.first;
  std::vector<std::vector<Run>> cut(parts);
  std::size_t part = 0;
  for (Run run : all)
    while (run.first < run.last) {
      while (done >= total * (part + 1) / parts) ++part;  // ends: done < total, which is where the last part ends
      const std::uint64_t room = total * (part + 1) / parts - done;
      Run piece = run;
      piece.last = run.first + static_cast<std::uint32_t>(std::min<std::uint64_t>(room, run.last - run.first));
      cut[part].push_back(piece);
      done += piece.last - piece.first;
      run.first = piece.last;
    }
  return cut;
}

}  // namespace

Selection select_triangles(const TriangleTable& table, const Bins& bins, Workers& workers) {
  const std::size_t parts = std::clamp<std::size_t>(workers.count(), 1, 16);
  std::vector<Run> all;
  for (const auto& object : table.objects) all.push_back({&object, 0, object.triangle_count});
  return {regions_of_interest(table, bins, workers), cut(all, parts)};
}

void rebalance(Selection& selection) {
  std::vector<Run> all;
  for (const std::vector<Run>& part : selection.runs) all.insert(all.end(), part.begin(), part.end());
  selection.runs = cut(all, selection.runs.size());
}

}  // namespace sightline
