// Volumes, areas, centroids and depths as intervals, separations and normals, and contacts joined into curves.
#include <set>

#include "python/report.h"
#include "sightline/curves.h"
#include "sightline/depth.h"
#include "sightline/measure.h"

namespace sightline::python {

py::dict dict_of(const Extent& extent) {
  py::dict all;
  all["volume"] = pair_of(extent.volume);
  all["area"] = pair_of(extent.area);
  all["centroid"] = py::none();
  if (extent.centroid) {
    const auto& c = *extent.centroid;
    all["centroid"] = py::make_tuple(pair_of(c[0]), pair_of(c[1]), pair_of(c[2]));
  }
  all["low"] = py::make_tuple(extent.low[0], extent.low[1], extent.low[2]);
  all["high"] = py::make_tuple(extent.high[0], extent.high[1], extent.high[2]);
  return all;
}

namespace {

/// Calls function(options) without the GIL.
template <typename Function>
void measured(std::span<const PyMesh* const> meshes, unsigned threads, const Function& function) {
  Call call;
  explained(meshes, [&] { call.run([&] { function(MeasureOptions{.threads = threads, .cancel = call.cancel()}); }); });
}

py::dict extent_of(const PyMesh& mesh, Threads threads) {
  Extent result;
  const PyMesh* const one = &mesh;
  measured({&one, 1}, threads, [&](const MeasureOptions& options) { result = extent(mesh.view(), options); });
  return dict_of(result);
}

py::dict overlap_of(const PyMesh& a, const PyMesh& b, Threads threads) {
  Extent result;
  const std::array<const PyMesh*, 2> both = {&a, &b};
  measured(both, threads, [&](const MeasureOptions& options) { result = overlap(a.view(), b.view(), options); });
  return dict_of(result);
}

py::dict self_overlap_of(const PyMesh& mesh, Threads threads) {
  Extent result;
  const PyMesh* const one = &mesh;
  measured({&one, 1}, threads, [&](const MeasureOptions& options) { result = self_overlap(mesh.view(), options); });
  return dict_of(result);
}

py::tuple tuple_of(const std::vector<CurvePoint>& points) {
  std::vector<Vec3d> positions, in_a, in_b;
  std::vector<std::uint32_t> contacts;
  for (const CurvePoint& point : points) {
    positions.push_back(point.position);
    contacts.push_back(point.contact);
    in_a.push_back(point.in_a);
    in_b.push_back(point.in_b);
  }
  return py::make_tuple(array_of(std::move(positions)), array_of(std::move(contacts)), array_of(std::move(in_a)),
                        array_of(std::move(in_b)));
}

py::tuple tuple_of(const Separation& separation) {
  return py::make_tuple(triple_of(separation.translation), separation.length, separation.lower_bound);
}

py::tuple protrusions_of(const PyMesh& a, const PyMesh& b, Threads threads) {
  Protrusions result;
  const std::array<const PyMesh*, 2> both = {&a, &b};
  measured(both, threads, [&](const MeasureOptions& options) { result = protrusions(a.view(), b.view(), options); });
  const auto one = [](const Protrusion& p) {
    return py::make_tuple(pair_of(p.depth), triple_of(p.point), triple_of(p.nearest), p.triangle, p.other_triangle);
  };
  return py::make_tuple(one(result.a), one(result.b));
}

py::tuple separation_of(const PyMesh& a, const PyMesh& b, Threads threads) {
  Separation result;
  const std::array<const PyMesh*, 2> both = {&a, &b};
  measured(both, threads, [&](const MeasureOptions& options) { result = separation(a.view(), b.view(), options); });
  return tuple_of(result);
}

/// The two objects of all contacts.
std::pair<std::uint32_t, std::uint32_t> objects_of(const std::vector<Contact>& contacts, const std::string& name) {
  for (const Contact& contact : contacts)
    if (contact.object_a != contacts[0].object_a || contact.object_b != contacts[0].object_b)
      throw py::value_error(name + ": the contacts are of more than one pair of objects; select() takes those of one");
  return contacts.empty() ? std::pair(0u, 0u) : std::pair(contacts[0].object_a, contacts[0].object_b);
}

/// Only a part of a mesh can move away from another part of it.
void require_two_sides(const std::vector<Contact>& contacts) {
  std::set<std::uint32_t> of_a;
  for (const Contact& contact : contacts) of_a.insert(contact.a);
  for (const Contact& contact : contacts)
    if (of_a.contains(contact.b))
      throw py::value_error("cluster_separation: triangle " + std::to_string(contact.b) +
                            " is on both sides of these contacts of a mesh with itself");
}

py::tuple cluster_separation_of(const PyReport& report, Threads threads) {
  const std::vector<Contact>& contacts = report.report.contacts;
  const auto [a, b] = objects_of(contacts, "cluster_separation");
  Separation result;
  if (!contacts.empty()) {
    if (a == b) require_two_sides(contacts);
    const std::array<const PyMesh*, 2> both = {&mesh_at(report, a), &mesh_at(report, b)};
    measured(both, threads, [&](const MeasureOptions& options) {
      result = cluster_separation(both[0]->view(), both[1]->view(), contacts, options);
    });
  }
  return tuple_of(result);
}

/// Direction, depth and points.
py::tuple manifold_of(const PyReport& report) {
  const std::vector<Contact>& contacts = report.report.contacts;
  const auto [a, b] = objects_of(contacts, "manifold");
  Manifold result;
  if (!contacts.empty()) {
    const std::array<const PyMesh*, 2> both = {&mesh_at(report, a), &mesh_at(report, b)};
    for (const PyMesh* const mesh : both) require_valid(*mesh, 0);  // the arrays may have changed since the query
    const py::gil_scoped_release released;
    result = manifold(both[0]->view(), both[1]->view(), contacts);
  }
  return py::make_tuple(triple_of(result.normal.direction), result.normal.depth, array_of(std::move(result.points)));
}

/// Curves, areas and single points.
py::tuple curves_of(const PyReport& report) {
  const std::vector<Contact>& contacts = report.report.contacts;
  const auto [a, b] = objects_of(contacts, "curves");
  Curves found;
  if (!contacts.empty()) {
    const PyMesh &mesh_a = mesh_at(report, a), &mesh_b = mesh_at(report, b);
    const py::gil_scoped_release released;
    found = a == b ? curves(mesh_a.view(), contacts) : curves(mesh_a.view(), mesh_b.view(), contacts);
  }
  py::list all, areas;
  for (const Curve& curve : found.curves)
    all.append(py::make_tuple(tuple_of(curve.points), curve.closed, curve.crossing,
                              curve.area == Curve::kNone ? py::object(py::none()) : py::int_(curve.area),
                              pair_of(curve.length)));
  for (ContactArea& area : found.areas)
    areas.append(py::make_tuple(array_of(std::move(area.contacts)), pair_of(area.area)));
  return py::make_tuple(all, areas, tuple_of(found.points));
}

/// A direction and a depth for each contact.
py::tuple normals_of(const PyReport& report) {
  const std::vector<Contact>& contacts = report.report.contacts;
  const auto [a, b] = objects_of(contacts, "contact_normals");
  std::vector<Vec3d> directions;
  std::vector<double> depths;
  if (!contacts.empty()) {
    const PyMesh &mesh_a = mesh_at(report, a), &mesh_b = mesh_at(report, b);
    const py::gil_scoped_release released;
    for (const ContactNormal& normal : contact_normals(mesh_a.view(), mesh_b.view(), contacts)) {
      directions.push_back(normal.direction);
      depths.push_back(normal.depth);
    }
  }
  return py::make_tuple(array_of(std::move(directions)), array_of(std::move(depths)));
}

}  // namespace

void bind_measures(py::module_& module) {
  module.def("extent", &extent_of, py::arg("mesh"), py::arg("threads") = 0);
  module.def("overlap", &overlap_of, py::arg("a"), py::arg("b"), py::arg("threads") = 0);
  module.def("self_overlap", &self_overlap_of, py::arg("mesh"), py::arg("threads") = 0);
  module.def("protrusions", &protrusions_of, py::arg("a"), py::arg("b"), py::arg("threads") = 0);
  module.def("separation", &separation_of, py::arg("a"), py::arg("b"), py::arg("threads") = 0);
  module.def("cluster_separation", &cluster_separation_of, py::arg("report"), py::arg("threads") = 0);
  module.def("manifold", &manifold_of, py::arg("report"));
  module.def("contact_normals", &normals_of, py::arg("report"));
  module.def("curves", &curves_of, py::arg("report"));
}

}  // namespace sightline::python
