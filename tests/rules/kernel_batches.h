// The arithmetic of the pair kernel on batches of samples, for each instruction set: the kernel's own code, called
// without the engine around it.
#pragma once

#include <vector>

#include "input/settings.h"

namespace kernel_batches {

struct Batch {
  static constexpr int kCount = 128;
  float point[kCount][4][3];
  float reach = 0, slop = 0;  ///< of all samples
  double value[kCount], bound[kCount];
};

enum class Filter {
  plane,        ///< the plane of points 0, 1, 2 at point 3 (prepare, dot)
  determinant,  ///< | 1 - 0, 2 - 0, 3 - 0 | (bound_of)
  across,       ///< 2 . (3 - 0): point 2 is a direction (Across)
  along,        ///< | 1 - 0, 2, 3 - 0 |: the second vector is a direction (Separator, bound_along)
};

using Kernel = void (*)(Filter filter, Batch& batch);
struct Named {
  const char* name;
  Kernel run;
};
/// Those that this machine runs.
std::vector<Named> kernels();

}  // namespace kernel_batches
