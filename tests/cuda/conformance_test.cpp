// The promise: on every mesh the GPU's list is the CPU's.
#include <algorithm>

#include "bench/gpu/cases.h"
#include "cuda/gpu.h"
#include "scenes/scenes.h"
#include "support/regimes.h"

namespace testing_support {
namespace {

using sightline::Device;
using sightline::Report;
using sightline::Scene;

using Conformance = OnGpu;

void expect_same(const Report& cpu, const Report& gpu, const std::vector<Mesh>& meshes) {
  EXPECT_EQ(difference(cpu.contacts, gpu, views(meshes)), "");
  EXPECT_EQ(cpu.contacts, gpu.contacts);  // order included
  EXPECT_EQ(gpu.stats.device, "cuda");
}

void expect_same_self(const Mesh& mesh) {
  if (!all_finite(mesh)) return;  // too large for float
  const Report gpu = sightline::self_intersections(mesh, sightline::Options{}, Device::cuda());
  expect_same(sightline::self_intersections(mesh), gpu, {mesh});
}

/// The parts against each other; the first `selves` also against themselves.
Report collide(const std::vector<Mesh>& parts, Device device, std::size_t selves) {
  Scene scene(device);
  for (std::size_t i = 0; i < parts.size(); ++i) scene.add(parts[i], {.self = i < selves});
  return scene.collide();
}

void expect_same_scene(const std::vector<Mesh>& parts) {
  if (!std::all_of(parts.begin(), parts.end(), all_finite)) return;
  for (const std::size_t selves : {std::size_t{0}, std::size_t{1}, parts.size()}) {
    SCOPED_TRACE(std::to_string(selves) + " with self");
    expect_same(collide(parts, Device::cpu(), selves), collide(parts, Device::cuda(), selves), parts);
  }
}

TEST_F(Conformance, CorpusAsItIs) {
  for (const Item& item : corpus()) {
    SCOPED_TRACE(item.name);
    expect_same_self(item.make());
  }
}

TEST_F(Conformance, CorpusAsFloat) {
  for (const Item& item : corpus()) {
    SCOPED_TRACE(item.name);
    expect_same_self(as_float(item.make()));
  }
}

TEST_F(Conformance, CorpusAsDouble) {
  for (const Item& item : corpus()) {
    SCOPED_TRACE(item.name);
    expect_same_self(as_double(item.make()));
  }
}

TEST_F(Conformance, CorpusAsSoup) {
  for (const Item& item : corpus()) {
    SCOPED_TRACE(item.name);
    expect_same_self(unindexed(item.make()));
  }
}

TEST_F(Conformance, CorpusAsScenes) {
  for (const Item& item : items()) {
    SCOPED_TRACE(item.name);
    const Mesh mesh = item.make();
    expect_same_scene(dealt(mesh, 3));
    expect_same_scene(sliced(mesh, 5));
  }
}

TEST_F(Conformance, ScenesOfBothPrecisions) {
  for (const Item& item : items()) {
    SCOPED_TRACE(item.name);
    std::vector<Mesh> parts = dealt(item.make(), 4);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i % 2 == 0 ? as_float(parts[i]) : as_double(parts[i]);
    expect_same_scene(parts);
  }
}

/// Where sizes and distances differ by up to 1e300 (support/regimes.h).
void expect_same_regime(const RegimeScene& regime) {
  const auto collide_on = [&regime](Device device) {
    Scene scene(device);
    for (std::size_t i = 0; i < regime.objects.size(); ++i) scene.add(regime.objects[i], {.self = regime.self[i]});
    return scene.collide();
  };
  expect_same(collide_on(Device::cpu()), collide_on(Device::cuda()), regime.objects);
}

TEST_F(Conformance, Regimes) {
  for (const Regime& regime : regimes()) {
    SCOPED_TRACE(regime.name);
    const RegimeScene scene = regime.make(static_cast<std::size_t>(repeats(9000)));
    expect_same_regime(scene);
    expect_same_regime(as_one(scene));
    expect_same_regime(dealt_out(scene, 3));
  }
}

TEST_F(Conformance, GiantsOfAllSizes) {
  for (const double size : {1e3, 1e7, 1e12, 1e14, 1e16, 1e17, 1e30, 1e100, 1e290})
    for (int axis = 0; axis < 3; ++axis) {
      SCOPED_TRACE(std::to_string(size) + " turned " + std::to_string(axis));
      const RegimeScene scene = turned(giant_over_sheet(size), axis);
      expect_same_regime(scene);
      expect_same_regime(as_one(scene));
    }
}

TEST_F(Conformance, FlatAndFar) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double at : {0.0, 1.0, 1e10, 1e300})
      for (const double extent : {1e-300, 1e-100, 1.0, 1e100}) {
        SCOPED_TRACE(std::to_string(axis) + " at " + std::to_string(at));
        expect_same_regime(far_plane(axis, at, extent));
      }
}

