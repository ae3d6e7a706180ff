// The intersection of two triangles as points. Its corners are found by exact signs, held as exact quotients of
// integers, compared and ordered exactly, and rounded to double only at the very end.

#include "exact/intersection.h"

#include <algorithm>
#include <cmath>

#include "base/float_environment.h"
#include "base/format.h"
#include "exact/big_int.h"
#include "exact/segment.h"
#include "exact/segments.h"
#include "exact/tri_tri.h"
#include "sightline/contact.h"

namespace sightline {
namespace {

using exact::WideInt;

/// (numerator / denominator) · 2^unit, correctly rounded; numerator ≥ 0, denominator > 0.
///
/// With leading bits n and d, 2^63 ≤ n, d < 2^64, and q = ⌊2^61 n / d⌋ < 2^62: the quotient in units of 2^exponent is
/// above 2^61 n / (d + 1) > 2^61 n / d - 2^61 n / d² > q - 1, and below 2^61 (n + 1) / d < q + 2. If both ends of that
/// range round to the same double, so does the quotient. Long division decides ties and numbers near the ends of the
/// range of doubles.
template <int L>
double rounded_quotient(const WideInt<L>& numerator, const WideInt<L>& denominator, int unit) {
  if (numerator.sign() == 0) return 0;
  int up, down;
  const std::uint64_t n = exact::leading(numerator, up), d = exact::leading(denominator, down);
  const auto q = static_cast<std::int64_t>((static_cast<exact::Uint128>(n) << 61) / d);
  const int exponent = up - down - 61 + unit;
  const auto low = static_cast<double>(q - 1), high = static_cast<double>(q + 2);
  // Neither denormal nor infinite.
  if (low == high && exponent > -1000 && exponent < 900) return std::ldexp(low, exponent);
  return exact::rounded_quotient(exact::BigInt(numerator), exact::BigInt(denominator), unit);
}

/// Corners as homogeneous integers (x : y : z : w). With coordinates of at most 62 bits a limb (C limbs, degree 1), x
/// is of degree 4 and w of degree 3; comparing two costs degree 7, orienting three costs degree 12. Corners of the
/// triangles themselves are compared, oriented and returned as the doubles that they are; they become integers only
/// beside a corner that is not one of these.
template <int C>
class Intersector : public exact::TrianglePair {
 public:
  /// Points relative to corner 0 of a if `from_corner`. `is_scaled`: after points.scale().
  Intersector(const exact::TrianglePair& pair, bool from_corner, bool is_scaled)
      : exact::TrianglePair(pair), from_corner_(from_corner), is_scaled_(is_scaled) {}

  Intersection run() {
    axis_[0] = area_axis(0);
    axis_[1] = area_axis(3);
    collect(0, 3);
    collect(3, 0);
    const bool coplanar = axis_[0] >= 0 && axis_[1] >= 0 && b_in_plane_;
    if (coplanar)
      for (int i = 0; i < 3; ++i) cross_edges(axis_[0], i, (i + 1) % 3, 3);
    else if (axis_[0] < 0 || axis_[1] < 0)
      cross_thin();
    if (coplanar && count_ > 2)
      order_around(axis_[0]);
    else if (count_ > 2)
      keep_ends();
    Intersection result;
    result.size = static_cast<std::uint8_t>(count_);
    for (int i = 0; i < count_; ++i)
      for (int axis = 0; axis < 3; ++axis) result.storage[i][axis] = rounded(i, axis);
    return result;
  }
  /// After run().
  exact::CornerFeature feature(int i) const { return corner_[i].feature; }
  exact::ExactPoint exact_point(int i) {
    const Corner& c = widened(i);
    return {{exact::BigInt(c.x[0]), exact::BigInt(c.x[1]), exact::BigInt(c.x[2])}, exact::BigInt(c.w), points.unit()};
  }

 private:
  static constexpr int kLimbs = 5 * C;  // one corner
  static constexpr int kOrient = 13 * C;
  struct Corner {
    WideInt<kLimbs> x[3], w;
    exact::CornerFeature feature;
    bool is_wide = false;  ///< x and w have values
    bool is_point() const { return feature.q < 0; }
  };

