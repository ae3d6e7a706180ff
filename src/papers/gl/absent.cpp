// The OpenGL device in a build without OpenGL: only the message that it is missing.
#include "gl/device.h"
#include "sightline/mesh.h"

namespace sightline::papers::gl {

const std::string& missing() {
  static const std::string words = "built without OpenGL";
  return words;
}
std::vector<std::pair<std::string, std::string>> facts() { return {}; }
std::unique_ptr<raster::Raster> make_raster(GlQueries) { throw Error("gl: " + missing()); }

}  // namespace sightline::papers::gl
