#include "method/method.h"

namespace sightline::method {

Scene::Scene(const TriangleTable& all) : table(all) {
  if (table.vertex_count > 0xFFFFFFFFu)
    throw Error("method: more than 4,294,967,295 vertices; the exact method takes more");
  positions.reserve(table.vertex_count);
  triangles.reserve(table.triangle_count);
  object_of.reserve(table.triangle_count);
  for (std::uint32_t o = 0; o < table.objects.size(); ++o) {
    const TriangleTable::Object& object = table.objects[o];
    const auto first = static_cast<std::uint32_t>(object.first_vertex);
    for (std::uint32_t v = 0; v < object.vertex_count; ++v) positions.push_back(object.position(v));
    for (std::uint32_t t = 0; t < object.triangle_count; ++t) {
      const Triangle& corner = object.triangles[t];
      triangles.push_back({first + corner[0], first + corner[1], first + corner[2]});
      object_of.push_back(o);
    }
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

}  // namespace sightline::method
