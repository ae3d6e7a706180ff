// Marching tetrahedra on the body-centred cubic lattice: nodes are the corners and the centres of cubes, and each face
// between two cubes has four tetrahedra: both centres and an edge of the face. The surface in each tetrahedron is one
// or two triangles with corners on its edges, so that the whole is closed and embedded by construction.
#include "scenes/papers/implicit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "scenes/random.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

// Corners stay this far, in edges, from the nodes: no slivers, so that rounding to float keeps the surface embedded.
constexpr double kMargin = 0.12;
constexpr int kBlock = 6;
constexpr std::size_t kMostParts = 128;

double distance(const RoundCone& cone, const Vec3d& p) {
  const Vec3d axis = add(cone.b, times(-1, cone.a));
  Vec3d from_a = add(p, times(-1, cone.a));
  const double length_squared = dot(axis, axis);
  const double t = length_squared > 0 ? std::clamp(dot(from_a, axis) / length_squared, 0.0, 1.0) : 0;
  Vec3d across = add(from_a, times(-t, axis));
  if (cone.flatness > 1) across = add(across, times((cone.flatness - 1) * dot(across, cone.thin), cone.thin));
  const double radius = cone.radius_a + t * (cone.radius_b - cone.radius_a);
  return (std::sqrt(dot(across, across)) - radius) / cone.flatness;
}

/// Negative inside, about a distance near the surface. A shape has at most kMostParts parts.
double field(const Shape& shape, const Vec3d& p) {
  std::array<double, kMostParts> distances;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    distances[i] = distance(shape.parts[i], p);
    least = std::min(least, distances[i]);
  }
  // Parts beyond the blend of the nearest part have no influence: leaving them out changes no bit.
  double result = least + shape.blend;
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    if (distances[i] >= least + shape.blend) continue;
    const double overlap = std::max(shape.blend - std::abs(result - distances[i]), 0.0);
    result = std::min(result, distances[i]) - overlap * overlap / (4 * shape.blend);
  }
  // Noise far from the surface would only cost time.
  if (shape.bump > 0 && std::abs(result) < 2 * shape.bump)
    result += shape.bump * noise(times(1 / shape.bump_length, p), 7)[0];
  return result;
}

/// The most that the distance to any part changes per unit; blending keeps it.
double slope(const Shape& shape) {
  double most = 0;
  for (const RoundCone& part : shape.parts) {
    const Vec3d axis = add(part.b, times(-1, part.a));
    const double change = part.radius_b - part.radius_a;
    most = std::max(most, change * change / std::max(dot(axis, axis), 1e-12));
  }
  return std::sqrt(1 + most);
}

/// The shape with only those parts that influence its field wherever no distance differs from that at p by more than
/// `reach`. There the field is the same, bit for bit.
Shape near(const Shape& shape, const Vec3d& p, double reach) {
  double least = std::numeric_limits<double>::max();
  for (const RoundCone& part : shape.parts) least = std::min(least, distance(part, p));
  Shape result = shape;
  std::erase_if(result.parts,
                [&](const RoundCone& part) { return distance(part, p) > least + 2 * reach + shape.blend; });
  return result;
}

/// A node of the lattice: cube coordinates, and whether it is the cube's centre or its least corner.
struct Node {
  std::array<int, 3> cube;
  bool center;
};

/// The lattice over a box around the shape.
struct Lattice {
  Vec3d low{};
  double step = 1;
  std::array<int, 3> cubes{};

  Vec3d position(const Node& node) const {
    Vec3d p{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      p[axis] = low[axis] + step * (node.cube[axis] + (node.center ? 0.5 : 0.0));
    return p;
  }
  std::uint64_t id(const Node& node) const {
    const auto at = [&](std::size_t axis) { return static_cast<std::uint64_t>(node.cube[axis]); };
    const auto side = [&](std::size_t axis) { return static_cast<std::uint64_t>(cubes[axis]) + 2; };
    return (((at(2) * side(1) + at(1)) * side(0) + at(0)) << 1) | (node.center ? 1u : 0u);
  }
};

Lattice lattice_around(const Shape& shape, double step) {
  Vec3d low = shape.parts.front().a, high = low;
  for (const RoundCone& part : shape.parts)
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const auto& [end, radius] : {std::pair{part.a, part.radius_a}, std::pair{part.b, part.radius_b}}) {
        low[axis] = std::min(low[axis], end[axis] - radius);
        high[axis] = std::max(high[axis], end[axis] + radius);
      }
  Lattice lattice;
  lattice.step = step;
  const double around = shape.blend + shape.bump + 2 * step;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lattice.low[axis] = low[axis] - around;
    lattice.cubes[axis] = static_cast<int>((high[axis] - low[axis] + 2 * around) / step) + 1;
  }
  return lattice;
}

