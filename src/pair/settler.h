// Settles what the filter left open, by the exact decision, and collects the contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "pair/group.h"
#include "scene/triangle_table.h"
#include "sightline/contact.h"

namespace sightline {

/// A contact between two triangles of the table, the smaller first.
struct FoundPair {
  std::uint32_t a, b;
  Kind kind;
};

class Settler final : public PairSink {
 public:
  explicit Settler(const TriangleTable& table) : table_(table) {}
  void take(const Group& group, PairLists& lists) override;

  std::vector<FoundPair> found;
  std::uint64_t exact_count = 0;

 private:
  const TriangleTable& table_;
};

}  // namespace sightline
