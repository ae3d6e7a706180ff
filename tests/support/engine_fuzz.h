// One body for the fuzzer and for the deterministic test: bytes to small nasty scenes, and those through the engine
// and the rational oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightline/mesh.h"
#include "sightline/options.h"

namespace testing_support {

struct FuzzScene {
  std::vector<sightline::Mesh> objects;
  std::vector<bool> self;
  sightline::Options options;
};

/// Two frames of one scene, decoded from any bytes; where they end, numbers seeded by them go on.
std::vector<FuzzScene> decode_frames(std::span<const std::uint8_t> bytes);

/// Empty if the engine answers each frame as the oracle does; else the difference, with the case shrunk to the
/// triangles that matter.
std::string fuzz_engine(std::span<const std::uint8_t> bytes);

/// The scene with triangles taken away as long as `fails` holds.
FuzzScene shrunk(FuzzScene scene, const std::function<bool(const FuzzScene&)>& fails);
/// As source text: objects, flags and options.
std::string source_of(const FuzzScene& scene);

}  // namespace testing_support
