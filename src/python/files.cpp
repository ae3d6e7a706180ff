// Reading and writing files.
#include <map>

#include "python/report.h"
#include "sightline/io.h"

namespace sightline::python {
namespace {

std::shared_ptr<PyMesh> read_whole(const std::string& path, Threads threads) {
  std::shared_ptr<const Mesh> mesh;
  Call call;
  call.run([&] {
    mesh = std::make_shared<const Mesh>(read_mesh(path, ReadOptions{.threads = threads, .cancel = call.cancel()}));
  });
  return std::make_shared<PyMesh>(mesh_of(mesh, mesh->name, {}));
}

py::list read_parts(const std::string& path, Threads threads) {
  std::vector<std::shared_ptr<const Mesh>> meshes;
  Assembly assembly;
  Call call;
  call.run([&] {
    assembly = read_assembly(path, ReadOptions{.threads = threads, .cancel = call.cancel()});
    for (Mesh& mesh : assembly.meshes) meshes.push_back(std::make_shared<const Mesh>(std::move(mesh)));
  });
  py::list parts;
  for (Assembly::Part& part : assembly.parts)
    parts.append(std::make_shared<PyMesh>(mesh_of(meshes[part.mesh], std::move(part.name), part.transform)));
  return parts;
}

Mesh owned(const PyMesh& mesh) {
  const MeshView view = mesh.view();
  Mesh copy;
  copy.name = mesh.name;
  if (view.positions.is_double())
    copy.positions = std::vector<Vec3d>(view.positions.f64().begin(), view.positions.f64().end());
  else
    copy.positions = std::vector<Vec3f>(view.positions.f32().begin(), view.positions.f32().end());
  copy.triangles.assign(view.triangles.begin(), view.triangles.end());
  return copy;
}

void write_parts(const std::string& path, const py::sequence& sequence) {
  const std::vector<std::shared_ptr<PyMesh>> meshes = meshes_of(sequence);
  for (const auto& mesh : meshes) require_valid(*mesh);
  const py::gil_scoped_release released;
  if (meshes.size() == 1 && meshes[0]->name.empty()) return write_mesh(path, meshes[0]->view());
  Assembly assembly;
  std::map<std::pair<const void*, const void*>, std::uint32_t> numbers;  // parts that share arrays share a mesh
  for (const auto& mesh : meshes) {
    const auto key = std::pair<const void*, const void*>(mesh->points.owner.get(), mesh->triangles.owner.get());
    const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(assembly.meshes.size()));
    if (is_new) assembly.meshes.push_back(owned(*mesh));
    assembly.parts.push_back({mesh->name, at->second, mesh->transform});
  }
  write_assembly(path, assembly);
}

}  // namespace

void bind_files(py::module_& module) {
  module.def("read", &read_whole, py::arg("path"), py::arg("threads") = 0);
  module.def("read_parts", &read_parts, py::arg("path"), py::arg("threads") = 0);
  module.def("write", &write_parts, py::arg("path"), py::arg("parts"));
}

}  // namespace sightline::python
