#include "python/mesh.h"

#include <cmath>

namespace sightline::python {
namespace {

using MeshName = Argument<std::string, "name">;

std::string text(double x) { return py::repr(py::float_(x)).cast<std::string>(); }

/// "plate: ", or nothing for a mesh without a name.
std::string prefix(const std::string& name) { return name.empty() ? "" : name + ": "; }

std::string row_of(const std::string& what, std::size_t row, const std::string& x, const std::string& y,
                   const std::string& z) {
  return what + ": row " + std::to_string(row) + " is [" + x + ", " + y + ", " + z + "]";
}

std::string index_text(std::uint32_t index, bool is_signed) {
  return is_signed ? std::to_string(static_cast<std::int32_t>(index)) : std::to_string(index);
}

Array vertices_of(const PyMesh& mesh) {
  const Positions& positions = mesh.points.positions;
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(positions.size()), 3};
  if (positions.is_double()) return array_of<double>(positions.f64().data(), shape, mesh.points.owner, false);
  return array_of<float>(positions.f32().data(), shape, mesh.points.owner, false);
}

Array triangles_array(const PyMesh& mesh) {
  const std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(mesh.triangles.triangles.size()), 3};
  return array_of<std::uint32_t>(mesh.triangles.triangles.data(), shape, mesh.triangles.owner, false);
}

std::vector<std::array<double, 4>> matrix_of(const Transform& transform) {
  std::vector<std::array<double, 4>> rows(transform.rows.begin(), transform.rows.end());
  rows.push_back({0, 0, 0, 1});
  return rows;
}

/// The positions of the mesh in its place.
Array placed_vertices(const PyMesh& mesh) {
  require_valid(mesh);
  const MeshView view = mesh.view();
  if (!view.is_placed()) return vertices_of(mesh);
  if (view.positions.is_double()) {
    std::vector<Vec3d> placed(view.positions.size());
    for (std::size_t i = 0; i < placed.size(); ++i) placed[i] = view.position(i);
    return array_of(std::move(placed));
  }
  std::vector<Vec3f> placed(view.positions.size());
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const Vec3d p = view.position(i);
    placed[i] = {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
  }
  return array_of(std::move(placed));
}

Array face_numbers(const PyMesh& mesh) {
  if (mesh.faces != nullptr)
    return array_of<std::uint32_t>(mesh.faces->data(), {static_cast<py::ssize_t>(mesh.faces->size())}, mesh.faces,
                                   false);
  std::vector<std::uint32_t> numbers(mesh.triangles.triangles.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return array_of(std::move(numbers));
}

}  // namespace

PyMesh mesh_of(py::handle vertices, py::handle faces, const std::string& name, py::handle transform) {
  PyMesh mesh;
  mesh.points = points_of(vertices, prefix(name) + "vertices");
  mesh.triangles = triangles_of(faces, prefix(name) + "faces", mesh.points.positions.size());
  mesh.transform = transform_of(transform);
  mesh.name = name;
  return mesh;
}

PyMesh mesh_of(std::shared_ptr<const Mesh> mesh, std::string name, const Transform& transform) {
  const MeshView view = mesh->view();
  PyMesh result{{view.positions, mesh, true}, {view.triangles, mesh, true, false}, transform, std::move(name), nullptr};
  if (!mesh->faces.empty()) result.faces = {mesh, &mesh->faces};
  return result;
}

void explain(const PyMesh& mesh) {
  const Positions& positions = mesh.points.positions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3d p = positions.stored(i);
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      throw py::value_error(row_of(prefix(mesh.name) + "vertices", i, text(p[0]), text(p[1]), text(p[2])) +
                            ", which is not finite");
  }
  const bool is_signed = mesh.triangles.is_signed;
  for (std::size_t i = 0; i < mesh.triangles.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles.triangles[i];
    for (const std::uint32_t index : t) {
      if (index < positions.size()) continue;
      const std::string value = index_text(index, is_signed);
      throw py::value_error(row_of(prefix(mesh.name) + "faces", i, index_text(t[0], is_signed),
                                   index_text(t[1], is_signed), index_text(t[2], is_signed)) +
                            (value[0] == '-' ? ": the index " + value + " is negative"
                                             : ": the index " + value + " is out of range: there are " +
                                                   std::to_string(positions.size()) + " vertices"));
    }
  }
}

void require_valid(const PyMesh& mesh, unsigned threads) {
  const PyMesh* const one = &mesh;
  explained({&one, 1}, [&] { validate(mesh.view(), mesh.name.empty() ? "mesh" : mesh.name, threads); });
}

void bind_mesh(py::module_& module) {
  py::class_<PyMesh, std::shared_ptr<PyMesh>>(module, "Mesh")
      .def(py::init([](py::handle vertices, py::handle faces, MeshName name, py::handle transform) {
             return std::make_shared<PyMesh>(mesh_of(vertices, faces, name, transform));
           }),
           py::arg("vertices"), py::arg("faces"), py::arg("name") = "", py::arg("transform") = py::none())
      .def_property_readonly("name", [](const PyMesh& mesh) { return text_of_bytes(mesh.name); })
      .def_property_readonly("vertices", &vertices_of)
      .def_property_readonly("faces", &triangles_array)
      .def_property_readonly("placed_vertices", &placed_vertices)
      .def_property_readonly("face_numbers", &face_numbers)
      .def_property_readonly("matrix", [](const PyMesh& mesh) { return array_of(matrix_of(mesh.transform)); })
      .def_property_readonly("is_placed", [](const PyMesh& mesh) { return mesh.view().is_placed(); })
      .def_property_readonly(
          "copied", [](const PyMesh& mesh) { return py::make_tuple(mesh.points.copied, mesh.triangles.copied); })
      .def("counts",
           [](const PyMesh& mesh) {
             return py::make_tuple(mesh.points.positions.size(), mesh.triangles.triangles.size());
           })
      .def("validate", &require_valid, py::arg("threads") = 1)
      .def(
          "renamed",
          [](const PyMesh& mesh, MeshName name) {
            auto copy = std::make_shared<PyMesh>(mesh);
            copy->name = name.value;
            return copy;
          },
          py::arg("name"))
      .def(
          "placed",
          [](const PyMesh& mesh, py::handle transform) {
            auto copy = std::make_shared<PyMesh>(mesh);
            copy->transform = transform_of(transform);
            return copy;
          },
          py::arg("transform"));
}

}  // namespace sightline::python
