// Vectors of points, and records of a group as vectors: one lane a triangle. Included once for each target.
#include <hwy/highway.h>

#include "pair/group.h"
#include "rules/bounds.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DU = hn::ScalableTag<std::uint32_t>;
using Quad = hn::FixedTag<float, 4>;
using VF = hn::Vec<DF>;
using VU = hn::Vec<DU>;
using MF = hn::Mask<DF>;
constexpr int kLanes = static_cast<int>(HWY_MAX_BYTES / 4);
constexpr float kUnit = rules::Unit<float>::kRoundoff;

struct Vec3 {
  VF x, y, z;
  // Written out: GCC 12 compiles implicit constructors without the target's options, on aarch64 with an error.
  HWY_INLINE Vec3() {}
  HWY_INLINE Vec3(VF u, VF v, VF w) : x(u), y(v), z(w) {}
};
HWY_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE VF dot(const Vec3& a, const Vec3& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}
HWY_INLINE Vec3 cross(const Vec3& a, const Vec3& b) {
  return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)), hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
          hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}
HWY_INLINE VF norm1(const Vec3& a) { return hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z)); }
HWY_INLINE Vec3 select(MF mask, const Vec3& yes, const Vec3& no) {
  return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

/// One quad of each of kLanes records, one lane a record.
struct Quads {
  VF x, y, z, w;
  Vec3 xyz() const { return {x, y, z}; }
};

/// Where the records of kLanes triangles begin, in bytes from the first.
struct Places {
  alignas(64) std::uint32_t at[kLanes];
  explicit Places(VU indices) {
    const DU du;
    hn::Store(hn::Mul(indices, hn::Set(du, kRecord * sizeof(float))), du, at);
  }
};

HWY_INLINE hn::Vec<Quad> load_quad(const Group& group, const Places& places, int lane, int quad) {
  const char* records = reinterpret_cast<const char*>(group.record);
  return hn::Load(Quad(), reinterpret_cast<const float*>(records + places.at[lane]) + 4 * quad);
}

/// The quads of lanes r, 4 + r, 8 + r, … one after the other.
HWY_INLINE VF blocks(const Group& group, const Places& places, int quad, int r) {
#if HWY_MAX_BYTES == 64
  const hn::Half<DF> half;
  return hn::Combine(DF(),
                     hn::Combine(half, load_quad(group, places, 12 + r, quad), load_quad(group, places, 8 + r, quad)),
                     hn::Combine(half, load_quad(group, places, 4 + r, quad), load_quad(group, places, r, quad)));
#elif HWY_MAX_BYTES == 32
  return hn::Combine(DF(), load_quad(group, places, 4 + r, quad), load_quad(group, places, r, quad));
#else
  return load_quad(group, places, r, quad);
#endif
}

HWY_INLINE Quads fetch(const Group& group, const Places& places, int quad) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  const VF r0 = blocks(group, places, quad, 0), r1 = blocks(group, places, quad, 1);
  const VF r2 = blocks(group, places, quad, 2), r3 = blocks(group, places, quad, 3);
  const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, r0, r1));   // x0 x1 y0 y1
  const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, r0, r1));  // z0 z1 w0 w1
  const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, r2, r3));
  const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, r2, r3));
  return {hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)), hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)),
          hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)),
          hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23))};
}

HWY_INLINE MF same_bits(VF a, VF b) {
  const DU du;
  return hn::RebindMask(DF(), hn::Eq(hn::BitCast(du, a), hn::BitCast(du, b)));
}
HWY_INLINE MF same_place(const Quads& a, const Quads& b) {
  return hn::And(hn::And(hn::Eq(a.x, b.x), hn::Eq(a.y, b.y)), hn::Eq(a.z, b.z));
}

/// Writes the lanes of the mask one after the other; returns how many. May write a vector past them. (Compressing
/// straight to memory is microcoded on Zen 4 and took a third of step 2.)
HWY_INLINE int append(VU v, hn::Mask<DU> mask, std::uint32_t* out) {
  const DU du;
  hn::StoreU(hn::Compress(v, mask), du, out);
  return static_cast<int>(hn::CountTrue(du, mask));
}

/// kLanes pairs, and the places of both triangles of each. Lanes past the end of a list hold any pair, but always name
/// a record.
struct PairLanes {
  VU pair;
  Places i, j;
  explicit PairLanes(VU p)
      : pair(p), i(hn::And(p, hn::Set(DU(), 0xFF))), j(hn::And(hn::ShiftRight<8>(p), hn::Set(DU(), 0xFF))) {}
};

/// Lanes of pairs in which both triangles are of one object; all if the group is of one.
HWY_INLINE MF of_one_object(const Group& group, const std::uint32_t* pairs) {
  const DU du;
  if (group.one_object) return hn::RebindMask(DF(), hn::Eq(hn::Zero(du), hn::Zero(du)));
  alignas(64) std::uint32_t same[kLanes];
  for (int k = 0; k < kLanes; ++k) same[k] = group.kind[pairs[k] & 0xFF] == group.kind[pairs[k] >> 8 & 0xFF] ? ~0u : 0u;
  return hn::RebindMask(DF(), hn::MaskFromVec(hn::Load(du, same)));
}

/// Puts one quad into each of kLanes records: the inverse of fetch.
HWY_INLINE void put(Group& group, int first, int quad, VF x, VF y, VF z, VF w) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  const auto xy_low = hn::BitCast(dd, hn::InterleaveLower(d, x, y)),
             xy_high = hn::BitCast(dd, hn::InterleaveUpper(d, x, y));
  const auto zw_low = hn::BitCast(dd, hn::InterleaveLower(d, z, w)),
             zw_high = hn::BitCast(dd, hn::InterleaveUpper(d, z, w));
  alignas(64) float lane[4][kLanes];
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, xy_low, zw_low)), d, lane[0]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, xy_low, zw_low)), d, lane[1]);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(dd, xy_high, zw_high)), d, lane[2]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(dd, xy_high, zw_high)), d, lane[3]);
  for (int k = 0; k < kLanes; ++k)
    hn::Store(hn::Load(Quad(), lane[k % 4] + k / 4 * 4), Quad(), group.record[first + k] + 4 * quad);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif
