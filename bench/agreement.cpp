#include "bench/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sightline::bench {
namespace {

constexpr int kShown = 5;

auto pair_key(const Contact& c) { return std::tuple(c.object_a, c.object_b, c.a, c.b); }

std::string described(const char* what, const Contact& c) {
  return fmt::format("  {}: object {} triangle {}, object {} triangle {} ({})\n", what, c.object_a, c.a, c.object_b,
                     c.b, to_string(c.kind));
}

}  // namespace

void make_canonical(std::vector<Contact>& contacts) {
  std::sort(contacts.begin(), contacts.end());
  const auto same_pair = [](const Contact& a, const Contact& b) { return pair_key(a) == pair_key(b); };
  contacts.erase(std::unique(contacts.begin(), contacts.end(), same_pair), contacts.end());
}

std::uint64_t hash_of_pairs(const std::vector<Contact>& contacts) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a over 32-bit words
  for (const Contact& c : contacts)
    for (const std::uint32_t word : {c.object_a, c.object_b, c.a, c.b}) hash = (hash ^ word) * 0x100000001B3u;
  return hash;
}

Difference compare(const std::vector<Contact>& reference, const std::vector<Contact>& answer, bool with_kinds) {
  Difference difference;
  int shown = 0;
  const auto note = [&](std::uint64_t& count, const char* what, const Contact& contact) {
    ++count;
    if (shown++ < kShown) difference.first += described(what, contact);
  };
  auto r = reference.begin();
  auto a = answer.begin();
  while (r != reference.end() || a != answer.end()) {
    if (a == answer.end() || (r != reference.end() && pair_key(*r) < pair_key(*a))) {
      note(difference.missed, "missed", *r++);
    } else if (r == reference.end() || pair_key(*a) < pair_key(*r)) {
      note(difference.invented, "invented", *a++);
    } else {
      if (with_kinds && r->kind != a->kind) note(difference.other_kind, "other kind", *a);
      ++r, ++a;
    }
  }
  return difference;
}

}  // namespace sightline::bench
