// Arrays in the memory of a GPU: they go through cuda::Query, and the contacts stay there.
#include <cstddef>

#include "python/dlpack.h"
#include "python/report.h"
#include "sightline/cuda.h"

namespace sightline::python {
namespace {

/// An array on a GPU, from __cuda_array_interface__ or DLPack.
struct GpuArray {
  const void* data = nullptr;
  std::string type;  ///< "f4", "f8", "u4", "i4"
  std::size_t rows = 0;
  std::uintptr_t stream = 0;
  Owner owner;
};

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw py::value_error(name + ": " + why); }

GpuArray by_interface(py::handle object, const std::string& name) {
  const auto facts = object.attr("__cuda_array_interface__").cast<py::dict>();
  GpuArray array;
  array.type = facts["typestr"].cast<std::string>().substr(1);
  const auto shape = facts["shape"].cast<py::tuple>();
  if (shape.size() != 2 || shape[1].cast<std::size_t>() != 3) refuse(name, "the shape is not (n, 3)");
  array.rows = shape[0].cast<std::size_t>();
  if (facts.contains("strides") && !facts["strides"].is_none()) {
    const auto strides = facts["strides"].cast<py::tuple>();
    const std::size_t item = static_cast<std::size_t>(array.type[1] - '0');
    if (strides[0].cast<std::size_t>() != 3 * item || strides[1].cast<std::size_t>() != item)
      refuse(name, "the array on the GPU is not C-contiguous");
  }
  array.data = reinterpret_cast<const void*>(facts["data"].cast<py::tuple>()[0].cast<std::uintptr_t>());
  if (facts.contains("stream") && !facts["stream"].is_none()) array.stream = facts["stream"].cast<std::uintptr_t>();
  array.owner = owner_of(py::reinterpret_borrow<py::object>(object));
  return array;
}

/// The array's library orders its own work before the given stream; 1 is the default stream in DLPack.
GpuArray by_dlpack(py::handle object, const std::string& name, std::uintptr_t stream) {
  py::dict arguments;
  arguments["stream"] = stream == 0 ? 1 : stream;
  const std::shared_ptr<dlpack::Managed> managed = dlpack::tensor_of(object, arguments);
  GpuArray array;
  array.owner = managed;
  const dlpack::Tensor& tensor = managed->tensor;
  if (tensor.dimensions != 2 || tensor.shape[1] != 3) refuse(name, "the shape is not (n, 3)");
  if (tensor.strides != nullptr && (tensor.strides[0] != 3 || tensor.strides[1] != 1))
    refuse(name, "the array on the GPU is not C-contiguous");
  array.rows = static_cast<std::size_t>(tensor.shape[0]);
  array.type = (tensor.type.code == dlpack::kFloat ? "f"
                : tensor.type.code == dlpack::kInt ? "i"
                                                   : "u") +
               std::to_string(tensor.type.bits / 8);
  array.data = static_cast<const std::byte*>(tensor.data) + tensor.offset;
  return array;
}

GpuArray gpu_array(py::handle object, const std::string& name, std::uintptr_t stream) {
  if (!is_on_gpu(object)) refuse(name, "the array is not in the memory of a GPU, but the other one is");
  return py::hasattr(object, "__cuda_array_interface__") ? by_interface(object, name) : by_dlpack(object, name, stream);
}

/// A query and the list that it owns.
struct GpuReport {
  explicit GpuReport(int gpu) : number(gpu), query(gpu) {}

  int number;
  cuda::Query query;
  cuda::DeviceContacts found;
};

/// "int64" for "i8".
std::string full_name(const std::string& type) {
  return (type[0] == 'f'   ? "float"
          : type[0] == 'i' ? "int"
          : type[0] == 'u' ? "uint"
                           : type.substr(0, 1)) +
         std::to_string(8 * std::stoi(type.substr(1)));
}

std::shared_ptr<GpuReport> query_gpu(py::handle vertices, py::handle faces, Argument<std::uintptr_t, "stream"> of,
                                     bool validate) {
  std::uintptr_t stream = of;
  const GpuArray points = gpu_array(vertices, "vertices", stream), triangles = gpu_array(faces, "faces", stream);
  cuda::Triangles input;
  if (points.type == "f4")
    input.f32 = static_cast<const float*>(points.data);
  else if (points.type == "f8")
    input.f64 = static_cast<const double*>(points.data);
  else
    throw py::type_error("vertices: the elements on the GPU are " + full_name(points.type) +
                         ", not float32 or float64");
  if (triangles.type != "u4" && (triangles.type != "i4" || points.rows > 0x80000000u))
    throw py::type_error("faces: the elements on the GPU are " + full_name(triangles.type) + ", not uint32 or int32");
  if (triangles.rows > 0xFFFFFFFFu) refuse("faces", "there are more triangles than can be numbered");
  input.vertex_count = points.rows;
  input.triangles = static_cast<const std::uint32_t*>(triangles.data);
  input.triangle_count = static_cast<std::uint32_t>(triangles.rows);
  if (stream == 0) stream = points.stream;
  // The interface of CUDA arrays numbers the default stream 1, and the default stream of each thread 2.
  void* const native = reinterpret_cast<void*>(stream <= 1 ? 0 : stream);
  std::shared_ptr<GpuReport> report;
  const py::gil_scoped_release released;
  try {
    const int gpu = points.rows > 0 ? cuda::gpu_of(points.data, "it") : 0;
    report = std::make_shared<GpuReport>(gpu);
  } catch (const Error& error) {
    throw DeviceFault(std::string("vertices: the array is in the memory of a GPU, but ") + error.what());
  }
  report->found = report->query.run(input, {.stream = native, .validate = validate});
  return report;
}

/// Columns of the list on the GPU: strided views, as __cuda_array_interface__ and DLPack describe them.
struct GpuColumns {
  std::shared_ptr<GpuReport> report;
  std::size_t offset = 0, columns = 1, item = 4;  ///< bytes from the start of a contact; item: bytes of an element

