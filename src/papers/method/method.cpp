#include "method/method.h"

#include <algorithm>

namespace sightline::papers::method {

Scene::Scene(const TriangleTable& all, Workers& workers)
    : table(all), positions(all.vertex_count), triangles(all.triangle_count), object_of(all.triangle_count) {
  if (table.vertex_count > 0xFFFFFFFFu)
    throw Error("method: more than 4,294,967,295 vertices; the exact method takes more");
  struct Part {
    std::uint32_t object, first, last;  ///< of its vertices and of its triangles
  };
  std::vector<Part> parts;
  constexpr std::uint32_t kPart = 16384;
  for (std::uint32_t o = 0; o < table.objects.size(); ++o) {
    const std::uint32_t most = std::max(table.objects[o].vertex_count, table.objects[o].triangle_count);
    for (std::uint32_t first = 0; first < most; first += std::min(kPart, most - first))
      parts.push_back({o, first, first + std::min(kPart, most - first)});
  }
  std::vector<Box> box_of(parts.size());
  workers.for_each(parts.size(), [&](std::size_t i) {
    const Part& part = parts[i];
    const TriangleTable::Object& object = table.objects[part.object];
    const auto first = static_cast<std::uint32_t>(object.first_vertex);
    Box here;
    for (std::uint32_t v = part.first; v < std::min(part.last, object.vertex_count); ++v)
      here.add(positions[first + v] = object.position(v));
    box_of[i] = here;
    for (std::uint32_t t = part.first; t < std::min(part.last, object.triangle_count); ++t) {
      const Triangle& corner = object.triangles[t];
      triangles[object.first_triangle + t] = {first + corner[0], first + corner[1], first + corner[2]};
      object_of[object.first_triangle + t] = part.object;
    }
  });
  boxes.resize(table.objects.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    boxes[parts[i].object].add(box_of[i]);
    box.add(box_of[i]);
  }
}

namespace {

/// The box of all points in a camera's coordinates.
Box seen_by(const raster::Camera& camera, const Scene& scene, Workers& workers) {
  if (const auto seen = raster::seen_along_axis(camera, scene.box)) return *seen;
  constexpr std::size_t kBlock = 8192;
  std::vector<Box> parts((scene.positions.size() + kBlock - 1) / kBlock);
  workers.for_each(parts.size(), [&](std::size_t block) {
    Box box;
    const std::size_t end = std::min((block + 1) * kBlock, scene.positions.size());
    for (std::size_t v = block * kBlock; v < end; ++v) box.add(camera.to_camera(scene.positions[v]));
    parts[block] = box;
  });
  Box all;
  for (const Box& part : parts) all.add(part);
  return all;
}

}  // namespace

void Context::look_at_all() {
  if (!cameras.empty()) return;
  for (const View& view : views) {
    if (view.field_of_view > 0) {
      cameras.push_back(raster::fit_camera(view, scene.positions));
      continue;
    }
    raster::Camera camera = raster::aim(view, scene.box);
    raster::set_window(camera, seen_by(camera, scene, workers));
    cameras.push_back(camera);
  }
}

raster::Target Context::target() const {
  raster::Target target;
  target.width = target.height = resolution;
  target.format = static_cast<raster::DepthFormat>(options.depth);
  target.coverage = precision == Precision::conservative ? raster::Coverage::conservative : raster::Coverage::image;
  return target;
}

PassClock::PassClock(Context& context, std::string_view level, const Vec3d& direction, std::uint32_t iteration)
    : context_(context), before_(context.raster.counters()), start_(Clock::now()) {
  pass_.level = level;
  pass_.direction = direction;
  pass_.iteration = iteration;
}

void PassClock::end() {
  context_.raster.finish();
  const raster::Counters& after = context_.raster.counters();
  pass_.renders = after.renders - before_.renders;
  pass_.queries = after.queries - before_.queries;
  pass_.triangles = after.triangles - before_.triangles;
  pass_.fragments = after.fragments - before_.fragments;
  pass_.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  context_.report.passes.push_back(pass_);
}

}  // namespace sightline::papers::method
