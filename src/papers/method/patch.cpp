#include "method/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
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

Flattening::Flattening(const Vec3d& along, const Vec3d& origin) : origin_(origin) {
  std::tie(u1_, u2_) = across((1 / std::sqrt(dot(along, along))) * along);
}

Flattening::Point Flattening::add(const Vec3d& point) {
  const Vec3d p = point - origin_;
  reach_ = std::max({reach_, std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
  return {dot(u1_, p), dot(u2_, p)};
}

double Flattening::computed_turn(const Point& a, const Point& b, const Point& c) const {
  return cross_of(b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y);
}

double Flattening::turn_bound(const Point& a, const Point& b, const Point& c) const {
  const double sum = std::abs(b.x - a.x) + std::abs(b.y - a.y) + std::abs(c.x - a.x) + std::abs(c.y - a.y);
  return 2 * margin() * (sum + 2 * margin());
}

int Flattening::turn(const Point& a, const Point& b, const Point& c) const {
  const double computed = computed_turn(a, b, c), bound = turn_bound(a, b, c);
  return computed > bound ? 1 : computed < -bound ? -1 : 0;
}

bool PatchProof::holds(std::span<const std::uint32_t> triangles, const Vec3d& along) {
  if (triangles.size() < 2) return true;
  return project(triangles, along) && find_contour(triangles) && one_outer_loop() && is_simple();
}

bool PatchProof::project(std::span<const std::uint32_t> triangles, const Vec3d& along) {
  if (!(dot(along, along) > 0)) return false;
  flat_ = Flattening(along, scene_.corners(triangles[0])[0]);
  images_.clear();
  for (const std::uint32_t t : triangles)
    for (const Vec3d& corner : scene_.corners(t)) images_.push_back(flat_.add(corner));
  return flat_.in_range();
}

/// 1 and 2.
bool PatchProof::find_contour(std::span<const std::uint32_t> triangles) {
  const auto vertex = [&](std::uint32_t slot) { return vertex_[scene_.triangles[triangles[slot / 3]][slot % 3]]; };
  const auto next = [](std::uint32_t slot) { return slot % 3 == 2 ? slot - 2 : slot + 1; };
  // Both ways: a fold, or a mesh without a common winding. Of large patches it is nearly always a fold, which the edges
  // would show at a higher cost.
  constexpr std::size_t kMostMixed = 256;
  const int first_way = flat_.turn(images_[0], images_[1], images_[2]);
  sides_.clear();
  for (std::uint32_t first = 0; first < images_.size(); first += 3) {
    const int way = flat_.turn(images_[first], images_[first + 1], images_[first + 2]);
    if (way == 0 || (way != first_way && triangles.size() > kMostMixed)) return false;
    for (std::uint32_t slot = first; slot < first + 3; ++slot) {
      const std::uint64_t p = vertex(slot), q = vertex(next(slot));
      sides_.push_back({p < q ? p << 32 | q : q << 32 | p, slot, (p > q) == (way > 0)});
    }
  }
  std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) { return a.ends < b.ends; });
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
  std::sort(contour_.begin(), contour_.end(),
            [](const Edge& e, const Edge& f) { return std::pair(e.from, e.to) < std::pair(f.from, f.to); });
  return true;
}

/// 4: walks along the contour, and cuts off a loop where a vertex is met again.
bool PatchProof::one_outer_loop() {
  const auto first_from = [&](std::uint32_t vertex) {
    const auto at = std::lower_bound(contour_.begin(), contour_.end(), vertex,
                                     [](const Edge& e, std::uint32_t from) { return e.from < from; });
    return static_cast<std::size_t>(at - contour_.begin());
  };
  used_.assign(contour_.size(), 0);
  on_path_.assign(contour_.size(), 0);
  path_.clear();
  int outer = 0;
  const auto walk = [&](std::size_t vertex) {  // as many edges end at a vertex as begin there, so there is one left
    on_path_[vertex] = path_.size() + 1;
    path_.push_back(vertex + used_[vertex]++);
  };
  for (std::size_t start = 0; start < contour_.size(); ++start) {
    if (start > 0 && contour_[start].from == contour_[start - 1].from) continue;
    while (start + used_[start] < contour_.size() && contour_[start + used_[start]].from == contour_[start].from) {
      walk(start);
      while (!path_.empty()) {
        const std::size_t vertex = first_from(contour_[path_.back()].to);
        if (on_path_[vertex] == 0) {
          walk(vertex);
          continue;
        }
        const std::size_t begin = on_path_[vertex] - 1;
        const int way = loop_turn(std::span(path_).subspan(begin));
        if (way == 0 || (way > 0 && ++outer > 1)) return false;
        for (std::size_t i = begin; i < path_.size(); ++i) on_path_[first_from(contour_[path_[i]].from)] = 0;
        path_.resize(begin);
      }
    }
  }
  return outer == 1;
}

