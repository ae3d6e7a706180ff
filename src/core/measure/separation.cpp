// Translations that end contact, each of them verified by the exact query.
//
// Directions: normals of contacts, of triangles in contact and of the whole (measure/normals.cpp), the axes, and the
// line through the centres of the boxes. Along a direction n, part a has left b for certain once its least n · p is
// above the greatest of b. A shorter way is enough where only some triangles are in the way: those that have contacts,
// and those that lie inside the other part. The way that these need is tried first; if contacts are left after it, the
// way grows by what their triangles need. Nothing is reported that was not verified.
//
// Lower bounds: each pair of triangles in contact has to leave its Minkowski difference, which is convex. Every plane
// that supports it has a normal n, a distance, and its faces have normals of triangles or cross products of edges. The
// least of these distances is computed exactly, for the pairs with the greatest depths in double. Of two closed parts,
// a protrusion is a bound, too.
#include "measure/separation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/float_environment.h"
#include "base/format.h"
#include "base/vector.h"
#include "input/object.h"
#include "measure/field.h"
#include "measure/grid.h"
#include "measure/run.h"
#include "measure/scale.h"
#include "measure/shell.h"
#include "measure/sides.h"
#include "sightline/depth.h"
#include "solid/classify.h"

namespace sightline {
namespace {

using measure::Corners;
using Index = std::uint32_t;

/// A part whose positions are doubles, so that it moves as little as need be.
struct MovablePart {
  std::vector<Vec3d> points;
  std::vector<Triangle> triangles;

  MovablePart(const MeshView& mesh, int by)
      : points(measure::scaled_points(mesh, by)), triangles(mesh.triangles.begin(), mesh.triangles.end()) {}
  MovablePart(const MeshView& mesh, int by, std::vector<Index> of) {
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    for (const Index t : of) {
      const auto base = static_cast<Index>(points.size());
      for (const Vec3d& p : mesh.corners(t)) points.push_back(measure::scaled(p, by));
      triangles.push_back({base, base + 1, base + 2});
    }
  }
  MeshView view() const { return {points, triangles}; }
  std::vector<Vec3d> moved(const Vec3d& by) const {
    std::vector<Vec3d> result;
    for (const Vec3d& p : points) result.push_back(p + by);
    return result;
  }
};

/// A lower bound of the way that the first triangle needs to leave the second one. They share a point.
double least_way(const Corners& a, const Corners& b) {
  int unit = 2000;
  for (const Corners* t : {&a, &b})
    for (const Vec3d& p : *t) unit = measure::exponent_of(p, unit);
  measure::FinePoint p[2][3];
  for (std::size_t i = 0; i < 3; ++i) p[0][i] = measure::integers(a[i], unit), p[1][i] = measure::integers(b[i], unit);
  const auto minus = [](const measure::FinePoint& x, const measure::FinePoint& y) {
    return measure::FinePoint{x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  };
  const auto dot = [](const measure::FinePoint& x, const measure::FinePoint& y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  };
  double least = Box::kInfinity;  // its square
  const auto offer = [&](const measure::FinePoint& d, const measure::FinePoint& e) {
    const measure::FinePoint n{d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]};
    const exact::BigInt squared = dot(n, n);
    if (squared.sign() == 0) return;
    exact::BigInt low[2], high[2];  // of both triangles
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < 3; ++i) {
        const exact::BigInt x = dot(n, p[side][i]);
        if (i == 0 || (x - low[side]).sign() < 0) low[side] = x;
        if (i == 0 || (x - high[side]).sign() > 0) high[side] = x;
      }
    for (const exact::BigInt& way : {high[1] - low[0], high[0] - low[1]})
      least = std::min(least, exact::rounded_quotient(way * way, squared, 2 * unit));
  };
  measure::FinePoint edges[2][3];
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < 3; ++i) edges[side][i] = minus(p[side][(i + 1) % 3], p[side][i]);
    offer(edges[side][0], edges[side][1]);
  }
  for (const measure::FinePoint& d : edges[0])
    for (const measure::FinePoint& e : edges[1]) offer(d, e);
  if (!std::isfinite(least)) return 0;  // a point on a segment or on a point
  return std::max(0.0, std::sqrt(std::max(0.0, std::nextafter(least, 0.0))) * (1 - 0x1p-50));
}

