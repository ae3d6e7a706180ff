// Parts for relations pair by pair.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "sightline/huge.h"

namespace sightline::test {

/// Parts that are loaded from a list, with a record of what was loaded at a time.
class ListedParts : public PartSource {
 public:
  explicit ListedParts(std::vector<MeshView> parts) : parts_(std::move(parts)) {}
  std::size_t size() const override { return parts_.size(); }
  MeshView load(std::size_t part) override {
    if (part == bad) throw Error("part " + std::to_string(part) + " cannot be read");
    EXPECT_TRUE(loaded_.insert(part).second);
    most = std::max(most, loaded_.size());
    ever.insert(part);
    return parts_[part];
  }
  void release(std::size_t part) override { EXPECT_EQ(loaded_.erase(part), 1u); }
  bool all_released() const { return loaded_.empty(); }

  std::size_t bad = ~std::size_t{0};  ///< cannot be loaded
  std::size_t most = 0;               ///< loaded at a time
  std::set<std::size_t> ever;

 private:
  std::vector<MeshView> parts_;
  std::set<std::size_t> loaded_;
};

}  // namespace sightline::test
