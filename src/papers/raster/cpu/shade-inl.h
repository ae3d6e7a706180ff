// The steps of fragments, on lanes: `shade` of fragment.h. Included once for each target by tile.cpp.
#if defined(SIGHTLINE_RASTER_SHADE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SIGHTLINE_RASTER_SHADE_INL_H_
#undef SIGHTLINE_RASTER_SHADE_INL_H_
#else
#define SIGHTLINE_RASTER_SHADE_INL_H_
#endif

#include <hwy/highway.h>

#include "raster/cpu/fill-inl.h"
#include "raster/cpu/plain.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline::papers::raster::cpu {
namespace HWY_NAMESPACE {
namespace {

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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline::papers::raster::cpu
HWY_AFTER_NAMESPACE();
#endif
#endif
