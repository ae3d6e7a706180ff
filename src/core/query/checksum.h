// Checksums of memory in parts, so that a change of it is noticed a part at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sightline {

/// Of a few arrays of bytes that another owns.
class Checksum {
 public:
  static constexpr std::size_t kPart = 4096;  ///< bytes

  void assign(std::span<const std::byte> first, std::span<const std::byte> second) {
    arrays_[0] = first;
    arrays_[1] = second;
    sums_.resize(parts_of(first) + parts_of(second));
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] = sum(bytes(i));
  }
  std::size_t parts() const { return sums_.size(); }
  std::span<const std::byte> bytes(std::size_t part) const {
    const std::size_t in_first = parts_of(arrays_[0]);
    const std::span<const std::byte> array = arrays_[part >= in_first];
    const std::size_t begin = (part >= in_first ? part - in_first : part) * kPart;
    return array.subspan(begin, std::min(kPart, array.size() - begin));
  }
  bool is_unchanged(std::size_t part) const { return sum(bytes(part)) == sums_[part]; }
  /// Of one position.
  template <typename Scalar>
  static std::uint64_t of_point(const std::byte* at) {
    Scalar p[3];
    std::memcpy(p, at, sizeof p);
    std::uint64_t sum = 0;
    for (const Scalar x : p) {
      std::uint64_t word = 0;
      std::memcpy(&word, &x, sizeof x);
      sum = (sum ^ word) * kFactor;
    }
    return sum;
  }
  std::size_t size_bytes() const { return sums_.capacity() * sizeof(std::uint64_t); }

 private:
  static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;  // odd: a product with it loses nothing

  static std::size_t parts_of(std::span<const std::byte> array) { return (array.size() + kPart - 1) / kPart; }

  /// Four sums side by side. Each step is a bijection of the sum, so a change within one word of 8 bytes always changes
  /// the result.
  static std::uint64_t sum(std::span<const std::byte> bytes) {
    std::uint64_t lane[4] = {1, 2, 3, 4};
    const auto mix = [](std::uint64_t& sum, std::uint64_t word) {
      sum = (sum ^ word) * kFactor;
      sum ^= sum >> 32;
    };
    std::size_t at = 0;
    std::uint64_t word[4];
    for (; at + sizeof word <= bytes.size(); at += sizeof word) {
      std::memcpy(word, bytes.data() + at, sizeof word);
      for (int i = 0; i < 4; ++i) mix(lane[i], word[i]);
    }
    std::memset(word, 0, sizeof word);
    if (at < bytes.size()) std::memcpy(word, bytes.data() + at, bytes.size() - at);
    for (int i = 0; i < 4; ++i) mix(lane[i], word[i]);
    for (int i = 1; i < 4; ++i) mix(lane[0], lane[i]);
    return lane[0];
  }

  std::span<const std::byte> arrays_[2];
  std::vector<std::uint64_t> sums_;
};

}  // namespace sightline
