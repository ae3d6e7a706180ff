// Closed bodies for the tests of solids: boxes, voxel solids, octahedra, random tetrahedra.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

#include "sightline/sightline.h"
#include "support/random.h"
#include "support/tuned.h"

namespace bodies {

using sightline::MeshView;
using sightline::Triangle;
using sightline::Vec3d;

struct Body {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;
  MeshView view() const { return {points, triangles}; }

  Body& add(Body other) {  // a copy: a body may be added to itself
    const auto base = static_cast<std::uint32_t>(points.size());
    points.insert(points.end(), other.points.begin(), other.points.end());
    for (const Triangle& t : other.triangles) triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
    return *this;
  }
  template <typename Function>
  Body mapped(const Function& function) const {
    Body result = *this;
    for (Vec3d& p : result.points) p = function(p);
    return result;
  }
  Body moved(const Vec3d& d) const {
    return mapped([&](const Vec3d& p) { return Vec3d{p[0] + d[0], p[1] + d[1], p[2] + d[2]}; });
  }
  Body scaled(double s) const {
    return mapped([&](const Vec3d& p) { return Vec3d{p[0] * s, p[1] * s, p[2] * s}; });
  }
  Body inverted() const {
    Body result = *this;
    for (Triangle& t : result.triangles) std::swap(t[1], t[2]);
    return result;
  }
  /// Each triangle with corners of its own, as in an STL file.
  Body soup() const {
    Body result;
    for (const Triangle& t : triangles) {
      const auto base = static_cast<std::uint32_t>(result.points.size());
      for (const auto i : t) result.points.push_back(points[i]);
      result.triangles.push_back({base, base + 1, base + 2});
    }
    return result;
  }
  Body without(std::size_t triangle) const {
    Body result = *this;
    result.triangles.erase(result.triangles.begin() + static_cast<std::ptrdiff_t>(triangle));
    return result;
  }
};

inline Body box(const Vec3d& lo, const Vec3d& hi) {
  Body body;
  for (int i = 0; i < 8; ++i)
    body.points.push_back({i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]});
  body.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return body;
}

inline Body octahedron(const Vec3d& c, double r) {
  Body body;
  for (int k = 0; k < 3; ++k)
    for (const double s : {-r, r}) {
      Vec3d p = c;
      p[k] += s;
      body.points.push_back(p);
    }
  for (std::uint32_t i = 0; i < 8; ++i) body.triangles.push_back({i & 1, 2 + (i >> 1 & 1), 4 + (i >> 2 & 1)});
  return body;
}

inline Body tetrahedron(const std::array<Vec3d, 4>& p) {
  return {{p.begin(), p.end()}, {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}};
}

/// The boundary of a set of unit cells. `split` chooses the diagonal of each face, so that two bodies can share planes
/// but not triangles.
using Voxels = std::set<std::array<int, 3>>;
inline Body voxels(const Voxels& cells, int split = 0) {
  Body body;
  std::map<std::array<int, 3>, std::uint32_t> index;
  const auto vertex = [&](const std::array<int, 3>& p) {
    const auto [it, is_new] = index.try_emplace(p, static_cast<std::uint32_t>(body.points.size()));
    if (is_new) body.points.push_back({double(p[0]), double(p[1]), double(p[2])});
    return it->second;
  };
  for (const auto& cell : cells)
    for (int axis = 0; axis < 3; ++axis)
      for (int end = 0; end < 2; ++end) {
        std::array<int, 3> next = cell;
        next[axis] += end ? 1 : -1;
        if (cells.count(next)) continue;
        std::uint32_t q[4];
        for (int i = 0; i < 4; ++i) {
          std::array<int, 3> p = cell;
          p[axis] += end;
          p[(axis + 1) % 3] += (i == 1 || i == 2);
          p[(axis + 2) % 3] += (i >= 2);
          q[i] = vertex(p);
        }
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

/// Boxes in the lattice 0 … n, added up modulo two: surfaces that cover and cancel themselves.
struct BoxSum {
  Body body;
  std::set<std::array<int, 3>> odd;           // unit cells inside
  std::map<std::array<int, 4>, int> squares;  // unit squares of the surface (axis, cell), and how often they are there

  /// A unit square of a plane, off this surface: does it lie inside?
  bool square_is_inside(int axis, int height, int u, int v) const {
    std::array<int, 3> cell;
    cell[axis] = height;
    cell[(axis + 1) % 3] = u;
    cell[(axis + 2) % 3] = v;
    return odd.count(cell) != 0 && squares.count({axis, cell[0], cell[1], cell[2]}) == 0;
  }
  /// Some point of the other surface does.
  bool reached_by(const BoxSum& other) const {
    for (const auto& [square, times] : other.squares) {
      const int axis = square[0];
      if (square_is_inside(axis, square[1 + axis], square[1 + (axis + 1) % 3], square[1 + (axis + 2) % 3])) return true;
    }
    return false;
  }
};

/// Each box comes one to three times; its faces are two triangles each, or unit squares.
inline BoxSum random_boxes(testing_support::Random& random, int n, int boxes) {
  BoxSum sum;
  for (int i = 0; i < boxes; ++i) {
    int lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
      lo[k] = random.below(n);
      hi[k] = lo[k] + 1 + random.below(n - lo[k]);
    }
    Voxels cells;
    for (int x = lo[0]; x < hi[0]; ++x)
      for (int y = lo[1]; y < hi[1]; ++y)
        for (int z = lo[2]; z < hi[2]; ++z) cells.insert({x, y, z});
    const int times = random.chance(0.6) ? 1 : 2 + random.below(2);
    for (int time = 0; time < times; ++time) {
      sum.body.add(random.chance(0.5) ? box({double(lo[0]), double(lo[1]), double(lo[2])},
                                            {double(hi[0]), double(hi[1]), double(hi[2])})
                                      : voxels(cells, random.below(8)));
      for (const auto& cell : cells) {
        if (!sum.odd.insert(cell).second) sum.odd.erase(cell);
        for (int axis = 0; axis < 3; ++axis)
          for (int end = 0; end < 2; ++end) {
            std::array<int, 3> next = cell;
            next[axis] += end ? 1 : -1;
            if (cells.count(next) != 0) continue;
            std::array<int, 4> square{axis, cell[0], cell[1], cell[2]};
            square[1 + axis] += end;
            ++sum.squares[square];
          }
      }
    }
  }
  return sum;
}

/// Pairs as a run without a list of contacts gives them.
inline std::vector<sightline::PartPair> without_contacts(std::vector<sightline::PartPair> pairs) {
  for (sightline::PartPair& pair : pairs) std::fill(std::begin(pair.contacts), std::end(pair.contacts), 0);
  return pairs;
}

/// The relation of two parts, as the library finds it: with the list of contacts, and the same without.
inline sightline::PartPair relation(const MeshView& a, const MeshView& b, double clearance = 0) {
  sightline::Scene scene;
  scene.add(a);
  scene.add(b);
  const std::array<MeshView, 2> parts{a, b};
  const sightline::Options one_thread{.threads = 1};
  const auto all = sightline::classify(parts, scene.collide(one_thread), {.clearance = clearance, .query = one_thread}).pairs;
  EXPECT_EQ(sightline::relations(parts, {.clearance = clearance, .query = one_thread}).pairs, without_contacts(all));
  if (all.empty()) return {.a = 0, .b = 1, .gap = std::numeric_limits<double>::infinity()};
  return all.at(0);
}
inline sightline::PartPair relation(const Body& a, const Body& b, double clearance = 0) {
  return relation(a.view(), b.view(), clearance);
}

}  // namespace bodies
