// Pages and pictures of a report, by the rooms of the tool that make them.
#include <tuple>

#include "page/page.h"
#include "picture/picture.h"
#include "python/report.h"
#include "report/clusters.h"
#include "viewer/shell.h"

namespace sightline::python {
namespace {

using Up = Argument<int, "up">;

/// The meshes of a report as parts of a document.
std::vector<report::Part> parts_of(const PyReport& report, bool with_facts) {
  std::vector<report::Part> parts;
  for (const auto& mesh : *report.meshes) {
    report::Part& part = parts.emplace_back();
    if (mesh == nullptr) continue;
    part.name = mesh->name;
    part.mesh = mesh->view();
    if (with_facts) part.facts = report::facts(part.mesh);
  }
  return parts;
}

/// The arrays of the caller may have changed since the query, and a pickle may hold anything.
void require_valid_report(const PyReport& report) {
  for (const auto& mesh : *report.meshes)
    if (mesh != nullptr) require_valid(*mesh, 0);
  for (const Contact& contact : report.report.contacts)
    for (const auto& [object, triangle] : {std::pair(contact.object_a, contact.a), {contact.object_b, contact.b}})
      if (triangle >= mesh_at(report, object).triangles.triangles.size())
        throw py::value_error("report: a contact has triangle " + std::to_string(triangle) + " of object " +
                              std::to_string(object) + ", which has fewer");
}

template <typename Function>
void write_file(const std::string& path, const Function& function) {
  Call call;
  call.run([&] {
    report::Output output{path};
    try {
      function(output, report::WriteOptions{.threads = 0, .cancel = call.cancel()});
      output.commit();
    } catch (const report::Cancelled&) {
      throw Error("cancelled");  // Call::run raises the exception of Python that cancelled it
    }
  });
}

Interval interval_of(const py::object& both) {
  const auto ends = both.cast<std::pair<double, double>>();
  return {ends.first, ends.second};
}

Vec3d point_of(const py::object& point) {
  const auto [x, y, z] = point.cast<std::tuple<double, double, double>>();
  return {x, y, z};
}

/// The pairs of parts as Python's ClashTable gives them.
std::vector<PartPair> pairs_of(const py::handle pairs) {
  std::vector<PartPair> all;
  if (pairs.is_none()) return all;
  for (const py::handle item : pairs) {
    const auto tuple = item.cast<py::tuple>();
    PartPair pair{.a = tuple[0].cast<std::uint32_t>(), .b = tuple[1].cast<std::uint32_t>()};
    const auto relation = tuple[2].cast<std::string>();
    for (const Relation one : {Relation::clear, Relation::near, Relation::touch, Relation::contains, Relation::clash})
      if (to_string(one) == relation) pair.relation = one;
    pair.inner = tuple[3].cast<std::uint32_t>();
    pair.gap = tuple[4].cast<double>();
    const auto counts = tuple[5].cast<py::tuple>();
    for (std::size_t k = 0; k < kKindCount; ++k) pair.contacts[k] = counts[k].cast<std::uint64_t>();
    pair.tolerated = tuple[6].cast<bool>();
    if (!tuple[7].is_none()) {
      const auto depth = tuple[7].cast<py::tuple>();
      pair.depth = {interval_of(depth[0]), point_of(depth[1]), point_of(depth[2])};
    }
    if (!tuple[8].is_none()) pair.volume = interval_of(tuple[8]);
    if (!tuple[9].is_none()) {
      const auto nearest = tuple[9].cast<py::tuple>();
      pair.nearest = {point_of(nearest[0]), point_of(nearest[1])};
    }
    if (!tuple[10].is_none()) {
      const auto way = tuple[10].cast<py::tuple>();
      pair.separation = {point_of(way[0]), way[1].cast<double>(), way[2].cast<double>()};
    }
    all.push_back(pair);
  }
  return all;
}

void write_html(const PyReport& report, const std::string& path, Argument<std::string, "title"> title, Up up,
                py::handle pairs, double clearance) {
  if (viewer::shell() == nullptr)
    throw Error("to_html: this build of sightline has no viewer (its build needs Node.js and npm)");
  require_valid_report(report);
  const std::vector<PartPair> relations = pairs_of(pairs);
  const bool is_clash = !pairs.is_none();
  write_file(path, [&](report::Output& output, const report::WriteOptions& options) {
    const std::vector<report::Part> parts = parts_of(report, true);
    report::PageWriter page(output, *viewer::shell(),
                            {.title = title.value,
                             .command = is_clash ? "clash" : "check",
                             .version = version(),
                             .up = up,
                             .clearance = clearance},
                            options);
    page.frame({.parts = parts,
                .contacts = report.report.contacts,
                .found = report.report.found,
                .complete = report.report.complete,
                .milliseconds = report.report.stats.milliseconds,
                .pairs = relations,
                .pairs_known = is_clash});
    page.finish();
  });
}

void write_png(const PyReport& report, const std::string& path, Argument<std::uint32_t, "width"> width,
               Argument<std::uint32_t, "height"> height, Up up) {
  require_valid_report(report);
  write_file(path, [&](report::Output& output, const report::WriteOptions& options) {
    const std::vector<report::Part> parts = parts_of(report, false);
    picture::write_png(output, picture::draw({parts, report.report.contacts},
                                             {.width = width, .height = height, .up = up, .run = options}));
  });
}

/// The contacts of each place: offsets, and numbers of contacts.
py::tuple clusters_of(const PyReport& report, Threads threads) {
  require_valid_report(report);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint32_t> numbers;
  Call call;
  call.run([&] {
    const std::vector<report::Part> parts = parts_of(report, false);
    const report::Contacts contacts{parts, report.report.contacts};
    const report::Outlines outlines = report::outlines(contacts, {.threads = threads, .cancel = call.cancel()});
    report::Clusters found = report::clusters(contacts, outlines);
    for (const report::Cluster& cluster : found.list)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(cluster.count));
    numbers = std::move(found.contacts);
  });
  return py::make_tuple(array_of(std::move(offsets)), array_of(std::move(numbers)));
}

}  // namespace

void bind_seeing(py::module_& module) {
  module.def("write_html", &write_html, py::arg("report"), py::arg("path"), py::arg("title"), py::arg("up") = 2,
             py::arg("pairs") = py::none(), py::arg("clearance") = 0.0);
  module.def("write_png", &write_png, py::arg("report"), py::arg("path"), py::arg("width") = 1600,
             py::arg("height") = 1000, py::arg("up") = 2);
  module.def("clusters", &clusters_of, py::arg("report"), py::arg("threads") = 0);
  module.def("has_viewer", [] { return viewer::shell() != nullptr; });
}

}  // namespace sightline::python
