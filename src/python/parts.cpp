// Assemblies and facts about parts: relations, distances, topology, sides, intersections of two triangles.
#include <cmath>
#include <limits>

#include "python/report.h"
#include "write/output.h"

namespace sightline::python {
namespace {

using Clearance = Argument<double, "clearance">;

py::tuple tuple_of(const PartPair& pair) {
  return py::make_tuple(
      pair.a, pair.b, std::string(to_string(pair.relation)), pair.inner, pair.gap,
      py::make_tuple(pair.contacts[0], pair.contacts[1], pair.contacts[2], pair.contacts[3]), pair.tolerated,
      pair.depth ? py::object(py::make_tuple(pair_of(pair.depth->depth), triple_of(pair.depth->point),
                                             triple_of(pair.depth->nearest)))
                 : py::none(),
      pair.volume ? py::object(pair_of(*pair.volume)) : py::none(),
      pair.nearest ? py::object(py::make_tuple(triple_of((*pair.nearest)[0]), triple_of((*pair.nearest)[1])))
                   : py::none(),
      pair.overlap ? py::object(dict_of(*pair.overlap)) : py::none(),
      pair.separation ? py::object(py::make_tuple(triple_of(pair.separation->translation), pair.separation->length,
                                                  pair.separation->lower_bound))
                      : py::none());
}

std::vector<std::shared_ptr<PyMesh>> parts_of(const py::sequence& parts) {
  std::vector<std::shared_ptr<PyMesh>> meshes = meshes_of(parts);
  for (const auto& mesh : meshes)
    if (mesh == nullptr) throw py::value_error("parts: a part is None");
  return meshes;
}

/// The pairs that are not clear, the statistics, and the list of contacts (None with `relations_only`).
py::tuple clash_pairs(const py::sequence& parts, Clearance clearance, Argument<double, "tolerance"> tolerance,
                      Argument<bool, "depth"> depths, Argument<bool, "volume"> volumes,
                      Argument<bool, "separation"> separations, Argument<bool, "relations_only"> relations_only,
                      Threads threads, py::handle progress, DeviceName device) {
  auto meshes = std::make_shared<const std::vector<std::shared_ptr<PyMesh>>>(parts_of(parts));
  const std::vector<MeshView> all = views(*meshes);
  Call call(progress);
  const Device chosen = device_of(device);
  if (relations_only && chosen.type() != Device::Type::cpu)
    throw py::value_error("clash: relations_only is not available on " + device.value);
  ClashOptions options{.clearance = clearance,
                       .relations_only = relations_only,
                       .tolerance = tolerance,
                       .depths = depths,
                       .volumes = volumes,
                       .separations = separations};
  options.query = options_of(call, threads, false, py::none());
  Clashes found;
  PyReport contacts;
  explained(pointers(*meshes), [&] {
    call.run([&] {
      if (relations_only) {
        found = relations(all, options);
        return;
      }
      Scene scene(chosen);
      for (const MeshView& part : all) scene.add(part, {}, threads);
      scene.collide(contacts.report, options.query);
      if (!contacts.report.cancelled) found = classify(all, contacts.report, options);
    });
  });
  py::list pairs;
  for (const PartPair& pair : found.pairs) pairs.append(tuple_of(pair));
  if (relations_only) return py::make_tuple(pairs, dict_of(found.stats), py::none());
  Stats& stats = contacts.report.stats;
  stats.stages.insert(stats.stages.end(), found.stats.stages.begin(), found.stats.stages.end());
  stats.milliseconds += found.stats.milliseconds;
  contacts.meshes = std::move(meshes);
  const py::dict numbers = dict_of(stats);
  return py::make_tuple(pairs, numbers, py::cast(std::move(contacts)));
}

/// The relation of two parts and their gap: 0 if they share a point. Infinity: no gap below `limit`.
py::tuple relation_of(const PyMesh& a, const PyMesh& b, Clearance limit, Threads threads) {
  const std::array<MeshView, 2> both = {a.view(), b.view()};
  const std::array<const PyMesh*, 2> meshes = {&a, &b};
  Call call;
  Clashes found;
  explained(meshes, [&] {
    call.run([&] {
      found = relations(both, {.clearance = std::min<double>(limit, std::numeric_limits<double>::max()),
                               .relations_only = true,
                               .query = {.threads = threads, .cancel = call.cancel()}});
    });
  });
  if (found.pairs.empty()) return py::make_tuple("clear", 0, std::numeric_limits<double>::infinity());
  const PartPair& pair = found.pairs[0];
  const bool meets = pair.relation == Relation::touch || pair.relation == Relation::clash;
  return py::make_tuple(std::string(to_string(pair.relation)), pair.inner, meets ? 0.0 : pair.gap);
}

/// Lower and upper corner of the box of the triangles in their place; infinite, with low above high, without triangles.
py::tuple bounds_of(const PyMesh& mesh) {
  require_valid(mesh);
  const MeshView view = mesh.view();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3d low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};
  for (const Triangle& triangle : view.triangles)
    for (const std::uint32_t vertex : triangle) {
      const Vec3d p = view.position(vertex);
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], p[k]);
        high[k] = std::max(high[k], p[k]);
      }
    }
  return py::make_tuple(py::make_tuple(low[0], low[1], low[2]), py::make_tuple(high[0], high[1], high[2]));
}