/// 1 counter-clockwise, -1 clockwise, 0 not certain. The sum of k turns from one point is off by their bounds, and by
/// k u of their absolute sum.
int PatchProof::loop_turn(std::span<const std::size_t> loop) const {
  const Point& o = contour_[loop[0]].a;
  double area = 0, bound = 0, size = 0;
  for (const std::size_t i : loop) {
    const Point &a = contour_[i].a, &b = contour_[i].b;
    const double part = flat_.computed_turn(o, a, b);
    area += part;
    size += std::abs(part);
    bound += flat_.turn_bound(o, a, b);
  }
  const double off = 2 * bound + static_cast<double>(loop.size()) * 0x1p-52 * size;
  return area > off ? 1 : area < -off ? -1 : 0;
}

/// a and c are the other ends of two edges that share b.
bool PatchProof::meet_only_at(const Point& b, const Point& a, const Point& c) const {
  const auto between = [&](double p, double q, double r) {
    return (flat_.before(p, q) && flat_.before(q, r)) || (flat_.before(r, q) && flat_.before(q, p));
  };
  return flat_.turn(a, b, c) != 0 || between(a.x, b.x, c.x) || between(a.y, b.y, c.y);
}

bool PatchProof::meet_only_at_corners(const Edge& e, const Edge& f) const {
  if (e.to == f.from) return meet_only_at(e.b, e.a, f.b);
  if (e.from == f.to) return meet_only_at(e.a, e.b, f.a);
  if (e.from == f.from) return meet_only_at(e.a, e.b, f.b);
  if (e.to == f.to) return meet_only_at(e.b, e.a, f.a);
  return are_apart(e, f);
}

bool PatchProof::are_apart(const Edge& e, const Edge& f) const {
  const auto one_side = [&](const Edge& line, const Edge& of) {
    const int side = flat_.turn(line.a, line.b, of.a);
    return side != 0 && side == flat_.turn(line.a, line.b, of.b);
  };
  return one_side(e, f) || one_side(f, e);
}

/// 3, by a sweep along x.
bool PatchProof::is_simple() {
  const auto low = [](const Edge& e) { return std::min(e.a.x, e.b.x); };
  std::sort(contour_.begin(), contour_.end(),
            [&](const Edge& e, const Edge& f) { return std::pair(low(e), e.from) < std::pair(low(f), f.from); });
  std::size_t left = 1024 + 64 * contour_.size();  // pairs; an outline that needs more is in doubt
  for (std::size_t i = 0; i < contour_.size(); ++i) {
    const Edge& e = contour_[i];
    const double high_x = std::max(e.a.x, e.b.x), low_y = std::min(e.a.y, e.b.y), high_y = std::max(e.a.y, e.b.y);
    for (std::size_t j = i + 1; j < contour_.size() && !flat_.before(high_x, low(contour_[j])); ++j) {
      const Edge& f = contour_[j];
      if (left-- == 0) return false;
      if (flat_.before(high_y, std::min(f.a.y, f.b.y)) || flat_.before(std::max(f.a.y, f.b.y), low_y)) continue;
      if (!meet_only_at_corners(e, f)) return false;
    }
  }
  return true;
}

namespace {

/// Grows the patches of one object.
class Grower {
 public:
  Grower(Context& context, const Facing& facing, std::span<const std::uint32_t> vertex, std::uint32_t object,
         std::span<const std::uint32_t> triangles)
      : scene_(context.scene),
        facing_(facing),
        vertex_(vertex),
        triangles_(triangles),
        proof_(context.scene, vertex),
        taken_(triangles.size(), 0),
        seen_(triangles.size(), 0),
        same_way_(triangles.size(), 1) {
    if (!context.options.random_hierarchy) across_ = across_edges(scene_, object, triangles, vertex);
  }

  void run(std::uint32_t number, Patches& out) {
    for (const std::uint32_t seed : seeds(number)) {
      if (taken_[seed] != 0) continue;
      grow(seed);
      std::size_t size = patch_.size();
      while (!proof_.holds(std::span(patch_).first(size), axis_)) size /= 2;
      reached_ += patch_.size();
      if (reached_ > kMostReached * triangles_.size()) most_ = kSmall;
      for (std::size_t i = 0; i < size; ++i) taken_[places_[i]] = 1;
      const auto first = static_cast<std::uint32_t>(out.order.size());
      out.order.insert(out.order.end(), patch_.begin(), patch_.begin() + static_cast<std::ptrdiff_t>(size));
      out.patches.push_back({first, static_cast<std::uint32_t>(out.order.size())});
    }
  }

