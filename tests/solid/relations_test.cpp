// Relations without a list of contacts are those of the list: on every scene, for every number of threads, and for
// instances in any place. (tests/solid/bodies.h compares the two for each pair of the other tests.)
#include <gtest/gtest.h>

#include <cmath>

#include "scenes/scenes.h"
#include "solid/bodies.h"

namespace {

using namespace bodies;
using sightline::Assembly;
using sightline::Clashes;
using sightline::ClashOptions;
using sightline::Device;
using sightline::Error;
using sightline::Mesh;
using sightline::PartPair;
using sightline::Relation;
using sightline::Transform;
namespace scenes = sightline::scenes;

Assembly assembly_of(std::vector<Mesh> meshes) {
  Assembly assembly;
  for (Mesh& mesh : meshes) assembly.add(std::move(mesh));
  return assembly;
}

/// How many pairs have each relation.
std::array<std::size_t, 5> expect_same(const Assembly& assembly, double clearance = 0) {
  const std::vector<PartPair> full = clashes(assembly, {.clearance = clearance, .query = {.threads = 1}}).pairs;
  for (const unsigned threads : {1u, 2u, 5u}) {
    const Clashes found =
        clashes(assembly, {.clearance = clearance, .relations_only = true, .query = {.threads = threads}});
    EXPECT_EQ(found.pairs, without_contacts(full)) << threads << " threads";
  }
  std::array<std::size_t, 5> counts{};
  for (const PartPair& pair : full) ++counts[static_cast<int>(pair.relation)];
  return counts;
}
std::size_t of(const std::array<std::size_t, 5>& counts, Relation relation) {
  return counts[static_cast<int>(relation)];
}

TEST(RelationsOnly, Scenes) {
  EXPECT_GT(of(expect_same(scenes::demo_assembly(), scenes::kDemoClearance), Relation::near), 0u);
  EXPECT_GT(of(expect_same(scenes::demo_assembly()), Relation::contains), 0u);
  EXPECT_EQ(of(expect_same(assembly_of(scenes::cubes_in_contact(4))), Relation::touch), 468u);
  EXPECT_GT(of(expect_same(assembly_of(scenes::spheres(60, 320))), Relation::clash), 60u);
  EXPECT_EQ(of(expect_same(assembly_of(scenes::two_objects(2000, 700))), Relation::clash), 1u);
  std::vector<Mesh> soups;
  for (int i = 0; i < 4; ++i) soups.push_back(scenes::lattice_soup(60, 7 + i, true));
  expect_same(assembly_of(soups));
  expect_same(assembly_of({}));
}

TEST(RelationsOnly, ABuildingAndItsFlatCopy) {
  const Assembly building = scenes::building(200, 150);
  const auto counts = expect_same(building, 0.25);
  EXPECT_GT(of(counts, Relation::clash), 40u);
  EXPECT_GT(of(counts, Relation::touch), 400u);
  EXPECT_EQ(expect_same(assembly_of(scenes::flattened(building)), 0.25), counts);
}

/// Instances in any place, also mirrored, scaled, turned by angles that round every position.
TEST(RelationsOnly, PlacedInstances) {
  testing_support::Random random(31);
  Assembly assembly;
  assembly.meshes = {scenes::sphere(320), scenes::box({0, 0, 0}, {1, 1, 1}), scenes::to_double(scenes::torus(400)),
                     scenes::shuffled(scenes::sphere(20000), 5)};
  const auto place = [&](std::uint32_t mesh, const Transform& transform) {
    assembly.parts.push_back({"part " + std::to_string(assembly.parts.size()), mesh, transform});
  };
  for (int i = 0; i < 120; ++i) {
    Transform transform;
    const int kind = random.below(4);
    const double angle = random.in(0, 6), c = std::cos(angle), s = std::sin(angle);
    if (kind == 1) transform.rows = {{{0, 2, 0, 0}, {-1, 0, 0, 0}, {0, 0, 0.5, 0}}};
    if (kind == 2) transform.rows = {{{c, -s, 0, 0}, {s, c, 0, 0}, {0, 0, 1, 0}}};
    if (kind == 3) transform.rows = {{{c, 0, s, 0}, {0.25, 1, 0, 0}, {-s, 0, c, 0}}};
    for (auto& row : transform.rows) row[3] = random.chance(0.5) ? random.below(9) : random.in(0, 9);
    place(static_cast<std::uint32_t>(random.below(20) == 0 ? 3 : random.below(3)), transform);
  }
  const auto counts = expect_same(assembly, 0.1);
  EXPECT_GT(of(counts, Relation::clash), 100u);
  EXPECT_GT(of(counts, Relation::near), 10u);
}

/// Parts whose boxes have a face, an edge or a corner in common: few of their triangles reach there, in a corner, an edge
/// or a side, and they may meet there or not. Some parts are flat.
TEST(RelationsOnly, PartsInFacesOfBoxes) {
  testing_support::Random random(32);
  std::array<std::size_t, 5> counts{};
  for (int round = 0; round < 30; ++round) {
    Assembly assembly;
    const int side = 2 + random.below(5);
    const double unit = random.chance(0.5) ? 1 : 0.1;
    for (int mesh = 0; mesh < 4; ++mesh) {
      std::vector<Vec3d> points;
      std::vector<sightline::Triangle> triangles;
      const int count = 2 + random.below(60), flat = random.below(9);
      for (int i = 0; i < 3 * count; ++i) {
        Vec3d p;
        for (double& x : p) x = unit * random.below(side + 1);
        if (flat < 3) p[flat] = 0;
        points.push_back(p);
      }
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i)
        triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      const Mesh made{.name = "soup", .positions = std::move(points), .triangles = std::move(triangles)};
      assembly.meshes.push_back(random.chance(0.5) ? made : scenes::to_float(made));
    }
    for (int i = 0; i < 40; ++i) {
      Vec3d by;
      for (double& x : by) x = unit * (random.chance(0.8) ? side * random.below(3) : random.below(2 * side));
      assembly.parts.push_back({"part " + std::to_string(i), static_cast<std::uint32_t>(random.below(4)),
                                random.chance(0.2) ? Transform{} : Transform::translation(by)});
    }
    const auto found = expect_same(assembly);
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += found[k];
  }
  EXPECT_GT(of(counts, Relation::touch), 1000u);
  EXPECT_GT(of(counts, Relation::clash), 1000u);
}

