// Vectors of points, and records of a group as vectors: one lane a triangle. Included once for each target.
#include <hwy/highway.h>

#include <bit>

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
HWY_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
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
  HWY_INLINE Quads() {}
  HWY_INLINE Quads(VF a, VF b, VF c, VF d) : x(a), y(b), z(c), w(d) {}
  HWY_INLINE Vec3 xyz() const { return {x, y, z}; }
};

/// The members of a group in kLanes lanes: of pairs (bytes of a list, kStep apart), or one after the other. Numbers are
/// loaded as bytes from the list: vectors of offsets that are spilled for scalar addresses were 90 instructions more.
template <int kStep>
struct Places {
  const std::uint8_t* members;
  HWY_INLINE std::size_t operator[](int lane) const { return members[kStep * lane]; }
};
struct Row {
  std::size_t first;
  HWY_INLINE std::size_t operator[](int lane) const { return first + static_cast<std::size_t>(lane); }
};

/// Quads first, first + 1, … of the records of kLanes triangles. All quads of a record are loaded before the next
/// record's: its address is needed only once.
template <int kCount, class P>
HWY_INLINE void fetch(const Group& group, const P& places, int first, Quads* out) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  VF block[kCount][4];  // of quad k: those of lanes r, 4 + r, 8 + r, … one after the other
  for (int r = 0; r < 4; ++r) {
    const float* at[kLanes / 4];
    for (int n = 0; n < kLanes / 4; ++n) at[n] = group.record[places[4 * n + r]] + 4 * first;
    for (int k = 0; k < kCount; ++k) {
      const auto quad = [&](int n) { return hn::Load(Quad(), at[n] + 4 * k); };
#if HWY_MAX_BYTES == 64
      const hn::Half<DF> half;
      block[k][r] = hn::Combine(d, hn::Combine(half, quad(3), quad(2)), hn::Combine(half, quad(1), quad(0)));
#elif HWY_MAX_BYTES == 32
      block[k][r] = hn::Combine(d, quad(1), quad(0));
#else
      block[k][r] = quad(0);
#endif
    }
  }
  for (int k = 0; k < kCount; ++k) {
    const auto low01 = hn::BitCast(dd, hn::InterleaveLower(d, block[k][0], block[k][1]));   // x0 x1 y0 y1
    const auto high01 = hn::BitCast(dd, hn::InterleaveUpper(d, block[k][0], block[k][1]));  // z0 z1 w0 w1
    const auto low23 = hn::BitCast(dd, hn::InterleaveLower(d, block[k][2], block[k][3]));
    const auto high23 = hn::BitCast(dd, hn::InterleaveUpper(d, block[k][2], block[k][3]));
    out[k] = {hn::BitCast(d, hn::InterleaveLower(dd, low01, low23)),
              hn::BitCast(d, hn::InterleaveUpper(dd, low01, low23)),
              hn::BitCast(d, hn::InterleaveLower(dd, high01, high23)),
              hn::BitCast(d, hn::InterleaveUpper(dd, high01, high23))};
  }
}
template <class P>
HWY_INLINE Quads fetch(const Group& group, const P& places, int quad) {
  Quads quads;
  fetch<1>(group, places, quad, &quads);
  return quads;
}

HWY_INLINE MF same_bits(VF a, VF b) {
  const DU du;
  return hn::RebindMask(DF(), hn::Eq(hn::BitCast(du, a), hn::BitCast(du, b)));
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
template <int kStep>
struct LanesOf {
  VU pair;
  Places<kStep> i, j;
};
HWY_INLINE LanesOf<4> lanes_of(const std::uint32_t* pairs) {
  static_assert(std::endian::native == std::endian::little);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(pairs);
  return {hn::LoadU(DU(), pairs), {bytes}, {bytes + 1}};
}
HWY_INLINE LanesOf<1> lanes_of(const std::uint8_t* first, const std::uint8_t* second) {
  const DU du;
  const hn::Rebind<std::uint8_t, DU> d8;
  const VU i = hn::PromoteTo(du, hn::LoadU(d8, first)), j = hn::PromoteTo(du, hn::LoadU(d8, second));
  return {hn::Or(i, hn::ShiftLeft<8>(j)), {first}, {second}};
}

/// Lanes of pairs in which both triangles are of one object; all if the group is of one.
template <int kStep>
HWY_INLINE MF of_one_object(const Group& group, const LanesOf<kStep>& lanes) {
  const DU du;
  if (group.one_object) return hn::RebindMask(DF(), hn::Eq(hn::Zero(du), hn::Zero(du)));
  alignas(64) std::uint32_t same[kLanes];
  for (int k = 0; k < kLanes; ++k) same[k] = group.kind[lanes.i[k]] == group.kind[lanes.j[k]] ? ~0u : 0u;
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
