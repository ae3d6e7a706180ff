#include "report/paint.h"

#include <algorithm>
#include <numeric>

namespace sightline::report {

std::string_view paint_name(Paint paint) { return paint == 0 ? "clear" : to_string(static_cast<Kind>(paint - 1)); }

std::array<std::uint8_t, 3> paint_colour(Paint paint) {
  constexpr std::array<std::uint8_t, 3> kColours[kPaintCount] = {
      {200, 200, 200},  // no contact: light grey
      {0, 114, 178},    // touching: blue
      {213, 94, 0},     // crossing: vermilion
      {240, 228, 66},   // coplanar: yellow
      {204, 121, 167},  // duplicate: purple
  };
  return kColours[paint];
}

std::vector<std::vector<Paint>> paint(const Contacts& contacts) {
  std::array<int, kPaintCount> rank = {};
  for (int i = 0; i < kKindCount; ++i) rank[paint_of(kKindsBySeverity[i])] = kKindCount - i;
  std::vector<std::vector<Paint>> paints(contacts.parts.size());
  for (std::size_t i = 0; i < paints.size(); ++i) paints[i].resize(contacts.parts[i].mesh.triangles.size());
  for (const Contact& contact : contacts.list) {
    const Paint paint = paint_of(contact.kind);
    for (Paint* side : {&paints[contact.object_a][contact.a], &paints[contact.object_b][contact.b]})
      if (rank[*side] < rank[paint]) *side = paint;
  }
  return paints;
}

Outlines outlines(const Contacts& contacts, const WriteOptions& options) {
  const std::size_t count = contacts.list.size();
  Outlines result;
  result.start.resize(count + 1);
  std::vector<std::vector<Vec3d>> blocks((count + kBlock - 1) / kBlock);
  for_blocks(count, options, [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3d>& points = blocks[begin / kBlock];
    for (std::size_t i = begin; i < end; ++i) {
      const Intersection geometry = contacts.geometry(contacts.list[i]);
      result.start[i + 1] = geometry.size;
      points.insert(points.end(), geometry.points().begin(), geometry.points().end());
    }
  });
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  result.points.reserve(result.start.back());
  for (std::vector<Vec3d>& block : blocks) {
    result.points.insert(result.points.end(), block.begin(), block.end());
    block = {};
  }
  return result;
}

}  // namespace sightline::report
