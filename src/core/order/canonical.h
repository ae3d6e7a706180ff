// From found pairs to the canonical list, sorted by (object a, object b, triangle a, triangle b).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "sightline/contact.h"

namespace sightline {

class Watch;
class Workers;

/// What the numbers of contacts are at most.
struct ContactRange {
  std::uint32_t last_object = 0, most_triangles = 1;
  void add(std::uint32_t object, std::uint32_t triangles) {
    last_object = std::max(last_object, object);
    most_triangles = std::max(most_triangles, triangles);
  }
};
/// Scratch of the sort, kept from query to query.
struct SortScratch {
  static constexpr int kBucketBits = 8;
  static constexpr std::size_t kBuckets = std::size_t{1} << kBucketBits;
  /// Contacts of one part, and their number in each bucket; later the place of the next one there.
  struct Piece {
    std::size_t part, first, last;
    std::array<std::size_t, kBuckets> place;
  };
  std::vector<Piece> pieces;
  Buffer<std::uint64_t> keys, other;
};

/// `parts` are the workers' finds, in any order; they are emptied. Replaces the report's contacts, keeping their
/// storage. Repeats, if there are any, stay: a query reports each pair once (rules/report.h). If the query is
/// cancelled, the list is left unfinished.
void canonical_contacts(const ContactRange& range, std::vector<std::vector<Contact>>& parts, Workers& workers,
                        Watch& watch, SortScratch& scratch, std::vector<Contact>& contacts);

}  // namespace sightline
