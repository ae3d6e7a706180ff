// Work over blocks of elements on all cores.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <cstddef>

namespace sightline::read {

/// Calls work(first, last) on blocks that cover 0 … count - 1; true if every call returned true.
template <typename Work>
bool for_blocks(std::size_t count, const Work& work) {
  constexpr std::size_t kGrain = 1 << 15;
  if (count <= kGrain) return work(std::size_t{0}, count);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, kGrain), true,
      [&](const tbb::blocked_range<std::size_t>& block, bool good) { return work(block.begin(), block.end()) && good; },
      [](bool a, bool b) { return a && b; });
}

}  // namespace sightline::read
