// An array of zeros whose pages are made by the threads that touch them first.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/pages.h"

namespace sightline {

template <typename T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Zeroed(std::size_t size) : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size) {
    if (data_ == nullptr && size != 0) throw std::bad_alloc();
    advise_huge(data_.get(), size * sizeof(T));
  }
  T* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_;
};

}  // namespace sightline
