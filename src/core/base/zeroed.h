// A large array of zeros, whose pages are made by all threads.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#include "base/pages.h"
#include "base/parallel.h"

namespace sightline {

template <typename T>
class Zeroed {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Zeroed(std::size_t size, Workers& workers = Workers::none())
      : data_(static_cast<T*>(std::calloc(size, sizeof(T)))), size_(size) {
    if (data_ == nullptr && size != 0) throw std::bad_alloc();
    advise_huge(data_.get(), size * sizeof(T));
    // A page that is read first is the page of zeros that all processes share. When it is written, each processor that
    // runs a thread of this process is interrupted.
    const auto bytes = reinterpret_cast<unsigned char*>(data_.get());
    constexpr std::size_t kPage = 4096, kPages = 256;
    workers.for_blocks((size * sizeof(T) + kPage - 1) / kPage, kPages, [bytes](std::size_t first, std::size_t last) {
      for (std::size_t page = first; page < last; ++page) *const_cast<volatile unsigned char*>(bytes + page * kPage) = 0;
    });
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
