#include "measure/shell.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>

#include "base/format.h"
#include "exact/points.h"
#include "measure/shift.h"
#include "mesh/weld.h"
#include "solid/flag.h"

namespace sightline::measure {

using Index = std::uint32_t;

namespace {

/// Directed edges that cancel against their reverses. A directed edge is its lesser vertex, its greater one and a bit
/// for the direction, as one number. It is put into the slot of its edge: if the reverse is there, both vanish; if
/// another edge is there, that one is set aside. Neighbours in a mesh are near each other in its list as a rule, so few
/// edges are left in the end. All of them cancel if and only if those that are left do.
class Cancellation {
 public:
  /// At most `most` edges.
  Cancellation(std::size_t slots, std::size_t most)
      : shift_(64 - std::countr_zero(slots)), slots_(slots), aside_(std::make_unique_for_overwrite<Entry[]>(most)) {}

  using Entry = std::uint64_t;
  static Entry entry(Index p, Index q) {
    const Index low = std::min(p, q), high = std::max(p, q);
    return Entry{low} << 32 | Entry{high} << 1 | (p > q);
  }
  void add(Entry mine) {
    Entry& slot = slots_[(mine >> 1) * 0x9E3779B97F4A7C15u >> shift_];
    const Entry old = slot;
    const bool cancels = (old ^ mine) == 1;
    slot = cancels ? 0 : mine;
    aside_[count_] = old;  // no branch: whether an edge has been seen cannot be predicted
    count_ += static_cast<std::size_t>(!cancels & (old != 0));
  }
  void take_left(std::vector<Entry>& left) const {
    left.insert(left.end(), aside_.get(), aside_.get() + count_);
    for (const Entry e : slots_)
      if (e != 0) left.push_back(e);
  }

 private:
  int shift_;
  std::vector<Entry> slots_;
  std::unique_ptr<Entry[]> aside_;
  std::size_t count_ = 0;
};

bool cancel(std::vector<Cancellation::Entry> left, Poll& poll) {
  while (!left.empty()) {
    const std::size_t before = left.size();
    poll(static_cast<int>(before));
    Cancellation rest(std::bit_ceil(2 * before), before);
    for (const Cancellation::Entry e : left) rest.add(e);
    left.clear();
    rest.take_left(left);
    if (2 * left.size() > before) break;
  }
  std::sort(left.begin(), left.end());
  for (std::size_t i = 0; i < left.size();) {
    std::ptrdiff_t balance = 0;
    for (const Cancellation::Entry edge = left[i] >> 1; i < left.size() && left[i] >> 1 == edge; ++i)
      balance += left[i] & 1 ? -1 : 1;
    if (balance != 0) return false;
  }
  return true;
}

}  // namespace

Shell::Shell(const MeshView& m, Workers& workers, Poll poll) : mesh(m) {
  if (find_flat(workers, poll)) return;
  first_ = weld(m, workers, poll);
  count_edges(poll);
}

/// True if the edges of the triangles with area cancel by their indices. Then they also cancel by positions: a weld
/// maps vertices to vertices, and each edge together with its reverse.
bool Shell::find_flat(Workers& workers, const Poll& poll) {
  constexpr std::size_t kTask = 256 * kBlock, kMostSlots = std::size_t{1} << 14;
  const std::size_t count = mesh.triangles.size(), tasks = count / kTask + 1;
  flat.resize(count);
  boxes_.resize((count + kBlock - 1) / kBlock);
  std::vector<std::vector<Cancellation::Entry>> left(tasks);
  const bool fits = mesh.positions.size() < std::size_t{1} << 31;
  const auto pass = [&](const auto& at) {
    workers.for_blocks(count, kTask, [&](std::size_t first, std::size_t last) {
      Poll own = poll;
      Cancellation edges(std::min(kMostSlots, std::bit_ceil(2 * (last - first))), 3 * (last - first));
      for (std::size_t begin = first; begin < last; begin += kBlock) {
        own(static_cast<int>(kBlock));
        Box& here = boxes_[begin / kBlock];
        for (std::size_t i = begin; i < std::min(last, begin + kBlock); ++i) {
          const Triangle& v = mesh.triangles[i];
          const Corners t{at(v[0]), at(v[1]), at(v[2])};
          flat[i] = exact::collinear(t[0], t[1], t[2]);
          if (flat[i]) continue;
          here.add(box_of(t));
          for (int k = 0; k < 3; ++k) edges.add(Cancellation::entry(v[k], v[k == 2 ? 0 : k + 1]));
        }
      }
      edges.take_left(left[first / kTask]);
    });
  };
  if (mesh.is_placed())
    pass([&](Index i) { return mesh.position(i); });
  else if (mesh.positions.is_double())
    pass([points = mesh.positions.f64()](Index i) { return points[i]; });
  else
    pass([points = mesh.positions.f32()](Index i) { return Vec3d{points[i][0], points[i][1], points[i][2]}; });
  for (const Box& b : boxes_) box.add(b);
  boundary.has_area = !box.empty();
  std::vector<Cancellation::Entry> all;
  for (const auto& some : left) all.insert(all.end(), some.begin(), some.end());
  if (!fits || all.size() > count) return false;  // a soup
  Poll own = poll;
  return cancel(std::move(all), own);
}

// A counting sort of the directed edges by their lesser vertex leaves lists of about six entries, which are sorted. An
// entry is the greater vertex and a bit for the direction.
void Shell::count_edges(Poll& poll) {
  const auto each = [&](const auto& emit) {
    poll.each(mesh.triangles.size(), [&](std::size_t i) {
      if (flat[i]) return;
      const Triangle& t = mesh.triangles[i];
      const Index v[3] = {first_[t[0]], first_[t[1]], first_[t[2]]};
      for (int k = 0; k < 3; ++k) emit(v[k], v[k == 2 ? 0 : k + 1]);
    });
  };
  std::vector<std::uint64_t> end(first_.size() + 1, 0);
  each([&](Index p, Index q) { ++end[std::min(p, q)]; });
  std::exclusive_scan(end.begin(), end.end(), end.begin(), std::uint64_t{0});
  std::vector<std::uint64_t> entries(end.back());
  each([&](Index p, Index q) { entries[end[std::min(p, q)]++] = std::uint64_t{std::max(p, q)} << 1 | (p > q); });
  for (std::size_t p = 0, begin = 0; p < first_.size(); begin = end[p++]) {
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

int Shell::winding(const solid::Flag& flag, Poll& poll) const {
  const int axis = 2, u = 0, v = 1;
  int sum = 0;
  for (std::size_t block = 0; block < blocks(); ++block) {
    const auto misses = [&](const Box& b) {
      const Box& p = flag.box();
      return b.high[u] < p.low[u] || b.low[u] > p.high[u] || b.high[v] < p.low[v] || b.low[v] > p.high[v] ||
             b.high[axis] < p.low[axis];
    };
    poll();
    if (misses(boxes_[block])) continue;
    each_of_block(block, poll, [&](std::uint32_t i) {
      const Corners t = mesh.corners(i);
      if (misses(box_of(t))) return;
      const int turn = flag.orient2d(axis, t[0], t[1]);
      if (turn == 0 || flag.orient2d(axis, t[1], t[2]) != turn || flag.orient2d(axis, t[2], t[0]) != turn) return;
      if (flag.orient3d(t) == -turn) sum += turn;
    });
  }
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
