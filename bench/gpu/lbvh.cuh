// The peer on the GPU: a linear bounding volume hierarchy over one mesh, queried against itself, with the same filter,
// exact decision and order as the engine. Its answer is the same list.
#pragma once

#include "cuda/engine.h"

namespace sightline::gpu_bench {

class LbvhEngine {
 public:
  LbvhEngine();
  ~LbvhEngine();
  LbvhEngine(const LbvhEngine&) = delete;
  LbvhEngine& operator=(const LbvhEngine&) = delete;

  /// One mesh with float positions. Working memory is kept for the next query. `timed`: stage times by events.
  cuda::Output run(const cuda::Input& input, cudaStream_t stream, bool timed = false);
  /// Bits of the Morton code along an axis: up to 10 are sorted as 32-bit keys, up to 21 as 64-bit keys.
  int bits = 10;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::gpu_bench
