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

inline std::vector<Case> cases() {
  using namespace scenes;
  std::vector<Case> all;
  const auto one = [&](std::string name, std::function<Mesh()> make, bool timed = false) {
    all.push_back({std::move(name), [make] { return std::vector<Mesh>{make()}; }, timed});
  };
  for (const std::size_t n : {std::size_t{20'000}, std::size_t{285'000}, std::size_t{1'000'000}, std::size_t{4'000'000},
                              std::size_t{16'000'000}})
    one(
        "cloth " + std::to_string(n), [n] { return crumpled_cloth(n); }, true);
  one(
      "cloth 1000000 double", [] { return to_double(crumpled_cloth(1'000'000)); }, true);
  one(
      "cloth 1000000 shuffled", [] { return shuffled(crumpled_cloth(1'000'000), 3); }, true);
  for (const std::size_t n : {std::size_t{20'000}, std::size_t{1'000'000}, std::size_t{4'000'000}}) {
    one(
        "soup " + std::to_string(n), [n] { return uniform_soup(n); }, true);
    one(
        "tori " + std::to_string(n), [n] { return two_tori(n / 2); }, true);
  }
  one(
      "bodies 1000000", [] { return two_bodies(500'000); }, true);
  one(
      "clustered 200000", [] { return clustered_soup(200'000); }, true);
  one(
      "heavy-tailed 1000000", [] { return heavy_tailed_soup(1'000'000); }, true);
  one(
      "needles 100000", [] { return needle_soup(100'000); }, true);
  one(
      "cubes, one mesh", [] { return cubes_in_contact_mesh(10); }, true);
  one(
      "lattice 20000", [] { return lattice_soup(20'000, 1, true); }, true);
  all.push_back({"400 spheres", [] { return spheres(); }, true});
  all.push_back({"two objects", [] { return two_objects(); }, true});
  // Apart but for a few places, where the visibility cull helps.
  all.push_back({"two sheets",
                 [] {
                   const Mesh sheet = crumpled_cloth(500'000);
                   return std::vector<Mesh>{sheet, moved(sheet, {3, 2, 110})};
                 },
                 true});
  all.push_back({"1000 cubes", [] { return cubes_in_contact(10); }, true});
  one("lattice/10", [] { return lattice_soup_tenth(5000, 2, true); });
  one("far away", [] { return moved(to_double(crumpled_cloth(5000)), {1e9, -1e9, 3e8}); });
  one("far away, float", [] { return moved(crumpled_cloth(5000), {4e5, -4e5, 3e5}); });
  one("huge", [] { return scaled(to_double(two_bodies(2000)), 1e250); });
  one("tiny", [] { return scaled(to_double(two_bodies(2000)), 1e-250); });
  one("1e13, float", [] { return scaled(two_bodies(2000), 1e13); });
  one("1e13", [] { return scaled(to_double(two_bodies(2000)), 1e13); });
  one("1e13, lattice", [] { return scaled(lattice_soup(500, 3, true), 1e13); });
  one("tiny, float", [] { return scaled(two_bodies(2000), 1e-38); });
  one("soup of a cloth", [] { return to_soup(crumpled_cloth(20'000)); });
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const std::size_t n = 2 + seed % 97;
    const auto kind = seed % 8;
    one("small " + std::to_string(seed), [=] {
      switch (kind) {
        case 0:
          return lattice_soup(n, seed);
        case 1:
          return lattice_soup(n, seed, true);
        case 2:
          return lattice_soup_tenth(n, seed, true);
        case 3:
          return uniform_soup(n, seed);
        case 4:
          return heavy_tailed_soup(n, seed);
        case 5:
          return needle_soup(n, seed);
        case 6:
          return to_double(lattice_soup(n, seed, true));
        default:
          return clustered_soup(n, seed);
      }
    });
  }
  return all;
}

}  // namespace sightline::gpu_bench
