#include "order/canonical.h"

#include <algorithm>
#include <functional>

#include "base/radix_sort.h"
#include "input/watch.h"
#include "rules/order.h"

namespace sightline {
void canonical_contacts(const ContactRange& range, std::vector<std::vector<Contact>>& parts, Watch& watch,
                        SortScratch& scratch, std::vector<Contact>& contacts) {
  contacts.clear();
  std::size_t total = 0;
  for (const auto& part : parts) total += part.size();
  if (total == 0) return;
  contacts.reserve(total);

  const rules::KeyLayout layout{rules::bits_for(range.last_object), rules::bits_for(range.most_triangles - 1)};
  if (layout.fits()) {
    std::vector<std::uint64_t>& keys = scratch.keys;
    keys.clear();
    keys.reserve(total);
    for (auto& part : parts) {
      for (const Contact& c : part)
        keys.push_back(layout.pack(c.object_a, c.object_b, c.a, c.b, static_cast<std::uint64_t>(c.kind)));
      part.clear();
    }
    if (total > 2048)
      radix_sort(keys, scratch.other, layout.bits(), std::identity(), [&watch] { return watch.stop(); });
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
