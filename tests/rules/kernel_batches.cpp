#include "kernel_batches.h"

#include <cstring>
#include <memory>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rules/kernel_batches.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3)
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "pair/simd/kernel-inl.h"

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
HWY_BEFORE_NAMESPACE();
namespace sightline {
namespace HWY_NAMESPACE {
namespace {

void run_batch(kernel_batches::Filter filter, kernel_batches::Batch& batch) {
  using kernel_batches::Batch;
  using kernel_batches::Filter;
  const DF d;
  const auto group = std::make_unique<Group>();
  std::memset(static_cast<void*>(group->record), 0, sizeof group->record);
  group->size = Batch::kCount;
  group->reach = batch.reach;
  group->slop = batch.slop;
  for (int k = 0; k < 3; ++k) group->low[k] = -batch.reach, group->high[k] = batch.reach;
  for (int i = 0; i < Batch::kCount; ++i)
    for (int corner = 0; corner < 3; ++corner) std::memcpy(group->record[i] + 4 * corner, batch.point[i][corner], 12);
  prepare(*group);
  const Slop slop(rules::NormBound::of(batch.slop));
  alignas(64) float fourth[3][kLanes], value[kLanes], bound[kLanes];
  for (int at = 0; at < Batch::kCount; at += kLanes) {
    const Row places{static_cast<std::size_t>(at)};
    for (int lane = 0; lane < kLanes; ++lane)
      for (int k = 0; k < 3; ++k) fourth[k][lane] = batch.point[at + lane][3][k];
    const Vec3 p{hn::Load(d, fourth[0]), hn::Load(d, fourth[1]), hn::Load(d, fourth[2])};
    const Vec3 a = fetch(*group, places, 0).xyz(), b = fetch(*group, places, 1).xyz(),
               c = fetch(*group, places, 2).xyz();
    const Quads plane = fetch(*group, places, 3);
    if (filter == Filter::plane) {
      hn::Store(dot(plane.xyz(), p - a), d, value);
      hn::Store(plane.w, d, bound);
    } else if (filter == Filter::determinant) {
      hn::Store(dot(cross(b - a, c - a), p - a), d, value);
      hn::Store(bound_of(norm1(b - a), norm1(c - a), norm1(p - a), slop), d, bound);
    } else if (filter == Filter::across) {
      hn::Store(dot(c, p - a), d, value);
      hn::Store(Across(*group).bound(c), d, bound);
    } else {
      const Separator separator(b - a, c);
      hn::Store(dot(separator.normal, p - a), d, value);
      hn::Store(bound_along(separator.g, separator.m, norm1(p - a), slop), d, bound);
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      batch.value[at + lane] = value[lane];
      batch.bound[at + lane] = bound[lane];
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sightline
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE

std::vector<kernel_batches::Named> kernel_batches::kernels() {
  std::vector<Named> list;
  const auto supported = hwy::SupportedTargets();
  static_cast<void>(supported);
#if HWY_TARGETS & HWY_SSE4
  if ((supported & HWY_SSE4) != 0) list.push_back({"SSE4", sightline::N_SSE4::run_batch});
#endif
#if HWY_TARGETS & HWY_AVX2
  if ((supported & HWY_AVX2) != 0) list.push_back({"AVX2", sightline::N_AVX2::run_batch});
#endif
#if HWY_TARGETS & HWY_AVX3
  if ((supported & HWY_AVX3) != 0) list.push_back({"AVX-512", sightline::N_AVX3::run_batch});
#endif
#if HWY_TARGETS & HWY_NEON
  if ((supported & HWY_NEON) != 0) list.push_back({"NEON", sightline::N_NEON::run_batch});
#endif
  return list;
}

#endif  // HWY_ONCE
