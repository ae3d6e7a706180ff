// The tile kernel, once for each instruction set (Highway compiles this file once for each target).
#include "raster/cpu/tile.h"

#include "raster/cpu/plain.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "raster/cpu/tile.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "raster/cpu/shade-inl.h"

// Without vectors the plain kernel is the better choice.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline::raster::cpu {
namespace HWY_NAMESPACE {
namespace {

/// Fragments of one entry.
template <typename Keyed>
std::uint64_t draw(const TileJob& job, const Entry& entry, Spans& spans) {
  const Op& op = job.ops[entry.op];
  const Plan& plan = job.plans[op.plan];
  const State& state = plan.state;
  const Part& part = job.parts[entry.part];
  find_spans(part, job.boxes[entry.part], job.pixels, spans);
  const Keyed depths(part, job);
  const auto run = [&](auto shader, Query query) {
    const std::uint64_t fragments = fill(depths, spans, shader);
    count(job, query, shader.passed);
    return fragments;
  };
  switch (plan.kind) {
    case Kind::fused:
      switch (static_cast<Half>(entry.half)) {
        case Half::both:
          return 2 * run(FusedShader{job.surface.depth, state.depth}, op.query);
        case Half::first:
          return run(DepthShader{job.surface.depth, state.depth, false}, op.query);
        default:
          return run(DepthShader{job.surface.depth, plan.second, true}, kNoQuery);
      }
    case Kind::depth:
      return run(DepthShader{job.surface.depth, state.depth, state.depth_write}, op.query);
    case Kind::plain:
      return run(PlainShader{state, job.surface}, op.query);
    default:
      return run(FullShader{state, job.surface, color_of(state, part)}, op.query);
  }
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
    fragments += !kConservative && job.ops[entry.op].lines != kNone
                     ? draw_line(job, entry)
                     : draw<Depths<kFloat, kConservative>>(job, entry, spans);
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
}  // namespace sightline::raster::cpu
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE

namespace sightline::raster::cpu {

TileKernel tile_kernel(Simd simd) {
  static const auto supported = hwy::SupportedTargets();
  switch (simd) {
    case Simd::best:
      for (const Simd one : {Simd::avx512, Simd::avx2, Simd::sse4})
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
  }
  return nullptr;
}

}  // namespace sightline::raster::cpu

#endif  // HWY_ONCE
