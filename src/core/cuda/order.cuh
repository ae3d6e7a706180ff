// The canonical order on the device: contacts' keys are sorted and unpacked.
#pragma once

#include <array>

#include "cuda/check.h"
#include "cuda/stages.cuh"

namespace sightline::cuda {

/// Sorts the contacts, twice if necessary: once before the host has read their number, so that a query waits only at
/// its end, and again if the first sort was not enough.
class Order {
 public:
  explicit Order(MemoryCount& memory);

  /// Memory for `begin`: room for a quarter more contacts than last time.
  void prepare(const PairOutput& found, cudaStream_t stream);
  /// By the keys' leading bits into buckets, 16 of which one block sorts: three kernels for as many contacts as there
  /// are (state->contacts), or one kernel for a few thousand. More than there is room for, or many in one bucket:
  /// state->unordered is set. Where buckets were crowded, CUB's radix sort takes their place for a while.
  template <typename T>
  void begin(const PairOutput& found, State<T>* state, cudaStream_t stream);
  /// To be called after the wait. If `begin` could not sort all contacts, sorts them now and waits.
  template <typename T>
  void finish(const PairOutput& found, const State<T>& done, const State<T>* state, cudaStream_t stream);

  const Contact* contacts() const { return contacts_.data(); }
  /// The state that `begin` depends on besides its arguments.
  std::array<std::uint64_t, 7> version() const {
    const auto at = [](const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); };
    return {room_,
            crowded_ > 0,
            at(contacts_.data()),
            at(scratch_.data()),
            scratch_.capacity(),
            at(other_.data()),
            at(start_.data())};
  }

 private:
  void by_digits(const PairOutput& found, std::uint32_t room, const unsigned long long* count, cudaStream_t stream);

  DeviceBuffer<unsigned long long> other_;
  DeviceBuffer<std::uint32_t> count_, start_;  ///< per bucket; all counts are zero between queries
  DeviceBuffer<Contact> contacts_;
  DeviceBuffer<std::uint8_t> scratch_;
  std::uint32_t last_ = 0, room_ = 0;
  int crowded_ = 0;  ///< queries for which the buckets are not tried
};

}  // namespace sightline::cuda