struct Corner {
  Node node;
  double value;
};

// Even permutations that bring the corners with the bits of the mask to the front: one digit for each corner.
constexpr std::array<std::string_view, 16> kInsideFirst = {"0123", "0123", "1032", "0123", "2301", "0231",
                                                           "1203", "3210", "3210", "0312", "1320", "2301",
                                                           "2301", "1032", "0123", "0123"};

/// Receives the triangles; with `count_only` it only counts them.
class SurfaceBuilder {
 public:
  SurfaceBuilder(const Lattice& lattice, bool count_only) : lattice_(lattice), count_only_(count_only) {}

  /// Positively oriented: (b - a) × (c - a) · (d - a) > 0.
  void add_tetrahedron(const std::array<Corner, 4>& corners) {
    unsigned mask = 0;
    for (unsigned i = 0; i < 4; ++i) mask |= corners[i].value < 0 ? 1u << i : 0u;
    if (mask == 0 || mask == 15) return;
    const auto inside = static_cast<unsigned>(__builtin_popcount(mask));
    if (count_only_) {
      count_ += inside == 2 ? 2 : 1;
      return;
    }
    const auto corner = [&](std::size_t i) -> const Corner& {
      return corners[static_cast<std::size_t>(kInsideFirst[mask][i] - '0')];
    };
    const auto on = [&](std::size_t i, std::size_t j) { return vertex(corner(i), corner(j)); };
    // For three inside, the permutation brings the one outside to the front.
    if (inside == 1) triangles_.push_back({on(0, 1), on(0, 2), on(0, 3)});
    if (inside == 3) triangles_.push_back({on(0, 1), on(0, 3), on(0, 2)});
    if (inside == 2) add_quad({on(0, 2), on(0, 3), on(1, 3), on(1, 2)});
  }
  std::size_t count() const { return count_only_ ? count_ : triangles_.size(); }
  std::vector<Vec3d>& positions() { return positions_; }
  std::vector<Triangle>& triangles() { return triangles_; }

 private:
  std::uint32_t vertex(const Corner& p, const Corner& q) {
    std::uint64_t a = lattice_.id(p.node), b = lattice_.id(q.node);
    const bool swap = a > b;
    if (swap) std::swap(a, b);
    const auto [it, is_new] = vertices_.try_emplace((a << 32) ^ b, static_cast<std::uint32_t>(positions_.size()));
    if (is_new) {
      const Corner &from = swap ? q : p, &to = swap ? p : q;
      const double t = std::clamp(from.value / (from.value - to.value), kMargin, 1 - kMargin);
      positions_.push_back(add(times(1 - t, lattice_.position(from.node)), times(t, lattice_.position(to.node))));
    }
    return it->second;
  }
  void add_quad(const std::array<std::uint32_t, 4>& q) {
    const auto length = [&](std::size_t i, std::size_t j) {
      const Vec3d d = add(positions_[q[i]], times(-1, positions_[q[j]]));
      return dot(d, d);
    };
    if (length(0, 2) <= length(1, 3)) {
      triangles_.push_back({q[0], q[1], q[2]});
      triangles_.push_back({q[0], q[2], q[3]});
    } else {
      triangles_.push_back({q[1], q[2], q[3]});
      triangles_.push_back({q[1], q[3], q[0]});
    }
  }

  const Lattice& lattice_;
  bool count_only_;
  std::size_t count_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> vertices_;
  std::vector<Vec3d> positions_;
  std::vector<Triangle> triangles_;
};

/// The values at the nodes of a block of cubes and of the next cube on each axis.
class Block {
 public:
  Block(const Shape& shape, const Lattice& lattice, const std::array<int, 3>& first) : first_(first) {
    for (int k = 0; k < kSide; ++k)
      for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i)
          for (const bool center : {false, true}) {
            const Node node{{first[0] + i, first[1] + j, first[2] + k}, center};
            values_[index(node)] = field(shape, lattice.position(node));
          }
  }
  /// The tetrahedra around the faces between each cube of the block and the next one on each axis.
  void march(SurfaceBuilder& builder) const {
    for (int k = 0; k < kBlock; ++k)
      for (int j = 0; j < kBlock; ++j)
        for (int i = 0; i < kBlock; ++i)
          for (std::size_t axis = 0; axis < 3; ++axis)
            around_face(builder, {first_[0] + i, first_[1] + j, first_[2] + k}, axis);
  }

 private:
  static constexpr int kSide = kBlock + 1;

  std::size_t index(const Node& node) const {
    const int i = node.cube[0] - first_[0], j = node.cube[1] - first_[1], k = node.cube[2] - first_[2];
    return static_cast<std::size_t>(((k * kSide + j) * kSide + i) * 2 + (node.center ? 1 : 0));
  }
  Corner corner(const Node& node) const { return {node, values_[index(node)]}; }
  void around_face(SurfaceBuilder& builder, const std::array<int, 3>& cube, std::size_t axis) const {
    const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    std::array<int, 3> next = cube;
    ++next[axis];
    std::array<Node, 4> ring{};
    for (std::size_t i = 0; i < 4; ++i) {
      ring[i] = {next, false};
      if (i == 1 || i == 2) ++ring[i].cube[u];
      if (i >= 2) ++ring[i].cube[v];
    }
    for (std::size_t i = 0; i < 4; ++i)
      builder.add_tetrahedron({corner({cube, true}), corner({next, true}), corner(ring[i]), corner(ring[(i + 1) % 4])});
  }

  std::array<int, 3> first_;
  std::array<double, static_cast<std::size_t>(2 * kSide * kSide * kSide)> values_{};
};

