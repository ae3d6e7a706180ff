// Exact orientation signs over a few points given in doubles: filter first, integers when the filter cannot decide.
//
// Doubles are integers times a power of two. The points of one decision are brought to a common power of two, once, and
// only when a filter fails; then determinants are computed in integers of fixed width:
//
//   bits M per coordinate, after moving point 0 to the origin   arithmetic
//   ≤ 14   (lattices)                     plain double: every product and sum below is below 2^53, hence exact
//   ≤ 40   (most float32 data)            128 bits:  det < 6 · 2^(3(M+1)) ≤ 2^126
//   ≤ 61   (most float64 data)            192 bits:  det < 2^189
//   ≤ 124                                 384 bits:  det < 2^378
//   ≤ 248, 496, 992                       4, 8 and 16 limbs a coordinate: det < 6 · 2^(3(M+1)) in three times as many
//   ≤ 2100 (all doubles, 2^-1074..2^1024)  34-limb coordinates, 102-limb determinants
//
// So nothing overflows or underflows, whatever the magnitudes, and expansions, which would do both, are not needed.
#pragma once

#include <cmath>
#include <cstring>

#include "exact/wide_int.h"
#include "rules/plane.h"
#include "sightline/mesh.h"

namespace sightline::exact {

/// Sign of a number as -1, 0, 1.
SIGHTLINE_HD inline int sign_of(double x) { return (x > 0) - (x < 0); }

/// Of x ≠ 0.
SIGHTLINE_HD inline int trailing_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return __ffsll(static_cast<long long>(x)) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

/// x = mantissa · 2^exponent with an odd mantissa (or both zero).
struct OddFloat {
  std::int64_t mantissa;
  int exponent;
};
SIGHTLINE_HD inline OddFloat odd_float(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const int biased = static_cast<int>(bits >> 52) & 0x7FF;
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return {0, 0};
  int exponent = (biased != 0 ? biased : 1) - 1075;
  const int zeros = trailing_zeros(mantissa);
  mantissa >>= zeros;
  exponent += zeros;
  const std::int64_t value = static_cast<std::int64_t>(mantissa);
  return {(bits >> 63) != 0 ? -value : value, exponent};
}
SIGHTLINE_HD inline int bit_width(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return 64 - __clzll(static_cast<long long>(x));
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}
/// 2^e for e in the range of normal numbers.
SIGHTLINE_HD inline double power_of_two(int e) {
  const std::uint64_t bits = static_cast<std::uint64_t>(e + 1023) << 52;
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
SIGHTLINE_HD inline int exponent_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (static_cast<int>(bits >> 52) & 0x7FF) - 1023;
}

/// mantissa · 2^shift as a wide integer; shift ≥ 0.
template <int Limbs>
SIGHTLINE_HD WideInt<Limbs> shifted(std::int64_t mantissa, int shift) {
  WideInt<Limbs> r = WideInt<Limbs>::zero();
  const std::uint64_t magnitude = static_cast<std::uint64_t>(mantissa < 0 ? -mantissa : mantissa);
  const int word = shift / 64, bit = shift % 64;
  if (word < Limbs) r.limb[word] = magnitude << bit;
  if (bit != 0 && word + 1 < Limbs) r.limb[word + 1] = magnitude >> (64 - bit);
  return mantissa < 0 ? -r : r;
}

/// Determinants of differences in wide integers: C limbs a coordinate difference.
template <int C>
struct Determinant {
  using Coordinate = WideInt<C>;
  /// | p q r | for three difference vectors.
  SIGHTLINE_HD static WideInt<3 * C> three(const Coordinate* p, const Coordinate* q, const Coordinate* r) {
    WideInt<3 * C> sum = multiply<3 * C>(two(q[1], q[2], r[1], r[2]), p[0]);
    sum = sum + multiply<3 * C>(two(q[2], q[0], r[2], r[0]), p[1]);
    return sum + multiply<3 * C>(two(q[0], q[1], r[0], r[1]), p[2]);
  }
  /// px qy - py qx
  SIGHTLINE_HD static WideInt<2 * C> two(const Coordinate& px, const Coordinate& py, const Coordinate& qx,
                                         const Coordinate& qy) {
    return multiply<2 * C>(px, qy) - multiply<2 * C>(py, qx);
  }
};

/// Up to Count points; all signs are exact for the doubles as given, which must be finite.
template <int Count>
class Points {
 public:
  double at[Count][3];

