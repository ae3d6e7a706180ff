// Compares two answers as sets of contacts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace sightline::bench {

/// Sorts into canonical order and drops repeated pairs (FCL and Bullet may list a pair twice).
void make_canonical(std::vector<Contact>& contacts);

/// Hash of the pairs alone, in canonical order.
std::uint64_t hash_of_pairs(const std::vector<Contact>& contacts);

struct Difference {
  std::uint64_t missed = 0;    ///< in the reference only
  std::uint64_t invented = 0;  ///< in the answer only
  std::uint64_t other_kind = 0;
  std::string first;  ///< the first few differences, as text

  bool none() const { return missed == 0 && invented == 0 && other_kind == 0; }
};

/// Both in canonical order.
Difference compare(const std::vector<Contact>& reference, const std::vector<Contact>& answer, bool with_kinds);

}  // namespace sightline::bench
