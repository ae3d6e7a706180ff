#include "bench/raster_passes.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "scenes/papers/papers.h"
#include "scenes/scenes.h"

namespace sightline::bench {
namespace {

constexpr int kIterations = 3;

void set_cameras(PassScene& scene) {
  for (const Vec3d& direction : {Vec3d{0, -1, 0}, Vec3d{0.3, -0.4, -1}})
    scene.cameras.push_back(raster::fit_camera({direction}, scene.positions));
}

void append(PassScene& scene, const Mesh& mesh) {
  const auto base = static_cast<std::uint32_t>(scene.positions.size());
  std::visit(
      [&](const auto& positions) {
        for (const auto& p : positions) scene.positions.push_back({p[0], p[1], p[2]});
      },
      mesh.positions);
  for (const Triangle& t : mesh.triangles) scene.triangles.push_back({t[0] + base, t[1] + base, t[2] + base});
}

/// The triangles that are left.
std::vector<std::uint32_t> survivors(const std::vector<std::uint32_t>& set, const PassResult& result) {
  std::vector<std::uint32_t> left;
  for (std::size_t i = 0; i < set.size(); ++i)
    if (result.forward[i] != 0 || result.reverse[i] != 0) left.push_back(set[i]);
  return left;
}

}  // namespace

PassScene cloth_scene(std::size_t triangles) {
  PassScene scene;
  scene.name = "crumpled_cloth";
  append(scene, scenes::crumpled_cloth(triangles));
  set_cameras(scene);
  return scene;
}

PassScene paper_scene(const std::string& name) {
  PassScene scene;
  scene.name = name;
  const scenes::PaperScene* paper = scenes::find_paper_scene(name);
  if (paper == nullptr) return scene;
  const auto animation = paper->make(0);
  for (std::size_t i = 0; i < paper->frames / 2; ++i) animation->advance();  // by then, cloth has folded
  for (const auto& object : animation->frame().objects) append(scene, object.mesh);
  set_cameras(scene);
  return scene;
}

PassResult run_iteration(raster::Raster& raster, const PassScene& scene, const Iteration& iteration) {
  raster::State test, write;
  test.depth = raster::Compare::gequal;
  test.depth_write = false;
  const std::size_t count = iteration.set.size();
  raster.camera(scene.cameras[iteration.view]);
  raster.reset_queries();
  const raster::Query first = raster.queries(2 * count);
  raster::Query query = first;
  const auto one = [&](const std::uint32_t& triangle) {
    raster.draw(test, {&triangle, 1}, query++);
    raster.draw(write, {&triangle, 1});
  };
  const std::uint32_t far = raster::far_key(raster.target().format);
  raster.clear_depth(far);
  std::for_each(iteration.set.begin(), iteration.set.end(), one);
  raster.clear_depth(far);
  std::for_each(iteration.set.rbegin(), iteration.set.rend(), one);
  PassResult result;
  for (std::size_t i = 0; i < count; ++i)
    result.forward.push_back(raster.result(first + static_cast<raster::Query>(i)));
  for (std::size_t i = 0; i < count; ++i)
    result.reverse.push_back(raster.result(first + static_cast<raster::Query>(2 * count - 1 - i)));
  return result;
}

std::vector<Iteration> frame_of(raster::Raster& raster, const PassScene& scene) {
  std::vector<Iteration> frame;
  std::vector<std::uint32_t> set(scene.triangles.size());
  std::iota(set.begin(), set.end(), 0u);
  raster.geometry({scene.positions, scene.triangles});
  for (std::size_t view = 0; view < scene.cameras.size(); ++view)
    for (int i = 0; i < kIterations; ++i) {
      frame.push_back({view, set});
      set = survivors(set, run_iteration(raster, scene, frame.back()));
    }
  return frame;
}

}  // namespace sightline::bench
