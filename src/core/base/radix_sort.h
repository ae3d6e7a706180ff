// A sort by whole numbers of few bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace sightline {

/// Sorts by key(item), an unsigned number of at most `bits` bits: least significant digit first, stable. `other` has as
/// many items, whose values are lost. Ends early, with the items in some order, once stop() is true; it is called
/// before each digit.
template <typename Item, typename Key, typename Stop>
void radix_sort(std::span<Item> items, std::span<Item> other, int bits, const Key& key, const Stop& stop) {
  constexpr int kDigit = 11;
  std::array<std::size_t, std::size_t{1} << kDigit> begin;
  Item *from = items.data(), *to = other.data();
  const std::size_t count = items.size();
  for (int shift = 0; shift < bits && count > 0 && !stop(); shift += kDigit) {
    const auto digit = [&key, shift](const Item& item) { return key(item) >> shift & ((1u << kDigit) - 1); };
    begin.fill(0);
    for (std::size_t i = 0; i < count; ++i) ++begin[digit(from[i])];
    if (begin[digit(from[0])] == count) continue;  // all the same
    std::size_t sum = 0;
    for (std::size_t& size : begin) sum += std::exchange(size, sum);
    for (std::size_t i = 0; i < count; ++i) to[begin[digit(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != items.data()) std::copy_n(from, count, items.data());
}

template <typename Item, typename Key, typename Stop>
void radix_sort(std::vector<Item>& items, std::vector<Item>& other, int bits, const Key& key, const Stop& stop) {
  other.resize(items.size());
  radix_sort<Item>(std::span(items), std::span(other), bits, key, stop);
}
template <typename Item, typename Key, typename Stop>
void radix_sort(std::vector<Item>& items, int bits, const Key& key, const Stop& stop) {
  std::vector<Item> other;
  radix_sort(items, other, bits, key, stop);
}

}  // namespace sightline
