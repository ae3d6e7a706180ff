// A sort by whole numbers of few bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace sightline {

/// Sorts by key(item), an unsigned number of at most `bits` bits: least significant digit first, stable. Ends early,
/// with the items in some order, once stop() is true; it is called before each digit. `other` is scratch.
template <typename Item, typename Key, typename Stop>
void radix_sort(std::vector<Item>& items, std::vector<Item>& other, int bits, const Key& key, const Stop& stop) {
  constexpr int kDigit = 11;
  other.resize(items.size());
  std::array<std::size_t, std::size_t{1} << kDigit> begin;
  for (int shift = 0; shift < bits && !items.empty() && !stop(); shift += kDigit) {
    const auto digit = [&key, shift](const Item& item) { return key(item) >> shift & ((1u << kDigit) - 1); };
    std::fill(begin.begin(), begin.end(), 0);
    for (const Item& item : items) ++begin[digit(item)];
    if (begin[digit(items[0])] == items.size()) continue;  // all the same
    std::size_t sum = 0;
    for (std::size_t& count : begin) sum += std::exchange(count, sum);
    for (const Item& item : items) other[begin[digit(item)]++] = item;
    items.swap(other);
  }
}
template <typename Item, typename Key, typename Stop>
void radix_sort(std::vector<Item>& items, int bits, const Key& key, const Stop& stop) {
  std::vector<Item> other;
  radix_sort(items, other, bits, key, stop);
}

}  // namespace sightline
