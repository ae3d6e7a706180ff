#include "report/canonical.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "parallel.h"

namespace sightline {
namespace {

/// Least significant digit first; stable, and fast where the keys use few bits.
void radix_sort(std::vector<std::uint64_t>& keys, int bits) {
  constexpr int kDigit = 11;
  std::vector<std::uint64_t> other(keys.size());
  std::vector<std::size_t> begin(std::size_t{1} << kDigit);
  for (int shift = 0; shift < bits; shift += kDigit) {
    std::fill(begin.begin(), begin.end(), 0);
    const auto digit = [shift](std::uint64_t key) { return key >> shift & ((1u << kDigit) - 1); };
    for (const std::uint64_t key : keys) ++begin[digit(key)];
    std::size_t sum = 0;
    for (std::size_t& count : begin) sum += std::exchange(count, sum);
    for (const std::uint64_t key : keys) other[begin[digit(key)]++] = key;
    keys.swap(other);
  }
}

}  // namespace

void canonical_contacts(const TriangleTable& table, std::vector<std::vector<Contact>>& parts, Workers&,
                        std::vector<Contact>& contacts) {
  contacts.clear();
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  if (total == 0) return;

  // All four numbers and the kind in one 64-bit key where they fit.
  std::uint32_t most_triangles = 0;
  for (const auto& object : table.objects) most_triangles = std::max(most_triangles, object.triangle_count);
  const int object_bits = std::bit_width(table.objects.back().id), triangle_bits = std::bit_width(most_triangles - 1u);
  const int bits = 2 * object_bits + 2 * triangle_bits + 2;
  if (bits <= 64) {
    std::vector<std::uint64_t> keys;
    keys.reserve(total);
    for (auto& part : parts) {
      for (const Contact& c : part) {
        std::uint64_t key = c.object_a;
        key = key << object_bits | c.object_b;
        key = key << triangle_bits | c.a;
        key = key << triangle_bits | c.b;
        keys.push_back(key << 2 | static_cast<std::uint64_t>(c.kind));
      }
      part.clear();
    }
    if (total > 2048)
      radix_sort(keys, bits);
    else
      std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    contacts.reserve(keys.size());
    const auto field = [](std::uint64_t& key, int width) {
      const std::uint64_t value = width == 0 ? 0 : key & ((std::uint64_t{1} << width) - 1);
      key = key >> width;
      return static_cast<std::uint32_t>(value);
    };
    for (std::uint64_t key : keys) {
      Contact c;
      c.kind = static_cast<Kind>(field(key, 2));
      c.b = field(key, triangle_bits);
      c.a = field(key, triangle_bits);
      c.object_b = field(key, object_bits);
      c.object_a = field(key, object_bits);
      contacts.push_back(c);
    }
    return;
  }
  contacts.reserve(total);
  for (auto& part : parts) {
    contacts.insert(contacts.end(), part.begin(), part.end());
    part.clear();
  }
  std::sort(contacts.begin(), contacts.end());
  contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
}

}  // namespace sightline
