#include "sightline/method.h"

namespace sightline {

std::string_view to_string(Method method) {
  constexpr std::string_view kNames[kMethodCount] = {"exact", "cullide", "quick-cullide", "self-cullide",
                                                     "peel",  "cinder",  "velocity"};
  return kNames[static_cast<int>(method)];
}

std::string_view to_string(Precision precision) { return precision == Precision::image ? "image" : "conservative"; }

std::string_view to_string(DepthBits bits) {
  constexpr std::string_view kNames[] = {"16", "24", "32", "float"};
  return kNames[static_cast<int>(bits)];
}

}  // namespace sightline
