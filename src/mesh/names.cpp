// Names of the enumerations, as the tool prints them and the JSON schema fixes them.
#include "cuda/device.h"
#include "gl/device.h"
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

std::string_view to_string(GlQueries queries) { return queries == GlQueries::batched ? "batched" : "each"; }

std::string_view to_string(Device device) {
  constexpr std::string_view kNames[] = {"cpu", "cuda", "gl"};
  return kNames[static_cast<int>(device.type())];
}

Device Device::cuda() {
  if (!cuda::missing().empty()) throw Error("cuda: " + cuda::missing());
  return Device(Type::cuda);
}
Device Device::best() { return cuda::missing().empty() ? Device(Type::cuda) : cpu(); }
Device Device::gl() {
  if (!gl::missing().empty()) throw Error("gl: " + gl::missing());
  return Device(Type::gl);
}

}  // namespace sightline