py::dict topology_of(const PyMesh& mesh, Threads threads) {
  Topology facts;
  const PyMesh* const one = &mesh;
  Call call;
  explained({&one, 1}, [&] { call.run([&] { facts = topology(mesh.view(), threads, call.cancel()); }); });
  py::dict all;
  all["components"] = facts.components;
  all["vertices"] = facts.vertices;
  all["open_edges"] = facts.open_edges;
  all["nonmanifold_edges"] = facts.nonmanifold_edges;
  all["duplicates"] = facts.duplicates;
  all["closed"] = facts.closed();
  all["degenerate"] = array_of(std::move(facts.degenerate));
  all["vertex"] = array_of(std::move(facts.vertex));
  all["component"] = array_of(std::move(facts.component));
  return all;
}

std::vector<Vec3d> finite_points(py::handle object, const std::string& name) {
  std::size_t rows = 0;
  const std::vector<double> numbers = numbers_of(object, name, 3, rows);
  std::vector<Vec3d> points(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    points[i] = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
    for (const double x : points[i])
      if (!std::isfinite(x))
        throw py::value_error(name + ": row " + std::to_string(i) + " has " + std::to_string(x) +
                              ", which is not finite");
  }
  return points;
}

Array sides_of(const PyMesh& mesh, py::handle object, Threads threads) {
  const std::vector<Vec3d> points = finite_points(object, "points");
  std::vector<std::uint8_t> sides(points.size());
  const PyMesh* const one = &mesh;
  Call call;
  explained({&one, 1}, [&] {
    call.run([&] {
      const MeshView view = mesh.view();
      write::for_blocks(points.size(), {.threads = threads, .cancel = call.cancel()},
                        [&](std::size_t i, std::size_t end) {
                          for (; i < end; ++i) sides[i] = static_cast<std::uint8_t>(side_of(view, points[i]));
                        });
    });
  });
  return array_of(std::move(sides));
}

std::array<Vec3d, 3> triangle_of(py::handle object, const std::string& name) {
  const std::vector<Vec3d> corners = finite_points(object, name);
  if (corners.size() != 3)
    throw py::value_error(name + ": the shape is (" + std::to_string(corners.size()) + ", 3), not (3, 3)");
  return {corners[0], corners[1], corners[2]};
}

Array triangle_intersection(py::handle a, py::handle b) {
  const Intersection found = intersection(triangle_of(a, "a"), triangle_of(b, "b"));
  return array_of(std::vector<Vec3d>(found.points().begin(), found.points().end()));
}

}  // namespace

void bind_parts(py::module_& module) {
  module.def("clash", &clash_pairs, py::arg("parts"), py::arg("clearance") = 0.0, py::arg("tolerance") = 0.0,
             py::arg("depth") = false, py::arg("volume") = false, py::arg("separation") = false,
             py::arg("relations_only") = false, py::arg("threads") = 0, py::arg("progress") = py::none(),
             py::arg("device") = "cpu");
  module.def("relation", &relation_of, py::arg("a"), py::arg("b"), py::arg("limit"), py::arg("threads") = 0);
  module.def("bounds", &bounds_of, py::arg("mesh"));
  module.def("topology", &topology_of, py::arg("mesh"), py::arg("threads") = 0);
  module.def("side_of", &sides_of, py::arg("mesh"), py::arg("points"), py::arg("threads") = 0);
  module.def("intersection", &triangle_intersection, py::arg("a"), py::arg("b"));
}

}  // namespace sightline::python
