// The vector kernel: included once for each target by kernel.cpp.
//
// Steps, each on the pairs that the last one left:
//   1. boxes: one triangle against 64 (or 32, or 16) quantised boxes with six byte comparisons
//   2. planes: the corners of b strictly on one side of a's plane, and the other way round -> clear. Corners that both
//      share count as on either side.
//   3. decision: with all signs certain, vertex-sharing pairs follow from four signs and disjoint pairs from two more
//      determinants; what is certain is clear or crossing, the rest is left to exact arithmetic.
//
// Error bounds. u = 2^-24; D bounds every coordinate difference in the group; slop bounds the magnitudes that were rounded
// once on the way into the frame (0 for float32 input, which is only scaled by a power of two). A difference e is off by at
// most u|e| + 2u·slop on each axis. With P the permanent of the normal (the sum of |e1y e2z| + |e1z e2y| and so on) and S the sum of
// |e1| and |e2| over the axes, n · (p - p0) is off by at most u (8.3 P D + 4.1 slop S D + 2.1 slop P); E is
// u (10 P (D + slop) + 5 slop S D), rounded, plus 2^-100 against underflow: frames are scaled to triangles of about unit size,
// groups with D or slop above 2^30 are not filtered at all, so an underflowing product (2^-149) grows to at most 2^-86 ·
// 2^-30. A NaN or an infinity fails every comparison, and the pair is left undecided.
#if defined(SIGHTLINE_KERNEL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SIGHTLINE_KERNEL_INL_H_
#undef SIGHTLINE_KERNEL_INL_H_
#else
#define SIGHTLINE_KERNEL_INL_H_
#endif

#include <hwy/highway.h>

#include "pair/group.h"

// Without vectors the scalar kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR
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
constexpr float kUnit = 0x1p-24f;

