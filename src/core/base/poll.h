// Cancellation from within long loops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "sightline/mesh.h"

namespace sightline {

/// Calls a caller's `cancel` once in a while and throws Error if it returns true. A loop counts its steps; a step is
/// something that takes 5 to 100 ns as a rule and 20 µs at worst (exact arithmetic over the whole range of doubles). So
/// polls are at most about 20 ms apart, and one costs less than a thousandth of the work between two of them. One
/// object serves one thread; a task on another thread takes a copy.
class Poll {
 public:
  Poll() = default;  ///< never cancelled
  /// `cancel` outlives the object. The first poll is made here.
  explicit Poll(const std::function<bool()>& cancel) : cancel_(cancel ? &cancel : nullptr) { now(); }

  void operator()(int steps = 1) {
    if (cancel_ != nullptr && (left_ -= steps) < 0) now();
  }
  /// function(i) for i in [0, count), one step each, without a test in the innermost loop.
  template <typename Function>
  void each(std::size_t count, const Function& function) {
    for (std::size_t i = 0; i < count;) {
      const std::size_t end = std::min<std::size_t>(count, i + kSteps);
      (*this)(static_cast<int>(end - i));
      for (; i < end; ++i) function(i);
    }
  }
  void now() {
    left_ = kSteps;
    if (cancel_ != nullptr && (*cancel_)()) throw Error("cancelled");
  }

 private:
  static constexpr int kSteps = 1024;
  const std::function<bool()>* cancel_ = nullptr;
  int left_ = kSteps;
};

/// std::sort with polls. Short ranges are sorted without: a poll in each comparison costs a few per cent.
template <typename Range, typename Less>
void sort_polled(Range&& range, const Less& less, Poll& poll) {
  constexpr std::size_t kShort = 1 << 16;
  if (range.size() < kShort)
    std::sort(range.begin(), range.end(), less);
  else
    std::sort(range.begin(), range.end(), [&](const auto& x, const auto& y) {
      poll();
      return less(x, y);
    });
}

}  // namespace sightline