  const std::byte* data() const { return reinterpret_cast<const std::byte*>(report->found.contacts) + offset; }
};

py::dict interface_of(const GpuColumns& array) {
  py::dict facts;
  const auto rows = static_cast<std::size_t>(array.report->found.count);
  facts["version"] = 3;
  facts["typestr"] = array.item == 4 ? "<u4" : "|u1";
  facts["shape"] = array.columns == 1 ? py::make_tuple(rows) : py::make_tuple(rows, array.columns);
  facts["strides"] = array.columns == 1 ? py::make_tuple(sizeof(Contact)) : py::make_tuple(sizeof(Contact), array.item);
  facts["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), false);  // PyTorch takes no others
  return facts;
}

/// A tensor with its shape and strides, for as long as its consumer has it.
struct Exported {
  dlpack::Managed managed{};
  std::int64_t shape[2]{}, strides[2]{};
  std::shared_ptr<GpuReport> report;
};

py::tuple dlpack_device_of(const GpuColumns& array) { return py::make_tuple(dlpack::kCuda, array.report->number); }

/// The list is complete when the query returns, so no stream has to wait for it.
py::capsule dlpack_of(const GpuColumns& array) {
  auto one = std::make_unique<Exported>();
  one->report = array.report;
  one->shape[0] = static_cast<std::int64_t>(array.report->found.count);
  one->shape[1] = static_cast<std::int64_t>(array.columns);
  one->strides[0] = static_cast<std::int64_t>(sizeof(Contact) / array.item);
  one->strides[1] = 1;
  one->managed.tensor = {const_cast<std::byte*>(array.data()),
                         {dlpack::kCuda, array.report->number},
                         array.columns == 1 ? 1 : 2,
                         {dlpack::kUnsigned, static_cast<std::uint8_t>(8 * array.item), 1},
                         one->shape,
                         one->strides,
                         0};
  one->managed.context = one.get();
  one->managed.deleter = [](dlpack::Managed* managed) { delete static_cast<Exported*>(managed->context); };
  // A consumer renames the capsule and calls the deleter itself.
  return py::capsule(&one.release()->managed, "dltensor", [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
    auto* const managed = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  });
}

}  // namespace

void bind_gpu(py::module_& module) {
  static_assert(sizeof(Contact) == 20 && offsetof(Contact, a) == 8 && offsetof(Contact, kind) == 16);
  module.def("is_on_gpu", &is_on_gpu, py::arg("array"));
  module.def("query_gpu", &query_gpu, py::arg("vertices"), py::arg("faces"), py::arg("stream") = 0,
             py::arg("validate") = true);
  py::class_<GpuReport, std::shared_ptr<GpuReport>>(module, "GpuReport")
      .def("__len__", [](const GpuReport& report) { return report.found.count; })
      .def("stats", [](const GpuReport& report) { return dict_of(report.found.stats); })
      .def("pairs",
           [](std::shared_ptr<GpuReport> report) {
             return GpuColumns{std::move(report), 8, 2, 4};
           })
      .def("kinds", [](std::shared_ptr<GpuReport> report) {
        return GpuColumns{std::move(report), 16, 1, 1};
      });
  py::class_<GpuColumns>(module, "GpuArray")
      .def_property_readonly("__cuda_array_interface__", &interface_of)
      .def("__dlpack_device__", &dlpack_device_of)
      .def(
          "__dlpack__",
          [](const GpuColumns& array, py::handle, py::handle, const py::object& device, const py::object& copy) {
            if (!device.is_none() && !device.equal(dlpack_device_of(array)))
              throw py::buffer_error("pairs and kind stay on their GPU: dl_device is not " +
                                     py::repr(dlpack_device_of(array)).cast<std::string>());
            if (!copy.is_none() && copy.cast<bool>())
              throw py::buffer_error("pairs and kind are views; copy=True is not possible");
            return dlpack_of(array);
          },
          py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
          py::arg("dl_device") = py::none(), py::arg("copy") = py::none());
}

}  // namespace sightline::python
