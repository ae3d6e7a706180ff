// Settles what the filter left open, by the exact decision, and collects the contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "pair/group.h"
#include "scene/triangle_table.h"
#include "sightline/contact.h"

namespace sightline {

class Settler final : public PairSink {
 public:
  explicit Settler(const TriangleTable& table) : table_(table) {}
  void take(const Group& group, PairLists& lists) override;

  std::vector<Contact> found;  ///< in no order, maybe with repeats
  std::uint64_t exact_count = 0;

 private:
  const TriangleTable& table_;
};

}  // namespace sightline
