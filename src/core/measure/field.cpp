#include "measure/field.h"

#include <algorithm>
#include <cmath>

#include "base/vector.h"
#include "solid/distance.h"

namespace sightline::measure {
namespace {

using Index = std::uint32_t;

double most(const Vec3d& p) { return std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}); }

/// A lower bound of the squared distance between a point and a box: a difference is off by at most 2u of its terms.
double squared_to(const Box& box, const Vec3d& frame, const Vec3d& offset) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    const double low = box.low[k] - frame[k], high = box.high[k] - frame[k];
    const double below = (low - offset[k]) - 0x1p-51 * (std::abs(low) + std::abs(offset[k]));
    const double above = (offset[k] - high) - 0x1p-51 * (std::abs(high) + std::abs(offset[k]));
    const double d = std::max({0.0, below, above});
    sum += d * d;
  }
  return sum * (1 - 0x1p-50);
}

/// The corners of a triangle as seen from a point.
struct Seen {
  Vec3d e[3];
  double reach;
  Seen(const Corners& t, const Vec3d& frame, const Vec3d& offset) : reach(most(offset)) {
    for (int i = 0; i < 3; ++i) {
      const Vec3d d = t[i] - frame;
      reach = std::max(reach, most(d));
      e[i] = d - offset;
    }
  }
};

/// The point of a triangle that is nearest to the origin: the foot within the face, else the nearest on an edge.
Vec3d nearest_point(const Vec3d* e) {
  const Vec3d p = e[1] - e[0], q = e[2] - e[0];
  const double pp = dot(p, p), pq = dot(p, q), qq = dot(q, q), ap = -dot(e[0], p), aq = -dot(e[0], q);
  const double det = pp * qq - pq * pq, s = qq * ap - pq * aq, t = pp * aq - pq * ap;
  Vec3d best{};
  double squared = Box::kInfinity;
  const auto offer = [&](const Vec3d& x) {
    if (const double d = dot(x, x); d < squared) squared = d, best = x;
  };
  if (s >= 0 && t >= 0 && s + t <= det && det > 0) {
    const Vec3d foot = e[0] + (s / det) * p + (t / det) * q;
    if (det > 0x1p-30 * (pp * qq)) return foot;
    offer(foot);
  }
  // A foot that rounding has put off by more than an edge is worse than the edge.
  for (int i = 0; i < 3; ++i) {
    const Vec3d& from = e[i];
    const Vec3d along = e[i == 2 ? 0 : i + 1] - from;
    const double all = dot(along, along), at = -dot(from, along);
    offer(all > 0 ? from + std::clamp(at / all, 0.0, 1.0) * along : from);
  }
  return best;
}

double upper_of(const Vec3d& q, double reach) {
  return (std::sqrt(dot(q, q)) * (1 + 0x1p-50) + kError * reach + kLeast) * (1 + 0x1p-52);
}

/// The slab between the point and the triangle across the direction n to the nearest point that was found. If it is
/// much thinner than the distance to that point, the point is not the nearest one, or n is not known well.
double lower_of(const Seen& seen) {
  const Vec3d q = nearest_point(seen.e);
  const double length = std::sqrt(dot(q, q)), error = kError * seen.reach + kLeast;
  if (!(length > error)) return 0;
  const Vec3d n{q[0] / length, q[1] / length, q[2] / length};
  const double slab = std::min({dot(n, seen.e[0]), dot(n, seen.e[1]), dot(n, seen.e[2])});
  if (slab >= length * (1 - 0x1p-40) - error) return std::max(0.0, slab * (1 - 0x1p-50) - error);
  const solid::Corners point{}, corners{seen.e[0], seen.e[1], seen.e[2]};
  const auto squared = solid::squared_below(point, corners, {}, solid::Squared{});
  return std::max(0.0, solid::root(*squared) * (1 - 0x1p-50) - error);
}

}  // namespace

Corners sorted(Corners corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

// Every point of the box is at most this far from some corner of the part.
double most_distance(const Shell& shell, const Box& box, Workers& workers, const Poll& poll) {
  constexpr std::size_t kBlock = 1 << 13;
  const std::size_t count = shell.mesh.triangles.size();
  std::vector<double> least(count / kBlock + 1, Box::kInfinity);
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    double& mine = least[first / kBlock];
    own.each(last - first, [&](std::size_t i) {
      if (shell.flat[first + i]) return;
      const Vec3d p = shell.mesh.position(shell.mesh.triangles[first + i][0]);
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        const double d = std::max(std::abs(p[k] - box.low[k]), std::abs(p[k] - box.high[k]));
        sum += d * d;
      }
      mine = std::min(mine, sum);
    });
  });
  return std::sqrt(*std::min_element(least.begin(), least.end())) * (1 + 0x1p-40);
}

