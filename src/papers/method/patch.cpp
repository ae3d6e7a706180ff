#include "method/patch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/vector.h"

namespace sightline::papers::method {
namespace {

double cross_of(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

/// Two vectors across v, which has length 1.
std::pair<Vec3d, Vec3d> across(const Vec3d& v) {
  int least = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(v[k]) < std::abs(v[least])) least = k;
  Vec3d axis = {0, 0, 0};
  axis[least] = 1;
  Vec3d first = cross(v, axis);
  first = (1 / std::sqrt(dot(first, first))) * first;
  return {first, cross(v, first)};
}

}  // namespace

bool PatchProof::holds(std::span<const std::uint32_t> triangles) {
  if (triangles.size() < 2) return true;
  return project(triangles) && find_contour(triangles) && one_outer_loop() && is_simple();
}

/// Along the mean normal. Normals are turned to the side of those before them: the winding need not be consistent.
bool PatchProof::project(std::span<const std::uint32_t> triangles) {
  const auto normal_of = [&](std::uint32_t t) {
    const Vec3f& n = facing_.triangles[t].normal;
    return Vec3d{n[0], n[1], n[2]};
  };
  Vec3d sum = {0, 0, 0};
  for (const std::uint32_t t : triangles) {
    const Vec3d n = normal_of(t);
    sum = dot(sum, n) < 0 ? sum - n : sum + n;
  }
  const double length = std::sqrt(dot(sum, sum));
  if (!(length > 0)) return false;
  sum = (1 / length) * sum;
  for (const std::uint32_t t : triangles)
    if (std::abs(dot(normal_of(t), sum)) < 1e-3) return false;  // it would fail below, most likely

  const auto [u1, u2] = across(sum);
  const Vec3d origin = scene_.corners(triangles[0])[0];
  double reach = 0;
  images_.clear();
  for (const std::uint32_t t : triangles)
    for (const Vec3d& corner : scene_.corners(t)) {
      const Vec3d p = corner - origin;
      reach = std::max({reach, std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
      images_.push_back({dot(u1, p), dot(u2, p)});
    }
  constexpr double kOff = 16 * 0x1p-53;
  margin_ = 4 * kOff * reach;
  return reach > 1e-120 && reach < 1e140;
}

double PatchProof::turn_bound(const Point& a, const Point& b, const Point& c) const {
  const double sum = std::abs(b.x - a.x) + std::abs(b.y - a.y) + std::abs(c.x - a.x) + std::abs(c.y - a.y);
  return 2 * margin_ * (sum + 2 * margin_);
}

int PatchProof::turn(const Point& a, const Point& b, const Point& c) const {
  const double computed = cross_of(b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y), bound = turn_bound(a, b, c);
  return computed > bound ? 1 : computed < -bound ? -1 : 0;
}

/// 1 to 3.
bool PatchProof::find_contour(std::span<const std::uint32_t> triangles) {
  const auto vertex = [&](std::uint32_t slot) { return vertex_[scene_.triangles[triangles[slot / 3]][slot % 3]]; };
  const auto next = [](std::uint32_t slot) { return slot % 3 == 2 ? slot - 2 : slot + 1; };
  // Both ways: a fold, or a mesh without a common winding. Of large patches it is nearly always a fold, which the edges
  // would show at a higher cost.
  constexpr std::size_t kMostMixed = 256;
  const int first_way = turn(images_[0], images_[1], images_[2]);
  sides_.clear();
  for (std::uint32_t first = 0; first < images_.size(); first += 3) {
    const int way = turn(images_[first], images_[first + 1], images_[first + 2]);
    if (way == 0 || (way != first_way && triangles.size() > kMostMixed)) return false;
    for (std::uint32_t slot = first; slot < first + 3; ++slot) {
      const std::uint64_t p = vertex(slot), q = vertex(next(slot));
      sides_.push_back({p < q ? p << 32 | q : q << 32 | p, slot, (p > q) == (way > 0)});
    }
  }
  std::sort(sides_.begin(), sides_.end(),
            [](const Side& a, const Side& b) { return std::pair(a.ends, a.slot) < std::pair(b.ends, b.slot); });
  contour_.clear();
  for (std::size_t i = 0; i < sides_.size();) {
    std::size_t end = i + 1;
    while (end < sides_.size() && sides_[end].ends == sides_[i].ends) ++end;
    if (end - i > 2 || (end - i == 2 && sides_[i].turned == sides_[i + 1].turned)) return false;
    if (end - i == 1) {
      std::uint32_t from = sides_[i].slot, to = next(from);
      if ((vertex(from) > vertex(to)) != sides_[i].turned) std::swap(from, to);
      contour_.push_back({vertex(from), vertex(to), images_[from], images_[to]});
    }
    i = end;
  }
  std::sort(contour_.begin(), contour_.end(), [](const Edge& e, const Edge& f) { return e.from < f.from; });
  const auto same = [](const Edge& e, const Edge& f) { return e.from == f.from; };
  return std::adjacent_find(contour_.begin(), contour_.end(), same) == contour_.end();
}

/// 5. The sum of k turns from one point is off by their bounds, and by k u of their absolute sum.
bool PatchProof::one_outer_loop() {
  const auto after = [&](const Edge& e) {
    const auto at = std::lower_bound(contour_.begin(), contour_.end(), e.to,
                                     [](const Edge& f, std::uint32_t from) { return f.from < from; });
    return static_cast<std::size_t>(at - contour_.begin());
  };
  visited_.assign(contour_.size(), 0);
  int outer = 0;
  for (std::size_t start = 0; start < contour_.size(); ++start) {
    if (visited_[start] != 0) continue;
    double area = 0, bound = 0, size = 0, count = 0;
    for (std::size_t i = start; visited_[i] == 0; i = after(contour_[i])) {
      visited_[i] = 1;
      const Point &o = contour_[start].a, &a = contour_[i].a, &b = contour_[i].b;
      const double part = cross_of(a.x - o.x, a.y - o.y, b.x - o.x, b.y - o.y);
      area += part;
      size += std::abs(part);
      bound += turn_bound(o, a, b);
      ++count;
    }
    if (!(std::abs(area) > 2 * bound + count * 0x1p-52 * size)) return false;
    outer += area > 0 ? 1 : 0;
  }
  return outer == 1;
}

bool PatchProof::meet_only_at_end(const Edge& e, const Edge& next) const {
  const Point &a = e.a, &b = e.b, &c = next.b;
  const auto between = [&](double p, double q, double r) {
    return (before(p, q) && before(q, r)) || (before(r, q) && before(q, p));
  };
  return turn(a, b, c) != 0 || between(a.x, b.x, c.x) || between(a.y, b.y, c.y);
}

bool PatchProof::are_apart(const Edge& e, const Edge& f) const {
  const auto one_side = [&](const Edge& line, const Edge& of) {
    const int side = turn(line.a, line.b, of.a);
    return side != 0 && side == turn(line.a, line.b, of.b);
  };
  return one_side(e, f) || one_side(f, e);
}

/// 4, by a sweep along x.
bool PatchProof::is_simple() {
  const auto low = [](const Edge& e) { return std::min(e.a.x, e.b.x); };
  std::sort(contour_.begin(), contour_.end(),
            [&](const Edge& e, const Edge& f) { return std::pair(low(e), e.from) < std::pair(low(f), f.from); });
  std::size_t left = 1024 + 64 * contour_.size();  // pairs; an outline that needs more is in doubt
  for (std::size_t i = 0; i < contour_.size(); ++i) {
    const Edge& e = contour_[i];
    const double high_x = std::max(e.a.x, e.b.x), low_y = std::min(e.a.y, e.b.y), high_y = std::max(e.a.y, e.b.y);
    for (std::size_t j = i + 1; j < contour_.size() && !before(high_x, low(contour_[j])); ++j) {
      const Edge& f = contour_[j];
      if (left-- == 0) return false;
      if (before(high_y, std::min(f.a.y, f.b.y)) || before(std::max(f.a.y, f.b.y), low_y)) continue;
      const bool good = e.to == f.from   ? meet_only_at_end(e, f)
                        : f.to == e.from ? meet_only_at_end(f, e)
                                         : are_apart(e, f);
      if (!good) return false;
    }
  }
  return true;
}

std::vector<Range> patches_of(Context& context, const Facing& facing, std::span<const std::uint32_t> vertex,
                              const Hierarchy& hierarchy, const Range& range) {
  std::vector<Range> patches, open = {range};
  while (!open.empty() && range.size() > 0) {
    std::vector<std::uint8_t> proven(open.size(), 0);
    constexpr std::size_t kBlock = 16;
    context.workers.for_blocks(open.size(), kBlock, [&](std::size_t first, std::size_t last) {
      PatchProof proof(context.scene, facing, vertex);
      for (std::size_t i = first; i < last; ++i) proven[i] = proof.holds(hierarchy.triangles(open[i])) ? 1 : 0;
    });
    std::vector<Range> halves;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (proven[i] != 0)
        patches.push_back(open[i]);
      else
        halves.insert(halves.end(), {open[i].part(0, 2), open[i].part(1, 2)});
    }
    open.swap(halves);
  }
  std::sort(patches.begin(), patches.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  return patches;
}

}  // namespace sightline::papers::method
