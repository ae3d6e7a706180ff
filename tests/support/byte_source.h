// Bytes of a fuzzer as choices.
#pragma once

#include <cstdint>
#include <span>

#include "support/random.h"

namespace testing_support {

/// Bytes as they come, then random ones that depend on all of them: a short input still makes a whole scene, and its
/// first bytes, which a fuzzer can steer, choose the family.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes), random_(seed_of(bytes)) {}
  int byte() { return next_ < bytes_.size() ? bytes_[next_++] : static_cast<int>(random_.bits() >> 56); }
  int below(int n) { return (n <= 256 ? byte() : byte() * 256 + byte()) % n; }
  bool chance(int in_256) { return byte() < in_256; }
  /// Once in n inputs, by all bytes together: a fuzzer cannot steer it, so that costly scenes stay rare.
  bool rarely(int n) { return random_.below(n) == 0; }
  std::uint64_t word() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | static_cast<std::uint64_t>(byte());
    return bits;
  }

 private:
  static std::uint64_t seed_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint8_t b : bytes) hash = (hash ^ b) * 0x100000001b3u;
    return hash;
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
  Random random_;
};

}  // namespace testing_support
