#include "measure/sides.h"

#include <algorithm>

#include "base/union_find.h"
#include "solid/parity.h"

namespace sightline::measure {
namespace {

using Index = std::uint32_t;
constexpr std::size_t kBlock = 1 << 14;

}  // namespace

int ray_axis(const Shell& shell) {
  int axis = 2;
  for (int k = 0; k < 2; ++k)
    if (shell.box.half(k) < shell.box.half(axis)) axis = k;
  return axis;
}

std::vector<Index> triangles_above(const Shell& shell, const Box& box, Workers& workers, const Poll& poll) {
  const std::size_t count = shell.mesh.triangles.size();
  const int axis = ray_axis(shell);
  std::vector<std::vector<Index>> found(count / kBlock + 1);
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    std::vector<Index>& mine = found[first / kBlock];
    own.each(last - first, [&](std::size_t i) {
      const std::size_t t = first + i;
      if (!shell.flat[t] && solid::ray_meets(box_of(shell.mesh.corners(t)), box, axis))
        mine.push_back(static_cast<Index>(t));
    });
  });
  std::vector<Index> all;
  for (const std::vector<Index>& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<std::uint8_t> inside_of(const Shell& shell, std::span<const Index> among, std::span<const Vec3d> points,
                                    Workers& workers, const Poll& poll) {
  std::vector<std::uint8_t> odd(points.size(), 0);
  if (points.empty() || among.empty()) return odd;
  const int axis = ray_axis(shell);
  Poll own = poll;
  const solid::PointImage image(points, axis, own);
  std::vector<solid::Flag> flags;
  flags.reserve(points.size());
  for (const Vec3d& p : points) flags.push_back(solid::Flag::near(p));
  const std::size_t blocks = std::clamp<std::size_t>(among.size() / kBlock, 1, 8);
  std::vector<std::vector<std::uint8_t>> parts(blocks);
  workers.for_each(blocks, [&](std::size_t block) {
    Poll poll_here = poll;
    std::vector<std::uint8_t>& mine = parts[block];
    mine.assign(points.size(), 0);
    for (std::size_t i = among.size() * block / blocks; i < among.size() * (block + 1) / blocks; ++i) {
      const Corners t = shell.mesh.corners(among[i]);
      const std::uint64_t tests =
          image.below(box_of(t), [&](Index p) { mine[p] ^= solid::ray_crosses(t, flags[p], axis); });
      poll_here(1 + static_cast<int>(tests / 16));
    }
  });
  for (const std::vector<std::uint8_t>& part : parts)
    for (std::size_t i = 0; i < points.size(); ++i) odd[i] ^= part[i];
  return odd;
}

Sides::Sides(const Shell& part, const Shell& other, std::vector<std::uint8_t> touched, Workers& workers,
             const Poll& poll)
    : touched_(std::move(touched)), inside_(part.mesh.positions.size(), 0) {
  const std::size_t count = part.mesh.triangles.size();
  enum : std::uint8_t { unused, known, open };  // open: a vertex of triangles with contacts alone
  std::vector<std::uint8_t> state(part.mesh.positions.size(), unused);
  SharedUnionFind sets(part.mesh.positions.size(), workers);
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    own.each(last - first, [&](std::size_t i) {
      if (touched_[first + i]) return;
      const Triangle& t = part.mesh.triangles[first + i];
      sets.join(part.vertex(t[0]), part.vertex(t[1]));
      sets.join(part.vertex(t[0]), part.vertex(t[2]));
    });
  });
  Poll own = poll;
  // Of each set: a vertex outside the box of the other part decides for all.
  std::vector<std::uint8_t> leaves(part.mesh.positions.size(), 0);
  own.each(count, [&](std::size_t i) {
    for (const Index corner : part.mesh.triangles[i]) {
      const Index v = part.vertex(corner);
      if (!touched_[i])
        state[v] = known;
      else if (state[v] == unused)
        state[v] = open;
    }
  });
  for (Index v = 0; v < state.size(); ++v)
    if (part.vertex(v) == v && state[v] != unused && !other.box.holds(part.mesh.position(v)))
      leaves[state[v] == known ? sets.root(v) : v] = 1;
  std::vector<Vec3d> points;
  std::vector<Index> of;
  Box box;
  for (Index v = 0; v < state.size(); ++v)
    if (part.vertex(v) == v && state[v] != unused && !leaves[v] && (state[v] == open || sets.root(v) == v)) {
      points.push_back(part.mesh.position(v));
      of.push_back(v);
      box.add(points.back());
    }
  if (!points.empty()) {
    const std::vector<std::uint8_t> odd =
        inside_of(other, triangles_above(other, box, workers, poll), points, workers, poll);
    for (std::size_t i = 0; i < of.size(); ++i) inside_[of[i]] = odd[i];
  }
  for (Index v = 0; v < state.size(); ++v)
    if (const Index first = part.vertex(v); first != v)
      inside_[v] = inside_[first];  // the first of equal positions comes first
    else if (state[v] == known)
      inside_[v] = inside_[sets.root(v)];  // a root is the least of its set
  for (Index i = 0; i < count; ++i)
    if (!part.flat[i] && (touched_[i] || inside_[part.mesh.triangles[i][0]])) candidates_.push_back(i);
}

}  // namespace sightline::measure
