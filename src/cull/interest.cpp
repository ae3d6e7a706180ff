#include "cull/interest.h"

#include <algorithm>

#include "parallel.h"

namespace sightline {
namespace {

using Lanes = CellBox::Lanes;

Lanes min_lanes(Lanes a, Lanes b) { return a < b ? a : b; }
Lanes max_lanes(Lanes a, Lanes b) { return a > b ? a : b; }

CellBox cell_box(const TriangleTable::Object& object, const Bins& bins) {
  CellBox box{Lanes{32767, 32767, 32767, 0}, Lanes{-1, -1, -1, 0}};
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  for (std::uint32_t v = 0; v < object.vertex_count; ++v) {
    Lanes cell;
    __builtin_memcpy(&cell, cells + v, sizeof cell);
    box.low = min_lanes(box.low, cell);
    box.high = max_lanes(box.high, cell);
  }
  return box;
}

/// More boxes than this cost more to test than they save; then the box around them has to do.
constexpr std::size_t kMostBoxes = 12;

void add(Interest& interest, const CellBox& box) {
  interest.boxes.push_back(box);
  if (!interest.merged && interest.boxes.size() <= kMostBoxes) return;
  CellBox around = box;
  for (const CellBox& b : interest.boxes) {
    around.low = min_lanes(around.low, b.low);
    around.high = max_lanes(around.high, b.high);
  }
  interest.boxes.assign(1, around);
  interest.merged = true;
}

}  // namespace

std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, Workers& workers) {
  const std::size_t count = table.objects.size();
  std::vector<Interest> interest(count);
  if (count < 2) return interest;
  for (std::size_t i = 0; i < count; ++i) interest[i].everywhere = table.objects[i].self;
  std::vector<CellBox> box(count);
  workers.for_each(count, [&](std::size_t i) { box[i] = cell_box(table.objects[i], bins); });

  // Sweep along u; overlaps are symmetric, so each goes to both.
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&box](std::uint32_t a, std::uint32_t b) { return box[a].low[0] < box[b].low[0]; });
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && box[order[j]].low[0] <= box[order[i]].high[0]; ++j) {
      const CellBox &a = box[order[i]], &b = box[order[j]];
      if (!a.overlaps(b.low, b.high)) continue;
      const CellBox both{max_lanes(a.low, b.low), min_lanes(a.high, b.high)};
      add(interest[order[i]], both);
      add(interest[order[j]], both);
    }
  return interest;
}

}  // namespace sightline
