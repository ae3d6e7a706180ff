// Names of the enumerations, as the tool prints them and the JSON schema fixes them; the renderers of this build.
#include "gl/device.h"
#include "sightline/papers.h"

namespace sightline::papers {

std::string_view to_string(MethodName method) {
  constexpr std::string_view kNames[kMethodCount] = {"exact", "cullide", "quick-cullide", "self-cullide",
                                                     "peel",  "cinder",  "velocity"};
  return kNames[static_cast<int>(method)];
}

std::string_view to_string(Precision precision) { return precision == Precision::image ? "image" : "conservative"; }

std::string_view to_string(DepthBits bits) {
  constexpr std::string_view kNames[] = {"16", "24", "32", "float"};
  return kNames[static_cast<int>(bits)];
}

std::string_view to_string(GlQueries queries) { return queries == GlQueries::batched ? "batched" : "each"; }

Renderer Renderer::gl(GlQueries queries) {
  if (!gl::missing().empty()) throw Error("gl: " + gl::missing());
  return Renderer(Type::gl, queries);
}

DeviceInfo gl_info() { return {"gl", gl::missing(), gl::facts()}; }

}  // namespace sightline::papers
