// Memory for a query's large arrays, kept from query to query: fresh pages cost more than what is written into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace sightline::papers::method {

/// A block of at least this many bytes, aligned for any number. Its contents are undefined. Throws std::bad_alloc.
class Block {
 public:
  Block() = default;
  explicit Block(std::size_t bytes);
  Block(Block&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Block();
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Idle blocks are kept while their sum is at most this; the oldest are freed first. Small blocks are not kept at all.
inline constexpr std::size_t kLeastIdleBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostIdleBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMostIdleBlocks = 16;
std::size_t idle_bytes();  ///< at the moment, for tests

/// An array whose elements are not initialised: the thread that fills a page is the first to touch it.
template <typename T>
class UninitializedArray {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  UninitializedArray() = default;
  explicit UninitializedArray(std::size_t size) : block_(bytes(size)), size_(size) {}
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* data() { return static_cast<T*>(block_.data()); }
  const T* data() const { return static_cast<const T*>(block_.data()); }
  std::size_t size() const { return size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  static std::size_t bytes(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return size * sizeof(T);
  }
  Block block_;
  std::size_t size_ = 0;
};

}  // namespace sightline::papers::method
