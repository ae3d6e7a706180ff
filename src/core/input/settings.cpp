#include "input/settings.h"

namespace sightline {

std::string_view to_string(Simd simd) {
  constexpr std::string_view kNames[kSimdCount] = {"best", "scalar", "sse4", "avx2", "avx512", "neon"};
  return kNames[static_cast<int>(simd)];
}

}  // namespace sightline