  const Corner& widened(int i) {
    Corner& corner = corner_[i];
    if (corner.is_wide) return corner;
    scale_once();
    for (int axis = 0; axis < 3; ++axis) corner.x[axis] = points.coordinate<kLimbs>(corner.feature.p, axis);
    corner.w = exact::shifted<kLimbs>(1, 0);
    corner.is_wide = true;
    return corner;
  }
  void scale_once() {
    if (!is_scaled_) points.scale();
    is_scaled_ = true;
  }

  /// Sign of corner i minus corner j along an axis; w > 0.
  int compare(int i, int j, int axis) {
    if (corner_[i].is_point() && corner_[j].is_point()) {
      const double x = points.at[corner_[i].feature.p][axis], y = points.at[corner_[j].feature.p][axis];
      return (x > y) - (x < y);
    }
    constexpr int kProduct = 8 * C;
    const Corner &p = widened(i), &q = widened(j);
    return (exact::multiply<kProduct>(p.x[axis], q.w) - exact::multiply<kProduct>(q.x[axis], p.w)).sign();
  }

  double rounded(int i, int axis) {
    if (corner_[i].is_point() && !from_corner_) return points.at[corner_[i].feature.p][axis] + 0.0;  // never -0
    const Corner& corner = widened(i);
    WideInt<kLimbs> x = corner.x[axis];
    if (from_corner_) x = x - exact::multiply<kLimbs>(corner.w, points.coordinate<C>(0, axis));
    return x.negative() ? -rounded_quotient(-x, corner.w, points.unit()) : rounded_quotient(x, corner.w, points.unit());
  }

  /// Counts corner_[count_] unless it is there already.
  void add() {
    for (int i = 0; i < count_; ++i)
      if (compare(i, count_, 0) == 0 && compare(i, count_, 1) == 0 && compare(i, count_, 2) == 0) return;
    ++count_;
  }
  void add_point(int i) {
    Corner& corner = corner_[count_];
    corner.feature = {};
    corner.feature.p = static_cast<signed char>(i);
    corner.is_wide = false;
    add();
  }
  /// The point of line p, q at which a linear function with these values at p and q vanishes: on the edge u, v of the
  /// other triangle, or in its interior.
  void add_zero(int p, int q, WideInt<3 * C> at_p, WideInt<3 * C> at_q, int u = -1, int v = -1) {
    Corner& corner = corner_[count_];
    corner.feature = {static_cast<signed char>(p), static_cast<signed char>(q), static_cast<signed char>(u),
                      static_cast<signed char>(v)};
    const bool falling = (at_p - at_q).sign() > 0;  // makes w positive
    const WideInt<3 *C> weight_q = falling ? at_p : -at_p, weight_p = falling ? -at_q : at_q;
    for (int axis = 0; axis < 3; ++axis)
      corner.x[axis] = exact::multiply<kLimbs>(weight_p, points.coordinate<C>(p, axis)) +
                       exact::multiply<kLimbs>(weight_q, points.coordinate<C>(q, axis));
    corner.w = exact::widen<kLimbs>(weight_p + weight_q);
    corner.is_wide = true;
    add();
  }
  /// Corners of the triangle at `of` that lie in the other, and its edges' piercings of the other's plane in it.
  void collect(int of, int other) {
    const int axis = axis_[other / 3];
    if (axis < 0) {
      int u, v;
      ends(other, &u, &v);
      for (int i = of; i < of + 3; ++i)
        if (between(i, u, v)) add_point(i);
      return;
    }
    int side[3];
    for (int i = 0; i < 3; ++i) {
      side[i] = points.orient3d(other, other + 1, other + 2, of + i);
      if (side[i] == 0 && inside(axis, other, of + i)) add_point(of + i);
    }
    if (of == 3) b_in_plane_ = side[0] == 0 && side[1] == 0 && side[2] == 0;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      if (side[i] * side[j] >= 0 || !pierces(of + i, of + j, other)) continue;
      scale_once();
      add_zero(of + i, of + j, points.value3d<C>(other, other + 1, other + 2, of + i),
               points.value3d<C>(other, other + 1, other + 2, of + j));
    }
  }
  /// Line p, q meets the closed triangle, whose plane it crosses.
  bool pierces(int p, int q, int base) {
    int side[3];
    sides_of_edges(p, q, base, side);
    return !straddles(side);
  }

