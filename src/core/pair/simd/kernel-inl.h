// The vector kernel. pair/simd/kernel.cpp includes it once for each target, and it includes the other -inl files once:
// they need no guards.
//
// Steps, each on the pairs that the last one left:
//   1. boxes: one triangle against 64 (or 32, or 16) quantised boxes with six byte comparisons
//   2. directions: most candidates are neighbours, or lie beside each other. Some plane across the line between their
//      middles, or through their common edge, separates most of them, in flat parts of a mesh, too.
//   3. planes: the corners of b strictly on one side of a's plane, or the other way round -> clear. Corners that both
//      share count as on either side.
//   4. decision: with all signs certain, vertex-sharing pairs follow from four signs and disjoint pairs from two more
//      determinants; what is certain is clear or crossing, the rest is left to exact arithmetic.
//
// Error bounds: rules/bounds.h, 7 and 4 for the directions, 3 for the planes and 4
// for the decision. Group::reach bounds every coordinate
// difference in the group, Group::slop the magnitudes that were rounded once on the way into the frame (0 for float32
// input, which is not rounded). A NaN or an infinity fails every comparison, and the pair is left undecided.
#include "pair/simd/separate-inl.h"

// Without vectors the scalar kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

/// The corners of t are certainly on one side of a plane, those that both triangles share not counted.
HWY_INLINE MF on_one_side(const Corners& t, const MF* shared, const Vec3& plane_point, const Quads& plane) {
  const VF bound = plane.w, minus = hn::Neg(plane.w);
  MF above, below;
  for (int k = 0; k < 3; ++k) {
    const VF side = dot(plane.xyz(), t.p[k] - plane_point);
    const MF up = hn::Or(hn::Gt(side, bound), shared[k]), down = hn::Or(hn::Lt(side, minus), shared[k]);
    above = k == 0 ? up : hn::And(above, up);
    below = k == 0 ? down : hn::And(below, down);
  }
  return hn::Or(above, below);
}

/// Step 3. Keeps the pairs, in their place, in which neither triangle is certainly on one side of the other's plane.
template <Sharing kSharing>
int keep_straddling(const Group& group, std::uint32_t* pairs, int count) {
  const DF d;
  const DU du;
  int kept = 0;
  for (int at = 0; at < count; at += kLanes) {
    const PairLanes lanes(pairs + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);
    const Shared shared = shared_corners<kSharing>(group, a, b, pairs + at);
    const MF one_sided = hn::Or(on_one_side(b, shared.b, a.p[0], fetch(group, lanes.i, 3)),
                                on_one_side(a, shared.a, b.p[0], fetch(group, lanes.j, 3)));
    MF keep = hn::Or(hn::Not(one_sided), shared.three());  // three: a duplicate, certainly not clear
    if (count - at < kLanes) keep = hn::And(keep, hn::FirstN(d, static_cast<std::size_t>(count - at)));
    kept += append(lanes.pair, hn::RebindMask(du, keep), pairs + kept);
  }
  return kept;
}

/// Boxes, normals and error bounds of all records, kLanes at a time. Records past the end are read (they hold something
/// from before) and their results are never used.
void prepare(Group& group) {
  const DF d;
  const hn::Rebind<std::int32_t, DF> di;
  const hn::Rebind<std::uint8_t, DF> d8;
  VF low[3], scale[3];
  for (int k = 0; k < 3; ++k) {
    const float extent = group.high[k] - group.low[k];
    low[k] = hn::Set(d, group.low[k]);
    scale[k] = hn::Set(d, extent > 0x1p-100f ? 255.0f / extent : 0.0f);
  }
  const VF zero = hn::Zero(d), top = hn::Set(d, 255.0f);
  const rules::PlaneBound bounds = rules::PlaneBound::of(group.reach, group.slop);
  const VF by_permanent = hn::Set(d, bounds.by_permanent), by_edges = hn::Set(d, bounds.by_edges);
  const VF constant = hn::Set(d, bounds.constant);
  for (int at = 0; at < group.size; at += kLanes) {
    const Row places{static_cast<std::size_t>(at)};
    Quads corner[3];
    fetch<3>(group, places, 0, corner);
    const Quads &p = corner[0], &q = corner[1], &r = corner[2];
    const VF px[3] = {p.x, p.y, p.z}, qx[3] = {q.x, q.y, q.z}, rx[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; ++k) {
      const VF lo = hn::Min(hn::Min(px[k], qx[k]), rx[k]), hi = hn::Max(hn::Max(px[k], qx[k]), rx[k]);
      const auto level = [&](VF x) {
        const VF l = hn::Min(hn::Max(hn::Mul(hn::Sub(x, low[k]), scale[k]), zero), top);
        return hn::DemoteTo(d8, hn::ConvertTo(di, l));
      };
      hn::StoreU(level(lo), d8, group.box[k] + at);
      hn::StoreU(level(hi), d8, group.box[3 + k] + at);
    }
    const Vec3 e1 = q.xyz() - p.xyz(), e2 = r.xyz() - p.xyz();
    const VF yz = hn::Mul(e1.y, e2.z), zy = hn::Mul(e1.z, e2.y), zx = hn::Mul(e1.z, e2.x), xz = hn::Mul(e1.x, e2.z),
             xy = hn::Mul(e1.x, e2.y), yx = hn::Mul(e1.y, e2.x);
    const VF permanent = hn::Add(hn::Add(hn::Add(hn::Abs(yz), hn::Abs(zy)), hn::Add(hn::Abs(zx), hn::Abs(xz))),
                                 hn::Add(hn::Abs(xy), hn::Abs(yx)));
    const VF edges = hn::Add(norm1(e1), norm1(e2));
    const VF bound = hn::MulAdd(by_permanent, permanent, hn::MulAdd(by_edges, edges, constant));
    put(group, at, 3, hn::Sub(yz, zy), hn::Sub(zx, xz), hn::Sub(xy, yx), bound);
  }
}

