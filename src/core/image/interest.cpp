#include "image/interest.h"

#include <algorithm>

#include "base/parallel.h"

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

/// The axis along which the objects lie most apart: a row of parts must not be swept across.
int sweep_axis(const std::vector<CellBox>& boxes) {
  CellBox all = boxes[0];
  double sizes[3] = {};
  for (const CellBox& box : boxes) {
    all.add(box);
    for (int k = 0; k < 3; ++k) sizes[k] += box.high[k] - box.low[k] + 1;
  }
  const auto room = [&](int k) { return (all.high[k] - all.low[k] + 1) / sizes[k]; };
  int best = 0;
  for (int k = 1; k < 3; ++k)
    if (room(k) > room(best)) best = k;
  return best;
}

/// More boxes than this cost more to test than they save; then the box around them has to do.
constexpr std::size_t kMostBoxes = 12;

void add(Interest& interest, const CellBox& box) {
  interest.boxes.push_back(box);
  if (!interest.merged && interest.boxes.size() <= kMostBoxes) return;
  CellBox around = box;
  for (const CellBox& b : interest.boxes) {
    around.low = CellBox::min(around.low, b.low);
    around.high = CellBox::max(around.high, b.high);
  }
  interest.boxes.assign(1, around);
  interest.merged = true;
}

}  // namespace

std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, Workers& workers) {
  const std::size_t count = table.objects.size();
  std::vector<Interest> interest(count);
  if (count < 2) return interest;
  for (std::size_t i = 0; i < count; ++i) interest[i].everywhere = table.objects[i].options.self;
  std::vector<CellBox> box(count);
  workers.for_each(count, [&](std::size_t i) { box[i] = cells_of(table.objects[i], bins); });

  // A sweep; overlaps are symmetric, so each goes to both.
  const int axis = sweep_axis(box);
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return box[a].low[axis] < box[b].low[axis]; });
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && box[order[j]].low[axis] <= box[order[i]].high[axis]; ++j) {
      const CellBox &a = box[order[i]], &b = box[order[j]];
      if (!a.overlaps(b.low, b.high)) continue;
      if (!table.all_wanted && !wanted(table.objects[order[i]].options, table.objects[order[j]].options)) continue;
      const CellBox both{CellBox::max(a.low, b.low), CellBox::min(a.high, b.high)};
      add(interest[order[i]], both);
      add(interest[order[j]], both);
    }
  return interest;
}

}  // namespace sightline
