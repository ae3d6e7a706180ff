// An array that grows and never initialises its elements: for storage that is written before it is read, and kept from
// frame to frame.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "base/pages.h"

namespace sightline {

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Sets the size to n; the contents are lost if the array has to grow.
  T* resize(std::size_t n) {
    if (n > capacity_) {
      data_.reset();
      data_ = allocate_pages<T>(n);
      capacity_ = n;
    }
    size_ = n;
    return data_.get();
  }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity_bytes() const { return capacity_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  std::unique_ptr<T[], Freed> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace sightline
