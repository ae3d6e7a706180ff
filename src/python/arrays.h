// Arrays of other libraries in their own memory, and arrays of ours for them.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::python {

namespace py = pybind11;

/// Text of a file or of a message. Bytes that are not UTF-8 become U+FFFD.
inline py::str text_of_bytes(std::string_view bytes) {
  PyObject* const text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

/// Keeps memory in place. The GIL need not be held where one is released.
using Owner = std::shared_ptr<const void>;
/// An owner that holds a Python object.
Owner owner_of(py::object object);

/// A two-dimensional array in the memory of the library that made it.
struct ForeignArray {
  const std::byte* data = nullptr;
  char kind = 'f';       ///< 'f' float, 'i' signed, 'u' unsigned
  std::size_t item = 0;  ///< bytes of an element
  bool swapped = false;  ///< the bytes of an element are in the other order
  std::size_t dimensions = 2;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 0;  ///< in bytes
  Owner owner;

  /// Rows of `columns` elements follow each other without gaps, aligned and in the byte order of this machine.
  bool is_plain() const;
  const std::byte* at(std::size_t row, std::size_t column) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride;
  }
  std::string type_name() const;  ///< "float64", "int32", …
};

/// The array of an object with the buffer protocol, __array_interface__, __dlpack__ (memory of the CPU) or __array__.
/// False if it has none of these. Throws a Python exception that begins with `name` for other types of elements, for
/// more than two dimensions and for memory of a GPU.
bool foreign_array(py::handle object, const std::string& name, ForeignArray& array);
/// True if the memory of the object is on a GPU (__cuda_array_interface__, or DLPack's device).
bool is_on_gpu(py::handle object);

/// Positions and the memory that they are in: that of the caller for plain float32 and float64, a copy otherwise.
struct Points {
  Positions positions;
  Owner owner;
  bool copied = false;
};
/// `object` has the shape (n, 3). float16 becomes float32; integers become float64 (a value that is no float64 is an
/// error); nested sequences of numbers become float64.
Points points_of(py::handle object, const std::string& name);

/// Triangles and the memory that they are in: that of the caller for plain uint32 and int32, a copy otherwise. A
/// negative int32 becomes a number above 2^31, which is out of range for the core as well.
struct Triangles {
  std::span<const Triangle> triangles;
  Owner owner;
  bool copied = false;
  bool is_signed = false;  ///< the memory holds int32
};
Triangles triangles_of(py::handle object, const std::string& name, std::size_t vertices);

/// Numbers of any shape (rows, columns) as doubles: matrices, points, triangles.
std::vector<double> numbers_of(py::handle object, const std::string& name, std::size_t columns, std::size_t& rows);
/// A transform from a matrix of 4 × 4 or 3 × 4 numbers; the identity for None.
Transform transform_of(py::handle object);

/// An array for other libraries, by the buffer protocol.
struct Array {
  const void* data = nullptr;
  std::string format;  ///< of one element, as in Python's module struct
  std::size_t item = 0;
  std::vector<py::ssize_t> shape;
  bool writable = true;
  Owner owner;
};
template <typename Scalar>
struct ElementsOf {
  using Element = Scalar;
  static constexpr std::size_t kCount = 1;
};
template <typename Scalar, std::size_t n>
struct ElementsOf<std::array<Scalar, n>> {
  using Element = Scalar;
  static constexpr std::size_t kCount = n;
};
template <typename Element>
Array array_of(const void* data, std::vector<py::ssize_t> shape, Owner owner, bool writable) {
  return {
      data, py::format_descriptor<Element>::format(), sizeof(Element), std::move(shape), writable, std::move(owner)};
}
/// A vector becomes an array of one row for each item, without a copy.
template <typename Item>
Array array_of(std::vector<Item> items) {
  using Elements = ElementsOf<Item>;
  auto owner = std::make_shared<std::vector<Item>>(std::move(items));
  std::vector<py::ssize_t> shape = {static_cast<py::ssize_t>(owner->size())};
  if (Elements::kCount > 1) shape.push_back(Elements::kCount);
  const void* const data = owner->data();
  return array_of<typename Elements::Element>(data, std::move(shape), std::move(owner), true);
}

void bind_arrays(py::module_& module);

}  // namespace sightline::python
