// The tile kernel, once for each instruction set (Highway compiles this file once for each target): rows of a part
// within a tile, the depths of a row's pixels, the steps of fragments (`shade` of fragment.h) on lanes.
#include "raster/cpu/tile.h"

#include "base/instructions.h"
#include "raster/cpu/plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "raster/cpu/tile.cpp"
// No SVE: its vectors cannot be members of a struct (core/pair/simd/kernel.cpp).
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Without vectors the plain kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline::papers::raster::cpu {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// At most 16 lanes: a row has 64 pixels, and padding after a tile is 64.
using DU = hn::CappedTag<std::uint32_t, 16>;
using DD = hn::Repartition<double, DU>;
using DI = hn::RebindToSigned<DU>;
using VU = hn::Vec<DU>;
using VD = hn::Vec<DD>;
using MU = hn::Mask<DU>;

/// Columns left … right - 1 of each row of a tile, for rows y0 … y1 - 1.
struct Spans {
  HWY_ALIGN std::int32_t left[kTile + 16], right[kTile + 16];
  int y0, y1;
};

/// The rows of a part in a tile. Everything is exact (tile.h).
HWY_INLINE void find_spans(const Part& part, const PartBox& box, const PixelBox& tile, Spans& spans) {
  const DD d;
  const hn::Rebind<std::int32_t, DD> di;
  const int lanes = static_cast<int>(hn::Lanes(d));
  spans.y0 = std::max<int>(box.y0 - tile.y0, 0);
  spans.y1 = std::min<int>(box.y1 - tile.y0, kTile);
  const VD x0 = hn::Set(d, std::max<int>(box.x0 - tile.x0, 0)), x1 = hn::Set(d, std::min<int>(box.x1 - tile.x0, kTile));
  VD at[3], step[3], cross[3];
  const VD row = hn::Add(hn::Iota(d, 0.0), hn::Set(d, spans.y0));
  for (int i = 0; i < 3; ++i) {
    const double edge =
        part.edge[i] + static_cast<double>(part.dx[i]) * tile.x0 + static_cast<double>(part.dy[i]) * tile.y0;
    const VD dy = hn::Set(d, part.dy[i]);
    at[i] = hn::Add(hn::Set(d, edge), hn::Mul(dy, row));
    step[i] = hn::Mul(dy, hn::Set(d, lanes));
    cross[i] = hn::Set(d, part.cross[i]);
  }
  const VD left_most = hn::Set(d, part.cross[2] < 0 ? kTile : 0);
  for (int y = spans.y0; y < spans.y1; y += lanes) {
    const VD third = hn::Ceil(hn::Mul(at[2], cross[2]));
    const VD left = hn::Max(hn::Max(hn::Ceil(hn::Mul(at[0], cross[0])), hn::Min(third, left_most)), x0);
    const VD right = hn::Min(hn::Min(hn::Ceil(hn::Mul(at[1], cross[1])), hn::Max(third, left_most)), x1);
    hn::StoreU(hn::DemoteTo(di, hn::Min(left, x1)), di, spans.left + y);
    hn::StoreU(hn::DemoteTo(di, hn::Max(right, x0)), di, spans.right + y);
    for (int i = 0; i < 3; ++i) at[i] = hn::Add(at[i], step[i]);
  }
}

struct Keys {
  VU near, far;
};

enum class Keying : std::uint8_t {
  free,           ///< fixed, image; the part's depths are not bounded (DepthPlane)
  fixed,          ///< fixed, image
  floating,       ///< float32, image
  fixed_ends,     ///< fixed, conservative
  floating_ends,  ///< float32, conservative
};

/// 0 … 63 in double.
struct Columns {
  double at[kTile];
  constexpr Columns() : at() {
    for (int i = 0; i < kTile; ++i) at[i] = i;
  }
};
constexpr Columns kColumns;

/// Keys of a part's depths: what ends_of of cover.h does, on lanes.
template <Keying kKeying>
class Depths {
  static constexpr bool kFloat = kKeying == Keying::floating || kKeying == Keying::floating_ends;
  static constexpr bool kConservative = kKeying == Keying::fixed_ends || kKeying == Keying::floating_ends;

 public:
  Depths(const Part& part, const TileJob& job)
      : zx_(hn::Set(DD(), part.zx)),
        low_(hn::Set(DD(), part.low)),
        high_(hn::Set(DD(), part.high)),
        half_(hn::Set(DD(), part.half)),
        last_(hn::Set(DD(), static_cast<double>(far_key(job.target.format)) - 1)),
        x_low_(hn::Add(hn::Iota(DD(), 0.0), hn::Set(DD(), job.pixels.x0 - part.x0))),
        x_high_(hn::Add(x_low_, hn::Set(DD(), static_cast<double>(hn::Lanes(DD()))))),
        z_(part.z),
        zy_(part.zy),
        y_(job.pixels.y0 - part.y0) {}

  /// For row y of the tile.
  HWY_INLINE VD row(int y) const { return hn::Set(DD(), z_ + zy_ * (kColumns.at[y] + y_)); }

  /// Of the pixels from column x on.
  HWY_INLINE Keys at(VD row, int x) const {
    const VD by = hn::Set(DD(), kColumns.at[x]);
    const VD a = hn::Add(row, hn::Mul(zx_, hn::Add(x_low_, by))), b = hn::Add(row, hn::Mul(zx_, hn::Add(x_high_, by)));
    if constexpr (kKeying == Keying::free) {
      const VU key = whole(a, b);
      return {key, key};
    }
    if constexpr (!kConservative) {
      const VU key = nearest(hn::Min(hn::Max(a, low_), high_), hn::Min(hn::Max(b, low_), high_));
      return {key, key};
    } else {
      const auto clamp = [&](VD v) { return hn::Min(hn::Max(v, low_), high_); };
      return {down(clamp(hn::Sub(a, half_)), clamp(hn::Sub(b, half_))),
              up(clamp(hn::Add(a, half_)), clamp(hn::Add(b, half_)))};
    }
  }

 private:
  static HWY_INLINE VU whole(VD a, VD b) {  // nearest_key
    const DU du;
    const VD magic = hn::Set(DD(), 0x1p52);
    return hn::ConcatEven(du, hn::BitCast(du, hn::Add(b, magic)), hn::BitCast(du, hn::Add(a, magic)));
  }
  static HWY_INLINE VU bits(VD a, VD b) {
    const hn::Repartition<float, DU> df;
    const hn::Half<decltype(df)> dh;
    return hn::BitCast(DU(), hn::Combine(df, hn::DemoteTo(dh, b), hn::DemoteTo(dh, a)));
  }
  static HWY_INLINE VU nearest(VD a, VD b) {
    if constexpr (kFloat) return bits(a, b);
    return whole(a, b);
  }
  HWY_INLINE VU down(VD a, VD b) const {  // low_key
    const DD d;
    const DU du;
    if constexpr (kFloat) {
      const VD by = hn::Set(d, rules::kDepthSpareFloat), zero = hn::Zero(d);
      const VU key = bits(hn::Max(zero, hn::Sub(a, by)), hn::Max(zero, hn::Sub(b, by)));
      return hn::Sub(hn::Max(hn::Set(du, 3), key), hn::Set(du, 2));
    }
    const VD one = hn::Set(d, 1.0), by = hn::Set(d, rules::kDepthSpare);
    return whole(hn::Max(one, hn::Sub(hn::Floor(a), by)), hn::Max(one, hn::Sub(hn::Floor(b), by)));
  }
  HWY_INLINE VU up(VD a, VD b) const {  // high_key
    const DD d;
    const DU du;
    if constexpr (kFloat) {
      const VD by = hn::Set(d, rules::kDepthSpareFloat);
      return hn::Add(bits(hn::Add(a, by), hn::Add(b, by)), hn::Set(du, 2));
    }
    const VD by = hn::Set(d, rules::kDepthSpare);
    return whole(hn::Min(hn::Add(hn::Ceil(a), by), last_), hn::Min(hn::Add(hn::Ceil(b), by), last_));
  }

  VD zx_, low_, high_, half_, last_, x_low_, x_high_;
  double z_, zy_, y_;
};

/// Calls shader(keys, mask, pixel) for the pixels of a part, some lanes at a time; `pixel` counts within the tile, and
/// the mask has the covered ones. Returns the number of fragments.
template <typename Keyed, typename Shader>
HWY_INLINE std::uint64_t fill(const Keyed& depths, const Spans& spans, Shader& shader) {
  const DU du;
  const int lanes = static_cast<int>(hn::Lanes(du));
  std::uint64_t fragments = 0;
  for (int y = spans.y0; y < spans.y1; ++y) {
    const int left = spans.left[y], right = spans.right[y];
    if (left >= right) continue;
    fragments += static_cast<std::uint64_t>(right - left);
    const VD row = depths.row(y);
    for (int x = left; x < right; x += lanes)
      shader(depths.at(row, x), hn::FirstN(du, static_cast<std::size_t>(right - x)), y * kTile + x);
  }
  return fragments;
}

/// a <= b: Highway of Debian 12 has it for signed numbers only.
HWY_INLINE MU at_most(VU a, VU b) { return hn::Eq(a, hn::Min(a, b)); }

HWY_INLINE MU compare(Compare function, VU value, VU stored) {
  switch (function) {
    case Compare::never:
      return hn::FirstN(DU(), 0);
    case Compare::less:
      return hn::Lt(value, stored);
    case Compare::lequal:
      return hn::Not(hn::Lt(stored, value));
    case Compare::equal:
      return hn::Eq(value, stored);
    case Compare::gequal:
      return hn::Not(hn::Lt(value, stored));
    case Compare::greater:
      return hn::Gt(value, stored);
    case Compare::notequal:
      return hn::Ne(value, stored);
    default:
      return hn::Not(hn::FirstN(DU(), 0));
  }
}

HWY_INLINE MU depth_passes(const Compare function, const Keys& keys, VU stored) {
  if (function == Compare::equal) return hn::And(at_most(keys.near, stored), at_most(stored, keys.far));
  if (function == Compare::notequal) return hn::Or(hn::Ne(keys.near, stored), hn::Ne(keys.far, stored));
  return compare(function, tests_far(function) ? keys.far : keys.near, stored);
}

/// Kind::depth. Without kConstant, the function is looked up for every pixel group.
template <bool kConstant, Compare kFunction = Compare::never>
struct DepthShader {
  std::uint32_t* depth;
  Compare other;
  bool write;
  std::uint64_t passed = 0;

  HWY_INLINE void operator()(const Keys& keys, MU mask, int pixel) {
    const DU du;
    const Compare function = kConstant ? kFunction : other;
    const MU pass = hn::And(mask, depth_passes(function, keys, hn::LoadU(du, depth + pixel)));
    passed += hn::CountTrue(du, pass);
    if (write) hn::BlendedStore(tests_far(function) ? keys.far : keys.near, pass, du, depth + pixel);
  }
};

/// Kind::fused: the pixel's depth is read once for both draws.
template <Compare kFirst>
struct FusedShader {
  std::uint32_t* depth;
  std::uint64_t passed = 0;

  HWY_INLINE void operator()(const Keys& keys, MU mask, int pixel) {
    const DU du;
    const VU stored = hn::LoadU(du, depth + pixel);
    passed += hn::CountTrue(du, hn::And(mask, depth_passes(kFirst, keys, stored)));
    // less and lequal leave the same depth: the smaller one.
    const MU nearer = hn::And(mask, hn::Lt(keys.near, stored));
    hn::BlendedStore(keys.near, nearer, du, depth + pixel);
  }
};

HWY_INLINE VU apply(StencilOp op, VU stored, VU reference) {
  const DU du;
  const VU one = hn::Set(du, 1);
  switch (op) {
    case StencilOp::replace:
      return reference;
    case StencilOp::incr:
      return hn::Min(hn::Add(stored, one), hn::Set(du, 255));
    case StencilOp::decr:
      return hn::Sub(hn::Max(stored, one), one);
    default:
      return stored;
  }
}

/// Kind::plain: all but colour.
struct PlainShader {
  const State& state;
  const Surface& surface;
  std::uint64_t passed = 0;

  HWY_INLINE void operator()(const Keys& keys, MU mask, int pixel) {
    const DU du;
    if (state.floor != kNoImage)
      mask = hn::And(mask, hn::Gt(keys.near, hn::LoadU(du, surface.images[state.floor] + pixel)));
    if (state.ceiling != kNoImage)
      mask = hn::And(mask, at_most(keys.near, hn::LoadU(du, surface.images[state.ceiling] + pixel)));
    if (state.stencil_test) {
      stencilled(keys, mask, pixel);
      return;
    }
    const MU pass = depth_test(keys, mask, pixel);
    passed += hn::CountTrue(du, pass);
    write_depth(keys, pass, pixel);
  }

 private:
  HWY_INLINE MU depth_test(const Keys& keys, MU mask, int pixel) const {
    if (!state.depth_test) return mask;
    return hn::And(mask, depth_passes(state.depth, keys, hn::LoadU(DU(), surface.depth + pixel)));
  }
  HWY_INLINE void write_depth(const Keys& keys, MU pass, int pixel) const {
    if (state.depth_test && state.depth_write)
      hn::BlendedStore(tests_far(state.depth) ? keys.far : keys.near, pass, DU(), surface.depth + pixel);
  }
  HWY_INLINE void stencilled(const Keys& keys, MU mask, int pixel) {
    const DU du;
    const hn::Rebind<std::uint8_t, DU> d8;
    const VU stored = hn::PromoteTo(du, hn::LoadU(d8, surface.stencil + pixel));
    const VU bits = hn::Set(du, state.stencil_mask), reference = hn::Set(du, state.stencil_reference);
    const MU open = compare(state.stencil, hn::And(reference, bits), hn::And(stored, bits));
    const MU pass = depth_test(keys, hn::And(mask, open), pixel);
    const VU tested =
        hn::IfThenElse(pass, apply(state.depth_pass, stored, reference), apply(state.depth_fail, stored, reference));
    const VU next = hn::IfThenElse(open, tested, apply(state.stencil_fail, stored, reference));
    const VU left = hn::IfThenElse(mask, next, stored);
    hn::StoreU(hn::DemoteTo(d8, hn::BitCast(DI(), left)), d8, surface.stencil + pixel);
    passed += hn::CountTrue(du, pass);
    write_depth(keys, pass, pixel);
  }
};

/// Kind::full: fragment by fragment.
struct FullShader {
  const State& state;
  const Surface& surface;
  const Color& color;
  std::uint64_t passed = 0;

  void operator()(const Keys& keys, MU mask, int pixel) {
    const DU du;
    HWY_ALIGN std::uint32_t near[16], far[16];
    hn::Store(keys.near, du, near);
    hn::Store(keys.far, du, far);
    const std::size_t count = hn::CountTrue(du, mask);  // the first ones
    for (std::size_t i = 0; i < count; ++i)
      passed += shade_at(surface, state, {near[i], far[i]}, color, pixel + static_cast<int>(i)) ? 1 : 0;
  }
};

/// A part within a tile.
template <Keying kKeying>
struct Filling {
  const TileJob& job;
  const Part& part;
  Spans& spans;

  template <typename Shader>
  std::uint64_t run(Shader shader, Query query) const {
    const std::uint64_t fragments = fill(Depths<kKeying>(part, job), spans, shader);
    count(job, query, shader.passed);
    return fragments;
  }

  /// The functions that the methods use get a loop of their own.
  std::uint64_t depth(Compare function, bool write, Query query) const {
    std::uint32_t* at = job.surface.depth;
    if (function == Compare::less) return run(DepthShader<true, Compare::less>{at, function, write}, query);
    if (function == Compare::gequal) return run(DepthShader<true, Compare::gequal>{at, function, write}, query);
    if (function == Compare::greater) return run(DepthShader<true, Compare::greater>{at, function, write}, query);
    return run(DepthShader<false>{at, function, write}, query);
  }

  std::uint64_t fused(const Plan& plan, Half half, Query query) const {
    if (half == Half::first) return depth(plan.state.depth, false, query);
    if (half == Half::second) return depth(plan.second, true, kNoQuery);
    return 2 * (plan.state.depth == Compare::gequal ? run(FusedShader<Compare::gequal>{job.surface.depth}, query)
                                                    : run(FusedShader<Compare::greater>{job.surface.depth}, query));
  }

  std::uint64_t draw(const Plan& plan, Half half, Query query) const {
    switch (plan.kind) {
      case Kind::fused:
        return fused(plan, half, query);
      case Kind::depth:
        return depth(plan.state.depth, plan.state.depth_write, query);
      case Kind::plain:
        return run(PlainShader{plan.state, job.surface}, query);
      default:
        return run(FullShader{plan.state, job.surface, plan.state.color_of(part.triangle)}, query);
    }
  }
};

/// Fragments of one entry.
template <bool kFloat, bool kConservative>
std::uint64_t draw(const TileJob& job, const Entry& entry, Spans& spans) {
  const Op& op = job.ops[entry.op];
  const Plan& plan = job.plans[op.plan];
  const Part& part = job.parts[entry.part];
  const Half half = static_cast<Half>(entry.half);
  find_spans(part, job.boxes[entry.part], job.pixels, spans);
  constexpr Keying kEnds = kFloat ? Keying::floating_ends : Keying::fixed_ends;
  if constexpr (kConservative) return Filling<kEnds>{job, part, spans}.draw(plan, half, op.query);
  if constexpr (kFloat) return Filling<Keying::floating>{job, part, spans}.draw(plan, half, op.query);
  if (part.low < 0) return Filling<Keying::free>{job, part, spans}.draw(plan, half, op.query);
  return Filling<Keying::fixed>{job, part, spans}.draw(plan, half, op.query);
}

template <bool kFloat, bool kConservative>
std::uint64_t run_entries(const TileJob& job) {
  constexpr std::size_t kAhead = 4;
  Spans spans;
  std::uint64_t fragments = 0;
  for (std::size_t i = 0; i < job.entries.size(); ++i) {
    if (i + kAhead < job.entries.size()) {
      const std::uint32_t part = job.entries[i + kAhead].part;
      __builtin_prefetch(job.parts + part);
      __builtin_prefetch(reinterpret_cast<const char*>(job.parts + part) + 64);
      __builtin_prefetch(job.boxes + part);
      __builtin_prefetch(job.ops + job.entries[i + kAhead].op);
    }
    const Entry& entry = job.entries[i];
    fragments += !kConservative && job.ops[entry.op].lines != kNone ? draw_line(job, entry)
                                                                    : draw<kFloat, kConservative>(job, entry, spans);
  }
  return fragments;
}

}  // namespace

