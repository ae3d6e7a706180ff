// Closed, consistently wound bodies whose measures are known: unit cells of a lattice, turned, scaled and moved
// exactly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sightline/measure.h"
#include "solid/bodies.h"
#include "support/random.h"

namespace measure_bodies {

using bodies::Body;
using sightline::Extent;
using sightline::Interval;
using sightline::MeshView;
using sightline::Triangle;
using sightline::Vec3d;
using testing_support::Random;
using Cell = std::array<int, 3>;
using Cells = std::set<Cell>;

/// The boundary of the cells, outwards; `split` turns diagonals.
inline Body solid_of(const Cells& cells, int split) {
  Body body;
  std::map<Cell, std::uint32_t> index;
  const auto vertex = [&](const Cell& p) {
    const auto [it, is_new] = index.try_emplace(p, static_cast<std::uint32_t>(body.points.size()));
    if (is_new) body.points.push_back({double(p[0]), double(p[1]), double(p[2])});
    return it->second;
  };
  for (const Cell& cell : cells)
    for (int axis = 0; axis < 3; ++axis)
      for (int end = 0; end < 2; ++end) {
        Cell next = cell;
        next[axis] += end ? 1 : -1;
        if (cells.count(next)) continue;
        std::uint32_t q[4];
        for (int i = 0; i < 4; ++i) {
          Cell p = cell;
          p[axis] += end;
          p[(axis + 1) % 3] += (i == 1 || i == 2);
          p[(axis + 2) % 3] += (i >= 2);
          q[i] = vertex(p);
        }
        if (end == 0) std::swap(q[1], q[3]);
        if ((split >> axis & 1) == 0) {
          body.triangles.push_back({q[0], q[1], q[2]});
          body.triangles.push_back({q[0], q[2], q[3]});
        } else {
          body.triangles.push_back({q[1], q[2], q[3]});
          body.triangles.push_back({q[1], q[3], q[0]});
        }
      }
  return body;
}

inline Cells random_box(Random& random, int n) {
  Cell lo, hi;
  for (int k = 0; k < 3; ++k) {
    lo[k] = random.below(n);
    hi[k] = lo[k] + 1 + random.below(n - lo[k]);
  }
  Cells cells;
  for (int x = lo[0]; x < hi[0]; ++x)
    for (int y = lo[1]; y < hi[1]; ++y)
      for (int z = lo[2]; z < hi[2]; ++z) cells.insert({x, y, z});
  return cells;
}

/// A rotation times 3, or times 1: exact on integers.
struct Turn {
  std::array<std::array<int, 3>, 3> rows;
  int factor;
  Vec3d operator()(const Vec3d& p) const {
    Vec3d r;
    for (int i = 0; i < 3; ++i) r[i] = rows[i][0] * p[0] + rows[i][1] * p[1] + rows[i][2] * p[2];
    return r;
  }
};
inline Turn random_turn(Random& random) {
  if (random.chance(0.3)) return {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 1};
  Turn turn{{{{2, -1, 2}, {2, 2, -1}, {-1, 2, 2}}}, 3};
  std::rotate(turn.rows.begin(), turn.rows.begin() + random.below(3), turn.rows.end());
  return turn;
}

inline Body shuffled(const Body& body, Random& random) {
  Body result = body;
  for (std::size_t i = result.triangles.size(); i > 1; --i)
    std::swap(result.triangles[i - 1], result.triangles[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  return result;
}

inline ::testing::AssertionResult holds(const Interval& interval, double truth) {
  if (interval.contains(truth)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "[" << interval.low << ", " << interval.high << "] does not hold " << truth
                                       << " (off by " << truth - interval.middle() << ")";
}

}  // namespace measure_bodies
