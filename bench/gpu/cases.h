// The meshes that the GPU is checked and measured on, and the fingerprint of an answer. Used on both sides: where the
// CPU engine makes the table of expected answers, and on the bare machine with the GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scenes/random.h"
#include "scenes/scenes.h"
#include "sightline/contact.h"

namespace sightline::gpu_bench {

struct Case {
  std::string name;
  std::function<std::vector<Mesh>()> make;  ///< one mesh is checked against itself, several against each other
  bool timed = false;
};

inline std::uint64_t fingerprint(std::span<const Contact> contacts) {
  std::uint64_t hash = contacts.size();
  for (const Contact& c : contacts) {
    hash = scenes::mix(hash ^ (std::uint64_t{c.object_a} << 32 | c.object_b));
    hash = scenes::mix(hash ^ (std::uint64_t{c.a} << 32 | c.b));
    hash = scenes::mix(hash ^ static_cast<std::uint64_t>(c.kind));
  }
  return hash;
}

/// Meshes of few triangles of eight kinds.
inline Mesh small_mesh(std::uint64_t kind, std::size_t n, std::uint64_t seed) {
  using namespace scenes;
  using Make = Mesh (*)(std::size_t n, std::uint64_t seed);
  static constexpr Make kMakes[8] = {[](auto n, auto seed) { return lattice_soup(n, seed); },
                                     [](auto n, auto seed) { return lattice_soup(n, seed, true); },
                                     [](auto n, auto seed) { return lattice_soup_tenth(n, seed, true); },
                                     [](auto n, auto seed) { return uniform_soup(n, seed); },
                                     [](auto n, auto seed) { return heavy_tailed_soup(n, seed); },
                                     [](auto n, auto seed) { return needle_soup(n, seed); },
                                     [](auto n, auto seed) { return to_double(lattice_soup(n, seed, true)); },
                                     [](auto n, auto seed) { return clustered_soup(n, seed); }};
  return kMakes[kind % 8](n, seed);
}

inline std::vector<Case> cases() {
  using namespace scenes;
  std::vector<Case> all;
  const auto check = [&](std::string name, std::function<Mesh()> make) {
    all.push_back({std::move(name), [make] { return std::vector<Mesh>{make()}; }});
  };
  const auto time = [&](std::string name, std::function<Mesh()> make) {
    check(std::move(name), std::move(make));
    all.back().timed = true;
  };
  for (const std::size_t n : {20'000u, 285'000u, 1'000'000u, 4'000'000u, 16'000'000u})
    time("cloth " + std::to_string(n), [n] { return crumpled_cloth(n); });
  time("cloth 1000000 double", [] { return to_double(crumpled_cloth(1'000'000)); });
  time("cloth 1000000 shuffled", [] { return shuffled(crumpled_cloth(1'000'000), 3); });
  for (const std::size_t n : {20'000u, 1'000'000u, 4'000'000u}) {
    time("soup " + std::to_string(n), [n] { return uniform_soup(n); });
    time("tori " + std::to_string(n), [n] { return two_tori(n / 2); });
  }
  time("bodies 1000000", [] { return two_bodies(500'000); });
  time("clustered 200000", [] { return clustered_soup(200'000); });
  time("heavy-tailed 1000000", [] { return heavy_tailed_soup(1'000'000); });
  time("needles 100000", [] { return needle_soup(100'000); });
  time("cubes, one mesh", [] { return cubes_in_contact_mesh(10); });
  time("lattice 20000", [] { return lattice_soup(20'000, 1, true); });
  all.push_back({"400 spheres", [] { return spheres(); }, true});
  all.push_back({"two objects", [] { return two_objects(); }, true});
  // Apart but for a few places, where the visibility cull helps.
  const auto two_sheets = [] {
    const Mesh sheet = crumpled_cloth(500'000);
    return std::vector<Mesh>{sheet, moved(sheet, {3, 2, 110})};
  };
  all.push_back({"two sheets", two_sheets, true});
  all.push_back({"1000 cubes", [] { return cubes_in_contact(10); }, true});
  check("lattice/10", [] { return lattice_soup_tenth(5000, 2, true); });
  check("far away", [] { return moved(to_double(crumpled_cloth(5000)), {1e9, -1e9, 3e8}); });
  check("far away, float", [] { return moved(crumpled_cloth(5000), {4e5, -4e5, 3e5}); });
  check("huge", [] { return scaled(to_double(two_bodies(2000)), 1e250); });
  check("tiny", [] { return scaled(to_double(two_bodies(2000)), 1e-250); });
  check("1e13, float", [] { return scaled(two_bodies(2000), 1e13); });
  check("1e13", [] { return scaled(to_double(two_bodies(2000)), 1e13); });
  check("1e13, lattice", [] { return scaled(lattice_soup(500, 3, true), 1e13); });
  check("tiny, float", [] { return scaled(two_bodies(2000), 1e-38); });
  check("soup of a cloth", [] { return to_soup(crumpled_cloth(20'000)); });
  for (std::uint64_t seed = 1; seed <= 1000; ++seed)
    check("small " + std::to_string(seed), [seed] { return small_mesh(seed, 2 + seed % 97, seed); });
  return all;
}

}  // namespace sightline::gpu_bench