/// Boxes of blocks are floats: parts beyond the range of floats, and far below their resolution.
TEST(RelationsOnly, AllSizes) {
  for (const double scale : {0x1p-1040, 0x1p-200, 0x1p140, 0x1p1000})
    for (const double offset : {0.0, 4.0, 4.0000000001, 2.0}) {
      const Body a = box({0, 0, 0}, {4, 4, 4}).scaled(scale), b = box({offset, 0, 0}, {offset + 4, 4, 4}).scaled(scale);
      const PartPair pair = relation(a, b);  // compares
      const Relation expected = offset < 4 ? Relation::clash : offset == 4 ? Relation::touch : Relation::clear;
      if (scale > 0x1p-1000) {
        EXPECT_EQ(pair.relation, expected) << scale;
      }
    }
}

std::string error_of(const Assembly& assembly, const ClashOptions& options, const Device& device = Device::cpu()) {
  try {
    clashes(assembly, options, device);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RelationsOnly, TheSameErrors) {
  const Mesh good = scenes::to_double(scenes::box({0, 0, 0}, {1, 1, 1}));
  std::vector<Assembly> bad;
  for (int which = 0; which < 6; ++which) {
    Assembly assembly = assembly_of({good, good});
    auto& points = std::get<std::vector<Vec3d>>(assembly.meshes[1].positions);
    Transform& transform = assembly.parts[1].transform;
    if (which == 0) points[3][1] = NAN;
    if (which == 1) assembly.meshes[1].triangles[5][2] = 8;
    if (which == 2) transform.rows[0][3] = INFINITY;
    if (which == 3) transform.rows[1][1] = NAN;
    if (which == 4) transform.rows[2] = {1e300, 1e300, 1e300, 0}, points[6] = {1e10, 0, 0};
    if (which == 5) transform.rows[2] = {0, 0, 1e300, 0}, points.push_back({0, 0, 1e10});  // a vertex without triangle
    bad.push_back(assembly);
  }
  for (std::size_t i = 0; i < bad.size(); ++i) {
    const std::string message = error_of(bad[i], {});
    EXPECT_TRUE(message.starts_with("part 1: ")) << i << ": " << message;
    EXPECT_EQ(error_of(bad[i], {.relations_only = true}), message) << i;
  }
  const Assembly fine = assembly_of({good, good});
  EXPECT_NE(error_of(fine, {.clearance = -1, .relations_only = true}), "");
  EXPECT_NE(error_of(fine, {.relations_only = true, .query = {.first = true}}), "");
  EXPECT_EQ(error_of(fine, {.relations_only = true, .query = {.max_contacts = 0}}), "");
}

TEST(RelationsOnly, ProgressEndsAtOne) {
  std::vector<double> fractions;
  const ClashOptions options{.relations_only = true,
                             .query = {.progress = [&](double fraction) { fractions.push_back(fraction); }}};
  clashes(scenes::building(60, 50), options);
  ASSERT_FALSE(fractions.empty());
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
}

}  // namespace
