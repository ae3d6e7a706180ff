#include "order/canonical.h"

#include <algorithm>
#include <utility>

#include "rules/order.h"
#include "input/watch.h"

namespace sightline {
namespace {

/// Least significant digit first; stable, and fast where the keys use few bits.
void radix_sort(std::vector<std::uint64_t>& keys, int bits, Watch& watch) {
  constexpr int kDigit = 11;
  std::vector<std::uint64_t> other(keys.size());
  std::vector<std::size_t> begin(std::size_t{1} << kDigit);
  for (int shift = 0; shift < bits && !watch.stop(); shift += kDigit) {
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

void canonical_contacts(const TriangleTable& table, std::vector<std::vector<Contact>>& parts, Watch& watch,
                        std::vector<Contact>& contacts) {
  contacts.clear();
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  if (total == 0) return;
  contacts.reserve(total);

  std::uint32_t most_triangles = 0;
  for (const auto& object : table.objects) most_triangles = std::max(most_triangles, object.triangle_count);
  const rules::KeyLayout layout{rules::bits_for(table.objects.back().id), rules::bits_for(most_triangles - 1)};
  if (layout.fits()) {
    std::vector<std::uint64_t> keys;
    keys.reserve(total);
    for (auto& part : parts) {
      for (const Contact& c : part)
        keys.push_back(layout.pack(c.object_a, c.object_b, c.a, c.b, static_cast<std::uint64_t>(c.kind)));
      part.clear();
    }
    if (total > 2048)
      radix_sort(keys, layout.bits(), watch);
    else
      std::sort(keys.begin(), keys.end());
    if (watch.stop()) return;
    for (const std::uint64_t key : keys) {
      const rules::KeyLayout::Fields f = layout.unpack(key);
      contacts.push_back({f.object_a, f.object_b, f.a, f.b, static_cast<Kind>(f.kind)});
    }
    return;
  }
  for (auto& part : parts) {
    contacts.insert(contacts.end(), part.begin(), part.end());
    part.clear();
  }
  std::sort(contacts.begin(), contacts.end());
}

}  // namespace sightline
