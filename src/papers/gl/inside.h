// Raster::inside on the device (raster/inside.h): set-up of faces and edges, their lists of tiles as for a sweep, and
// one program that takes each tile (programs/inside.cpp). Both rasters of OpenGL use it.
#pragma once

#include <functional>
#include <vector>

#include "gl/context.h"
#include "raster/inside.h"

namespace sightline::papers::gl {

class Insides {
 public:
  explicit Insides(Context& context) : context_(context) {}

  /// As raster::inside::find, in any order. The lists of all tiles are empty, before and after. Lists that are too long
  /// for the device are left to the host.
  std::vector<raster::Inside> find(const raster::InsideQuery& query, const raster::Geometry& geometry,
                                   const raster::Camera& camera, const raster::Target& target, std::uint64_t& samples);

 private:
  struct Scene;
  void set_up_on_device(const Scene& scene);
  void set_up_on_host(const Scene& scene);
  void upload(const Scene& scene);
  void use(const Scene& scene, const char* name, const std::function<std::string()>& shader);
  void lists(const Scene& scene, bool fill);
  void submit(const Scene& scene);

  Context& context_;
  std::uint32_t faces_ = 0, lines_ = 0;  ///< entries of each kind
  std::uint32_t first_line_ = 0;         ///< among the primitives
  std::uint32_t found_capacity_ = 0;
};

}  // namespace sightline::papers::gl
