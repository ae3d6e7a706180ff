// The answer of one leaf, by the engine of the core.
#pragma once

#include "input/settings.h"
#include "parts/lists.h"
#include "parts/store.h"

namespace sightline::scale {

/// Bytes that the answer of a leaf takes for each of its triangles, contacts not included.
template <typename Scalar>
constexpr std::size_t kLeafBytes = sizeof(Scalar) == 4 ? 220 : 300;

struct LeafOptions {
  unsigned threads = 0;
  bool intersections = true;
  Tuning tuning = {};
  std::uint64_t most_contacts = 0;  ///< a leaf with more of them is not answered
};

/// Adds what the leaf counts, and nothing that another leaf counts. False, and nothing is added, if the leaf has too
/// many contacts.
template <typename Scalar>
SIGHTLINE_API bool answer_leaf(const Triangles<Scalar>& triangles, const Region& region, const LeafOptions& options,
                               const Control& control, Totals& totals, HugeReport::Lists& lists);

}  // namespace sightline::scale
