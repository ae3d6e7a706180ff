// Which cell reports a pair.
//
// Let A and B be two triangles with cell boxes on one grid. On each axis, let m be the greater of their two least
// cells. If the boxes overlap, the cell (m, m, m) lies in both: m is at least both least cells by definition, and at
// most both greatest cells since the boxes overlap on that axis. It is one cell.
//
//   R1  A pair is reported in the cell of the greater least cells, on the one grid that its two levels determine
//       (rules/levels.h), and in no other.
//   R2  In a cell that both boxes hold, R1 reads: on each axis, at least one of the two has its least cell here. For
//       such a cell is at least both least cells on each axis, and equal to the greater one exactly if it equals one of
//       the two.
//   R3  R2 survives cuts. Cut the members of a cell at s on one axis by any monotone rounding of their coordinates:
//       what begins before s goes to the left part, what ends at s or beyond goes to the right part, and in the right
//       part a triangle that begins before s loses its claim to have its least cell here on that axis. If the greater
//       beginning of the two is before s, both are in the left part as they were, and in the right part neither has the
//       claim. If it is at s or beyond, the triangle that begins there is in the right part only, with its claim, and
//       the other one reaches into the right part because the two overlap. So exactly one part keeps the pair.
//
// Consequence: every pair whose boxes overlap is tested once, and the list of contacts has no repeats.
#pragma once

#include <cstdint>

#include "rules/host_device.h"

namespace sightline::rules {

/// A bit for each axis on which a cell is a triangle's least one, or the bit has been lost to a cut.
using Claims = std::uint32_t;
inline constexpr Claims kAllClaims = 7;

/// True if a place (rules/cells.h) that is not beyond the cell, but for clamping at the grid's border, is in it.
template <typename T>
SIGHTLINE_HD inline bool is_least(T place, std::int32_t cell) {
  return cell == 0 || place >= static_cast<T>(cell);
}

}  // namespace sightline::rules
