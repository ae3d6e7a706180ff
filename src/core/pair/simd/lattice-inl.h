// The exact decision on pairs of a fine lattice, in vectors of floats. Included once for each target.
//
// All corners of the group are multiples of some q, and differences of coordinates are below 2^7 q. Then every product
// and sum below is a multiple of q, q² or q³ that is smaller than 6 · 2^21 < 2^24 of them: floats hold it exactly, in
// any order of operations, fused or not. So the signs are those of exact arithmetic, zeros included.
#include "pair/simd/steps-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

/// An arithmetic of Steps.
struct Fine {
  using Value = VF;
  using Mask = MF;
  using Coordinate = VF;
  using Step = VF;
  using Point = Vec3;

  const MF open;
  HWY_INLINE Fine() : open(hn::MaskFromVec(hn::Zero(DF()))) {}

  HWY_INLINE static MF equal(VF p, VF q) { return hn::Eq(p, q); }
  HWY_INLINE static VF select(MF mask, VF p, VF q) { return hn::IfThenElse(mask, p, q); }
  HWY_INLINE static VF step(VF p, VF q) { return hn::Sub(p, q); }
  HWY_INLINE static VF minor(VF p, VF q, VF r, VF s) { return hn::MulSub(p, q, hn::Mul(r, s)); }

  struct Plane {
    Vec3 origin, normal;
    HWY_INLINE Plane(const Fine&, const Vec3* p) : origin(p[0]), normal(cross(p[1] - p[0], p[2] - p[0])) {}
    HWY_INLINE VF x() const { return normal.x; }
    HWY_INLINE VF y() const { return normal.y; }
    HWY_INLINE VF z() const { return normal.z; }
    HWY_INLINE MF is_degenerate() const { return hn::Eq(norm1(normal), hn::Zero(DF())); }
    HWY_INLINE VF side_of(const Fine&, const Vec3& p, MF) const { return dot(normal, p - origin); }
  };
};

/// Writes a Verdict (exact/tri_tri.h), or kOpenVerdict, for each pair.
void settle_on_lattice(const Group& group, const std::uint32_t* pairs, int count, std::int8_t* verdicts) {
  Fine fine;
  for (int at = 0; at < count; at += kLanes) {
    const auto lanes = lanes_of(pairs + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);
    const Steps<Fine> found(fine, a.p, b.p, of_one_object(group, lanes));
    write_verdicts(found, std::min(kLanes, count - at), verdicts + at);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