  void cross(int axis, int p, int q, int u, int v) {
    if (!properly_cross(axis, p, q, u, v)) return;
    scale_once();
    const auto value = [&](int i) { return exact::widen<3 * C>(points.value2d<C>(axis, u, v, i)); };
    add_zero(p, q, value(p), value(q), u, v);
  }
  void cross_edges(int axis, int p, int q, int other) {
    for (int j = 0; j < 3; ++j) cross(axis, p, q, other + j, other + (j + 1) % 3);
  }
  void cross_thin() {
    const int thin = axis_[0] < 0 ? 0 : 3, other = 3 - thin;
    int p, q;
    ends(thin, &p, &q);
    const int axis = axis_[other / 3];
    if (axis >= 0) {
      const int side_p = points.orient3d(other, other + 1, other + 2, p);
      if (side_p == 0 && points.orient3d(other, other + 1, other + 2, q) == 0) cross_edges(axis, p, q, other);
      return;
    }
    int u, v;
    ends(other, &u, &v);
    if (points.orient3d(p, q, u, v) != 0) return;
    for (int a = 0; a < 3; ++a)
      if (points.orient2d(a, p, q, u) != 0 || points.orient2d(a, p, q, v) != 0) return cross(a, p, q, u, v);
  }

  /// All corners are extreme, so that sorting them around the first is a strict order.
  void order_around(int axis) {
    for (int i = 2; i < count_; ++i)
      for (int k = i; k > 1 && orient(axis, 0, k, k - 1) > 0; --k) std::swap(corner_[k], corner_[k - 1]);
  }
  int orient(int axis, int i, int j, int k) {
    if (corner_[i].is_point() && corner_[j].is_point() && corner_[k].is_point())
      return points.orient2d(axis, corner_[i].feature.p, corner_[j].feature.p, corner_[k].feature.p);
    const int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    const auto minor = [u, v](const Corner& p, const Corner& q) {
      return exact::multiply<kOrient>(p.x[u], q.x[v]) - exact::multiply<kOrient>(p.x[v], q.x[u]);
    };
    const Corner &a = widened(i), &b = widened(j), &c = widened(k);
    return (exact::multiply<kOrient>(minor(b, c), a.w) - exact::multiply<kOrient>(minor(a, c), b.w) +
            exact::multiply<kOrient>(minor(a, b), c.w))
        .sign();
  }

  /// Corners on a line: keeps the two ends.
  void keep_ends() {
    for (int axis = 0; axis < 3; ++axis) {
      int low = 0, high = 0;
      for (int i = 1; i < count_; ++i) {
        if (compare(i, low, axis) < 0) low = i;
        if (compare(i, high, axis) >= 0) high = i;
      }
      if (compare(low, high, axis) == 0) continue;
      const Corner first = corner_[low], last = corner_[high];
      corner_[0] = first;
      corner_[1] = last;
      count_ = 2;
      return;
    }
  }

  bool from_corner_, is_scaled_;
  bool b_in_plane_ = false;
  int axis_[2] = {-1, -1};
  Corner corner_[24];  // at most 6 corners, 6 piercings and 9 crossings
  int count_ = 0;
};

/// The corners of a triangle, or an Error: a contact may come from another mesh.
std::array<Vec3d, 3> corners_at(const MeshView& mesh, std::uint32_t triangle, std::string_view side) {
  if (triangle >= mesh.triangles.size())
    throw Error(formatted("intersection: the contact has triangle {} = {}; the mesh has {} triangles", side, triangle,
                          mesh.triangles.size()));
  for (const std::uint32_t vertex : mesh.triangles[triangle])
    if (vertex >= mesh.positions.size())
      throw Error(formatted("intersection: triangle {} has vertex index {}; the mesh has {} vertices", triangle, vertex,
                            mesh.positions.size()));
  return mesh.corners(triangle);
}

/// use(intersector) with as many limbs as the pair needs.
template <typename Use>
void with_intersector(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool from_corner, const Use& use) {
  exact::TrianglePair pair = exact::pair_of(a, b);
  // On a lattice only corners that are not corners of the triangles need integers.
  const bool is_lattice = pair.points.settle_lattice();
  switch (is_lattice ? 1 : pair.points.scale()) {
    case 1: {
      Intersector<1> intersector(pair, from_corner, !is_lattice);
      return use(intersector);
    }
    case 2: {
      Intersector<2> intersector(pair, from_corner, true);
      return use(intersector);
    }
    default: {
      Intersector<34> intersector(pair, from_corner, true);
      return use(intersector);
    }
  }
}

void take_segment(const exact::SegmentBlock& segments, std::size_t place, Intersection& result) {
  result.size = 2;
  for (std::size_t end = 0; end < 2; ++end)
    for (std::size_t axis = 0; axis < 3; ++axis) result.storage[end][axis] = segments.at[3 * end + axis][place];
}

}  // namespace