template <class M>
HWY_INLINE std::uint64_t mask_bits(M mask) {
#if HWY_TARGET <= HWY_AVX3
  return mask.raw;
#else
  return hn::detail::BitsFromMask(mask);
#endif
}

/// Step 1 for row i: bits of the 64 boxes from column 64 · word on that overlap its own. What one box begins beyond the
/// end of the other is more than 0 on some axis if they are apart; one comparison for all six.
HWY_INLINE std::uint64_t overlapping(const Group& group, int i, int word) {
  const hn::ScalableTag<std::uint8_t> d;
  constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
  std::uint64_t bits = 0;
  for (int part = 0; part < 64; part += kBytes) {
    const int at = 64 * word + part;
    const auto beyond = [&](int k) {
      return hn::SaturatedSub(hn::Set(d, group.box[k][i]), hn::Load(d, group.box[3 + k] + at));
    };
    const auto before = [&](int k) {
      return hn::SaturatedSub(hn::Load(d, group.box[k] + at), hn::Set(d, group.box[3 + k][i]));
    };
    const auto apart = hn::Or(hn::Or3(beyond(0), beyond(1), beyond(2)), hn::Or3(before(0), before(1), before(2)));
    bits |= mask_bits(hn::Eq(apart, hn::Zero(d))) << part;
  }
  return bits;
}

/// Writes base + (bit << 8) for each set bit; returns how many. May write a vector past them.
HWY_INLINE int expand(std::uint64_t bits, std::uint32_t base, std::uint32_t* out) {
  int count = 0;
#if HWY_TARGET <= HWY_AVX3_DL
  const DU du;
  const __m512i iota =
      _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40,
                      39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                      15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  __m512i columns = _mm512_maskz_compress_epi8(bits, iota);
  count = __builtin_popcountll(bits);
  int at = 0;
  do {  // none is as frequent as some, which would make a branch for it unpredictable
    const VU column{_mm512_cvtepu8_epi32(_mm512_castsi512_si128(columns))};
    hn::StoreU(hn::Add(hn::ShiftLeft<8>(column), hn::Set(du, base)), du, out + at);
    columns = _mm512_alignr_epi64(columns, columns, 2);
    at += 16;
  } while (at < count);
#elif HWY_TARGET <= HWY_AVX3
  const DU du;
  const VU lane = hn::ShiftLeft<8>(hn::Iota(du, 0));
  for (; bits != 0; bits >>= 16, base += 16 << 8) {
    const std::uint32_t part = bits & 0xFFFF;
    const hn::Mask<DU> mask{static_cast<__mmask16>(part)};
    hn::StoreU(hn::Compress(hn::Add(lane, hn::Set(du, base)), mask), du, out + count);
    count += __builtin_popcount(part);
  }
#else
  // Four at a time, so that few branches depend on how many there are; past the end, any column.
  count = __builtin_popcountll(bits);
  do {
    for (int k = 0; k < 4; ++k, bits &= bits - 1)
      *out++ = base + (static_cast<std::uint32_t>(__builtin_ctzll(bits | std::uint64_t{1} << 63)) << 8);
  } while (bits != 0);
#endif
  return count;
}

HWY_INLINE std::uint64_t from_bit(int n) { return n >= 64 ? 0 : ~std::uint64_t{0} << n; }
HWY_INLINE std::uint64_t below_bit(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

template <Sharing kSharing>
void run_steps(Group& group, PairLists& lists, PairSink& sink) {
  prepare(group);
  int count = 0;
  const auto flush = [&] {
    lists.candidate_count += static_cast<std::uint64_t>(count);
    count = keep_unseparated<kSharing>(group, lists.candidates, count, lists.unseparated);
    count = keep_straddling<kSharing>(group, lists.unseparated, count);
    decide_pairs<kSharing>(group, lists.unseparated, count, lists);
    if (lists.undecided_count + lists.crossing_count > 0) sink.take(group, lists);
    count = 0;
  };
  const int rows = group.split > 0 ? group.split : group.size - 1;
  for (int i = 0; i < rows; ++i) {
    const int first = group.split > 0 ? group.split : i + 1;
    std::uint64_t claims[3];  // all ones where i has its least corner here: then any partner will do
    for (int k = 0; k < 3; ++k) claims[k] = 0 - (group.claims[k][i / 64] >> (i % 64) & 1);
    for (int word = first / 64; 64 * word < group.size; ++word) {
      std::uint64_t bits = overlapping(group, i, word);
      bits &= below_bit(group.size - 64 * word);
      if (first > 64 * word) bits &= from_bit(first - 64 * word);
      for (int k = 0; k < 3; ++k) bits &= group.claims[k][word] | claims[k];
      if (!group.one_object) bits &= ~group.kin[group.kind[i]][word];
      count += expand(bits, static_cast<std::uint32_t>(i | word << 14), lists.candidates + count);
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
