#include "python/report.h"

#include <cstring>
#include <set>

#include "write/output.h"

namespace sightline::python {
namespace {

template <typename Item, typename Of>
Array each_contact(const PyReport& report, const Of& of) {
  std::vector<Item> items;
  items.reserve(report.report.contacts.size());
  for (const Contact& contact : report.report.contacts) items.push_back(of(contact));
  return array_of(std::move(items));
}

/// Offsets of the points of each contact, and all points.
py::tuple points_of_contacts(const PyReport& report, Threads threads) {
  const std::vector<Contact>& contacts = report.report.contacts;
  std::vector<std::int64_t> offsets(contacts.size() + 1, 0);
  std::vector<Intersection> all(contacts.size());
  // The arrays may have changed since the query.
  std::set<const PyMesh*> used;
  for (const Contact& contact : contacts)
    for (const std::uint32_t object : {contact.object_a, contact.object_b})
      if (used.insert(&mesh_at(report, object)).second) require_valid(mesh_at(report, object), threads);
  std::vector<Vec3d> points;
  Call call;
  call.run([&] {
    write::for_blocks(contacts.size(), {.threads = threads, .cancel = call.cancel()},
                      [&](std::size_t i, std::size_t end) {
                        for (; i < end; ++i)
                          all[i] = intersection(mesh_at(report, contacts[i].object_a).view(),
                                                mesh_at(report, contacts[i].object_b).view(), contacts[i]);
                      });
    for (std::size_t i = 0; i < contacts.size(); ++i) offsets[i + 1] = offsets[i] + all[i].size;
    points.reserve(static_cast<std::size_t>(offsets.back()));
    for (const Intersection& one : all) points.insert(points.end(), one.points().begin(), one.points().end());
  });
  return py::make_tuple(array_of(std::move(offsets)), array_of(std::move(points)));
}

/// Object a, object b, a, b and kind of each contact, as 17 bytes in the byte order of this machine.
constexpr std::size_t kStored = 4 * sizeof(std::uint32_t) + 1;

py::bytes stored(const PyReport& report) {
  std::string bytes;
  bytes.reserve(kStored * report.report.contacts.size());
  for (const Contact& c : report.report.contacts) {
    for (const std::uint32_t number : {c.object_a, c.object_b, c.a, c.b})
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    bytes.push_back(static_cast<char>(c.kind));
  }
  return bytes;
}

PyReport restored(const py::bytes& contacts, std::uint64_t found, bool complete, const py::sequence& meshes) {
  const auto bytes = static_cast<std::string_view>(contacts);
  if (bytes.size() % kStored != 0) throw py::value_error("report: the stored contacts are cut off");
  PyReport result;
  for (std::size_t at = 0; at < bytes.size(); at += kStored) {
    std::array<std::uint32_t, 4> numbers;
    std::memcpy(numbers.data(), bytes.data() + at, sizeof numbers);
    const auto kind = static_cast<std::uint8_t>(bytes[at + sizeof numbers]);
    if (kind >= kKindCount) throw py::value_error("report: a stored contact has the kind " + std::to_string(kind));
    result.report.contacts.push_back({numbers[0], numbers[1], numbers[2], numbers[3], static_cast<Kind>(kind)});
  }
  result.report.found = found;
  result.report.complete = complete;
  result.meshes = std::make_shared<const std::vector<std::shared_ptr<PyMesh>>>(meshes_of(meshes));
  return result;
}

}  // namespace

const PyMesh& mesh_at(const PyReport& report, std::uint32_t object) {
  if (report.meshes == nullptr || object >= report.meshes->size() || (*report.meshes)[object] == nullptr)
    throw py::value_error("report: object " + std::to_string(object) + " has no mesh in this report");
  return *(*report.meshes)[object];
}

py::dict dict_of(const Stats& stats) {
  py::list stages;
  for (const Stage& stage : stats.stages) {
    py::dict one;
    one["name"] = stage.name;
    one["milliseconds"] = stage.milliseconds;
    one["count"] = stage.count;
    one["unit"] = stage.unit;
    stages.append(one);
  }
  py::dict all;
  all["milliseconds"] = stats.milliseconds;
  all["triangles"] = stats.triangles;
  all["candidates"] = stats.candidates;
  all["decided_filtered"] = stats.decided_filtered;
  all["decided_exact"] = stats.decided_exact;
  all["peak_bytes"] = stats.peak_bytes;
  all["simd"] = stats.simd;
  all["threads"] = stats.threads;
  all["device"] = stats.device;
  all["stages"] = stages;
  return all;
}

std::vector<const PyMesh*> pointers(const std::vector<std::shared_ptr<PyMesh>>& meshes) {
  std::vector<const PyMesh*> all;
  for (const auto& mesh : meshes)
    if (mesh != nullptr) all.push_back(mesh.get());
  return all;
}

std::vector<MeshView> views(const std::vector<std::shared_ptr<PyMesh>>& meshes) {
  std::vector<MeshView> all;
  for (const auto& mesh : meshes) all.push_back(mesh->view());
  return all;
}

std::vector<std::shared_ptr<PyMesh>> meshes_of(const py::sequence& sequence) {
  std::vector<std::shared_ptr<PyMesh>> all;
  for (const py::handle mesh : sequence) all.push_back(mesh.is_none() ? nullptr : mesh.cast<std::shared_ptr<PyMesh>>());
  return all;
}

void bind_report(py::module_& module) {
  py::class_<PyReport>(module, "Report")
      .def_static("restored", &restored, py::arg("contacts"), py::arg("found"), py::arg("complete"), py::arg("meshes"))
      .def("stored", &stored)
      .def("__len__", [](const PyReport& report) { return report.report.contacts.size(); })
      .def_property_readonly("found", [](const PyReport& report) { return report.report.found; })
      .def_property_readonly("complete", [](const PyReport& report) { return report.report.complete; })
      .def_property_readonly("milliseconds", [](const PyReport& report) { return report.report.stats.milliseconds; })
      .def("stats", [](const PyReport& report) { return dict_of(report.report.stats); })
      .def("meshes",
           [](const PyReport& report) {
             py::list all;
             if (report.meshes != nullptr)
               for (const auto& mesh : *report.meshes) all.append(mesh);
             return all;
           })
      .def("counts",
           [](const PyReport& report) {
             std::array<std::uint64_t, kKindCount> counts{};
             for (const Contact& contact : report.report.contacts) ++counts[static_cast<std::size_t>(contact.kind)];
             return py::make_tuple(counts[0], counts[1], counts[2], counts[3]);
           })
      .def(
          "contact",
          [](const PyReport& report, std::size_t i) {
            if (i >= report.report.contacts.size()) throw py::index_error("contact " + std::to_string(i));
            const Contact& c = report.report.contacts[i];
            return py::make_tuple(c.object_a, c.object_b, c.a, c.b, static_cast<int>(c.kind));
          },
          py::arg("i"))
      .def("pairs",
           [](const PyReport& report) {
             return each_contact<std::array<std::uint32_t, 2>>(report, [](const Contact& c) {
               return std::array{c.a, c.b};
             });
           })
      .def("objects",
           [](const PyReport& report) {
             return each_contact<std::array<std::uint32_t, 2>>(report, [](const Contact& c) {
               return std::array{c.object_a, c.object_b};
             });
           })
      .def("kinds",
           [](const PyReport& report) {
             return each_contact<std::uint8_t>(report,
                                               [](const Contact& c) { return static_cast<std::uint8_t>(c.kind); });
           })
      .def("points", &points_of_contacts, py::arg("threads") = 0);
}

}  // namespace sightline::python
