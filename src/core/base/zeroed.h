// A large array of zeros, which all threads write.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/pages.h"
#include "base/parallel.h"

namespace sightline {

template <typename T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Memory that the system makes zero on first use would begin as a page that all processes share, where it is read
  /// first. When such a page is written later, each processor that runs a thread of this process is interrupted: two
  /// threads took as long as one.
  explicit Zeroed(std::size_t size, Workers& workers = Workers::none()) : data_(allocate_pages<T>(size)), size_(size) {
    constexpr std::size_t kBlock = (std::size_t{1} << 20) / sizeof(T);
    workers.for_blocks(size, kBlock, [this](std::size_t first, std::size_t last) {
      std::memset(static_cast<void*>(data_.get() + first), 0, (last - first) * sizeof(T));
    });
  }
  T* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<T[], Freed> data_;
  std::size_t size_;
};

}  // namespace sightline
