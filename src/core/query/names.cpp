// The version, and names of the enumerations as the tool prints them and the JSON schema fixes them.
#include "input/settings.h"
#include "sightline/sightline.h"

namespace sightline {

const char* version() {
#define SIGHTLINE_TEXT(x) #x
#define SIGHTLINE_DOTTED(x, y, z) SIGHTLINE_TEXT(x) "." SIGHTLINE_TEXT(y) "." SIGHTLINE_TEXT(z)
  return SIGHTLINE_DOTTED(SIGHTLINE_VERSION_MAJOR, SIGHTLINE_VERSION_MINOR, SIGHTLINE_VERSION_PATCH);
}

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[kKindCount] = {"touching", "crossing", "coplanar", "duplicate"};
  return kNames[static_cast<int>(kind)];
}

std::string_view to_string(Relation relation) {
  constexpr std::string_view kNames[] = {"clear", "near", "touch", "contains", "clash"};
  return kNames[static_cast<int>(relation)];
}

std::string_view to_string(Simd simd) {
  constexpr std::string_view kNames[kSimdCount] = {"best", "scalar", "sse4", "avx2", "avx512", "neon"};
  return kNames[static_cast<int>(simd)];
}

std::string_view to_string(Device::Type type) { return type == Device::Type::cpu ? "cpu" : "cuda"; }

}  // namespace sightline
