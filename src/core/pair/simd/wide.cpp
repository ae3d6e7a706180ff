// The exact decision on a few pairs at a time, in vectors (Highway compiles this file once for each target).
//
// All 18 coordinates of a pair are multiples of some q. If they are below 2^61 q, which leaves out only pairs whose
// coordinates spread over many magnitudes, then in units of q every difference, minor and determinant D is an integer.
// D is computed twice:
//   - as a sum of two doubles, within e = kSide u² T of D (exact/segments.cpp has the derivation; integers do not
//     underflow, and all is below 2^200);
//   - in integers of 64 bits, with wraparound: D modulo 2^64.
// If the sum is more than e away from 0, its sign is that of D. Otherwise |D| is below 2 e, and where e < 2^62 the
// remainder of D in -2^63 … 2^63 - 1 is D itself: its sign is known, also if D is 0. Determinants of differences below
// 2^52 q are always known: T is at most 6 · 2^156 then, and e below 2^60. For minors e is below 2^30 in any case.
#include "base/instructions.h"
#include "pair/group.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pair/simd/wide.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "exact/sums-inl.h"
#include "pair/simd/steps-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_NATIVE_FMA
HWY_BEFORE_NAMESPACE();
namespace sightline::exact {
namespace HWY_NAMESPACE {
namespace {

using Ints = hn::RebindToSigned<Tag>;
using I = hn::Vec<Ints>;

constexpr double kMostUnits = 0x1p61, kMostError = 0x1p62;
constexpr double kLeastUnit = 0x1p-900, kMostUnit = 0x1p900;

/// Numbers in units of q, and modulo 2^64.
struct Wide {
  using Value = V;
  using Mask = M;
  struct Coordinate {
    V x;
    I i;
    HWY_INLINE Coordinate() {}
    HWY_INLINE Coordinate(V value, I remainder) : x(value), i(remainder) {}
  };
  struct Step {
    Sum x;
    I i;
    HWY_INLINE Step(const Sum& value, I remainder) : x(value), i(remainder) {}
  };
  struct Point {
    Coordinate x, y, z;
    HWY_INLINE Point() {}
  };
  struct Number {
    Sum x;
    V size;  ///< of the error, in kSide u²
    I i;
    HWY_INLINE Number() {}
    HWY_INLINE V limit() const { return hn::Mul(size, hn::Set(Tag(), kSide * kUnit * kUnit)); }
  };

  M open;
  HWY_INLINE Wide() : open(hn::MaskFromVec(hn::Zero(Tag()))) {}

  HWY_INLINE static M equal(const Coordinate& p, const Coordinate& q) { return hn::Eq(p.x, q.x); }
  HWY_INLINE static Coordinate select(M mask, const Coordinate& p, const Coordinate& q) {
    return {hn::IfThenElse(mask, p.x, q.x), hn::IfThenElse(hn::RebindMask(Ints(), mask), p.i, q.i)};
  }
  HWY_INLINE static Step step(const Coordinate& p, const Coordinate& q) {
    return {difference(p.x, q.x), hn::Sub(p.i, q.i)};
  }
  /// p q - r s
  HWY_INLINE static Number minor_of(const Step& p, const Step& q, const Step& r, const Step& s) {
    const Sum plus = p.x * q.x, minus = r.x * s.x;
    Number n;
    n.x = plus + -minus;
    n.size = hn::Add(hn::Abs(plus.h), hn::Abs(minus.h));
    n.i = hn::Sub(hn::Mul(p.i, q.i), hn::Mul(r.i, s.i));
    return n;
  }
  /// A value with the sign of the number where `certain`, or where the remainder is the number.
  HWY_INLINE static V sign_of(const Number& n, V limit, M& certain) {
    const Tag d;
    const Sum sum = exact_sum(n.x.h, n.x.l);
    certain = hn::Gt(hn::Abs(sum.h), limit);
    const V by_remainder = hn::IfThenZeroElse(hn::RebindMask(d, hn::Eq(n.i, hn::Zero(Ints()))),
                                              hn::CopySign(hn::Set(d, 1.0), hn::BitCast(d, n.i)));
    return hn::IfThenElse(certain, sum.h, by_remainder);
  }
  HWY_INLINE static V sign_of_minor(const Number& n) {
    M certain;
    return sign_of(n, n.limit(), certain);
  }
  HWY_INLINE static V minor(const Step& p, const Step& q, const Step& r, const Step& s) {
    return sign_of_minor(minor_of(p, q, r, s));
  }

