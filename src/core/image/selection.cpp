#include "image/selection.h"

#include <algorithm>

#include "base/box_tree.h"

namespace sightline {
namespace {

using Lanes = CellBox::Lanes;

CellBox cells_of(const TriangleTable::Object& object, const Bins& bins) {
  CellBox box{Lanes{32767, 32767, 32767, 0}, Lanes{-1, -1, -1, 0}};
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  for (std::uint32_t v = 0; v < object.vertex_count; ++v) {
    const Lanes cell = load_cell(cells, v);
    box.add({cell, cell});
  }
  return box;
}

/// More boxes than this cost more to test than they save; then the box around them is used.
constexpr std::size_t kMostBoxes = 12;

/// Cells as whole numbers in double, for the tree of the objects.
Box numbers(const CellBox& cells) {
  Box box;
  for (int k = 0; k < 3; ++k) box.low[k] = cells.low[k], box.high[k] = cells.high[k];
  return box;
}

/// Collects where one object overlaps others. Once one box stands for all, only boxes that reach out of it are tested.
class Collector {
 public:
  Collector(Interest& interest, const Box& own) : interest_(interest), own_(own) {}

  bool needs(const Box& other) const { return own_.meets(other) && !(merged_ && around_.holds(own_.common(other))); }
  void add(const Box& other, const CellBox& common) {
    interest_.boxes.push_back(common);
    around_.add(own_.common(other));
    if (!merged_ && interest_.boxes.size() <= kMostBoxes) return;
    merged_ = true;
    for (const CellBox& box : interest_.boxes) interest_.boxes[0].add(box);
    interest_.boxes.resize(1);
  }

 private:
  Interest& interest_;
  const Box& own_;
  bool merged_ = false;  ///< one box stands for too many
  Box around_;           ///< all boxes so far
};

std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, Workers& workers) {
  const std::size_t count = table.objects.size();
  std::vector<Interest> interest(count);
  if (count < 2) return interest;
  for (std::size_t i = 0; i < count; ++i) interest[i].everywhere = table.objects[i].options.self;
  std::vector<CellBox> cells(count);
  std::vector<Box> boxes(count);
  workers.for_each(count, [&](std::size_t i) {
    cells[i] = cells_of(table.objects[i], bins);
    boxes[i] = numbers(cells[i]);
  });
  const BoxTree tree(boxes, workers);
  constexpr std::size_t kBlock = 64;
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (interest[i].everywhere) continue;
      Collector collector(interest[i], boxes[i]);
      tree.find([&](const Box& box) { return collector.needs(box); },
                [&](std::uint32_t j) {
                  if (j != i && collector.needs(boxes[j]) &&
                      (table.all_wanted || wanted(table.objects[i].options, table.objects[j].options)))
                    collector.add(boxes[j], {CellBox::max(cells[i].low, cells[j].low),
                                             CellBox::min(cells[i].high, cells[j].high)});
                  return false;
                });
    }
  });
  return interest;
}

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