std::uint64_t run_tile(const TileJob& job) {
  const bool conservative = job.target.coverage == Coverage::conservative;
  if (job.target.format == DepthFormat::float32)
    return conservative ? run_entries<true, true>(job) : run_entries<true, false>(job);
  return conservative ? run_entries<false, true>(job) : run_entries<false, false>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace sightline::papers::raster::cpu
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE

namespace sightline::papers::raster::cpu {

TileKernel tile_kernel(Simd simd) {
  if (simd == Simd::best) {
    for (const Simd one : {Simd::avx512, Simd::avx2, Simd::sse4, Simd::neon})
      if (const TileKernel kernel = tile_kernel(one)) return kernel;
    return run_tile_plain;
  }
  if (simd == Simd::scalar) return run_tile_plain;
  [[maybe_unused]] static const Instructions supported = find_instructions();
#if HWY_TARGETS & HWY_SSE4
  if (simd == Simd::sse4 && supported.sse4) return N_SSE4::run_tile;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (simd == Simd::avx2 && supported.avx2) return N_AVX2::run_tile;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (simd == Simd::avx512 && supported.avx512) return N_AVX3::run_tile;
#endif
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
  if (simd == Simd::neon) return N_NEON::run_tile;
#endif
  return nullptr;
}

}  // namespace sightline::papers::raster::cpu

#endif  // HWY_ONCE