// A triangle farther from a box than its points are from the surface is the nearest one to none of them. Points of
// pieces may be off a little (measure/protrusion.cpp); what is added to a distance is much more than that.
std::vector<Index> triangles_near(const Shell& shell, std::span<const Vicinity> vicinities, Workers& workers,
                                  const Poll& poll) {
  std::vector<double> squared;
  for (const Vicinity& v : vicinities) {
    const double distance = v.distance + 0x1p-36 * (v.distance + v.box.longest() + shell.box.longest());
    squared.push_back(distance * distance);
  }
  const auto reaches = [&](const Box& b, std::size_t i) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = std::max({0.0, b.low[k] - vicinities[i].box.high[k], vicinities[i].box.low[k] - b.high[k]});
      sum += d * d;
    }
    return sum <= squared[i];
  };
  constexpr std::size_t kFew = 16;
  std::vector<std::vector<Index>> found(shell.blocks());
  workers.for_each(found.size(), [&](std::size_t block) {
    Poll own = poll;
    own(static_cast<int>(vicinities.size()));
    std::vector<std::size_t> near, nearer;
    for (std::size_t i = 0; i < vicinities.size(); ++i)
      if (reaches(shell.box_of_block(block), i)) near.push_back(i);
    if (near.empty()) return;
    std::vector<Index> few;
    Box around;
    const auto take = [&] {
      nearer.clear();
      for (const std::size_t i : near)
        if (reaches(around, i)) nearer.push_back(i);
      for (const Index t : few) {
        const Box b = box_of(shell.mesh.corners(t));
        if (std::any_of(nearer.begin(), nearer.end(), [&](std::size_t i) { return reaches(b, i); }))
          found[block].push_back(t);
      }
      few.clear();
      around = {};
    };
    shell.each_of_block(block, own, [&](Index t) {
      few.push_back(t);
      around.add(box_of(shell.mesh.corners(t)));
      if (few.size() == kFew) take();
    });
    take();
  });
  std::vector<Index> all;
  for (const std::vector<Index>& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

Field::Field(const Shell& shell, std::vector<Index> triangles, Workers& workers, const Poll& poll) : shell_(shell) {
  constexpr std::size_t kBlock = 1 << 13;
  constexpr std::uint32_t kLeaf = 8;
  std::vector<BoxTree::Item> scratch;
  workers.isolated([&] {
    tree_.assign(
        triangles.size(), [&](std::size_t i) { return box_of(shell.mesh.corners(triangles[i])); }, scratch, kLeaf,
        workers, poll);
  });
  const auto items = tree_.items();
  triangles_.resize(items.size());
  corners_.resize(items.size());
  workers.for_blocks(items.size(), kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      triangles_[i] = triangles[items[i]];
      corners_[i] = shell.mesh.corners(triangles_[i]);
    }
  });
  slabs_.resize(tree_.nodes().size());
  constexpr std::uint32_t kMost = 128;  // the slabs of larger nodes are thick
  workers.for_blocks(slabs_.size(), kBlock / 8, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    for (std::size_t i = first; i < last; ++i) {
      const BoxTree::Node& node = tree_.nodes()[i];
      own(static_cast<int>(node.end - node.begin));
      if (node.end - node.begin <= kMost) slabs_[i] = slab_of(node);
    }
  });
}

Field::Slab Field::slab_of(const BoxTree::Node& node) const {
  Slab slab;
  Vec3d n{};
  slab.at = corners_[node.begin][0];
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    const Corners& t = corners_[i];
    n = n + cross(t[1] - t[0], t[2] - t[0]);
  }
  const double length = std::sqrt(dot(n, n));
  if (!(length > 0x1p-400)) return slab;
  slab.n = {n[0] / length, n[1] / length, n[2] / length};
  slab.low = Box::kInfinity;
  slab.high = -Box::kInfinity;
  for (std::uint32_t i = node.begin; i < node.end; ++i)
    for (const Vec3d& corner : corners_[i]) {
      const Vec3d d = corner - slab.at;
      const double x = dot(slab.n, d);
      slab.low = std::min(slab.low, x);
      slab.high = std::max(slab.high, x);
      slab.size = std::max(slab.size, most(d));
    }
  return slab;
}

