// Decides the pairs that the filter left open, exactly, and collects the contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "input/triangle_table.h"
#include "pair/group.h"
#include "sightline/contact.h"

namespace sightline {

class Settler final : public PairSink {
 public:
  /// Keeps the first `most` contacts in canonical order, and counts all.
  Settler(const TriangleTable& table, std::uint64_t most) : table_(table), most_(most) {}
  void take(const Group& group, PairLists& lists) override;
  /// Drops what is beyond the first `most`.
  void cut();

  std::vector<Contact> found;  ///< in no order
  std::uint64_t count = 0;     ///< of all contacts found
  std::uint64_t exact_count = 0;

 private:
  const TriangleTable& table_;
  const std::uint64_t most_;
};

}  // namespace sightline
