// Positions and triangles from arrays of any type and layout, and from nested sequences.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "python/arrays.h"

namespace sightline::python {
namespace {

template <typename Scalar>
Scalar load(const std::byte* at, bool swapped) {
  std::array<std::byte, sizeof(Scalar)> bytes;
  std::memcpy(bytes.data(), at, sizeof(Scalar));
  if (swapped) std::reverse(bytes.begin(), bytes.end());
  Scalar value;
  std::memcpy(&value, bytes.data(), sizeof(Scalar));
  return value;
}

float half_to_float(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const auto fraction = static_cast<float>(half & 1023);
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? std::nanf("") : sign * HUGE_VALF;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

/// Calls use(value) with the element in its own type; float16 comes as float.
template <typename Use>
auto with_value(const ForeignArray& array, const std::byte* at, const Use& use) {
  const bool swap = array.swapped;
  if (array.kind == 'f') {
    if (array.item == 2) return use(half_to_float(load<std::uint16_t>(at, swap)));
    return array.item == 4 ? use(load<float>(at, swap)) : use(load<double>(at, swap));
  }
  const bool is_signed = array.kind == 'i';
  switch (array.item) {
    case 1:
      return is_signed ? use(load<std::int8_t>(at, swap)) : use(load<std::uint8_t>(at, swap));
    case 2:
      return is_signed ? use(load<std::int16_t>(at, swap)) : use(load<std::uint16_t>(at, swap));
    case 4:
      return is_signed ? use(load<std::int32_t>(at, swap)) : use(load<std::uint32_t>(at, swap));
    default:
      return is_signed ? use(load<std::int64_t>(at, swap)) : use(load<std::uint64_t>(at, swap));
  }
}

std::string shape_text(const ForeignArray& array) {
  const std::string rows = std::to_string(array.rows);
  return array.dimensions == 1 ? "(" + rows + ",)" : "(" + rows + ", " + std::to_string(array.columns) + ")";
}

void require_columns(const ForeignArray& array, const std::string& name, std::size_t columns) {
  if (array.dimensions == 2 && array.columns == columns) return;
  throw py::value_error(name + ": the shape is " + shape_text(array) + ", not (n, " + std::to_string(columns) + ")");
}

std::string row_text(const std::string& name, std::size_t row) { return name + ": row " + std::to_string(row); }

std::string text_of(py::handle value) { return py::repr(value).cast<std::string>(); }

/// Rows of a sequence of sequences; calls put(row, column, item).
template <typename Put>
std::size_t each_item(py::handle object, const std::string& name, std::size_t columns, const Put& put) {
  if (!py::isinstance<py::sequence>(object) || py::isinstance<py::str>(object))
    throw py::type_error(name + ": " + text_of(py::type::handle_of(object)) +
                         " is no array: it has neither the buffer protocol, __array_interface__, __dlpack__ nor rows");
  std::size_t row = 0;
  for (const py::handle items : object) {
    if (!py::isinstance<py::sequence>(items) || py::len(items) != columns)
      throw py::value_error(row_text(name, row) + " is " + text_of(items) + ", not " + std::to_string(columns) +
                            " numbers");
    std::size_t column = 0;
    for (const py::handle item : items) put(row, column++, item);
    ++row;
  }
  return row;
}

double number_of(py::handle item, const std::string& name, std::size_t row) {
  const double value = PyFloat_AsDouble(item.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw py::value_error(row_text(name, row) + " has " + text_of(item) + ", which is no number");
  }
  return value;
}

/// Integers that float64 does not have are refused: the mesh would be another one.
struct ToDouble {
  const std::string& name;
  std::size_t row = 0;
  double operator()(float x) const { return x; }
  double operator()(double x) const { return x; }
  template <typename Integer>
  double operator()(Integer x) const {
    const auto value = static_cast<double>(x);
    const bool exact = std::fabs(value) < 9e18 ? static_cast<Integer>(value) == x : (x & 0x7FF) == 0;
    if (!exact)
      throw py::value_error(row_text(name, row) + " has " + std::to_string(x) + ", which is not a float64 number");
    return value;
  }
};

template <typename Scalar>
Points points_in_place(ForeignArray& array) {
  const auto* const first = reinterpret_cast<const std::array<Scalar, 3>*>(array.data);
  return {Positions(std::span(first, array.rows)), std::move(array.owner), false};
}

template <typename Scalar>
Points points_owned(std::vector<std::array<Scalar, 3>> points) {
  auto owner = std::make_shared<const std::vector<std::array<Scalar, 3>>>(std::move(points));
  const Positions positions(*owner);
  return {positions, std::move(owner), true};
}

template <typename Scalar>
Points points_copied(const ForeignArray& array, const std::string& name) {
  std::vector<std::array<Scalar, 3>> points(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      points[i][k] = static_cast<Scalar>(with_value(array, array.at(i, k), ToDouble{name, i}));
  return points_owned(std::move(points));
}

Triangles triangles_owned(std::vector<Triangle> triangles) {
  auto owner = std::make_shared<const std::vector<Triangle>>(std::move(triangles));
  const std::span<const Triangle> span = *owner;
  return {span, std::move(owner), true, false};
}

/// The message of a bad index. `row` and `value` are those of the caller's array.
[[noreturn]] void bad_index(const std::string& name, std::size_t row, const std::string& value, bool negative,
                            std::size_t vertices) {
  throw py::value_error(row_text(name, row) + " has the index " + value +
                        (negative ? ", which is negative"
                                  : ", which is out of range: there are " + std::to_string(vertices) + " vertices"));
}

struct ToIndex {
  const std::string& name;
  std::size_t row, vertices;
  template <typename Number>
  std::uint32_t operator()(Number x) const {
    if constexpr (std::is_floating_point_v<Number>)
      return 0;  // triangles_of refuses such arrays
    else {
      if (x < Number{0}) bad_index(name, row, std::to_string(x), true, vertices);
      if (static_cast<std::uint64_t>(x) >= vertices) bad_index(name, row, std::to_string(x), false, vertices);
      return static_cast<std::uint32_t>(x);
    }
  }
};

/// 64-bit integers, the type that most libraries have by default: rows are converted without branches, and the bad one
/// is searched for only if there is one.
std::optional<std::vector<Triangle>> narrowed(const ForeignArray& array, std::size_t vertices) {
  if (!array.is_plain() || array.item != 8) return {};
  const auto* const from = reinterpret_cast<const std::uint64_t*>(array.data);
  std::vector<Triangle> to(array.rows);
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < array.rows; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      largest = std::max(largest, from[3 * i + k]);
      to[i][k] = static_cast<std::uint32_t>(from[3 * i + k]);
    }
  if (array.rows > 0 && largest >= vertices) return {};
  return to;
}

}  // namespace

Points points_of(py::handle object, const std::string& name) {
  ForeignArray array;
  if (!foreign_array(object, name, array)) {
    std::vector<Vec3d> points;
    each_item(object, name, 3, [&](std::size_t row, std::size_t column, py::handle item) {
      if (column == 0) points.emplace_back();
      points[row][column] = number_of(item, name, row);
    });
    return points_owned(std::move(points));
  }
  require_columns(array, name, 3);
  if (array.kind == 'f' && array.is_plain() && array.item == 4) return points_in_place<float>(array);
  if (array.kind == 'f' && array.is_plain() && array.item == 8) return points_in_place<double>(array);
  if (array.kind == 'f' && array.item < 8) return points_copied<float>(array, name);
  return points_copied<double>(array, name);
}

Triangles triangles_of(py::handle object, const std::string& name, std::size_t vertices) {
  ForeignArray array;
  if (!foreign_array(object, name, array)) {
    std::vector<Triangle> triangles;
    each_item(object, name, 3, [&](std::size_t row, std::size_t column, py::handle item) {
      if (column == 0) triangles.emplace_back();
      const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(item.ptr()));
      if (!index) {
        PyErr_Clear();
        throw py::type_error(row_text(name, row) + " has " + text_of(item) + ", which is no integer");
      }
      const long long value = PyLong_AsLongLong(index.ptr());
      const bool fits = PyErr_Occurred() == nullptr;
      PyErr_Clear();
      if (!fits || value < 0 || static_cast<std::uint64_t>(value) >= vertices) {
        const std::string text = text_of(index);
        bad_index(name, row, text, text[0] == '-', vertices);
      }
      triangles[row][column] = static_cast<std::uint32_t>(value);
    });
    return triangles_owned(std::move(triangles));
  }
  require_columns(array, name, 3);
  if (array.kind == 'f') throw py::type_error(name + ": the elements are " + array.type_name() + ", not integers");
  const bool is_signed = array.kind == 'i';
  if (array.item == 4 && array.is_plain() && (!is_signed || vertices <= 0x80000000u)) {
    const auto* const first = reinterpret_cast<const Triangle*>(array.data);
    return {std::span(first, array.rows), std::move(array.owner), false, is_signed};
  }
  if (auto triangles = narrowed(array, vertices)) return triangles_owned(std::move(*triangles));
  std::vector<Triangle> triangles(array.rows);
  for (std::size_t i = 0; i < array.rows; ++i)
    for (std::size_t k = 0; k < 3; ++k) triangles[i][k] = with_value(array, array.at(i, k), ToIndex{name, i, vertices});
  return triangles_owned(std::move(triangles));
}

std::vector<double> numbers_of(py::handle object, const std::string& name, std::size_t columns, std::size_t& rows) {
  std::vector<double> numbers;
  ForeignArray array;
  if (!foreign_array(object, name, array)) {
    rows = each_item(object, name, columns, [&](std::size_t row, std::size_t, py::handle item) {
      numbers.push_back(number_of(item, name, row));
    });
    return numbers;
  }
  require_columns(array, name, columns);
  rows = array.rows;
  for (std::size_t i = 0; i < array.rows; ++i)
    for (std::size_t k = 0; k < columns; ++k) numbers.push_back(with_value(array, array.at(i, k), ToDouble{name, i}));
  return numbers;
}

Transform transform_of(py::handle object) {
  Transform transform;
  if (object.is_none()) return transform;
  std::size_t rows = 0;
  const std::vector<double> numbers = numbers_of(object, "transform", 4, rows);
  if (rows != 3 && rows != 4)
    throw py::value_error("transform: the shape is (" + std::to_string(rows) + ", 4), not (3, 4) or (4, 4)");
  if (rows == 4 && (numbers[12] != 0 || numbers[13] != 0 || numbers[14] != 0 || numbers[15] != 1))
    throw py::value_error("transform: the last row is not (0, 0, 0, 1); only affine maps are possible");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      transform.rows[i][j] = numbers[4 * i + j];
      if (!std::isfinite(transform.rows[i][j]))
        throw py::value_error(row_text("transform", i) + " has " + std::to_string(transform.rows[i][j]) +
                              ", which is not finite");
    }
  return transform;
}

void bind_arrays(py::module_& module) {
  py::class_<Array>(module, "Array", py::buffer_protocol(), "Numbers of a result, for memoryview and numpy.asarray.")
      .def_buffer([](const Array& array) {
        std::vector<py::ssize_t> strides(array.shape.size());
        auto step = static_cast<py::ssize_t>(array.item);
        for (std::size_t i = array.shape.size(); i-- > 0;) {
          strides[i] = step;
          step *= array.shape[i];
        }
        return py::buffer_info(const_cast<void*>(array.data), static_cast<py::ssize_t>(array.item), array.format,
                               static_cast<py::ssize_t>(array.shape.size()), array.shape, strides, !array.writable);
      });
  module.def(
      "empty_rows",
      [](const std::string& format, py::ssize_t columns) {
        return Array{nullptr, format, format == "d" ? 8u : 4u, {0, columns}, false, nullptr};
      },
      py::arg("format"), py::arg("columns"));
}

}  // namespace sightline::python
