// Random numbers that are the same on every machine and library.
#pragma once

#include <cstdint>

namespace testing_support {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {  // SplitMix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, 1), 53 bits.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double in(double lo, double hi) { return lo + (hi - lo) * unit(); }
  /// In 0 … n − 1.
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  bool chance(double p) { return unit() < p; }

 private:
  std::uint64_t state_;
};

}  // namespace testing_support
