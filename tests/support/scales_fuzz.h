// The second fuzzer's body: bytes to scenes of wildly mixed scales, and those through the engine and brute force.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "support/engine_fuzz.h"

namespace testing_support {

/// One scene from any bytes; where they end, numbers seeded by them go on.
FuzzScene decode_scales(std::span<const std::uint8_t> bytes);

/// Empty if the engine agrees with brute force; else the difference, with the case shrunk.
std::string fuzz_scales(std::span<const std::uint8_t> bytes);

}  // namespace testing_support
