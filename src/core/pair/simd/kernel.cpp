// The group kernel, once for each instruction set (Highway compiles this file once for each target).
#include "base/instructions.h"
#include "pair/group.h"
#include "rules/report.h"

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
#include "pair/simd/lattice-inl.h"

#if HWY_ONCE

namespace sightline {
namespace {

// The reference kernel: no vectors, no float filter. Every pair whose boxes overlap goes to the exact decision.

/// Boxes of all records, quantised to the region: any monotone map keeps overlapping boxes overlapping.
void quantise_boxes_scalar(Group& group) {
  for (int axis = 0; axis < 3; ++axis) {
    const float low = group.low[axis], extent = group.high[axis] - low;
    const float scale = extent > 0x1p-100f ? 255.0f / extent : 0.0f;
    const auto level = [&](float x) {
      const float q = (x - low) * scale;
      return static_cast<std::uint8_t>(q > 0 ? (q < 255 ? q : 255.0f) : 0.0f);
    };
    for (int i = 0; i < group.size; ++i) {
      const float* r = group.record[i];
      const float a = r[axis], b = r[4 + axis], c = r[8 + axis];
      group.box[axis][i] = level(a < b ? (a < c ? a : c) : (b < c ? b : c));
      group.box[3 + axis][i] = level(a > b ? (a > c ? a : c) : (b > c ? b : c));
    }
  }
}

bool boxes_overlap(const Group& group, int i, int j) {
  for (int axis = 0; axis < 3; ++axis)
    if (group.box[axis][i] > group.box[3 + axis][j] || group.box[axis][j] > group.box[3 + axis][i]) return false;
  return true;
}

/// True if this group is the place for the pair: on each axis one of the two has its least corner here, and the two
/// objects are to be tested.
bool pair_belongs(const Group& group, int i, int j) {
  const auto bit = [](const std::uint64_t* words, int k) { return (words[k / 64] >> (k % 64) & 1) != 0; };
  if ((group.claims[i] | group.claims[j]) != int{rules::kAllClaims}) return false;
  return group.one_object || !bit(group.kin[group.kind[i]], j);
}

void scalar_group_kernel(Group& group, Sharing, PairLists& lists, PairSink& sink) {
  if (!group.viewed) quantise_boxes_scalar(group);
  const int rows = group.split > 0 ? group.split : group.size;
  for (int i = 0; i < rows; ++i) {
    for (int j = group.split > 0 ? group.split : i + 1; j < group.size; ++j) {
      if (!boxes_overlap(group, i, j) || !pair_belongs(group, i, j)) continue;
      ++lists.candidate_count;
      lists.undecided[lists.undecided_count++] = static_cast<std::uint32_t>(i | j << 8);
    }
    if (lists.undecided_count >= PairLists::kFlush) sink.take(group, lists);
  }
  sink.take(group, lists);
}

/// The kernels of an instruction set.
struct Kernels {
  GroupKernel group = nullptr;
  LatticeKernel lattice = nullptr;
};
Kernels kernels(Simd simd) {
  [[maybe_unused]] static const Instructions supported = find_instructions();
  if (simd == Simd::scalar) return {scalar_group_kernel};
#if HWY_TARGETS & HWY_SSE4
  if (simd == Simd::sse4 && supported.sse4) return {N_SSE4::run_group, N_SSE4::settle_on_lattice};
#endif
#if HWY_TARGETS & HWY_AVX2
  if (simd == Simd::avx2 && supported.avx2) return {N_AVX2::run_group, N_AVX2::settle_on_lattice};
#endif
#if HWY_TARGETS & HWY_AVX3_DL
  if (simd == Simd::avx512 && supported.avx512_dl) return {N_AVX3_DL::run_group, N_AVX3_DL::settle_on_lattice};
#endif
#if HWY_TARGETS & HWY_AVX3
  if (simd == Simd::avx512 && supported.avx512) return {N_AVX3::run_group, N_AVX3::settle_on_lattice};
#endif
#if HWY_ARCH_ARM_A64 && (HWY_TARGETS & HWY_NEON)
  // Every aarch64 has it; Highway's test is for AES, too.
  if (simd == Simd::neon) return {N_NEON::run_group, N_NEON::settle_on_lattice};
#endif
  return {};
}

}  // namespace

GroupKernel group_kernel(Simd simd) { return kernels(simd == Simd::best ? best_simd() : simd).group; }
LatticeKernel lattice_kernel(Simd simd) { return kernels(simd == Simd::best ? best_simd() : simd).lattice; }

Simd best_simd() {
  for (const Simd simd : {Simd::avx512, Simd::avx2, Simd::sse4, Simd::neon})
    if (kernels(simd).group != nullptr) return simd;
  return Simd::scalar;
}

bool available(Simd simd) { return group_kernel(simd) != nullptr; }

}  // namespace sightline

#endif  // HWY_ONCE
