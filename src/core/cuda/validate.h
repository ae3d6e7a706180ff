// Checks that the caller's device arrays are a mesh.
#pragma once

#include "cuda/check.h"
#include "cuda/engine.h"

namespace sightline::cuda {

class Validator {
 public:
  explicit Validator(MemoryCount& memory) : flaws_(memory) {}
  /// Throws Error with the first coordinate that is not finite or the first index out of range. Waits for the stream.
  void check(const Input& input, cudaStream_t stream);

 private:
  DeviceBuffer<unsigned long long> flaws_;  ///< the least bad coordinate and the least bad index; all ones: none
};

}  // namespace sightline::cuda
