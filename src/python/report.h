// The answer of a query in the module, and the options of a query.
#pragma once

#include "python/mesh.h"
#include "sightline/assembly.h"

namespace sightline::python {

/// The meshes of a query by their object numbers; null for an object that was removed.
using Meshes = std::shared_ptr<const std::vector<std::shared_ptr<PyMesh>>>;

struct PyReport {
  Report report;
  Meshes meshes;
};

/// A missing device; DeviceError in Python.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
using DeviceName = Argument<std::string, "device">;
/// "cpu", "cuda", "cuda:1" or "best".
Device device_of(const std::string& name);

inline py::tuple pair_of(const Interval& interval) { return py::make_tuple(interval.low, interval.high); }
inline py::tuple triple_of(const Vec3d& p) { return py::make_tuple(p[0], p[1], p[2]); }

/// `max_contacts` is None or a number.
Options options_of(Call& call, unsigned threads, bool first, py::handle max_contacts);

/// Throws ValueError if the report has no mesh for the object.
const PyMesh& mesh_at(const PyReport& report, std::uint32_t object);

py::dict dict_of(const Stats& stats);
py::dict dict_of(const Extent& extent);
std::vector<const PyMesh*> pointers(const std::vector<std::shared_ptr<PyMesh>>& meshes);
std::vector<MeshView> views(const std::vector<std::shared_ptr<PyMesh>>& meshes);
/// The shared pointers of a Python sequence of meshes.
std::vector<std::shared_ptr<PyMesh>> meshes_of(const py::sequence& sequence);

void bind_report(py::module_& module);
void bind_query(py::module_& module);
void bind_parts(py::module_& module);
void bind_measures(py::module_& module);
void bind_files(py::module_& module);
void bind_seeing(py::module_& module);
void bind_gpu(py::module_& module);

}  // namespace sightline::python
