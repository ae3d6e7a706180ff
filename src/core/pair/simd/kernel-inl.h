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
    const auto lanes = lanes_of(pairs + at);
    const Corners a = corners_of(group, lanes.i), b = corners_of(group, lanes.j);
    const Shared shared = shared_corners<kSharing>(group, a, b, lanes);
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
    for (int k = 0; k < 3 && !group.viewed; ++k) {
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

/// A bit for each byte of a vector.
template <class M>
HWY_INLINE std::uint64_t mask_bits(M mask) {
#if HWY_TARGET <= HWY_AVX3
  return mask.raw;
#else
  return hn::detail::BitsFromMask(mask) & ~std::uint64_t{0} >> (64 - HWY_MAX_BYTES);  // NEON has copies above them
#endif
}

using D8 = hn::ScalableTag<std::uint8_t>;

/// Step 1 for a row: its box against 64 others. What one box begins beyond the end of the other is more than 0 on some
/// axis if they are apart; one comparison for all six.
class RowBox {
 public:
  HWY_INLINE RowBox(const Group& group, int i) {
    for (int k = 0; k < 3; ++k) {
      low_[k] = hn::Set(D8(), group.box[k][i]);
      high_[k] = hn::Set(D8(), group.box[3 + k][i]);
    }
  }
  /// Bits of the boxes from column 64 · word on that overlap.
  HWY_INLINE std::uint64_t overlapping(const Group& group, int word) const {
    const D8 d;
    constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
    std::uint64_t bits = 0;
    for (int part = 0; part < 64; part += kBytes) {
      const int at = 64 * word + part;
      const auto beyond = [&](int k) { return hn::SaturatedSub(low_[k], hn::Load(d, group.box[3 + k] + at)); };
      const auto before = [&](int k) { return hn::SaturatedSub(hn::Load(d, group.box[k] + at), high_[k]); };
      const auto apart = hn::Or(hn::Or3(beyond(0), beyond(1), beyond(2)), hn::Or3(before(0), before(1), before(2)));
      bits |= mask_bits(hn::Eq(apart, hn::Zero(d))) << part;
    }
    return bits;
  }

 private:
  hn::Vec<D8> low_[3], high_[3];
};

/// Writes column + bit for each set bit; returns how many. May write a vector past them, or 64 bytes.
HWY_INLINE int expand(std::uint64_t bits, int column, std::uint8_t* out) {
  const int count = __builtin_popcountll(bits);
#if HWY_TARGET <= HWY_AVX3_DL
  const D8 d;
  const hn::Vec<D8> columns = hn::Add(hn::Iota(d, 0), hn::Set(d, static_cast<std::uint8_t>(column)));
  hn::StoreU(hn::Vec<D8>{_mm512_maskz_compress_epi8(bits, columns.raw)}, d, out);
#elif HWY_TARGET <= HWY_AVX3
  const hn::Rebind<std::uint8_t, DU> d8;
  for (; bits != 0; bits >>= 16, column += 16) {
    const std::uint32_t part = bits & 0xFFFF;
    const VU lane = hn::Iota(DU(), static_cast<std::uint32_t>(column));
    const hn::Mask<DU> mask{static_cast<__mmask16>(part)};
    hn::StoreU(hn::TruncateTo(d8, hn::Compress(lane, mask)), d8, out);
    out += __builtin_popcount(part);
  }
#else
  // Four at a time, so that few branches depend on how many there are; past the end, any column.
  do {
    for (int k = 0; k < 4; ++k, bits &= bits - 1)
      *out++ = static_cast<std::uint8_t>(column + __builtin_ctzll(bits | std::uint64_t{1} << 63));
  } while (bits != 0);
#endif
  return count;
}
/// Writes the byte `count` times, at least once a vector.
HWY_INLINE void repeat(std::uint8_t byte, int count, std::uint8_t* out) {
  const hn::Vec<D8> bytes = hn::Set(D8(), byte);
  constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
  hn::StoreU(bytes, D8(), out);
  for (int at = kBytes; at < count; at += kBytes) hn::StoreU(bytes, D8(), out + at);
}

HWY_INLINE std::uint64_t below_bit(int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }
HWY_INLINE std::uint64_t from_bit(int n) { return n >= 64 ? 0 : ~std::uint64_t{0} << n; }

/// For each set of claims, the members that have all others: a pair belongs to the group where the two together have
/// all (rules/report.h, R2).
struct Partners {
  std::uint64_t of[rules::kAllClaims + 1][Group::kWords];
  explicit Partners(const Group& group) {
    const D8 d;
    constexpr int kBytes = static_cast<int>(HWY_MAX_BYTES);
    for (int word = 0; 64 * word < group.size; ++word) {
      std::uint64_t has[3] = {};
      for (int part = 0; part < 64; part += kBytes) {
        const auto claims = hn::Load(d, group.claims + 64 * word + part);
        for (int k = 0; k < 3; ++k)
          has[k] |= mask_bits(hn::TestBit(claims, hn::Set(d, static_cast<std::uint8_t>(1 << k)))) << part;
      }
      const std::uint64_t members = below_bit(group.size - 64 * word);
      for (unsigned claims = 0; claims <= rules::kAllClaims; ++claims) {
        of[claims][word] = members;
        for (int k = 0; k < 3; ++k)
          if ((claims >> k & 1) == 0) of[claims][word] &= has[k];
      }
    }
  }
};

template <Sharing kSharing>
void run_steps(Group& group, PairLists& lists, PairSink& sink) {
  prepare(group);
  int count = 0;
  const auto flush = [&] {
    lists.candidate_count += static_cast<std::uint64_t>(count);
    count = keep_unseparated<kSharing>(group, lists, count, lists.unseparated);
    count = keep_straddling<kSharing>(group, lists.unseparated, count);
    decide_pairs<kSharing>(group, lists.unseparated, count, lists);
    if (lists.undecided_count + lists.crossing_count > 0) sink.take(group, lists);
    count = 0;
  };
  const int size = group.size, split = group.split, rows = split > 0 ? split : size - 1;
  const bool one_object = group.one_object;
  const Partners partners(group);
  for (int i = 0; i < rows; ++i) {
    const int first = split > 0 ? split : i + 1;
    const auto& partner = partners.of[group.claims[i]];
    const RowBox box(group, i);
    const int before = count;
    for (int word = first / 64; 64 * word < size; ++word) {
      std::uint64_t bits = box.overlapping(group, word);
      bits &= partner[word];
      if (first > 64 * word) bits &= from_bit(first - 64 * word);
      if (!one_object) bits &= ~group.kin[group.kind[i]][word];
      count += expand(bits, 64 * word, lists.second + count);
    }
    repeat(static_cast<std::uint8_t>(i), count - before, lists.first + before);
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
