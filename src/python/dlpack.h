// The structures of DLPack 0.x, as its specification defines them (https://dmlc.github.io/dlpack/latest/).
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>

namespace sightline::python::dlpack {

inline constexpr std::int32_t kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13;
inline constexpr std::uint8_t kInt = 0, kUnsigned = 1, kFloat = 2;

struct Device {
  std::int32_t type;
  std::int32_t number;
};
struct Type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  Type type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; null: row after row
  std::uint64_t offset;   ///< in bytes
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

/// The tensor of an object with __dlpack__; it is given back at the end of the last pointer. `arguments`: of
/// __dlpack__.
inline std::shared_ptr<Managed> tensor_of(pybind11::handle object, const pybind11::dict& arguments = {}) {
  const pybind11::object capsule = object.attr("__dlpack__")(**arguments);
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw pybind11::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // from here on the tensor belongs to its consumer
  return {managed, [](Managed* tensor) {
            const pybind11::gil_scoped_acquire gil;
            if (tensor->deleter != nullptr) tensor->deleter(tensor);
          }};
}

}  // namespace sightline::python::dlpack
