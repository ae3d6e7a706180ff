// The fuzzer's body on fixed seeds: small scenes of every nasty family, random options, engine against rationals.
// SIGHTLINE_FUZZ_SECONDS and SIGHTLINE_FUZZ_SEED make it a soak test.
#include "support/engine_fuzz.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "support/random.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;

double from_environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atof(text) : otherwise;
}

class EngineFuzz : public testing::TestWithParam<int> {};

TEST_P(EngineFuzz, AgreesWithRationals) {
  // Fixed scenes, not a fixed time: the test is the same on every machine.
  const double soak_seconds = from_environment("SIGHTLINE_FUZZ_SECONDS", 0);
  const auto first_seed = static_cast<std::uint64_t>(from_environment("SIGHTLINE_FUZZ_SEED", 1));
  const auto start = std::chrono::steady_clock::now();
  Random random(first_seed * 1000 + GetParam());
  int failures = 0;
  for (int i = 0; failures < 3; ++i) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (soak_seconds > 0 ? spent.count() > soak_seconds : i >= smaller(600)) break;
    std::vector<std::uint8_t> bytes(24);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.bits() >> 56);
    const std::string text = fuzz_engine(bytes, 6);
    failures += !text.empty();
    EXPECT_EQ(text, "") << "scene " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineFuzz, testing::Range(0, 8));

}  // namespace
