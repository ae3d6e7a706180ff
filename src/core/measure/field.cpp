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
  if (s >= 0 && t >= 0 && s + t <= det && det > 0) offer(e[0] + (s / det) * p + (t / det) * q);
  // A foot that rounding has put off by more than an edge is worse than the edge.
  for (int i = 0; i < 3; ++i) {
    const Vec3d& from = e[i];
    const Vec3d along = e[i == 2 ? 0 : i + 1] - from;
    const double all = dot(along, along), at = -dot(from, along);
    offer(all > 0 ? from + std::clamp(at / all, 0.0, 1.0) * along : from);
  }
  return best;
}

double up(double x) { return std::nextafter(x, Box::kInfinity); }

}  // namespace

Corners sorted(Corners corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

// Every point of the box is at most `most` from some corner of the part. Triangles farther from the box than that are
// never the nearest.
Field::Field(const Shell& shell, const Box& box, Workers& workers, const Poll& poll) : shell_(shell) {
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
  const double most = *std::min_element(least.begin(), least.end()) * (1 + 0x1p-40);
  const Vec3d zero{};
  // The box as a point with an extent: its distance to another box is that of the origin to the sum of both.
  const auto reaches = [&](const Box& b) {
    Box sum;
    for (int k = 0; k < 3; ++k) sum.low[k] = b.low[k] - box.high[k], sum.high[k] = b.high[k] - box.low[k];
    return squared_to(sum, zero, zero) * (1 - 0x1p-40) <= most;
  };
  constexpr std::uint32_t kLeaf = 8;
  const auto box_at = [&](std::size_t i) {
    if (shell.flat[i]) return Box{};
    const Box b = box_of(shell.mesh.corners(i));
    return reaches(b) ? b : Box{};
  };
  std::vector<BoxTree::Item> scratch;
  workers.isolated([&] { tree_.assign(count, box_at, scratch, kLeaf, workers, poll); });
}

bool Field::is_first(Index a, Index b) const { return sorted(shell_.mesh.corners(a)) < sorted(shell_.mesh.corners(b)); }

Distance Field::to(Index triangle, const Vec3d& frame, const Vec3d& offset) const {
  const Seen seen(shell_.mesh.corners(triangle), frame, offset);
  const Vec3d q = nearest_point(seen.e);
  return {0, up(std::sqrt(dot(q, q)) * (1 + 0x1p-50) + kError * seen.reach), triangle, q, seen.reach};
}

Distance Field::nearest(const Vec3d& frame, const Vec3d& offset, Poll& poll) const {
  const auto nodes = tree_.nodes();
  Distance best;
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
    if (node.right == 0) {
      for (Index i = node.begin; i < node.end; ++i) {
        const Distance d = to(tree_.items()[i], frame, offset);
        if (d.upper < best.upper || (d.upper == best.upper && is_first(d.triangle, best.triangle))) best = d;
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

// The slab between the point and the triangle across the direction n to the nearest point that was found. If it is much
// thinner than the distance to that point, the point is not the nearest one, or n is not known well.
double Field::lower(Index triangle, const Vec3d& frame, const Vec3d& offset) const {
  const Seen seen(shell_.mesh.corners(triangle), frame, offset);
  const Vec3d q = nearest_point(seen.e);
  const double length = std::sqrt(dot(q, q)), error = kError * seen.reach;
  if (!(length > error)) return 0;
  const Vec3d n{q[0] / length, q[1] / length, q[2] / length};
  const double slab = std::min({dot(n, seen.e[0]), dot(n, seen.e[1]), dot(n, seen.e[2])});
  if (slab >= length * (1 - 0x1p-40)) return std::max(0.0, slab * (1 - 0x1p-50) - error);
  const solid::Corners point{}, corners{seen.e[0], seen.e[1], seen.e[2]};
  const auto squared = solid::squared_below(point, corners, {}, solid::Squared{});
  return std::max(0.0, solid::root(*squared) * (1 - 0x1p-50) - error);
}

Distance Field::bounds(const Vec3d& frame, const Vec3d& offset, Poll& poll) const {
  Distance best = nearest(frame, offset, poll);
  const double squared = best.upper * best.upper;
  best.lower = best.upper;
  tree_.find(
      [&](const Box& box) {
        poll();
        return squared_to(box, frame, offset) <= squared;
      },
      [&](Index i) {
        if (squared_to(box_of(shell_.mesh.corners(i)), frame, offset) <= squared)
          best.lower = std::min(best.lower, lower(i, frame, offset));
        return best.lower <= 0;
      });
  return best;
}

}  // namespace sightline::measure
