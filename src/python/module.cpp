// The module sightline._core: the functions and classes under the Python package (python/sightline).
#include "python/report.h"

namespace sightline::python {
namespace {

PyObject* new_exception(py::module_& module, const char* name, PyObject* base) {
  const std::string full = std::string("sightline.") + name;
  auto type = py::reinterpret_steal<py::object>(PyErr_NewException(full.c_str(), base, nullptr));
  if (!type) throw py::error_already_set();
  module.attr(name) = type;
  return type.release().ptr();  // kept for ever: a static py::object would be destroyed after the interpreter
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled part of sightline. The package sightline has the public functions.";
  module.attr("version") = version();
  static PyObject* const error = new_exception(module, "Error", PyExc_ValueError);
  static PyObject* const device_error = new_exception(module, "DeviceError", PyExc_RuntimeError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& fault) {
      PyErr_SetObject(error, text_of_bytes(fault.what()).ptr());
    } catch (const DeviceFault& fault) {
      PyErr_SetObject(device_error, text_of_bytes(fault.what()).ptr());
    }
  });
  bind_arrays(module);
  bind_mesh(module);
  bind_report(module);
  bind_query(module);
  bind_parts(module);
  bind_measures(module);
  bind_files(module);
  bind_seeing(module);
  bind_gpu(module);
}

}  // namespace sightline::python
