// Names of the enumerations, as the tool prints them and the JSON schema fixes them.
#include "sightline/sightline.h"

namespace sightline {

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[kKindCount] = {"touching", "crossing", "coplanar", "duplicate"};
  return kNames[static_cast<int>(kind)];
}

std::string_view to_string(Relation relation) {
  constexpr std::string_view kNames[] = {"clear", "near", "touch", "contains", "clash"};
  return kNames[static_cast<int>(relation)];
}

std::string_view to_string(Simd simd) {
  constexpr std::string_view kNames[] = {"best", "scalar", "sse4", "avx2", "avx512"};
  return kNames[static_cast<int>(simd)];
}

Device Device::cuda() { throw Error("device cuda: this build has no CUDA support"); }
Device Device::gl() { throw Error("device gl: this build has no OpenGL support"); }

}  // namespace sightline
