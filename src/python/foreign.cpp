// Arrays of other libraries: four protocols, one description.
#include <bit>
#include <cstdint>

#include "python/arrays.h"
#include "python/dlpack.h"

namespace sightline::python {
namespace {

[[noreturn]] void wrong_type(const std::string& name, const std::string& type) {
  throw py::type_error(name + ": the elements are " + type + ", not float32, float64 or integers");
}

char kind_of_letter(char letter) {
  if (std::string_view("efd").find(letter) != std::string_view::npos) return 'f';
  if (std::string_view("bhilqn").find(letter) != std::string_view::npos) return 'i';
  if (std::string_view("BHILQN").find(letter) != std::string_view::npos) return 'u';
  return 0;
}

bool is_other_order(char order) {
  const char other = std::endian::native == std::endian::little ? '>' : '<';
  return order == other || (order == '!' && other == '>');
}

void set_shape(ForeignArray& array, const std::string& name, int dimensions, const auto* shape, const auto* strides,
               std::ptrdiff_t scale) {
  if (dimensions > 2 || dimensions < 1)
    throw py::value_error(name + ": the array has " + std::to_string(dimensions) + " dimensions");
  array.dimensions = static_cast<std::size_t>(dimensions);
  array.rows = static_cast<std::size_t>(shape[0]);
  array.columns = dimensions == 2 ? static_cast<std::size_t>(shape[1]) : 1;
  const auto item = static_cast<std::ptrdiff_t>(array.item);
  array.column_stride = dimensions == 2 && strides != nullptr ? static_cast<std::ptrdiff_t>(strides[1]) * scale : item;
  array.row_stride = strides != nullptr ? static_cast<std::ptrdiff_t>(strides[0]) * scale
                                        : static_cast<std::ptrdiff_t>(array.columns) * item;
}

/// Releases a Py_buffer with the GIL.
struct BufferRelease {
  void operator()(Py_buffer* buffer) const {
    const py::gil_scoped_acquire gil;
    PyBuffer_Release(buffer);
    delete buffer;
  }
};

bool by_buffer(py::handle object, const std::string& name, ForeignArray& array) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return false;
  auto buffer = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), buffer.get(), PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();  // NumPy refuses types that have no letter, such as datetime64
    return false;
  }
  const std::shared_ptr<Py_buffer> owner(buffer.release(), BufferRelease{});
  std::string_view format = owner->format != nullptr ? owner->format : "B";
  if (!format.empty() && std::string_view("@=<>!^").find(format[0]) != std::string_view::npos) {
    array.swapped = is_other_order(format[0]);
    format.remove_prefix(1);
  }
  array.kind = format.size() == 1 ? kind_of_letter(format[0]) : 0;
  array.item = static_cast<std::size_t>(owner->itemsize);
  if (array.kind == 0 || array.item > 8) wrong_type(name, "of the type '" + std::string(owner->format) + "'");
  set_shape(array, name, owner->ndim, owner->shape, owner->strides, 1);
  array.data = static_cast<const std::byte*>(owner->buf);
  array.owner = owner;
  return true;
}

bool by_interface(py::handle object, const std::string& name, ForeignArray& array) {
  const py::object found = py::getattr(object, "__array_interface__", py::none());
  if (!py::isinstance<py::dict>(found)) return false;
  const auto facts = py::reinterpret_borrow<py::dict>(found);
  const auto type = facts["typestr"].cast<std::string>();
  if (type.size() < 3 || std::string_view("fiu").find(type[1]) == std::string_view::npos) wrong_type(name, type);
  array.kind = type[1];
  array.item = static_cast<std::size_t>(std::stoul(type.substr(2)));
  array.swapped = is_other_order(type[0]);
  if (array.item > 8) wrong_type(name, type);
  const auto sizes = [](const py::handle tuple) {
    std::vector<std::ptrdiff_t> all;
    for (const py::handle size : tuple) all.push_back(size.cast<std::ptrdiff_t>());
    return all;
  };
  const std::vector<std::ptrdiff_t> shape = sizes(facts["shape"]);
  std::vector<std::ptrdiff_t> strides;
  if (facts.contains("strides") && !facts["strides"].is_none()) strides = sizes(facts["strides"]);
  set_shape(array, name, static_cast<int>(shape.size()), shape.data(), strides.empty() ? nullptr : strides.data(), 1);
  if (!facts.contains("data") || !py::isinstance<py::tuple>(facts["data"])) return false;
  const auto address = py::reinterpret_borrow<py::tuple>(facts["data"])[0].cast<std::uintptr_t>();
  array.data = reinterpret_cast<const std::byte*>(address);
  array.owner = owner_of(py::reinterpret_borrow<py::object>(object));
  return true;
}

int dlpack_device(py::handle object) {
  if (!py::hasattr(object, "__dlpack_device__")) return 0;
  return object.attr("__dlpack_device__")().cast<py::tuple>()[0].cast<int>();
}

bool by_dlpack(py::handle object, const std::string& name, ForeignArray& array) {
  if (!py::hasattr(object, "__dlpack__")) return false;
  const int device = dlpack_device(object);
  if (device != dlpack::kCpu && device != dlpack::kCudaHost)
    throw py::value_error(name + ": the array is on a device of DLPack's type " + std::to_string(device) +
                          ", not in the memory of the CPU");
  const std::shared_ptr<dlpack::Managed> managed = dlpack::tensor_of(object);
  array.owner = managed;
  const dlpack::Tensor& tensor = managed->tensor;
  array.kind = tensor.type.code == dlpack::kFloat ? 'f' : tensor.type.code == dlpack::kInt ? 'i' : 'u';
  array.item = tensor.type.bits / 8u;
  if (tensor.type.code > dlpack::kFloat || tensor.type.lanes != 1 || array.item > 8 || array.item == 0)
    wrong_type(name, "of DLPack's type " + std::to_string(tensor.type.code));
  set_shape(array, name, tensor.dimensions, tensor.shape, tensor.strides, static_cast<std::ptrdiff_t>(array.item));
  array.data = static_cast<const std::byte*>(tensor.data) + tensor.offset;
  return true;
}

}  // namespace

Owner owner_of(py::object object) {
  return {new py::object(std::move(object)), [](const py::object* held) {
            const py::gil_scoped_acquire gil;
            delete held;
          }};
}

bool ForeignArray::is_plain() const {
  const auto size = static_cast<std::ptrdiff_t>(item);
  return !swapped && reinterpret_cast<std::uintptr_t>(data) % item == 0 &&
         (rows == 0 || (column_stride == size && row_stride == static_cast<std::ptrdiff_t>(columns) * size));
}

std::string ForeignArray::type_name() const {
  return (kind == 'f' ? "float" : kind == 'i' ? "int" : "uint") + std::to_string(8 * item);
}

bool is_on_gpu(py::handle object) {
  if (py::hasattr(object, "__cuda_array_interface__")) return true;
  if (PyObject_CheckBuffer(object.ptr()) != 0) return false;
  const int device = dlpack_device(object);
  return device == dlpack::kCuda || device == dlpack::kCudaManaged;
}

bool foreign_array(py::handle object, const std::string& name, ForeignArray& array) {
  if (by_buffer(object, name, array)) return true;
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return false;
  if (is_on_gpu(object))
    throw py::value_error(name +
                          ": the array is in the memory of a GPU, and this function takes memory of the CPU "
                          "(self_intersections_gpu takes it)");
  if (by_interface(object, name, array) || by_dlpack(object, name, array)) return true;
  if (!py::hasattr(object, "__array__")) return false;
  return by_buffer(object.attr("__array__")(), name, array);
}

}  // namespace sightline::python
