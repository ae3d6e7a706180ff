// The group kernel, once for each instruction set (Highway compiles this file once for each target).
#include "pair/group.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pair/simd/kernel.cpp"
// On x86 four targets are plenty: 4, 8 and 16 lanes, and 16 lanes with compression of bytes. SVE is left out: the
// kernel keeps vectors in structs and arrays, and SVE's have no size for that. Most processors with SVE have 128 bits
// of it, as NEON has.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#define HWY_WANT_AVX3_DL
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pair/simd/kernel-inl.h"

#if HWY_ONCE

#include "pair/simd/scalar.h"

namespace sightline {

GroupKernel group_kernel(Simd simd) {
  [[maybe_unused]] static const auto supported = hwy::SupportedTargets();  // reads CPUID at each call
  if (simd == Simd::best) return group_kernel(best_simd());
  if (simd == Simd::scalar) return scalar_group_kernel;
#if HWY_TARGETS & HWY_SSE4
  if (simd == Simd::sse4 && (supported & HWY_SSE4) != 0) return N_SSE4::run_group;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (simd == Simd::avx2 && (supported & HWY_AVX2) != 0) return N_AVX2::run_group;
#endif
#if HWY_TARGETS & HWY_AVX3_DL
  if (simd == Simd::avx512 && (supported & HWY_AVX3_DL) != 0) return N_AVX3_DL::run_group;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (simd == Simd::avx512 && (supported & HWY_AVX3) != 0) return N_AVX3::run_group;
#endif
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
  if (simd == Simd::neon) return N_NEON::run_group;  // every aarch64 has it; Highway's test is for AES, too
#endif
  return nullptr;
}

Simd best_simd() {
  for (const Simd simd : {Simd::avx512, Simd::avx2, Simd::sse4, Simd::neon})
    if (group_kernel(simd) != nullptr) return simd;
  return Simd::scalar;
}

bool available(Simd simd) { return group_kernel(simd) != nullptr; }

}  // namespace sightline

#endif  // HWY_ONCE
