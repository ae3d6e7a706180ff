// A GPU with little memory: tiles with the CPU's answer where they are allowed, else a clear error, and the
// scene goes on afterwards.
#include <gmock/gmock.h>

#include "cuda/gpu.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using sightline::Device;
using sightline::Report;
using ::testing::HasSubstr;

using CudaMemory = OnGpu;

Device limited(std::uint64_t bytes, bool tiles = true) { return Device::cuda(0, {.memory = bytes, .tiles = tiles}); }

std::uint64_t tiles_of(const Report& report) {
  for (const sightline::Stage& stage : report.stats.stages)
    if (stage.name == "tiles") return stage.count;
  return 0;
}

/// Enough triangles that they, not the engine's fixed part, take most of the memory.
Mesh large_cloth() { return as_float(sightline::scenes::crumpled_cloth(fewer() ? 300000 : 600000)); }

TEST_F(CudaMemory, TilesHaveTheAnswerOfTheCpu) {
  const Mesh narrow = large_cloth(), wide = as_double(narrow);
  for (const Mesh* mesh : {&narrow, &wide}) {
    const Report cpu = sightline::self_intersections(*mesh);
    const std::uint64_t needed = sightline::self_intersections(*mesh, sightline::Options{}, limited(0)).stats.peak_bytes;
    std::uint64_t most_tiles = 0;
    for (const double part : {1.0, 0.99, 0.8, 0.6, 0.5}) {
      if (fewer() && part != 1.0 && part != 0.6) continue;
      const auto bytes = static_cast<std::uint64_t>(part * static_cast<double>(needed));
      const Report gpu = sightline::self_intersections(*mesh, sightline::Options{}, limited(bytes));
      EXPECT_EQ(gpu.contacts, cpu.contacts) << part;
      EXPECT_TRUE(gpu.complete);
      EXPECT_LE(gpu.stats.peak_bytes, bytes);
      EXPECT_EQ(gpu.stats.triangles, mesh->triangles.size());
      EXPECT_EQ(tiles_of(gpu) > 0, part < 1) << part;
      most_tiles = std::max(most_tiles, tiles_of(gpu));
    }
    EXPECT_GT(most_tiles, 1u);
  }
}

TEST_F(CudaMemory, WithoutTilesItIsAnError) {
  const Mesh mesh = large_cloth();
  const auto query = [&](std::uint64_t bytes, bool tiles) {
    return error_of([&] { sightline::self_intersections(mesh, sightline::Options{}, limited(bytes, tiles)); });
  };
  const std::string error = query(20 << 20, false);
  EXPECT_THAT(error, HasSubstr("cuda: out of device memory: "));
  EXPECT_THAT(error, HasSubstr(", 20.0 MiB allowed; --tiles auto"));
  // Too little for any tile.
  EXPECT_THAT(query(1000, true), HasSubstr("triangles cannot be cut into smaller ones"));
  EXPECT_EQ(query(0, true), "");
}

TEST_F(CudaMemory, ASceneGoesOnAfterwards) {
  const Mesh cloth = large_cloth(), cubes = as_float(corpus_item("cubes").make());
  const auto fill = [&](sightline::Scene& scene) {
    scene.add(cloth, {.self = true});
    scene.add(cubes);
  };
  sightline::Scene cpu, all(limited(0));
  fill(cpu);
  fill(all);
  const Report expected = cpu.collide(), whole = all.collide();
  EXPECT_EQ(whole.contacts, expected.contacts);
  for (const std::uint64_t bytes : {whole.stats.peak_bytes / 2, whole.stats.peak_bytes}) {
    sightline::Scene gpu(limited(bytes)), small(limited(1000, false));
    fill(gpu);
    fill(small);
    for (int frame = 0; frame < 2; ++frame) {
      EXPECT_EQ(gpu.collide().contacts, expected.contacts) << bytes;
      EXPECT_THAT(error_of([&] { small.collide(); }), HasSubstr("out of device memory"));
    }
  }
}

}  // namespace
}  // namespace testing_support
