#include "measure/shell.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "exact/points.h"
#include "measure/shift.h"
#include "mesh/weld.h"

namespace sightline::measure {

using Index = std::uint32_t;

Shell::Shell(const MeshView& m, Workers& workers, Poll poll) : mesh(m), vertex(weld(m, workers, poll)) {
  find_flat(workers, poll);
  count_edges(poll);
}

void Shell::find_flat(Workers& workers, const Poll& poll) {
  constexpr std::size_t kBlock = 8192;
  const std::size_t count = mesh.triangles.size();
  flat.resize(count);
  std::vector<Box> boxes(count / kBlock + 1);
  workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
    Poll own = poll;
    Box& mine = boxes[first / kBlock];
    own.each(last - first, [&](std::size_t i) {
      const Corners t = mesh.corners(first + i);
      flat[first + i] = exact::collinear(t[0], t[1], t[2]);
      if (!flat[first + i]) mine.add(box_of(t));
    });
  });
  for (const Box& b : boxes) box.add(b);
  boundary.has_area = !box.empty();
}

// A counting sort of the directed edges by their lesser vertex leaves lists of about six entries, which are sorted. An
// entry is the greater vertex and a bit for the direction.
void Shell::count_edges(Poll& poll) {
  const auto each = [&](const auto& emit) {
    poll.each(mesh.triangles.size(), [&](std::size_t i) {
      if (flat[i]) return;
      const Triangle& t = mesh.triangles[i];
      const Index v[3] = {vertex[t[0]], vertex[t[1]], vertex[t[2]]};
      for (int k = 0; k < 3; ++k) emit(v[k], v[k == 2 ? 0 : k + 1]);
    });
  };
  std::vector<std::uint64_t> end(vertex.size() + 1, 0);
  each([&](Index p, Index q) { ++end[std::min(p, q)]; });
  std::exclusive_scan(end.begin(), end.end(), end.begin(), std::uint64_t{0});
  std::vector<std::uint64_t> entries(end.back());
  each([&](Index p, Index q) { entries[end[std::min(p, q)]++] = std::uint64_t{std::max(p, q)} << 1 | (p > q); });
  for (std::size_t p = 0, begin = 0; p < vertex.size(); begin = end[p++]) {
    poll(4);
    std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
              entries.begin() + static_cast<std::ptrdiff_t>(end[p]));
    for (std::size_t i = begin, next; i < end[p]; i = next) {
      std::int64_t balance = 0;
      for (next = i; next < end[p] && entries[next] >> 1 == entries[i] >> 1; ++next)
        balance += entries[next] & 1 ? -1 : 1;
      if ((next - i) % 2 != 0)
        ++boundary.open_edges;
      else if (balance != 0)
        ++boundary.turned_edges;
    }
  }
}

void Shell::require_volume(std::string_view function, std::string_view name) const {
  if (!boundary.has_area)
    throw Error(formatted("{}: {} has no triangle with area; it encloses no volume", function, name));
  if (boundary.open_edges > 0)
    throw Error(formatted("{}: {} is open: {} of its edges have an odd number of triangles; it encloses no volume",
                          function, name, boundary.open_edges));
  if (boundary.turned_edges > 0)
    throw Error(formatted("{}: {} is wound inconsistently: at {} of its edges, triangles have opposite orientations",
                          function, name, boundary.turned_edges));
}

int Shell::winding(const Vec3d& p, int sign, Poll& poll) const {
  int axis = 2;
  for (int k = 0; k < 2; ++k)
    if (box.half(k) < box.half(axis)) axis = k;
  int sum = 0;
  if (!box.holds(p)) return sum;
  poll.each(mesh.triangles.size(), [&](std::size_t i) {
    const Corners t = mesh.corners(i);
    const Box b = box_of(t);
    for (int k = 0; k < 3; ++k)
      if (b.high[k] < p[k] || (k != axis && b.low[k] > p[k])) return;
    if (!flat[i]) sum += ray_crossing(t, p, sign, axis);
  });
  return sum;
}

bool precedes(const Shell& a, const Shell& b) {
  if (a.box.low != b.box.low) return a.box.low < b.box.low;
  if (a.box.high != b.box.high) return a.box.high < b.box.high;
  if (a.mesh.triangles.size() != b.mesh.triangles.size()) return a.mesh.triangles.size() < b.mesh.triangles.size();
  const auto sorted = [](const Shell& shell) {
    std::vector<Corners> all;
    for (std::size_t i = 0; i < shell.mesh.triangles.size(); ++i) {
      Corners t = shell.mesh.corners(i);
      std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
      all.push_back(t);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  return sorted(a) < sorted(b);
}

}  // namespace sightline::measure