Intersection exact::intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, bool from_corner) {
  Intersection result;
  if (!from_corner) {
    TrianglePair pair = pair_of(a, b);
    if (pair.points.scale() == 1 && CrossingSegment(pair).find(result)) return result;
  }
  with_intersector(a, b, from_corner, [&](auto& intersector) { result = intersector.run(); });
  return result;
}

Intersection exact::intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b,
                                 std::array<CornerFeature, 6>& features) {
  Intersection result;
  with_intersector(a, b, false, [&](auto& intersector) {
    result = intersector.run();
    for (int i = 0; i < result.size; ++i) features[static_cast<std::size_t>(i)] = intersector.feature(i);
  });
  return result;
}

exact::ExactPoint exact::intersection_corner(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b, int corner) {
  ExactPoint point;
  with_intersector(a, b, false, [&](auto& intersector) {
    intersector.run();
    point = intersector.exact_point(corner);
  });
  return point;
}

bool exact::operator==(const ExactPoint& p, const ExactPoint& q) {
  const int up_p = std::max(0, p.unit - q.unit), up_q = std::max(0, q.unit - p.unit);
  for (int k = 0; k < 3; ++k)
    if (!((p.x[k] * q.w << up_p) == (q.x[k] * p.w << up_q))) return false;
  return true;
}

void exact::intersections(std::span<const std::array<Vec3d, 3>> a, std::span<const std::array<Vec3d, 3>> b,
                          std::span<Intersection> results) {
  if (a.size() != b.size() || a.size() != results.size())
    throw Error(formatted("intersections: {} triangles a, {} triangles b and {} results; the numbers must be equal",
                          a.size(), b.size(), results.size()));
  const FloatEnvironment environment;
  const exact::FindSegments find = exact::segment_finder();
  if (find == nullptr) {
    for (std::size_t i = 0; i < a.size(); ++i) results[i] = exact::intersection(a[i], b[i], false);
    return;
  }
  exact::PairBlock pairs = {};
  exact::SegmentBlock segments;
  constexpr std::size_t kSize = exact::PairBlock::kSize;
  for (std::size_t first = 0; first < a.size(); first += kSize) {
    const std::size_t count = std::min(kSize, a.size() - first);
    for (std::size_t i = 0; i < count; ++i) pairs.put(i, a[first + i], b[first + i]);
    const unsigned found = find(pairs, segments);
    for (std::size_t i = 0; i < count; ++i) {
      Intersection& result = results[first + i];
      result = {};
      if ((found >> i & 1) != 0)
        take_segment(segments, i, result);
      else
        with_intersector(a[first + i], b[first + i], false, [&](auto& general) { result = general.run(); });
    }
  }
}

Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b) {
  const FloatEnvironment environment;
  return exact::intersection(a, b, false);
}

Intersection intersection(const MeshView& mesh, const Contact& contact) { return intersection(mesh, mesh, contact); }

Intersection intersection(const MeshView& object_a, const MeshView& object_b, const Contact& contact) {
  const FloatEnvironment environment;  // for the conversion to double, too: it may flush a subnormal float to zero
  return exact::intersection(corners_at(object_a, contact.a, "a"), corners_at(object_b, contact.b, "b"), false);
}

}  // namespace sightline
