// How much memory the buffers of a query hold on the device, and how much they may hold. No CUDA header is needed to
// include this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "sightline/query.h"

namespace sightline::cuda {

/// Bytes that all buffers of a query hold together, and their limit. Contexts and kernels, which CUDA keeps itself, are
/// not counted.
struct MemoryBudget {
  std::size_t now = 0, peak = 0;
  std::size_t limit = 0;  ///< 0: as much as the device has

  bool allows(std::size_t more) const { return limit == 0 || (now <= limit && more <= limit - now); }

  /// Every MemoryCount that `make` makes belongs to this budget, which must outlive it. The budget is passed in a
  /// thread-local variable, so that objects with counts deep inside, such as the engine, need no parameter for it.
  template <typename Make>
  auto counting(const Make& make) {
    struct Turn {
      MemoryBudget* before;
      explicit Turn(MemoryBudget* mine) : before(std::exchange(current(), mine)) {}
      ~Turn() { current() = before; }
    } const turn(this);
    return make();
  }
  static MemoryBudget*& current() {
    thread_local MemoryBudget* budget = nullptr;
    return budget;
  }
};

/// Bytes that a set of buffers holds. It belongs to the budget in whose `counting` it was made, if any.
struct MemoryCount {
  std::size_t now = 0, peak = 0;
  MemoryBudget* budget = MemoryBudget::current();

  bool allows(std::size_t more) const { return budget == nullptr || budget->allows(more); }
  void add(std::size_t bytes) {
    now += bytes;
    peak = std::max(peak, now);
    if (budget == nullptr) return;
    budget->now += bytes;
    budget->peak = std::max(budget->peak, budget->now);
  }
  void remove(std::size_t bytes) {
    now -= bytes;
    if (budget != nullptr) budget->now -= bytes;
  }
};

/// "812 bytes", "3.2 MiB".
inline std::string size_text(std::size_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double size = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    if (size < 1024) break;
    size /= 1024;
    unit = next;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", size, unit);
  return text;
}

/// The error that names how much memory is needed, is free on the device and is in use, and the limit if that is
/// exceeded.
inline OutOfDeviceMemory out_of_device_memory(const MemoryCount& count, std::size_t needed, std::size_t free) {
  const std::size_t in_use = count.budget == nullptr ? count.now : count.budget->now;
  std::string words = "cuda: out of device memory: " + size_text(needed) + " needed, " + size_text(free) + " free, " +
                      size_text(in_use) + " in use by this query";
  if (!count.allows(needed)) words += ", " + size_text(count.budget->limit) + " allowed";
  return OutOfDeviceMemory(words);
}

}  // namespace sightline::cuda