struct Vec3 {
  VF x, y, z;
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

#if HWY_MAX_BYTES == 64
HWY_INLINE VF blocks(const float (*records)[kRecord], const std::uint8_t* index, int quad, int r) {
  const hn::Half<DF> half;
  const Quad d;
  const auto block = [&](int l) { return hn::Load(d, records[index[4 * l + r]] + 4 * quad); };
  return hn::Combine(DF(), hn::Combine(half, block(3), block(2)), hn::Combine(half, block(1), block(0)));
}
#elif HWY_MAX_BYTES == 32
HWY_INLINE VF blocks(const float (*records)[kRecord], const std::uint8_t* index, int quad, int r) {
  const Quad d;
  return hn::Combine(DF(), hn::Load(d, records[index[4 + r]] + 4 * quad), hn::Load(d, records[index[r]] + 4 * quad));
}
#else
HWY_INLINE VF blocks(const float (*records)[kRecord], const std::uint8_t* index, int quad, int r) {
  return hn::Load(DF(), records[index[r]] + 4 * quad);
}
#endif

HWY_INLINE Quads fetch(const float (*records)[kRecord], const std::uint8_t* index, int quad) {
  const DF d;
  const hn::Repartition<double, DF> dd;
  const VF r0 = blocks(records, index, quad, 0), r1 = blocks(records, index, quad, 1);
  const VF r2 = blocks(records, index, quad, 2), r3 = blocks(records, index, quad, 3);
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

/// Indices of both sides of kLanes pairs.
struct Indices {
  alignas(16) std::uint8_t i[16];
  alignas(16) std::uint8_t j[16];
  explicit Indices(const std::uint32_t* pairs) {
    for (int k = 0; k < kLanes; ++k) {
      i[k] = static_cast<std::uint8_t>(pairs[k]);
      j[k] = static_cast<std::uint8_t>(pairs[k] >> 8);
    }
  }
};

/// Step 2. Pairs i | j << 8 for which j's corners are not certainly on one side of i's plane, as j | i << 8.
template <Sharing kSharing>
int keep_straddling(const Group& group, const std::uint32_t* pairs, int count, std::uint32_t* out) {
  const DF d;
  const DU du;
  int kept = 0;
  for (int at = 0; at < count; at += kLanes) {
    const Indices index(pairs + at);
    const auto* records = group.record;
    const Quads a0 = fetch(records, index.i, 0), n = fetch(records, index.i, 3);
    const Quads b0 = fetch(records, index.j, 0), b1 = fetch(records, index.j, 1), b2 = fetch(records, index.j, 2);
    MF s0, s1, s2;  // corners of j that i has too
    if constexpr (kSharing == Sharing::by_index) {
      const Quads more = fetch(records, index.i, 4);
      s0 = hn::Or(hn::Or(same_bits(b0.w, a0.w), same_bits(b0.w, more.x)), same_bits(b0.w, more.y));
      s1 = hn::Or(hn::Or(same_bits(b1.w, a0.w), same_bits(b1.w, more.x)), same_bits(b1.w, more.y));
      s2 = hn::Or(hn::Or(same_bits(b2.w, a0.w), same_bits(b2.w, more.x)), same_bits(b2.w, more.y));
    } else {
      const Quads a1 = fetch(records, index.i, 1), a2 = fetch(records, index.i, 2);
      s0 = hn::Or(hn::Or(same_place(b0, a0), same_place(b0, a1)), same_place(b0, a2));
      s1 = hn::Or(hn::Or(same_place(b1, a0), same_place(b1, a1)), same_place(b1, a2));
      s2 = hn::Or(hn::Or(same_place(b2, a0), same_place(b2, a1)), same_place(b2, a2));
    }
    if (!group.one_object) {
      // Corners shared between different objects count like any other point.
      alignas(64) std::uint32_t apart[kLanes];
      for (int k = 0; k < kLanes; ++k) apart[k] = group.object[index.i[k]] == group.object[index.j[k]] ? ~0u : 0u;
      const MF one = hn::RebindMask(d, hn::MaskFromVec(hn::Load(du, apart)));
      s0 = hn::And(s0, one);
      s1 = hn::And(s1, one);
      s2 = hn::And(s2, one);
    }
    const VF d0 = dot(n.xyz(), b0.xyz() - a0.xyz()), d1 = dot(n.xyz(), b1.xyz() - a0.xyz()),
             d2 = dot(n.xyz(), b2.xyz() - a0.xyz());
    const VF bound = n.w, minus = hn::Neg(n.w);
    const MF above = hn::And(hn::And(hn::Or(hn::Gt(d0, bound), s0), hn::Or(hn::Gt(d1, bound), s1)),
                             hn::Or(hn::Gt(d2, bound), s2));
    const MF below = hn::And(hn::And(hn::Or(hn::Lt(d0, minus), s0), hn::Or(hn::Lt(d1, minus), s1)),
                             hn::Or(hn::Lt(d2, minus), s2));
    // All three shared: a duplicate, certainly not clear.
    const MF clear = hn::AndNot(hn::And(hn::And(s0, s1), s2), hn::Or(above, below));
    MF keep = hn::Not(clear);
    if (count - at < kLanes) keep = hn::And(keep, hn::FirstN(d, static_cast<std::size_t>(count - at)));
    const VU pair = hn::LoadU(du, pairs + at);
    const VU turned = hn::Or(hn::ShiftRight<8>(pair), hn::ShiftLeft<8>(hn::And(pair, hn::Set(du, 0xFF))));
    kept += static_cast<int>(hn::CompressStore(turned, hn::RebindMask(du, keep), du, out + kept));
  }
  return kept;
}

/// Step 3 (first version): everything that is left is undecided.
void decide_pairs(const std::uint32_t* pairs, int count, PairLists& lists) {
  for (int k = 0; k < count; ++k) lists.undecided[lists.undecided_count++] = pairs[k];
}

/// Boxes, normals and error bounds of all records.
void prepare(Group& group) {
  const Quad d;
  const hn::Rebind<std::int32_t, Quad> di;
  float low[4] = {group.low[0], group.low[1], group.low[2], 0}, scale[4] = {0, 0, 0, 0};
  for (int k = 0; k < 3; ++k) {
    const float extent = group.high[k] - group.low[k];
    scale[k] = extent > 0 ? 255.0f / extent : 0.0f;
  }
  const auto vlow = hn::LoadU(d, low), vscale = hn::LoadU(d, scale);
  const auto zero = hn::Zero(d), top = hn::Set(d, 255.0f);
  auto least = hn::Set(d, 3e38f), greatest = hn::Set(d, -3e38f);
  const auto level = [&](auto v) {
    const auto q = hn::Min(hn::Max(hn::Mul(hn::Sub(v, vlow), vscale), zero), top);
    return hn::Sub(hn::ConvertTo(di, q), hn::Set(di, 128));
  };
  alignas(16) std::int32_t q_low[4], q_high[4];
  for (int i = 0; i < group.size; ++i) {
    const float* r = group.record[i];
    const auto p0 = hn::Load(d, r), p1 = hn::Load(d, r + 4), p2 = hn::Load(d, r + 8);
    const auto lo = hn::Min(hn::Min(p0, p1), p2), hi = hn::Max(hn::Max(p0, p1), p2);
    least = hn::Min(least, lo);
    greatest = hn::Max(greatest, hi);
    hn::Store(level(lo), di, q_low);
    hn::Store(level(hi), di, q_high);
    for (int k = 0; k < 3; ++k) {
      group.box[k][i] = static_cast<std::int8_t>(q_low[k]);
      group.box[3 + k][i] = static_cast<std::int8_t>(q_high[k]);
    }
  }
  alignas(16) float l[4], g[4];
  hn::Store(least, d, l);
  hn::Store(greatest, d, g);
  const float x = g[0] - l[0], y = g[1] - l[1], z = g[2] - l[2];
  const float reach = x > y ? (x > z ? x : z) : (y > z ? y : z);
  const bool filter = reach < 0x1p30f && group.slop < 0x1p30f;  // false for NaN too
  // Rounding of the bound itself and of reach: a thousandth more than enough.
  const float by_permanent = 10.01f * kUnit * (reach + group.slop), by_edges = 5.01f * kUnit * group.slop * reach;
  for (int i = 0; i < group.size; ++i) {
    float* r = group.record[i];
    const float ax = r[4] - r[0], ay = r[5] - r[1], az = r[6] - r[2];
    const float bx = r[8] - r[0], by = r[9] - r[1], bz = r[10] - r[2];
    const float yz = ay * bz, zy = az * by, zx = az * bx, xz = ax * bz, xy = ax * by, yx = ay * bx;
    r[12] = yz - zy;
    r[13] = zx - xz;
    r[14] = xy - yx;
    const auto abs = [](float v) { return v < 0 ? -v : v; };
    const float permanent = abs(yz) + abs(zy) + abs(zx) + abs(xz) + abs(xy) + abs(yx);
    const float edges = abs(ax) + abs(ay) + abs(az) + abs(bx) + abs(by) + abs(bz);
    r[15] = filter ? by_permanent * permanent + by_edges * edges + 0x1p-100f : __builtin_inff();
    r[16] = r[7];
    r[17] = r[11];
  }
}

/// Step 1 for row i: bits of the 64 boxes from column 64 · word on that overlap its own.
HWY_INLINE std::uint64_t overlapping(const Group& group, int i, int word) {
  const hn::ScalableTag<std::int8_t> d;
  constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
  const auto lx = hn::Set(d, group.box[0][i]), ly = hn::Set(d, group.box[1][i]), lz = hn::Set(d, group.box[2][i]);
  const auto hx = hn::Set(d, group.box[3][i]), hy = hn::Set(d, group.box[4][i]), hz = hn::Set(d, group.box[5][i]);
  std::uint64_t bits = 0;
  for (int part = 0; part < 64; part += kBytes) {
    const int at = 64 * word + part;
    const auto apart_x = hn::Or(hn::Gt(lx, hn::Load(d, group.box[3] + at)), hn::Gt(hn::Load(d, group.box[0] + at), hx));
    const auto apart_y = hn::Or(hn::Gt(ly, hn::Load(d, group.box[4] + at)), hn::Gt(hn::Load(d, group.box[1] + at), hy));
    const auto apart_z = hn::Or(hn::Gt(lz, hn::Load(d, group.box[5] + at)), hn::Gt(hn::Load(d, group.box[2] + at), hz));
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, hn::Or(hn::Or(apart_x, apart_y), apart_z), bytes);
    std::uint64_t apart;
    __builtin_memcpy(&apart, bytes, 8);
    bits |= (kBytes == 64 ? ~apart : ~apart & ((std::uint64_t{1} << (kBytes & 63)) - 1)) << part;
  }
  return bits;
}

HWY_INLINE std::uint64_t from_bit(int n) { return n >= 64 ? 0 : ~std::uint64_t{0} << n; }
HWY_INLINE std::uint64_t below_bit(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

template <Sharing kSharing>
void run_steps(Group& group, PairLists& lists, PairSink& sink) {
  prepare(group);
  int count = 0;
  const auto flush = [&] {
    lists.candidate_count += static_cast<std::uint64_t>(count);
    const int once = keep_straddling<kSharing>(group, lists.candidates, count, lists.straddling);
    const int twice = keep_straddling<kSharing>(group, lists.straddling, once, lists.candidates);
    decide_pairs(lists.candidates, twice, lists);
    if (lists.undecided_count + lists.crossing_count > 0) sink.take(group, lists);
    count = 0;
  };
  const int rows = group.split > 0 ? group.split : group.size - 1;
  for (int i = 0; i < rows; ++i) {
    const int first = group.split > 0 ? group.split : i + 1;
    for (int word = first / 64; 64 * word < group.size; ++word) {
      std::uint64_t bits = overlapping(group, i, word);
      bits &= below_bit(group.size - 64 * word);
      if (first > 64 * word) bits &= from_bit(first - 64 * word);
      for (const auto& least : group.least)
        if ((least[i / 64] >> (i % 64) & 1) == 0) bits &= least[word];
      if (!group.one_object && (group.self[i / 64] >> (i % 64) & 1) == 0)
        for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1) {
          const int j = __builtin_ctzll(rest);
          if (group.object[64 * word + j] == group.object[i]) bits &= ~(std::uint64_t{1} << j);
        }
      for (; bits != 0; bits &= bits - 1)
        lists.candidates[count++] = static_cast<std::uint32_t>(i | (64 * word + __builtin_ctzll(bits)) << 8);
    }
    if (count >= PairLists::kFlush) flush();
  }
  if (count > 0) flush();
}

void run_group(Group& group, Sharing sharing, PairLists& lists, PairSink& sink) {
  if (sharing == Sharing::by_index)
    run_steps<Sharing::by_index>(group, lists, sink);
  else
    run_steps<Sharing::by_position>(group, lists, sink);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif

#endif  // include guard for each target
