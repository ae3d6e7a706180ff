// The class Mesh of the module: a view of arrays that belong to the caller or to a file that was read.
#pragma once

#include <optional>

#include "python/arrays.h"
#include "python/call.h"

namespace sightline::python {

struct PyMesh {
  Points points;
  Triangles triangles;
  Transform transform;
  std::string name;
  std::shared_ptr<const std::vector<std::uint32_t>> faces;  ///< null: triangle i is face i of the file

  MeshView view() const { return {points.positions, triangles.triangles, transform}; }
};

PyMesh mesh_of(py::handle vertices, py::handle faces, const std::string& name, py::handle transform = py::none());
/// A mesh that a file had, in the place that `transform` gives it.
PyMesh mesh_of(std::shared_ptr<const Mesh> mesh, std::string name, const Transform& transform);

/// Throws ValueError that names the first row that is not finite or out of range, and its value.
void explain(const PyMesh& mesh);
/// Validates the mesh; a bad one is explained.
void require_valid(const PyMesh& mesh, unsigned threads = 1);

/// Calls function(); an Error about bad rows of one of the meshes becomes a ValueError that explains them.
template <typename Function>
void explained(std::span<const PyMesh* const> meshes, const Function& function) {
  try {
    function();
  } catch (const Error&) {
    for (const PyMesh* const mesh : meshes) explain(*mesh);
    throw;
  }
}

void bind_mesh(py::module_& module);

}  // namespace sightline::python
