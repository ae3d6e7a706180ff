// Sizes of tests that take long under a sanitizer.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace testing_support {

/// True in sanitized builds (tests/CMakeLists.txt) and where the environment has SIGHTLINE_SMALLER_TESTS.
inline bool smaller_tests() {
#ifdef SIGHTLINE_SMALLER_TESTS
  return true;
#else
  return std::getenv("SIGHTLINE_SMALLER_TESTS") != nullptr;
#endif
}

/// `count`, or a `by`-th of it where tests are to be smaller, but not less than `least`.
template <typename Count>
Count smaller(Count count, Count by = 10, Count least = 1) {
  return smaller_tests() ? std::max<Count>(std::min(count, least), count / by) : count;
}

}  // namespace testing_support
