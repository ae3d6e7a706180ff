// A call from Python into the core: without the GIL, with Python's signals and the caller's progress.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "python/argument.h"
#include "sightline/query.h"

namespace sightline::python {

namespace py = pybind11;

/// Runs a function without the GIL. Python code (signal handlers, `progress`) runs on the calling thread alone: Python
/// runs signal handlers on its main thread only, and a progress bar need not be safe in threads. The core polls
/// `cancel` on all of its threads, and the calling thread is one of them; it takes the GIL every 20 ms.
class Call {
 public:
  /// `progress` is None or a callable. It outlives the object.
  explicit Call(py::handle progress = py::none()) : progress_(progress) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::function<bool()> cancel() {
    return [this] { return poll(); };
  }
  /// Empty without a `progress`.
  std::function<void(double)> progress() {
    if (progress_.is_none()) return {};
    return [this](double fraction) { fraction_.store(fraction, std::memory_order_relaxed); };
  }

  /// An exception of Python code that ran meanwhile, such as KeyboardInterrupt, comes before one of the function.
  template <typename Function>
  void run(const Function& function) {
    {
      const Released released(*this);
      try {
        function();
      } catch (...) {
        if (!stopped_) throw;
      }
    }
    if (stopped_) raise();
    if (!progress_.is_none() && reported_ < 1) progress_(1.0);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{20};

  struct Released {
    explicit Released(Call& call) : call_(call) { call_.state_ = PyEval_SaveThread(); }
    ~Released() { PyEval_RestoreThread(call_.state_); }
    Call& call_;
  };

  bool poll() {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != caller_) return false;
    const auto now = Clock::now();
    if (now < next_) return false;
    next_ = now + kInterval;
    PyEval_RestoreThread(state_);
    if (PyErr_CheckSignals() != 0 || !report()) {
      PyErr_Fetch(&type_, &value_, &trace_);
      stopped_.store(true, std::memory_order_relaxed);
    }
    state_ = PyEval_SaveThread();
    return stopped_.load(std::memory_order_relaxed);
  }

  /// False with a Python error set.
  bool report() {
    const double fraction = std::min(1.0, fraction_.load(std::memory_order_relaxed));
    if (progress_.is_none() || fraction <= reported_) return true;
    reported_ = fraction;
    PyObject* const answer = PyObject_CallFunction(progress_.ptr(), "d", fraction);
    Py_XDECREF(answer);
    return answer != nullptr;
  }

  [[noreturn]] void raise() {
    PyErr_Restore(type_, value_, trace_);
    throw py::error_already_set();
  }

  const py::handle progress_;
  const std::thread::id caller_ = std::this_thread::get_id();
  PyThreadState* state_ = nullptr;
  Clock::time_point next_ = Clock::now() + kInterval;
  std::atomic<bool> stopped_{false};
  std::atomic<double> fraction_{0};
  double reported_ = 0;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

}  // namespace sightline::python