  struct Plane {
    Point origin;
    Number nx, ny, nz;
    HWY_INLINE Plane(Wide&, const Point* p) : origin(p[0]) {
      const Step ex = step(p[1].x, p[0].x), ey = step(p[1].y, p[0].y), ez = step(p[1].z, p[0].z);
      const Step fx = step(p[2].x, p[0].x), fy = step(p[2].y, p[0].y), fz = step(p[2].z, p[0].z);
      nx = minor_of(ey, fz, ez, fy);
      ny = minor_of(ez, fx, ex, fz);
      nz = minor_of(ex, fy, ey, fx);
    }
    HWY_INLINE V x() const { return sign_of_minor(nx); }
    HWY_INLINE V y() const { return sign_of_minor(ny); }
    HWY_INLINE V z() const { return sign_of_minor(nz); }
    HWY_INLINE M is_degenerate() const {
      const V zero = hn::Zero(Tag());
      return hn::And(hn::And(hn::Eq(x(), zero), hn::Eq(y(), zero)), hn::Eq(z(), zero));
    }
    HWY_INLINE V side_of(Wide& wide, const Point& p, M on_it) const {
      const Step dx = step(p.x, origin.x), dy = step(p.y, origin.y), dz = step(p.z, origin.z);
      Number n;
      n.x = nx.x * dx.x + ny.x * dy.x + nz.x * dz.x;
      n.i = hn::Add(hn::Add(hn::Mul(nx.i, dx.i), hn::Mul(ny.i, dy.i)), hn::Mul(nz.i, dz.i));
      n.size =
          hn::MulAdd(nx.size, hn::Abs(dx.x.h), hn::MulAdd(ny.size, hn::Abs(dy.x.h), hn::Mul(nz.size, hn::Abs(dz.x.h))));
      const V limit = n.limit();
      M certain;
      const V sign = sign_of(n, limit, certain);
      const M known = hn::Or(hn::Or(certain, on_it), hn::Lt(limit, hn::Set(Tag(), kMostError)));
      wide.open = hn::Or(wide.open, hn::Not(known));
      return sign;
    }
  };
};

/// The last bit of x that is set, as a number; infinite if there is none.
HWY_INLINE V last_bit(V x) {
  const Tag d;
  const Bits db;
  const auto bits = hn::BitCast(db, x), fraction = hn::And(bits, hn::Set(db, 0x000FFFFFFFFFFFFFu));
  const V without = hn::BitCast(d, hn::And(bits, hn::Sub(bits, hn::Set(db, 1))));
  const V bit = hn::IfThenElse(hn::RebindMask(d, hn::Eq(fraction, hn::Zero(db))), x, hn::Sub(x, without));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, hwy::HighestValue<double>()), hn::Abs(bit));
}

void decide_wide(const PairBlock& pairs, unsigned one_object, std::int8_t* verdicts) {
  const Tag d;
  const V zero = hn::Zero(d);
  constexpr int kWidth = static_cast<int>(hn::MaxLanes(Tag()));
  for (int first = 0; first < PairBlock::kSize; first += kWidth) {
    V at[18], unit = hn::Set(d, hwy::HighestValue<double>()), most = zero;
    for (int k = 0; k < 18; ++k) {
      at[k] = hn::Load(d, pairs.at[k] + first);
      unit = hn::Min(unit, last_bit(at[k]));
      most = hn::Max(most, hn::Abs(at[k]));
    }
    M usable = hn::And(hn::Ge(unit, hn::Set(d, kLeastUnit)), hn::Le(unit, hn::Set(d, kMostUnit)));
    const V scale = hn::Div(hn::Set(d, 1.0), hn::IfThenElse(usable, unit, hn::Set(d, 1.0)));
    usable = hn::And(usable, hn::Le(hn::Mul(most, scale), hn::Set(d, kMostUnits)));
    Wide::Point corners[6];
    for (int k = 0; k < 18; ++k) {
      const V x = hn::IfThenElseZero(usable, hn::Mul(at[k], scale));
      Wide::Point& corner = corners[k / 3];
      (k % 3 == 0 ? corner.x : k % 3 == 1 ? corner.y : corner.z) = Wide::Coordinate(x, hn::ConvertTo(Ints(), x));
    }
    const std::uint8_t bits[8] = {static_cast<std::uint8_t>(one_object >> first)};  // Highway may read eight bytes
    Wide wide;
    const sightline::HWY_NAMESPACE::Steps<Wide> found(wide, corners, corners + 3, hn::LoadMaskBits(d, bits));
    sightline::HWY_NAMESPACE::write_verdicts(found, kWidth, verdicts + first);
    std::uint8_t lanes[8] = {};
    hn::StoreMaskBits(d, usable, lanes);
    for (int k = 0; k < kWidth; ++k)
      if ((lanes[0] >> k & 1) == 0) verdicts[first + k] = kOpenVerdict;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline::exact
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE

namespace sightline {

WideKernel wide_kernel(Simd simd) {
  if (simd == Simd::best) simd = best_simd();
  if (!available(simd)) return nullptr;
#if HWY_TARGETS & HWY_AVX3
  if (simd == Simd::avx512) return exact::N_AVX3::decide_wide;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (simd == Simd::avx2) return exact::N_AVX2::decide_wide;
#endif
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
  if (simd == Simd::neon) return exact::N_NEON::decide_wide;
#endif
  return nullptr;
}

}  // namespace sightline

#endif  // HWY_ONCE
