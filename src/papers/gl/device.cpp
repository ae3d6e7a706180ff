#include "gl/device.h"

#include "gl/context.h"
#include "gl/rasters.h"
#include "sightline/mesh.h"

namespace sightline::papers::gl {

const std::string& missing() {
  static const std::string words = [] {
    try {
      const Session session;
      return std::string();
    } catch (const Error& error) {
      const std::string text = error.what();
      return text.starts_with("gl: ") ? text.substr(4) : text;
    }
  }();
  return words;
}

std::vector<std::pair<std::string, std::string>> facts() {
  if (!missing().empty()) return {};
  Session session;
  const Info& info = session->info;
  std::string extensions;
  for (const std::string& name : info.extensions) extensions += (extensions.empty() ? "" : " ") + name;
  return {{"vendor", info.vendor},
          {"renderer", info.renderer},
          {"version", info.version},
          {"display", info.platform},
          {"extensions", extensions},
          {"largest image", std::to_string(info.most_pixels)},
          {"largest buffer", std::to_string(info.most_bytes)}};
}

std::unique_ptr<raster::Raster> make_raster(GlQueries queries) {
  if (!missing().empty()) throw Error("gl: " + missing());
  return queries == GlQueries::batched ? make_tile_raster() : make_query_raster();
}

}  // namespace sightline::papers::gl
