// For tests that need a GPU: skipped with the reason where there is none.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "sightline/sightline.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/errors.h"

namespace testing_support {

/// Under a tool that looks at each access of each thread (SIGHTLINE_FEWER, set by `build/carry/run --sanitize`): the
/// same programs on less.
inline bool fewer() { return std::getenv("SIGHTLINE_FEWER") != nullptr; }
inline int repeats(int usual) { return fewer() ? (usual + 19) / 20 : usual; }
inline std::vector<Item> items() {
  std::vector<Item> all;
  for (const Item& item : corpus())
    if (!fewer() || !item.big) all.push_back(item);
  return all;
}

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = error_of([] { sightline::Device::cuda(); });
    if (!missing.empty()) GTEST_SKIP() << "NOT RUN on a GPU: " << missing;
  }
};

inline bool all_finite(const Mesh& mesh) {
  return error_of([&] { sightline::validate(mesh); }).empty();
}

}  // namespace testing_support