/// Crowds of triangles, each in a cube of 2, with corners of at most `reach` from its middle: 1, and all are in one cell.
Mesh crowds(std::size_t count, std::size_t triangles, double reach) {
  sightline::scenes::Random random(count + triangles);
  std::vector<sightline::Vec3f> positions;
  Mesh mesh;
  for (std::uint32_t t = 0; t < count * triangles; ++t) {
    const double beside = 10.0 * static_cast<double>(t / triangles);
    const sightline::Vec3d middle = random.in_cube(1 - reach);
    for (int i = 0; i < 3; ++i) {
      const sightline::Vec3d p = random.in_cube(reach);
      positions.push_back({static_cast<float>(beside + middle[0] + p[0]), static_cast<float>(middle[1] + p[1]),
                           static_cast<float>(middle[2] + p[2])});
    }
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  mesh.positions = std::move(positions);
  return mesh;
}

/// The pair kernel's work on a crowd: parts of a window, windows, tiles, groups of tiles, and more groups than its list
/// has room for.
TEST_F(Conformance, CrowdsOfAllSizes) {
  for (const std::size_t triangles : {2, 31, 32, 33, 63, 64, 65, 96, 97, 128, 129, 161, 1000, 3000, 6000}) {
    SCOPED_TRACE(triangles);
    const Mesh mesh = crowds(1, triangles, 1);
    expect_same_self(mesh);
    if (triangles <= 1000) expect_same_self(as_double(mesh));
    if (triangles <= 1000) expect_same_scene(dealt(mesh, 3));
  }
}

/// About 1,600, 3,400 and 6,700 windows, where a large GPU has 4,224 warps: groups of one, two and four tiles.
TEST_F(Conformance, CrowdsBesideEachOther) {
  for (const std::size_t count : {7, 15, 30}) {
    SCOPED_TRACE(count);
    expect_same_self(crowds(count, 3000, 0.5));
  }
}

TEST_F(Conformance, RandomSmallMeshes) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(repeats(200)); ++seed) {
    SCOPED_TRACE(seed);
    // 9 has no factor in common with 2 and 4 below: each of the eight kinds goes through all of it.
    const Mesh mesh = sightline::gpu_bench::small_mesh(seed % 9, 1 + seed * 7 % 120, seed);
    expect_same_self(mesh);
    expect_same_self(seed % 2 == 0 ? as_double(mesh) : as_float(mesh));
    if (seed % 4 == 0) expect_same_scene(dealt(mesh, 2 + seed % 3));
  }
}

TEST_F(Conformance, RepeatedRunsAreIdentical) {
  const Mesh mesh = corpus_item("big_cloth").make();
  const auto expected = sightline::self_intersections(mesh).contacts;
  Scene scene(Device::cuda());
  scene.add(mesh, {.self = true});
  Report report;
  for (int run = 0; run < repeats(100); ++run) {
    scene.collide(report);
    ASSERT_EQ(report.contacts, expected) << "run " << run;
  }
}

TEST_F(Conformance, ClashesAreTheSame) {
  sightline::Assembly assembly;
  for (Mesh& cube : sightline::scenes::cubes_in_contact(3)) assembly.add(std::move(cube));
  EXPECT_EQ(sightline::clashes(assembly, {}, Device::cuda()).pairs, sightline::clashes(assembly).pairs);
}

}  // namespace
}  // namespace testing_support
