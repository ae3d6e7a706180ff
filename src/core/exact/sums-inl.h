// Double-doubles in vectors: numbers of 106 bits and more, one lane each. Included once for each target, where products
// and sums can be fused. exact/segments.cpp derives the errors.
#include <hwy/highway.h>

#include "exact/segments.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_NATIVE_FMA
HWY_BEFORE_NAMESPACE();
namespace sightline::exact {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, PairBlock::kSize>;
using Bits = hn::RebindToUnsigned<Tag>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;

constexpr double kUnit = 0x1p-53;
/// A determinant of three vectors of differences is within kSide u² T, and one of two of them within that of N.
constexpr double kSide = 128;

// Constructors are written out: GCC 12 compiles implicit ones without the target's options, on aarch64 with an error.

/// The sum of a double and a much smaller one.
struct Sum {
  V h, l;
  HWY_INLINE Sum() {}
  HWY_INLINE Sum(V high, V low) : h(high), l(low) {}
};
HWY_INLINE Sum exact_sum(V a, V b) {
  const V sum = hn::Add(a, b), b_part = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part))};
}
HWY_INLINE Sum difference(V a, V b) { return exact_sum(a, hn::Neg(b)); }
HWY_INLINE Sum operator*(const Sum& p, const Sum& q) {
  const V high = hn::Mul(p.h, q.h), error = hn::MulSub(p.h, q.h, high);
  return {high, hn::MulAdd(p.l, q.h, hn::MulAdd(p.h, q.l, error))};
}
HWY_INLINE Sum operator+(const Sum& x, const Sum& y) {
  const Sum high = exact_sum(x.h, y.h);
  return {high.h, hn::Add(high.l, hn::Add(x.l, y.l))};
}
HWY_INLINE Sum operator-(const Sum& x) { return {hn::Neg(x.h), hn::Neg(x.l)}; }
HWY_INLINE V select(M mask, V yes, V no) { return hn::IfThenElse(mask, yes, no); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline::exact
HWY_AFTER_NAMESPACE();
#endif
