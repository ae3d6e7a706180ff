#include "measure/overlap.h"

#include <algorithm>

#include "base/float_environment.h"
#include "base/format.h"
#include "exact/intersection.h"
#include "input/object.h"
#include "input/watch.h"
#include "measure/boundary.h"
#include "solid/relate.h"

namespace sightline {
namespace measure {
namespace {

constexpr Vec3d kLow{Box::kInfinity, Box::kInfinity, Box::kInfinity};
constexpr Vec3d kHigh{-Box::kInfinity, -Box::kInfinity, -Box::kInfinity};

Interval magnitude(const Interval& x) { return x.high < 0 ? Interval{-x.high, -x.low} : x; }

/// A shell of its own, as pieces.
Sum sum_of(const Shell& shell, const Grid& grid, Workers& workers, const Poll& poll) {
  constexpr std::size_t kBlock = 4096;
  const std::size_t count = shell.mesh.triangles.size();
  std::vector<Sum> sums(count / kBlock + 1);
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    own.each(last - first, [&](std::size_t i) {
      if (shell.flat[first + i]) return;
      const Corners t = shell.mesh.corners(first + i);
      sums[first / kBlock].add_face(grid.vertex(t[0]), grid.vertex(t[1]), grid.vertex(t[2]), 1);
    });
  });
  Sum total;
  for (const Sum& sum : sums) total.add(sum);
  return total;
}

/// Twice as many bits, and again, until the volume is known to kWidth of `scale`, a lower bound of a volume. The last
/// grid holds all doubles.
template <typename SixVolume>
Interval narrowed(const Sum& sum, const Grid& grid, double scale, const SixVolume& six_volume) {
  Interval volume = magnitude(sum.volume(grid));
  for (int extra = 64; extra <= 2048 && !(volume.width() <= kWidth * scale); extra *= 2)
    volume = magnitude(sum.fine_volume(grid, six_volume(extra), extra));
  return volume;
}

exact::BigInt fine_six_volume(const Shell& shell, const Grid& grid, int extra, Poll poll) {
  exact::BigInt six;
  for (std::size_t i = 0; i < shell.mesh.triangles.size(); ++i) {
    poll(16);
    if (shell.flat[i]) continue;
    const Corners t = shell.mesh.corners(i);
    six = six + six_volume(grid.fine_vertex(t[0], extra), grid.fine_vertex(t[1], extra), grid.fine_vertex(t[2], extra));
  }
  return six;
}

Interval volume_of(const Shell& shell, const Sum& sum, const Grid& grid, const Poll& poll) {
  Interval volume = magnitude(sum.volume(grid));
  for (int extra = 64; extra <= 2048 && !(volume.width() <= kWidth * volume.low); extra *= 2)
    volume = magnitude(sum.fine_volume(grid, fine_six_volume(shell, grid, extra, poll), extra));
  return volume;
}

/// A lower bound of the volume of the smaller part.
double smaller_volume(const Shell& a, const Shell& b, Workers& workers, const Poll& poll) {
  const auto least = [&](const Shell& shell) {
    return shell.least_volume([&] {
      const Grid grid(shell.box);
      double low = 0;
      workers.isolated([&] { low = volume_of(shell, sum_of(shell, grid, workers, poll), grid, poll).low; });
      return std::max(low, 0.0);
    });
  };
  return std::min(least(a), least(b));
}

/// The box of all common points: corners of one part in the other, and the intersections at contacts. An intersection
/// within the box so far is not computed.
Box common_box(const OverlapBoundary& boundary, const Shell& a, const Shell& b, std::span<const Contact> contacts,
               Poll poll) {
  Box box = boundary.corners();
  for (const Contact& contact : contacts) {
    poll(4);
    const Corners t = a.mesh.corners(contact.a), u = b.mesh.corners(contact.b);
    if (box.holds(box_of(t).common(box_of(u)))) continue;
    const Intersection common = exact::intersection(t, u, false);
    for (const Vec3d& p : common.points()) box.add(p);
  }
  return box;
}

}  // namespace

Interval volume_of(const OverlapBoundary& boundary, const Sum& sum, const Shell& a, const Shell& b, Workers& workers,
                   const Poll& poll) {
  const Interval volume = magnitude(sum.volume(boundary.grid()));
  if (volume.width() <= kWidth * volume.low) return volume;
  return narrowed(sum, boundary.grid(), smaller_volume(a, b, workers, poll),
                  [&](int extra) { return boundary.fine_six_volume(extra); });
}

bool is_reversed(const Shell& shell, Workers& workers, const Poll& poll) {
  const Grid grid(shell.box);
  const Sum sum = sum_of(shell, grid, workers, poll);
  Interval volume = sum.volume(grid);
  for (int extra = 64; extra <= 2048 && volume.contains(0); extra *= 2)
    volume = sum.fine_volume(grid, fine_six_volume(shell, grid, extra, poll), extra);
  return volume.high < 0;
}

Extent overlap(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers, const Poll& poll) {
  if (!a.box.meets(b.box)) return {{}, {}, {}, kLow, kHigh};
  const OverlapBoundary boundary(a, b, contacts, workers, poll);
  const Box box = common_box(boundary, a, b, contacts, poll);
  Extent extent{{}, {}, {}, box.low, box.high};
  const auto turned = [&](const Shell& shell) {
    return boundary.has_touches() && shell.turned([&] {
      bool result = false;
      const Grid grid(shell.box);
      workers.isolated([&] { result = sum_of(shell, grid, workers, poll).volume(grid).high < 0; });
      return result;
    });
  };
  const Sum sum = boundary.sum({turned(a), turned(b)});
  if (sum.empty()) return extent;
  const auto crosses = [](const Contact& contact) { return contact.kind == Kind::crossing; };
  if (!(magnitude(sum.volume(boundary.grid())).low > 0) && std::none_of(contacts.begin(), contacts.end(), crosses)) {
    Poll own = poll;
    if (!solid::interfere(solid::Body(a.mesh, workers, poll), solid::Body(b.mesh, workers, poll), contacts, own))
      return extent;
  }
  extent.volume = volume_of(boundary, sum, a, b, workers, poll);
  extent.area = sum.area(boundary.grid());
  extent.centroid = sum.centroid(boundary.grid(), box);
  return extent;
}

Extent extent(const Shell& shell, Workers& workers, const Poll& poll) {
  const Grid grid(shell.box);
  const Sum sum = sum_of(shell, grid, workers, poll);
  return {volume_of(shell, sum, grid, poll), sum.area(grid), sum.centroid(grid, shell.box), shell.box.low,
          shell.box.high};
}

}  // namespace measure
}  // namespace sightline
