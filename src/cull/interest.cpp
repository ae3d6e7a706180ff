#include "cull/interest.h"

#include <algorithm>

namespace sightline {
namespace {

Interest cell_box(const TriangleTable::Object& object, const Bins& bins, const Frame& frame) {
  Interest box{{32767, 32767, 32767}, {-1, -1, -1}};
  const std::uint64_t* cells = bins.vertex_cells.data() + object.first_vertex;
  for (std::uint32_t v = 0; v < object.vertex_count; ++v)
    for (int k = 0; k < 3; ++k) {
      const auto cell = static_cast<std::int16_t>(cells[v] >> (16 * frame.axis[k]) & 0xFFFF);
      box.low[k] = std::min(box.low[k], cell);
      box.high[k] = std::max(box.high[k], cell);
    }
  return box;
}

}  // namespace

std::vector<Interest> regions_of_interest(const TriangleTable& table, const Bins& bins, const Frame& frame) {
  const std::size_t count = table.objects.size();
  std::vector<Interest> interest(count, Interest{{32767, 32767, 32767}, {-1, -1, -1}});
  if (count < 2) return interest;
  std::vector<Interest> box(count);
  for (std::size_t i = 0; i < count; ++i) box[i] = cell_box(table.objects[i], bins, frame);

  // Sweep along u; the overlaps of boxes are symmetric, so each goes to both.
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&box](std::uint32_t a, std::uint32_t b) { return box[a].low[0] < box[b].low[0]; });
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count && box[order[j]].low[0] <= box[order[i]].high[0]; ++j) {
      const Interest &a = box[order[i]], &b = box[order[j]];
      Interest both;
      bool overlap = true;
      for (int k = 0; k < 3; ++k) {
        both.low[k] = std::max(a.low[k], b.low[k]);
        both.high[k] = std::min(a.high[k], b.high[k]);
        overlap = overlap && both.low[k] <= both.high[k];
      }
      if (!overlap) continue;
      for (Interest* region : {&interest[order[i]], &interest[order[j]]})
        for (int k = 0; k < 3; ++k) {
          region->low[k] = std::min(region->low[k], both.low[k]);
          region->high[k] = std::max(region->high[k], both.high[k]);
        }
    }
  return interest;
}

}  // namespace sightline