// A difference is off by 2u of its terms, a product n · d by 7u |d|, and n by 2^-50 of its length.
double Field::Slab::distance(const Vec3d& frame, const Vec3d& offset) const {
  if (size < 0) return 0;
  const Vec3d d = at - frame, from = d - offset;
  const double x = dot(n, from), error = 0x1p-47 * (most(d) + most(offset) + size) + kLeast;
  return std::max({0.0, x + low, -x - high}) * (1 - 0x1p-48) - error;
}

bool Field::is_first(Index a, Index b) const { return sorted(shell_.mesh.corners(a)) < sorted(shell_.mesh.corners(b)); }

Distance Field::to(Index triangle, const Vec3d& frame, const Vec3d& offset) const {
  return to(triangle, shell_.mesh.corners(triangle), frame, offset);
}
Distance Field::to(Index triangle, const Corners& corners, const Vec3d& frame, const Vec3d& offset) const {
  const Seen seen(corners, frame, offset);
  const Vec3d q = nearest_point(seen.e);
  return {0, upper_of(q, seen.reach), triangle, q, seen.reach};
}

Distance Field::nearest(const Vec3d& frame, const Vec3d& offset, Poll& poll, Index hint) const {
  const auto nodes = tree_.nodes();
  Distance best;
  if (hint != kNoHint) best = to(hint, frame, offset);
  struct Entry {
    std::uint32_t node;
    double squared;
  };
  Entry stack[64];
  int depth = 0;
  stack[depth++] = {0, squared_to(nodes[0].box, frame, offset)};
  while (depth > 0) {
    const Entry entry = stack[--depth];
    if (entry.squared > best.upper * best.upper) continue;
    poll();
    const BoxTree::Node& node = nodes[entry.node];
    if (slabs_[entry.node].distance(frame, offset) > best.upper) continue;
    if (node.right == 0) {
      for (Index i = node.begin; i < node.end; ++i) {
        const Distance d = to(triangles_[i], corners_[i], frame, offset);
        if (d.upper < best.upper ||
            (d.upper == best.upper && d.triangle != best.triangle && is_first(d.triangle, best.triangle)))
          best = d;
      }
      continue;
    }
    Entry near{entry.node + 1, squared_to(nodes[entry.node + 1].box, frame, offset)};
    Entry far{node.right, squared_to(nodes[node.right].box, frame, offset)};
    if (far.squared < near.squared) std::swap(near, far);
    stack[depth++] = far;
    stack[depth++] = near;
  }
  return best;
}

// A triangle at a true distance t has lower_of(...) ≥ t (1 - 2^-39) - 3 kError reach: it does not lower the bound if
// that is above the upper bound.
template <typename Visit>
void Field::each_near(const Distance& best, const Vec3d& frame, const Vec3d& offset, Poll& poll,
                      const Visit& visit) const {
  const double squared = best.upper * best.upper;
  const auto nodes = tree_.nodes();
  std::uint32_t stack[64];
  int depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const std::uint32_t at = stack[--depth];
    const BoxTree::Node& node = nodes[at];
    poll();
    if (squared_to(node.box, frame, offset) > squared) continue;
    if (const Slab& slab = slabs_[at]; slab.size >= 0) {
      const double reach = most(slab.at - frame) + slab.size + most(offset);
      if (slab.distance(frame, offset) > best.upper * (1 + 0x1p-38) + 4 * (kError * reach + kLeast)) continue;
    }
    if (node.right != 0) {
      stack[depth++] = node.right;
      stack[depth++] = at + 1;
      continue;
    }
    for (Index i = node.begin; i < node.end; ++i)
      if (squared_to(box_of(corners_[i]), frame, offset) <= squared && visit(i)) return;
  }
}

Distance Field::bounds(const Vec3d& frame, const Vec3d& offset, Poll& poll, Index hint) const {
  Distance best = nearest(frame, offset, poll, hint);
  best.lower = best.upper;
  each_near(best, frame, offset, poll, [&](Index i) {
    best.lower = std::min(best.lower, lower_of(Seen(corners_[i], frame, offset)));
    return best.lower <= 0;
  });
  return best;
}

double Field::exact(const Vec3d& p, Poll& poll) const {
  const Vec3d zero{};
  const Distance best = nearest(p, zero, poll);
  solid::Squared least;
  each_near(best, p, zero, poll, [&](Index i) {
    if (lower_of(Seen(corners_[i], p, zero)) > best.upper) return false;
    if (auto squared = solid::squared_below({p, p, p}, corners_[i], {}, least)) least = std::move(*squared);
    return false;
  });
  return solid::root(least);
}

}  // namespace sightline::measure
