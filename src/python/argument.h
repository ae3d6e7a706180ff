// Plain arguments of the module's functions, with errors that name the argument: those of pybind11 list C++ signatures
// and the addresses of objects.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace sightline::python {

template <std::size_t n>
struct ArgumentName {
  char text[n];
  consteval ArgumentName(const char (&name)[n]) { std::copy_n(name, n, text); }
};

/// A number, a bool or a string.
template <typename Value, ArgumentName name>
struct Argument {
  Value value{};
  operator const Value&() const { return value; }
};
using Threads = Argument<unsigned, "threads">;

template <typename Value>
[[noreturn]] void refuse_argument(pybind11::handle given, const std::string& name) {
  const auto fits = [&](const char* what) {
    const auto type = pybind11::type::handle_of(given).attr("__name__").cast<std::string>();
    throw pybind11::type_error(name + " is " + what + ", not " + type);
  };
  if constexpr (std::is_same_v<Value, bool>)
    fits("a bool");
  else if constexpr (std::is_same_v<Value, std::string>)
    fits("a string");
  else if constexpr (std::is_floating_point_v<Value>)
    fits("a number");
  else if (PyIndex_Check(given.ptr()) == 0)
    fits("an integer");
  else
    throw pybind11::value_error(name + " is " + pybind11::repr(given).cast<std::string>() + ", which is not between " +
                                std::to_string(std::numeric_limits<Value>::min()) + " and " +
                                std::to_string(std::numeric_limits<Value>::max()));
  throw pybind11::type_error(name);
}

}  // namespace sightline::python

template <typename Value, sightline::python::ArgumentName argument>
struct pybind11::detail::type_caster<sightline::python::Argument<Value, argument>> {
  using Held = sightline::python::Argument<Value, argument>;
  PYBIND11_TYPE_CASTER(Held, make_caster<Value>::name);

  bool load(handle given, bool) {
    make_caster<Value> caster;
    if (!caster.load(given, true)) sightline::python::refuse_argument<Value>(given, argument.text);
    value.value = cast_op<Value>(caster);
    return true;
  }
};
