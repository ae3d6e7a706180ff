// The tile kernel, once for each instruction set (Highway compiles this file once for each target).
#include "raster/cpu/tile.h"

#include "raster/cpu/plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "raster/cpu/tile.cpp"
// No SVE: its vectors cannot be members of a struct (core/pair/simd/kernel.cpp).
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "raster/cpu/shade-inl.h"

// Without vectors the plain kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline::papers::raster::cpu {
namespace HWY_NAMESPACE {
namespace {

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
    switch (function) {
      case Compare::less:
        return run(DepthShader<true, Compare::less>{at, function, write}, query);
      case Compare::gequal:
        return run(DepthShader<true, Compare::gequal>{at, function, write}, query);
      case Compare::greater:
        return run(DepthShader<true, Compare::greater>{at, function, write}, query);
      default:
        return run(DepthShader<false>{at, function, write}, query);
    }
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
        return run(FullShader{plan.state, job.surface, color_of(plan.state, part)}, query);
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
  if constexpr (kConservative)
    return Filling < kFloat ? Keying::floating_ends
                            : Keying::fixed_ends > {job, part, spans}.draw(plan, half, op.query);
  if constexpr (kFloat) return Filling<Keying::floating>{job, part, spans}.draw(plan, half, op.query);
  if (part.low < 0) return Filling<Keying::free>{job, part, spans}.draw(plan, half, op.query);
  return Filling<Keying::fixed>{job, part, spans}.draw(plan, half, op.query);
}

template <bool kFloat, bool kConservative>
std::uint64_t run_entries(const TileJob& job) {
  constexpr std::size_t kAhead = 4;
  Spans spans;
  std::uint64_t fragments = 0;
  for (std::size_t i = 0; i < job.count; ++i) {
    if (i + kAhead < job.count) {
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
  [[maybe_unused]] static const auto supported = hwy::SupportedTargets();
  switch (simd) {
    case Simd::best:
      for (const Simd one : {Simd::avx512, Simd::avx2, Simd::sse4, Simd::neon})
        if (const TileKernel kernel = tile_kernel(one)) return kernel;
      return tile_kernel(Simd::scalar);
    case Simd::scalar:
      return run_tile_plain;
    case Simd::sse4:
#if HWY_TARGETS & HWY_SSE4
      if ((supported & HWY_SSE4) != 0) return N_SSE4::run_tile;
#endif
      return nullptr;
    case Simd::avx2:
#if HWY_TARGETS & HWY_AVX2
      if ((supported & HWY_AVX2) != 0) return N_AVX2::run_tile;
#endif
      return nullptr;
    case Simd::avx512:
#if HWY_TARGETS & HWY_AVX3
      if ((supported & HWY_AVX3) != 0) return N_AVX3::run_tile;
#endif
      return nullptr;
    case Simd::neon:
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
      return N_NEON::run_tile;
#endif
      return nullptr;
  }
  return nullptr;
}

}  // namespace sightline::papers::raster::cpu

#endif  // HWY_ONCE
