// Large pages for large arrays.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace sightline {

/// Advises the kernel to back memory that was not touched yet by pages of 2 MiB. The first touch of a small page
/// costs 0.25 µs and more, so it is most of the time of a pass that fills a new array. A kernel without such pages
/// ignores the advice; the contents do not depend on it.
inline void advise_huge(void* data, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + kHuge - 1) & ~(kHuge - 1), last = (begin + bytes) & ~(kHuge - 1);
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

struct Freed {
  void operator()(void* data) const { std::free(data); }
};

/// Memory for an array, not initialised. A large one begins and ends with a large page: else up to a thousand small
/// pages lie at its ends, and their faults took a tenth of the topology of a million triangles.
template <typename T>
std::unique_ptr<T[], Freed> allocate_pages(std::size_t size) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  if (size > (std::numeric_limits<std::size_t>::max() - kPage) / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = size * sizeof(T), rounded = (bytes + kPage - 1) / kPage * kPage;
  void* const data = bytes < kPage ? std::malloc(bytes) : std::aligned_alloc(kPage, rounded);
  if (data == nullptr && bytes != 0) throw std::bad_alloc();
  if (bytes >= kPage) advise_huge(data, rounded);
  return std::unique_ptr<T[], Freed>(static_cast<T*>(data));
}

/// Room for `most` elements, of which those that are used get memory.
template <typename T>
void reserve_large(std::vector<T>& values, std::size_t most) {
  values.reserve(most);
  advise_huge(values.data(), most * sizeof(T));
}

/// Appends a value. A large array grows onto large pages.
template <typename T>
void append_large(std::vector<T>& values, const T& value) {
  constexpr std::size_t kLarge = (std::size_t{1} << 20) / sizeof(T);
  if (values.size() == values.capacity() && values.size() >= kLarge) {
    std::vector<T> more;
    reserve_large(more, 4 * values.size());  // what is not used takes no memory
    more.insert(more.end(), values.begin(), values.end());
    values = std::move(more);
  }
  values.push_back(value);
}

/// Gives whole pages of the bytes [from, bytes) of an array back to the system; their contents are lost. `from`: where
/// the last call for this array ended, or 0.
inline void drop_pages(void* data, std::size_t bytes, std::size_t from) {
  constexpr std::uintptr_t kPage = 4096;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t start = (begin + kPage - 1) & ~(kPage - 1);
  const std::uintptr_t first = std::max(start, (begin + from) & ~(kPage - 1)), last = (begin + bytes) & ~(kPage - 1);
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

/// A vector of this size on large pages. Its elements are zero: std::vector offers no other way.
template <typename T>
std::vector<T> large_vector(std::size_t size) {
  std::vector<T> values;
  reserve_large(values, size);
  values.resize(size);
  return values;
}

}  // namespace sightline
