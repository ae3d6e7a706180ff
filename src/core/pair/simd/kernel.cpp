// The group kernel, once for each instruction set (Highway compiles this file once for each target).
#include "pair/group.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pair/simd/kernel.cpp"
// Four targets are plenty: 4, 8 and 16 lanes, and 16 lanes with compression of bytes.
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#define HWY_WANT_AVX3_DL
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pair/simd/kernel-inl.h"

#if HWY_ONCE

#include "pair/simd/scalar.h"

namespace sightline {

GroupKernel group_kernel(Simd simd) {
  static const auto supported = hwy::SupportedTargets();  // asks the processor each time it is called
  switch (simd) {
    case Simd::best:
      return group_kernel(best_simd());
    case Simd::scalar:
      return scalar_group_kernel;
    case Simd::sse4:
#if HWY_TARGETS & HWY_SSE4
      if ((supported & HWY_SSE4) != 0) return N_SSE4::run_group;
#endif
      return nullptr;
    case Simd::avx2:
#if HWY_TARGETS & HWY_AVX2
      if ((supported & HWY_AVX2) != 0) return N_AVX2::run_group;
#endif
      return nullptr;
    case Simd::avx512:
#if HWY_TARGETS & HWY_AVX3_DL
      if ((supported & HWY_AVX3_DL) != 0) return N_AVX3_DL::run_group;
#endif
#if HWY_TARGETS & HWY_AVX3
      if ((supported & HWY_AVX3) != 0) return N_AVX3::run_group;
#endif
      return nullptr;
  }
  return nullptr;
}

Simd best_simd() {
  for (const Simd simd : {Simd::avx512, Simd::avx2, Simd::sse4})
    if (group_kernel(simd) != nullptr) return simd;
  return Simd::scalar;
}

bool available(Simd simd) { return group_kernel(simd) != nullptr; }

}  // namespace sightline

#endif  // HWY_ONCE
