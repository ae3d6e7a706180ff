// The canonical order: contacts by (object a, object b, triangle a, triangle b), as one word where that fits.
#pragma once

#include <cstdint>

#include "rules/host_device.h"

namespace sightline::rules {

/// How a contact is packed into a word: object a, object b, triangle a, triangle b, kind, from the top. The order of
/// the words is the order of the contacts.
struct KeyLayout {
  int object_bits = 0, triangle_bits = 32;
  SIGHTLINE_HD int bits() const { return 2 * (object_bits + triangle_bits) + 2; }
  SIGHTLINE_HD bool fits() const { return bits() <= 64; }

  SIGHTLINE_HD std::uint64_t pack(std::uint64_t object_a, std::uint64_t object_b, std::uint64_t a, std::uint64_t b,
                                  std::uint64_t kind) const {
    std::uint64_t key = object_a << object_bits | object_b;
    key = (key << triangle_bits | a) << triangle_bits | b;
    return key << 2 | kind;
  }
  struct Fields {
    std::uint32_t object_a, object_b, a, b, kind;
  };
  SIGHTLINE_HD Fields unpack(std::uint64_t key) const {
    Fields f;
    f.kind = static_cast<std::uint32_t>(key & 3);
    key >>= 2;
    f.b = take(key, triangle_bits);
    f.a = take(key, triangle_bits);
    f.object_b = take(key, object_bits);
    f.object_a = take(key, object_bits);
    return f;
  }

 private:
  SIGHTLINE_HD static std::uint32_t take(std::uint64_t& key, int width) {
    const std::uint64_t value = key & ((std::uint64_t{1} << width) - 1);
    key >>= width;
    return static_cast<std::uint32_t>(value);
  }
};

/// Bits that numbers from 0 to `greatest` need.
SIGHTLINE_HD inline int bits_for(std::uint32_t greatest) {
  int bits = 0;
  for (; greatest != 0; greatest >>= 1) ++bits;
  return bits;
}

}  // namespace sightline::rules
