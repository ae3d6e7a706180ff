// One body for the fuzzers and for the deterministic tests: bytes to small nasty scenes, and those through the engine
// and an oracle.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightline/contact.h"
#include "sightline/mesh.h"
#include "support/tuned.h"

namespace testing_support {

struct FuzzScene {
  std::vector<sightline::Mesh> objects;
  std::vector<bool> self;
  Tuned options;
};

/// Two frames of one scene, decoded from any bytes; where they end, numbers seeded by them go on. One frame in
/// `large_in` has up to 500 triangles, the others up to 8; exponents far apart and several threads are as rare (at most
/// one in 32 and one in 16).
std::vector<FuzzScene> decode_frames(std::span<const std::uint8_t> bytes, int large_in = 1);

/// Empty if the engine answers each frame as the oracle does; else the difference, with the case shrunk to the
/// triangles that matter.
std::string fuzz_engine(std::span<const std::uint8_t> bytes, int large_in = 1);

/// All contacts of a scene, in canonical order, from something else than the engine.
using Truth = std::function<std::vector<sightline::Contact>(const FuzzScene&)>;

/// Empty if the engine answers the scene as `truth` does; else the difference, with the case shrunk. `limits`: also
/// what `first` and `max_contacts` return.
std::string fuzz_scene(const FuzzScene& scene, const Truth& truth, bool limits);

/// The scene with triangles taken away as long as `fails` holds.
FuzzScene shrunk(FuzzScene scene, const std::function<bool(const FuzzScene&)>& fails);
/// As source text: objects, flags and options.
std::string source_of(const FuzzScene& scene);

}  // namespace testing_support