  SIGHTLINE_HD bool equal(int i, int j) const {
    return at[i][0] == at[j][0] && at[i][1] == at[j][1] && at[i][2] == at[j][2];
  }
  /// Lexicographic order of positions; along a line it is the order on that line.
  SIGHTLINE_HD bool less(int i, int j) const {
    for (int axis = 0; axis < 3; ++axis)
      if (at[i][axis] != at[j][axis]) return at[i][axis] < at[j][axis];
    return false;
  }

  /// The caller guarantees that all coordinates are multiples of some q between 2^-290 and 2^280 and all differences
  /// below 2^15 q.
  SIGHTLINE_HD void assume_lattice() { tier_ = Tier::lattice; }
  /// To be called first: true if that holds and all coordinates are below 2^53 q. Then signs are those of the doubles,
  /// after scale(), too, and scale() needs one limb.
  SIGHTLINE_HD bool settle_lattice() {
    if (on_lattice(true)) tier_ = Tier::lattice;
    return tier_ == Tier::lattice;
  }

  /// Sign of (j - i) × (k - i) · (l - i): positive if l is on the side of plane ijk from which i, j, k run
  /// counterclockwise.
  SIGHTLINE_HD_COLD int orient3d(int i, int j, int k, int l) {
    using rules::vector_at;
    const auto plane = rules::Plane<double>::through(vector_at(at[i]), vector_at(at[j]), vector_at(at[k]));
    const auto det = plane.at(vector_at(at[l]));
    if (tier_ == Tier::lattice) return sign_of(det.value);
    if (const int sign = det.sign(); sign != 0) return sign;
    return orient3d_exact(i, j, k, l, det.value);
  }

  /// The signs orient3d(i, j, k, first + c) for c = 0, 1, 2, and 0 for those that the bits of `skipped` name.
  SIGHTLINE_HD_COLD void sides(int i, int j, int k, int first, int skipped, int* side) {
    using rules::vector_at;
    const auto plane = rules::Plane<double>::through(vector_at(at[i]), vector_at(at[j]), vector_at(at[k]));
    double value[3];
    int open = 0;
    for (int c = 0; c < 3; ++c) {
      side[c] = 0;
      if ((skipped >> c & 1) != 0) continue;
      const auto det = plane.at(vector_at(at[first + c]));
      value[c] = det.value;
      side[c] = tier_ == Tier::lattice ? sign_of(det.value) : det.sign();
      if (side[c] == 0) open |= 1 << c;
    }
    if (open == 0 || tier_ == Tier::lattice) return;
    if (tier_ == Tier::unknown) choose();
    const bool one_limb = tier_ != Tier::lattice && limbs_ == 1;
    const Normal normal = one_limb ? normal_of(i, j, k) : Normal{};
    for (int c = 0; c < 3; ++c)
      if ((open >> c & 1) != 0)
        side[c] = one_limb ? side_of(normal, i, first + c) : orient3d_exact(i, j, k, first + c, value[c]);
  }

  /// Sign of the orientation of i, j, k seen along `axis` (coordinates axis + 1, axis + 2).
  SIGHTLINE_HD_COLD int orient2d(int axis, int i, int j, int k) {
    const int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    const auto det = rules::turn(at[j][u] - at[i][u], at[j][v] - at[i][v], at[k][u] - at[i][u], at[k][v] - at[i][v]);
    if (tier_ == Tier::lattice) return sign_of(det.value);
    if (const int sign = det.sign(); sign != 0) return sign;
    return orient2d_exact(axis, i, j, k, det.value);
  }

  /// True if the three points lie on a line (or coincide).
  SIGHTLINE_HD bool collinear(int i, int j, int k) {
    return orient2d(2, i, j, k) == 0 && orient2d(0, i, j, k) == 0 && orient2d(1, i, j, k) == 0;
  }

 private:
  enum class Tier : signed char { unknown, lattice, narrow, wide };