 private:
  /// All places in an order of their own for each number: at random, always the same way.
  std::vector<std::uint32_t> seeds(std::uint32_t number) const {
    std::vector<std::uint32_t> places(triangles_.size());
    std::iota(places.begin(), places.end(), 0u);
    std::uint64_t state = 0x9E3779B97F4A7C15u * (number + std::uint64_t{1});
    for (std::size_t i = places.size(); i > 1; --i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(places[i - 1], places[(state >> 33) % i]);
    }
    return places;
  }

  /// What can be reached from the seed, nearest first: any part from the beginning is connected.
  void grow(std::uint32_t seed) {
    constexpr double kFaces = 0.2;  // cosine: within 78 degrees of the seed's normal
    const Vec3f& normal = facing_.triangles[triangles_[seed]].normal;
    axis_ = {normal[0], normal[1], normal[2]};
    places_.assign(1, seed);
    patch_.assign(1, triangles_[seed]);
    seen_[seed] = ++stamp_;
    same_way_[seed] = 1;
    if (across_.empty()) return;
    for (std::size_t head = 0; head < places_.size() && places_.size() < most_; ++head)
      for (std::uint32_t edge = 0; edge < 3 && places_.size() < most_; ++edge) {
        const std::uint32_t at = places_[head], next = across_[std::size_t{3} * at + edge];
        if (next == kNoTriangle || taken_[next] != 0 || seen_[next] == stamp_) continue;
        const bool same_way = (same_way_[at] != 0) == (runs_against(at, edge, next));
        const Vec3f& n = facing_.triangles[triangles_[next]].normal;
        const double faces = n[0] * axis_[0] + n[1] * axis_[1] + n[2] * axis_[2];
        if (!((same_way ? faces : -faces) > kFaces)) continue;
        seen_[next] = stamp_;
        same_way_[next] = same_way ? 1 : 0;
        places_.push_back(next);
        patch_.push_back(triangles_[next]);
      }
  }

  /// True if the neighbour's common edge runs the other way round, as between triangles with the same winding.
  bool runs_against(std::uint32_t at, std::uint32_t edge, std::uint32_t next) const {
    const Triangle &t = scene_.triangles[triangles_[at]], &u = scene_.triangles[triangles_[next]];
    const std::uint32_t p = vertex_[t[edge]], q = vertex_[t[(edge + 1) % 3]];
    for (int i = 0; i < 3; ++i)
      if (vertex_[u[i]] == p && vertex_[u[(i + 1) % 3]] == q) return false;
    return true;
  }

  const Scene& scene_;
  const Facing& facing_;
  std::span<const std::uint32_t> vertex_, triangles_;
  PatchProof proof_;
  std::vector<std::uint32_t> across_;
  std::vector<std::uint8_t> taken_;     ///< by place in triangles_: in a patch
  std::vector<std::uint32_t> seen_;     ///< by place: the last seed that reached it
  std::vector<std::uint8_t> same_way_;  ///< by place: wound as the seed
  std::uint32_t stamp_ = 0;
  /// Where most of what is reached is not proven, large patches are not tried for ever.
  static constexpr std::size_t kMostReached = 16, kSmall = 32;
  std::size_t reached_ = 0, most_ = std::numeric_limits<std::size_t>::max();
  Vec3d axis_ = {0, 0, 0};                     ///< of the patch that grows
  std::vector<std::uint32_t> places_, patch_;  ///< its places, and triangles
};

}  // namespace

Patches patches_of(Context& context, const Facing& facing, std::span<const std::uint32_t> vertex,
                   std::span<const std::uint32_t> triangles, std::uint32_t number) {
  Patches all;
  all.order.reserve(triangles.size());
  for (std::size_t i = 0; i < triangles.size();) {
    const std::uint32_t object = context.scene.object_of[triangles[i]];
    std::size_t end = i;
    while (end < triangles.size() && context.scene.object_of[triangles[end]] == object) ++end;
    const std::span own = triangles.subspan(i, end - i);
    if (context.scene.table.objects[object].options.self) {
      Grower(context, facing, vertex, object, own).run(number, all);
    } else {
      const auto first = static_cast<std::uint32_t>(all.order.size());
      all.order.insert(all.order.end(), own.begin(), own.end());
      all.patches.push_back({first, static_cast<std::uint32_t>(all.order.size())});
    }
    i = end;
  }
  return all;
}

}  // namespace sightline::papers::method
