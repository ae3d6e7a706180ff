// Host memory to the device through two pinned pieces: one is filled while the other travels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cuda/current.h"

namespace sightline::cuda {

/// Writes that follow each other on the device travel together, so that a thousand small objects are a few copies. All
/// writes up to a flush() go into one allocation.
class Staging {
 public:
  explicit Staging(cudaStream_t stream) : stream_(stream) {
    void* both = nullptr;
    SIGHTLINE_CUDA(cudaMallocHost(&both, 2 * kPiece));
    piece_[0] = static_cast<std::byte*>(both);
    piece_[1] = piece_[0] + kPiece;
  }
  ~Staging() {
    cudaStreamSynchronize(stream_);
    cudaFreeHost(piece_[0]);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// `fill(out, first, last)` writes the items [first, last) to `out`, in host memory.
  template <typename Item, typename Fill>
  void write(Item* to, std::size_t count, const Fill& fill) {
    for (std::size_t first = 0; first < count;) {
      std::byte* out = open(reinterpret_cast<std::byte*>(to + first), sizeof(Item));
      const std::size_t last = std::min(count, first + (kPiece - used_) / sizeof(Item));
      fill(reinterpret_cast<Item*>(out), first, last);
      used_ += (last - first) * sizeof(Item);
      first = last;
    }
  }
  /// Sends what has been written. The stream, not the caller, waits for it.
  void flush() {
    if (used_ == 0) return;
    const std::size_t bytes = std::exchange(used_, 0);
    SIGHTLINE_CUDA(cudaMemcpyAsync(to_, piece_[now_], bytes, cudaMemcpyHostToDevice, stream_));
    SIGHTLINE_CUDA(cudaEventRecord(sent_[now_], stream_));
    bytes_ += bytes;
    now_ = 1 - now_;
  }
  std::size_t bytes() const { return bytes_; }  ///< sent so far

 private:
  static constexpr std::size_t kPiece = std::size_t{2} << 20;
  /// The place in host memory for the next bytes of `to`; there is room for at least `least`.
  std::byte* open(std::byte* to, std::size_t least) {
    if (used_ > 0 && (to != to_ + used_ || kPiece - used_ < least)) flush();
    if (used_ == 0) {
      SIGHTLINE_CUDA(cudaEventSynchronize(sent_[now_]));  // at once if it has never been sent
      to_ = to;
    }
    return piece_[now_] + used_;
  }

  cudaStream_t stream_;
  std::byte* piece_[2] = {};
  Event sent_[2] = {Event(cudaEventDisableTiming), Event(cudaEventDisableTiming)};
  int now_ = 0;
  std::size_t used_ = 0, bytes_ = 0;
  std::byte* to_ = nullptr;  ///< where the piece goes
};

}  // namespace sightline::cuda