  SIGHTLINE_HD_COLD void choose() {
    if (on_lattice())
      tier_ = Tier::lattice;
    else
      scale();
  }
  /// True if all coordinates are multiples of some q, and all differences below 2^15 q: then every product and sum in
  /// the filters' determinants is below 6 · 2^45 q^3, hence exact. `bounded`: and if all coordinates are below 2^53 q.
  SIGHTLINE_HD bool on_lattice(bool bounded = false) const {
    double reach = 0;
    for (int i = 1; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const double d = std::fabs(at[i][axis] - at[0][axis]);
        reach = d > reach ? d : reach;
      }
    if (!(reach > 0x1p-280 && reach < 0x1p280)) return false;
    // x + k rounds to a multiple of q or more; only multiples of q come back. (1.5 keeps the exponent of the sum.)
    const double k = 1.5 * power_of_two(exponent_of(reach) - 13 + 52);
    bool multiples = true;
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis)
        multiples &= (at[i][axis] + k) - k == at[i][axis] && (!bounded || std::fabs(at[i][axis]) < k);
    return multiples;
  }

  /// (j - i) × (k - i), where one limb holds a coordinate: differences below 2^62, so numbers below 2^125, and below
  /// 2^83 if the points are narrow.
  struct Normal {
    Int128 at[3];
  };
  SIGHTLINE_HD Normal normal_of(int i, int j, int k) const {
    std::int64_t p[3], q[3];
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] = scaled_[j][axis] - scaled_[i][axis];
      q[axis] = scaled_[k][axis] - scaled_[i][axis];
    }
    const auto minor = [&p, &q](int u, int v) {
      return static_cast<Int128>(p[u]) * q[v] - static_cast<Int128>(p[v]) * q[u];
    };
    return {{minor(1, 2), minor(2, 0), minor(0, 1)}};
  }
  /// The sign of normal · (l - i).
  SIGHTLINE_HD int side_of(const Normal& normal, int i, int l) const {
    std::int64_t d[3];
    for (int axis = 0; axis < 3; ++axis) d[axis] = scaled_[l][axis] - scaled_[i][axis];
    if (tier_ == Tier::narrow) {
      const Int128 sum = normal.at[0] * d[0] + normal.at[1] * d[1] + normal.at[2] * d[2];
      return (sum > 0) - (sum < 0);
    }
    // In 192 bits: `high` counts 2^64. A product of the low half, below 2^126, is added limb by limb.
    Int128 high = 0;
    Uint128 low = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto half = static_cast<std::uint64_t>(normal.at[axis]);
      const Int128 product = static_cast<Int128>(static_cast<Uint128>(half)) * d[axis];
      high += (normal.at[axis] >> 64) * d[axis] + (product >> 64);
      low += static_cast<std::uint64_t>(product);
    }
    high += static_cast<Int128>(low >> 64);
    return high != 0 ? (high > 0) - (high < 0) : static_cast<std::uint64_t>(low) != 0;
  }

  SIGHTLINE_HD_COLD int orient3d_exact(int i, int j, int k, int l, double det) {
    if (tier_ == Tier::unknown) choose();
    if (tier_ == Tier::lattice) return sign_of(det);
    if (limbs_ == 1) return side_of(normal_of(i, j, k), i, l);
    return orient3d_in<2>(i, j, k, l);
  }

  SIGHTLINE_HD_COLD int orient2d_exact(int axis, int i, int j, int k, double det) {
    if (tier_ == Tier::unknown) choose();
    if (tier_ == Tier::lattice) return sign_of(det);
    if (limbs_ > 1) return orient2d_in<2>(axis, i, j, k);
    // Differences below 2^62, products below 2^124.
    const int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    const Int128 a = static_cast<Int128>(scaled_[j][u] - scaled_[i][u]) * (scaled_[k][v] - scaled_[i][v]);
    const Int128 b = static_cast<Int128>(scaled_[j][v] - scaled_[i][v]) * (scaled_[k][u] - scaled_[i][u]);
    return (a > b) - (a < b);
  }

  /// In limbs_ limbs, which are C or more: 1, 2, 4, 8, 16 or 34.
  template <int C>
  SIGHTLINE_HD int orient3d_in(int i, int j, int k, int l) const {
    if constexpr (C < 34)
      if (limbs_ != C) return orient3d_in<(C < 16 ? 2 * C : 34)>(i, j, k, l);
    return orient3d_wide<C>(i, j, k, l);
  }
  template <int C>
  SIGHTLINE_HD int orient2d_in(int axis, int i, int j, int k) const {
    if constexpr (C < 34)
      if (limbs_ != C) return orient2d_in<(C < 16 ? 2 * C : 34)>(axis, i, j, k);
    return orient2d_wide<C>(axis, i, j, k);
  }
  template <int C>
  SIGHTLINE_HD_COLD int orient3d_wide(int i, int j, int k, int l) const {
    return value3d<C>(i, j, k, l).sign();
  }
  template <int C>
  SIGHTLINE_HD_COLD int orient2d_wide(int axis, int i, int j, int k) const {
    return value2d<C>(axis, i, j, k).sign();
  }

 public:
  /// The determinants of orient3d and orient2d in units of 2^unit(), after scale().
  template <int C>
  SIGHTLINE_HD WideInt<3 * C> value3d(int i, int j, int k, int l) const {
    WideInt<C> p[3], q[3], r[3];
    SIGHTLINE_ROLLED
    for (int axis = 0; axis < 3; ++axis) {
      const WideInt<C> origin = coordinate<C>(i, axis);
      p[axis] = coordinate<C>(j, axis) - origin;
      q[axis] = coordinate<C>(k, axis) - origin;
      r[axis] = coordinate<C>(l, axis) - origin;
    }
    return Determinant<C>::three(r, p, q);
  }
  template <int C>
  SIGHTLINE_HD WideInt<2 * C> value2d(int axis, int i, int j, int k) const {
    const int u = axis == 2 ? 0 : axis + 1, v = axis == 0 ? 2 : axis - 1;
    const WideInt<C> iu = coordinate<C>(i, u), iv = coordinate<C>(i, v);
    return Determinant<C>::two(coordinate<C>(j, u) - iu, coordinate<C>(j, v) - iv, coordinate<C>(k, u) - iu,
                               coordinate<C>(k, v) - iv);
  }
  /// Coordinate in units of 2^unit(), after scale(); exact where C limbs hold it.
  template <int C>
  SIGHTLINE_HD_COLD WideInt<C> coordinate(int i, int axis) const {
    // After scale(); coordinates of a lattice are never read before it.
    if (limbs_ == 1) return shifted<C>(scaled_[i][axis] + origin_[axis], 0);
    const OddFloat f = odd_float(at[i][axis]);
    return f.mantissa == 0 ? WideInt<C>::zero() : shifted<C>(f.mantissa, f.exponent - unit_);
  }
  /// Brings all points to a common power of two and chooses the arithmetic. Returns limbs that hold a coordinate, with
  /// room for a difference: 1, 2 or 34.
  SIGHTLINE_HD_COLD int scale() {
    const bool is_lattice = tier_ == Tier::lattice;
    if (!is_lattice) tier_ = Tier::wide;
    int range = scale_near();
    if (range < 0) range = scale_far();
    limbs_ = range <= 61 ? 1 : range <= 124 ? 2 : range <= 248 ? 4 : range <= 496 ? 8 : range <= 992 ? 16 : 34;
    if (limbs_ > 1) return limbs_ == 2 ? 2 : 34;
    std::uint64_t reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
      // Moving the origin may double the magnitude: still below 2^61.
      origin_[axis] = range <= 60 ? scaled_[0][axis] : 0;
      for (int i = 0; i < Count; ++i) scaled_[i][axis] -= origin_[axis];
      for (int i = 0; i < Count; ++i) {
        const std::int64_t c = scaled_[i][axis];
        reach |= static_cast<std::uint64_t>(c < 0 ? -c : c);
      }
    }
    if (bit_width(reach) <= 40 && !is_lattice) tier_ = Tier::narrow;
    return 1;
  }
  SIGHTLINE_HD int unit() const { return unit_; }
  /// After scale(): coordinates fit 40 bits, in units of 2^unit() and from an origin that all points share.
  SIGHTLINE_HD bool is_narrow() const { return tier_ == Tier::narrow; }
  SIGHTLINE_HD std::int64_t scaled(int i, int axis) const { return scaled_[i][axis]; }

 private:
  /// Coordinates whose exponents differ by at most 8, or which are 0, as integers of 61 bits in one pass. Returns the
  /// bits of the largest in units of 2^unit_; -1 if others exist.
  SIGHTLINE_HD int scale_near() {
    int least = 2047, greatest = 0;
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        if (at[i][axis] == 0) continue;
        const int biased = exponent_of(at[i][axis]) + 1023;  // 0 if it is subnormal
        least = biased < least ? biased : least;
        greatest = biased > greatest ? biased : greatest;
      }
    if (least == 0 || greatest - least > 8) return -1;
    std::uint64_t all = 0, most = 0;
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        std::uint64_t bits;
        std::memcpy(&bits, &at[i][axis], sizeof bits);
        const int shift = static_cast<int>(bits >> 52 & 0x7FF) - least;
        constexpr std::uint64_t kUnit = std::uint64_t{1} << 52;
        const std::uint64_t size = shift < 0 ? 0 : ((bits & (kUnit - 1)) | kUnit) << shift;
        scaled_[i][axis] = static_cast<std::int64_t>(bits >> 63 != 0 ? ~size + 1 : size);
        all |= size;
        most = size > most ? size : most;
      }
    unit_ = least - 1075;
    if (all == 0) return unit_ = 0;
    const int zeros = trailing_zeros(all);
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis) scaled_[i][axis] >>= zeros;
    unit_ += zeros;
    return bit_width(most) - zeros;
  }
  /// The same for any coordinates; sets scaled_ where 61 bits are enough.
  SIGHTLINE_HD_COLD int scale_far() {
    int lowest = 2000, highest = -2000;
    OddFloat f[Count][3];
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        f[i][axis] = odd_float(at[i][axis]);
        if (f[i][axis].mantissa == 0) continue;
        const int exponent = f[i][axis].exponent;
        if (exponent < lowest) lowest = exponent;
        const std::int64_t m = f[i][axis].mantissa;
        const int top = exponent + bit_width(static_cast<std::uint64_t>(m < 0 ? -m : m));
        if (top > highest) highest = top;
      }
    if (highest < lowest) lowest = highest = 0;  // all coordinates are zero
    unit_ = lowest;
    if (highest - lowest > 61) return highest - lowest;
    for (int i = 0; i < Count; ++i)
      for (int axis = 0; axis < 3; ++axis)
        scaled_[i][axis] =
            f[i][axis].mantissa == 0 ? 0 : f[i][axis].mantissa * (std::int64_t{1} << (f[i][axis].exponent - lowest));
    return highest - lowest;
  }

  Tier tier_ = Tier::unknown;
  signed char limbs_ = 1;  // of a coordinate, after scale()
  int unit_ = 0;
  std::int64_t scaled_[Count][3];  // valid after scale(), if one limb is enough
  std::int64_t origin_[3];
};

// Signs for single points, on the host: topology, rays, containment.

template <typename... Vec>
auto points_of(const Vec&... vectors) {
  Points<sizeof...(Vec)> points;
  int i = 0;
  ((points.at[i][0] = vectors[0], points.at[i][1] = vectors[1], points.at[i][2] = vectors[2], ++i), ...);
  return points;
}

/// Sign of (b - a) × (c - a) · (d - a).
inline int orient3d(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return points_of(a, b, c, d).orient3d(0, 1, 2, 3);
}
/// Orientation of a, b, c seen along an axis: coordinates (axis + 1, axis + 2) mod 3.
inline int orient2d(int axis, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return points_of(a, b, c).orient2d(axis, 0, 1, 2);
}
/// True if the three points lie on a line or coincide: the triangle is degenerate.
inline bool collinear(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  // Most triangles have an area that is certain along one axis.
  for (int u = 0; u < 3; ++u) {
    const int v = u == 2 ? 0 : u + 1;
    if (rules::turn(b[u] - a[u], b[v] - a[v], c[u] - a[u], c[v] - a[v]).sign() != 0) return false;
  }
  return points_of(a, b, c).collinear(0, 1, 2);
}

}  // namespace sightline::exact