void march(const Shape& shape, const Lattice& lattice, SurfaceBuilder& builder) {
  // Half the diagonal of a block with the centres beyond it: no node's distance differs more from that at the middle.
  const double reach = slope(shape) * lattice.step * (kBlock / 2.0 + 0.5) * 1.7320508075688773;
  for (int k = 0; k < lattice.cubes[2]; k += kBlock)
    for (int j = 0; j < lattice.cubes[1]; j += kBlock)
      for (int i = 0; i < lattice.cubes[0]; i += kBlock) {
        const Node middle{{i + kBlock / 2, j + kBlock / 2, k + kBlock / 2}, true};
        const Vec3d center = lattice.position(middle);
        if (std::abs(field(shape, center)) > reach + 2 * shape.bump) continue;
        Block(near(shape, center, reach), lattice, {i, j, k}).march(builder);
      }
}

/// Step of the lattice for about n triangles: their number goes with the inverse square of the step, closely so where
/// all parts are resolved.
double step_for(const Shape& shape, std::size_t n) {
  constexpr std::size_t kResolved = 30'000;
  if (n > kResolved)
    return step_for(shape, kResolved) * std::sqrt(static_cast<double>(kResolved) / static_cast<double>(n));
  double step = 0.15, best = step, best_error = 1e30;
  for (int trial = 0; trial < 8; ++trial) {
    const Lattice lattice = lattice_around(shape, step);
    SurfaceBuilder counter(lattice, true);
    march(shape, lattice, counter);
    const double ratio = static_cast<double>(std::max<std::size_t>(counter.count(), 1)) / static_cast<double>(n);
    const double error = std::abs(ratio - 1);
    if (error < best_error) best_error = error, best = step;
    if (error < 0.02) break;
    step *= std::clamp(std::sqrt(ratio), 0.02, 4.0);
  }
  return best;
}

/// The component with the most triangles, vertices renumbered in the order of their first use.
void keep_largest(std::vector<Vec3d>& positions, std::vector<Triangle>& triangles) {
  std::vector<std::uint32_t> root(positions.size());
  std::iota(root.begin(), root.end(), 0u);
  const auto find = [&](std::uint32_t v) {
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
  };
  for (const Triangle& t : triangles) {
    root[find(t[1])] = find(t[0]);
    root[find(t[2])] = find(t[0]);
  }
  std::vector<std::size_t> size(positions.size());
  for (const Triangle& t : triangles) ++size[find(t[0])];
  const auto largest = static_cast<std::uint32_t>(std::max_element(size.begin(), size.end()) - size.begin());
  std::erase_if(triangles, [&](const Triangle& t) { return find(t[0]) != largest; });

  std::vector<std::uint32_t> place(positions.size(), ~0u);
  std::vector<Vec3d> kept;
  for (Triangle& t : triangles)
    for (std::uint32_t& v : t) {
      if (place[v] == ~0u) {
        place[v] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(positions[v]);
      }
      v = place[v];
    }
  positions = std::move(kept);
}

}  // namespace

Mesh surface(const Shape& shape, std::size_t n) {
  const Lattice lattice = lattice_around(shape, step_for(shape, std::max<std::size_t>(n, 100)));
  SurfaceBuilder builder(lattice, false);
  march(shape, lattice, builder);
  keep_largest(builder.positions(), builder.triangles());
  std::vector<Vec3f> positions;
  positions.reserve(builder.positions().size());
  for (const Vec3d& p : builder.positions()) positions.push_back(to_float(p));
  return {.name = shape.name, .positions = std::move(positions), .triangles = std::move(builder.triangles())};
}

}  // namespace sightline::scenes