/// The extent of some triangles along a direction.
struct Reach {
  double low = Box::kInfinity, high = -Box::kInfinity;
  void add(const Corners& t, const Vec3d& n) {
    for (const Vec3d& p : t) low = std::min(low, dot(n, p)), high = std::max(high, dot(n, p));
  }
};

class Separator {
 public:
  /// `whole`: containment counts, too. `by`: both parts were scaled by this power of two, and the translation has to be
  /// a vector of doubles before that.
  Separator(const MovablePart& a, const MovablePart& b, bool whole, int by, const MeasureOptions& options)
      : a_(a),
        b_(b),
        whole_(whole),
        by_(by),
        options_(options),
        contacts_(measure::contacts_of(a.view(), b.view(), options)) {}

  const std::vector<Contact>& contacts() const { return contacts_; }

  /// True if neither part has a point in common with the other, nor lies inside it.
  bool clear(const Vec3d& by) const {
    const std::vector<Vec3d> moved_a = a_.moved(by), moved_b = b_.moved(-1.0 * by);
    return clear(MeshView{moved_a, a_.triangles}, b_.view()) && clear(a_.view(), MeshView{moved_b, b_.triangles});
  }

  Separation run(double lower_bound, std::vector<Index> in_b, std::vector<Index> in_a) {
    for (const Contact& c : contacts_) in_b.push_back(c.a), in_a.push_back(c.b);
    std::sort(in_b.begin(), in_b.end());
    in_b.erase(std::unique(in_b.begin(), in_b.end()), in_b.end());
    std::sort(in_a.begin(), in_a.end());
    in_a.erase(std::unique(in_a.begin(), in_a.end()), in_a.end());
    lower_ = lower_bound;
    for (const Vec3d& p : a_.points) scale_ = std::max({scale_, std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
    for (const Vec3d& p : b_.points) scale_ = std::max({scale_, std::abs(p[0]), std::abs(p[1]), std::abs(p[2])});
    lower_ = std::max(lower_, contact_bound());
    struct Candidate {
      double way;
      Vec3d n;
      bool operator<(const Candidate& c) const { return std::tie(way, n) < std::tie(c.way, c.n); }
    };
    std::vector<Candidate> candidates;
    for (const Vec3d& n : directions()) candidates.push_back({way_of(n, in_b, in_a), n});
    std::sort(candidates.begin(), candidates.end());
    constexpr std::size_t kMost = 12;
    for (std::size_t i = 0; i < std::min(kMost, candidates.size()); ++i)
      if (candidates[i].way < best_) along(candidates[i].n, candidates[i].way);
    shorten();
    return {translation(best_, best_direction_), length(), lower_};
  }

 private:
  /// No shorter translation ends all contacts. Positions are rounded after it, which may end a contact a little sooner.
  double contact_bound() const {
    constexpr std::size_t kMost = 8;
    struct Deep {
      double depth;
      Corners a, b;
      auto operator<=>(const Deep&) const = default;
    };
    std::vector<Deep> deepest;  // ascending
    for (const Contact& c : contacts_) {
      const Corners a = a_.view().corners(c.a), b = b_.view().corners(c.b);
      Deep deep{contact_normal(a, b).depth, measure::sorted(a), measure::sorted(b)};
      if (deepest.size() == kMost && deep <= deepest.front()) continue;
      if (deepest.size() == kMost) deepest.erase(deepest.begin());
      deepest.insert(std::upper_bound(deepest.begin(), deepest.end(), deep), std::move(deep));
    }
    double bound = 0;
    for (const Deep& deep : deepest) bound = std::max(bound, least_way(deep.a, deep.b));
    return std::max(0.0, bound - 0x1p-50 * (scale_ + bound));
  }

  Vec3d translation(double way, const Vec3d& n) const {
    Vec3d t = way * n;
    for (double& x : t) x = std::ldexp(std::ldexp(x, -by_), by_) + 0.0;  // no -0
    return t;
  }

  bool clear(const MeshView& a, const MeshView& b) const {
    const MeshView parts[2] = {a, b};
    if (whole_)
      return solid::classify(parts, nullptr, {.query = {.threads = options_.threads, .cancel = options_.cancel}})
          .pairs.empty();
    return measure::contacts_of(a, b, options_).empty();
  }

  /// All that are tried; both signs of those that have none.
  std::vector<Vec3d> directions() const {
    std::vector<Vec3d> all;
    const auto add = [&](const Vec3d& v, bool both) {
      const double squared = dot(v, v);
      if (!(squared > 0x1p-900) || !(squared < 0x1p900)) return;
      const Vec3d n = (1 / std::sqrt(squared)) * v;
      all.push_back(n);
      if (both) all.push_back(-1.0 * n);
    };
    for (int k = 0; k < 3; ++k) {
      Vec3d axis{};
      axis[k] = 1;
      add(axis, true);
    }
    add(box_of(a_.points).centre() - box_of(b_.points).centre(), true);
    if (!contacts_.empty()) add(manifold(a_.view(), b_.view(), contacts_).normal.direction, true);
    constexpr std::size_t kMostContacts = 128;  // more of them are thinned out evenly
    const std::size_t step = contacts_.size() / kMostContacts + 1;
    const auto normal = [](const Corners& t) { return cross(t[1] - t[0], t[2] - t[0]); };
    for (std::size_t i = 0; i < contacts_.size(); i += step) {
      const Corners a = a_.view().corners(contacts_[i].a), b = b_.view().corners(contacts_[i].b);
      add(contact_normal(a, b).direction, false);
      add(normal(a), true);
      add(normal(b), true);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  /// The way along n after which the triangles of a have left those of b.
  double way_of(const Vec3d& n, std::span<const Index> of_a, std::span<const Index> of_b) const {
    Reach a, b;
    for (const Index t : of_a) a.add(a_.view().corners(t), n);
    for (const Index t : of_b) b.add(b_.view().corners(t), n);
    return std::max(0.0, b.high - a.low);
  }
  double whole_way(const Vec3d& n) const {
    Reach a, b;
    for (const Vec3d& p : a_.points) a.add({p, p, p}, n);
    for (const Vec3d& p : b_.points) b.add({p, p, p}, n);
    return std::max(0.0, b.high - a.low);
  }

  /// Surfaces that lie in contact after a way need a little more: positions are rounded.
  bool take(const Vec3d& n, double way) {
    for (double more = 4 * 0x1p-53 * (scale_ + way); way + more < best_ && more <= 0x1p-40 * (scale_ + way);
         more *= 8) {
      if (!clear(translation(way + more, n))) continue;
      best_ = way + more;
      best_direction_ = n;
      return true;
    }
    return false;
  }

  void along(const Vec3d& n, double way) {
    constexpr int kSteps = 6;
    for (int step = 0; step < kSteps && way < best_; ++step) {
      if (take(n, way)) return;
      const std::vector<Vec3d> moved = a_.moved((way + 0x1p-40 * (scale_ + way)) * n);
      const MeshView at{moved, a_.triangles};
      double most = 0;
      for (const Contact& c : measure::contacts_of(at, b_.view(), options_)) {
        Reach of_a, of_b;
        of_a.add(at.corners(c.a), n);
        of_b.add(b_.view().corners(c.b), n);
        most = std::max(most, of_b.high - of_a.low);
      }
      if (!(most > 0)) break;
      way += most;
    }
    take(n, whole_way(n));
  }

  /// Shorter ways along the best direction. Parts that are not convex may be clear there, or not. What is tried does
  /// not depend on the lower bound, which only shows that some of it is in vain.
  void shorten() {
    constexpr int kTries = 4;
    double low = 0;
    for (int i = 0; i < kTries; ++i) {
      const double way = 0.5 * (low + best_);
      if (way > lower_ * (1 - 0x1p-20) && clear(translation(way, best_direction_)))
        best_ = way;
      else
        low = way;
    }
  }

  double length() const {
    const Vec3d t = translation(best_, best_direction_);
    const double squared = dot(t, t);
    return squared > 0x1p-900 ? std::sqrt(squared) * (1 + 0x1p-50) : best_;
  }

  const MovablePart &a_, &b_;
  const bool whole_;
  const int by_;
  const MeasureOptions& options_;
  const std::vector<Contact> contacts_;
  double lower_ = 0, scale_ = 0, best_ = Box::kInfinity;
  Vec3d best_direction_{};
};

Separation ordered_separation(const MovablePart& a, const MovablePart& b, std::optional<double> known_bound, int by,
                              const MeasureOptions& options) {
  Separator separator(a, b, true, by, options);
  if (separator.clear({})) return {};
  measure::Run run(options, a.triangles.size() + b.triangles.size());
  const measure::Shell shells[2] = {measure::Shell(a.view(), run.workers, run.poll),
                                    measure::Shell(b.view(), run.workers, run.poll)};
  std::vector<Index> in_b, in_a;
  double lower = known_bound.value_or(0);
  const auto closed = [](const measure::Shell& s) { return s.boundary.has_area && s.boundary.open_edges == 0; };
  if (!known_bound && closed(shells[0]) && closed(shells[1])) {
    const Protrusions depths = protrusions(a.view(), b.view(), separator.contacts(), options);
    lower = std::max(depths.a.depth.low, depths.b.depth.low);
  }
  const auto inner = [&](const measure::Shell& part, const measure::Shell& other, Index Contact::*side) {
    std::vector<Index> result;
    if (!closed(other)) return result;
    std::vector<std::uint8_t> touched(part.mesh.triangles.size(), 0);
    for (const Contact& c : separator.contacts()) touched[c.*side] = 1;
    const measure::Sides sides(part, other, std::move(touched), run.workers, run.poll);
    return sides.candidates();
  };
  in_b = inner(shells[0], shells[1], &Contact::a);
  in_a = inner(shells[1], shells[0], &Contact::b);
  return separator.run(lower, std::move(in_b), std::move(in_a));
}

/// The order of two parts that does not depend on the order in which they are given.
bool comes_first(const MovablePart& a, const MovablePart& b) {
  const auto key = [](const MovablePart& part) {
    std::vector<Corners> all;
    for (std::size_t i = 0; i < part.triangles.size(); ++i) all.push_back(measure::sorted(part.view().corners(i)));
    std::sort(all.begin(), all.end());
    return all;
  };
  return key(a) < key(b);
}

Separation opposite(Separation s) {
  for (double& x : s.translation) x = 0 - x;
  return s;
}
Separation unscaled(Separation s, int by) {
  s.translation = measure::scaled(s.translation, -by);
  s.length = measure::scaled_up(s.length, -by);
  s.lower_bound = measure::scaled_down(s.lower_bound, -by);
  return s;
}

Separation any_separation(const MeshView& a, const MeshView& b, std::optional<double> known_bound,
                          const MeasureOptions& options) {
  validate(a, "part a", options.threads);
  validate(b, "part b", options.threads);
  const FloatEnvironment environment;
  const int by = measure::require_scale(a, b, "separation");
  const MovablePart part_a(a, by), part_b(b, by);
  if (known_bound) known_bound = measure::scaled_down(*known_bound, by);
  if (comes_first(part_a, part_b)) return unscaled(ordered_separation(part_a, part_b, known_bound, by, options), by);
  return unscaled(opposite(ordered_separation(part_b, part_a, known_bound, by, options)), by);
}

}  // namespace

Separation measure::separation(const MeshView& a, const MeshView& b, double lower_bound,
                               const MeasureOptions& options) {
  return any_separation(a, b, lower_bound, options);
}

Separation separation(const MeshView& a, const MeshView& b, const MeasureOptions& options) {
  return any_separation(a, b, std::nullopt, options);
}

Separation cluster_separation(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                              const MeasureOptions& options) {
  validate(a, "part a", options.threads);
  validate(b, "part b", options.threads);
  const FloatEnvironment environment;
  std::vector<Index> of_a, of_b;
  for (const Contact& c : contacts) {
    measure::check(c, a, b);
    of_a.push_back(c.a);
    of_b.push_back(c.b);
  }
  if (contacts.empty()) return {};
  const int by = measure::require_scale(a, b, "cluster_separation");
  const MovablePart part_a(a, by, std::move(of_a)), part_b(b, by, std::move(of_b));
  const bool in_order = comes_first(part_a, part_b);
  const MovablePart &first = in_order ? part_a : part_b, &second = in_order ? part_b : part_a;
  Separator separator(first, second, false, by, options);
  if (separator.contacts().empty()) return {};
  const Separation result = separator.run(0, {}, {});
  return unscaled(in_order ? result : opposite(result), by);
}

}  // namespace sightline
