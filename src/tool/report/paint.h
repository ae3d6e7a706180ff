// Colours by kind of contact, and the outlines of the contacts, for the geometry files.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace sightline::report {

/// The colour of a triangle: 0 without a contact, else 1 + the most serious Kind of its contacts.
using Paint = std::uint8_t;
inline constexpr int kPaintCount = 1 + kKindCount;
inline Paint paint_of(Kind kind) { return static_cast<Paint>(1 + static_cast<int>(kind)); }
std::string_view paint_name(Paint paint);
/// Colours that colour-blind people can distinguish (Okabe and Ito).
std::array<std::uint8_t, 3> paint_colour(Paint paint);

/// Per part and triangle.
std::vector<std::vector<Paint>> paint(const Contacts& contacts);

/// The points of all contacts in order; contact i has the points [start[i], start[i + 1]).
struct Outlines {
  std::vector<Vec3d> points;
  std::vector<std::uint64_t> start;
  std::uint64_t size(std::size_t contact) const { return start[contact + 1] - start[contact]; }
};
Outlines outlines(const Contacts& contacts, const WriteOptions& options);

}  // namespace sightline::report
