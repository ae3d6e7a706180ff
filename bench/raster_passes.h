// Passes in the manner of CULLIDE and Quick-CULLIDE, triangle by triangle: the workload for our raster and for OpenGL.
//
// A view's iterations: from the first to the last triangle of the set, and back again, each triangle is tested with
// gequal against what was drawn before it (a query) and then drawn with less. One that passes nowhere in both
// directions is clear of all others in this view and leaves the set.
#pragma once

#include <string>
#include <vector>

#include "raster/raster.h"
#include "sightline/mesh.h"

namespace sightline::bench {

namespace raster = papers::raster;

struct PassScene {
  std::string name;
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  std::vector<raster::Camera> cameras;
};

/// Passing fragments (or, from a peer, 1 for any) of each triangle of the set, in both directions.
struct PassResult {
  std::vector<std::uint64_t> forward, reverse;
};

/// One iteration: its triangles, its view and its results.
struct Iteration {
  std::size_t view;
  std::vector<std::uint32_t> set;
};

PassScene cloth_scene(std::size_t triangles);
/// The middle of a paper's animation; empty where there is none of that name.
PassScene paper_scene(const std::string& name);

inline raster::Target pass_target(std::uint32_t side) {
  return {side, side, raster::DepthFormat::fixed24, raster::Coverage::image, false, false};
}

/// The target is already set; sets geometry and camera when they change.
PassResult run_iteration(raster::Raster& raster, const PassScene& scene, const Iteration& iteration);

/// The iterations of a frame, three for each view, as our raster finds them.
std::vector<Iteration> frame_of(raster::Raster& raster, const PassScene& scene);

}  // namespace sightline::bench
