#include "parts/lists.h"

#include <cstring>
#include <numeric>
#include <vector>

namespace sightline {

void HugeReport::for_contacts(const std::function<bool(const HugeContact&)>& visit) const {
  HugeContact contact;
  lists->contacts.for_each([&](const scale::Key& key, std::span<const std::byte> payload) {
    contact.object_a = static_cast<std::uint32_t>(key.objects >> 32);
    contact.object_b = static_cast<std::uint32_t>(key.objects);
    contact.a = key.a;
    contact.b = key.b;
    contact.kind = static_cast<Kind>(payload[0]);
    contact.geometry.size = static_cast<std::uint8_t>((payload.size() - 1) / sizeof(Vec3d));
    std::memcpy(contact.geometry.storage.data(), payload.data() + 1, payload.size() - 1);
    return visit(contact);
  });
}

void HugeReport::for_degenerate(const std::function<bool(std::uint64_t)>& visit) const {
  lists->degenerate.for_each([&](const scale::Key& key, std::span<const std::byte>) { return visit(key.a); });
}

namespace scale {

std::uint64_t joined_components(const Runs& links, std::uint64_t nodes) {
  std::vector<std::uint64_t> parent(nodes);
  std::iota(parent.begin(), parent.end(), std::uint64_t{0});
  const auto root = [&](std::uint64_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
  };
  // The links of a triangle follow each other.
  Key last{.a = ~std::uint64_t{0}};
  links.for_each([&](const Key& link, std::span<const std::byte>) {
    if (link.a == last.a) {
      const std::uint64_t x = root(last.b), y = root(link.b);
      if (x != y) {
        parent[std::max(x, y)] = std::min(x, y);
        --nodes;
      }
    }
    last = link;
    return true;
  });
  return nodes;
}

}  // namespace scale
}  // namespace sightline
