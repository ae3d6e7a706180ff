// Large pages for large arrays.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
  values.reserve(size);
  advise_huge(values.data(), size * sizeof(T));
  values.resize(size);
  return values;
}

}  // namespace sightline
