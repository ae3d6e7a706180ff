// Decides when a scene whose objects move is distributed anew.
#pragma once

#include <cstdint>

namespace sightline::mpi {

/// A frame loses the time of the slowest rank above the mean of all ranks. A new distribution pays when the losses
/// since the last one exceed its cost, times `patience`: so the loss and the cost are never far apart, whatever
/// follows. If it does not halve the loss of a frame, because nothing divides the scene better, twice as much must be
/// lost before the next one. All times are nanoseconds, the same on all ranks.
class Balance {
 public:
  explicit Balance(double patience) : patience_(patience) {}

  bool pays() const { return frames_ > 0 && static_cast<double>(lost_) >= patience_ * weight_ * cost_; }
  void distributed(std::uint64_t cost) {
    if (frames_ > 0) {
      const double loss = static_cast<double>(lost_) / static_cast<double>(frames_);
      weight_ = loss > loss_before_ / 2 && loss_before_ > 0 ? 2 * weight_ : 1;
      loss_before_ = loss;
    }
    cost_ = static_cast<double>(cost);
    lost_ = frames_ = 0;
  }
  /// `sum`: of the times of all ranks.
  void frame(std::uint64_t slowest, std::uint64_t sum, int ranks) {
    lost_ += slowest - sum / static_cast<std::uint64_t>(ranks);
    ++frames_;
  }

 private:
  double patience_, weight_ = 1, cost_ = 0, loss_before_ = 0;
  std::uint64_t lost_ = 0, frames_ = 0;
};

}  // namespace sightline::mpi
