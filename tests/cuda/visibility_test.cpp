// The visibility cull on the GPU: on, off and left to itself, the contacts are the same.
#include "cuda/gpu.h"
#include "scenes/scenes.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Device;
using sightline::Report;
using sightline::Scene;
using sightline::VisibilityCull;

using CudaVisibility = OnGpu;

Mesh shifted(const Mesh& mesh, double x, double y, double z) {
  return transformed(mesh, [=](const Vec3d& p) { return Vec3d{p[0] + x, p[1] + y, p[2] + z}; });
}

std::uint64_t culled(const Report& report) {
  for (const sightline::Stage& stage : report.stats.stages)
    if (stage.name == "visibility" && stage.unit == "triangles culled") return stage.count;
  return 0;
}

/// On the GPU with the cull in this mode, and on the CPU without it.
Report expect_same(const std::vector<Mesh>& parts, const std::vector<bool>& self, VisibilityCull mode,
                   int queries = 1) {
  Scene gpu{Device::cuda()}, cpu;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    gpu.add(parts[i], {.self = self[i]});
    cpu.add(parts[i], {.self = self[i]});
  }
  Tuned options;
  options.visibility = VisibilityCull::off;
  const Report expected = collide(cpu, options);
  options.visibility = mode;
  Report report;
  for (int i = 0; i < queries; ++i) {
    collide(gpu, report, options);
    EXPECT_EQ(report.contacts, expected.contacts) << "query " << i;
  }
  return report;
}

TEST_F(CudaVisibility, AllModesGiveTheSameContacts) {
  for (const char* name : {"cloth", "cubes", "lattice", "big_cloth"}) {
    if (fewer() && std::string(name) != "cubes") continue;
    for (const bool wide : {false, true}) {
      SCOPED_TRACE(std::string(name) + (wide ? ", double" : ", float"));
      const Mesh mesh = wide ? as_double(corpus_item(name).make()) : as_float(corpus_item(name).make());
      const std::vector<Mesh> parts = {mesh, shifted(mesh, 0.01, 0.02, 0.3), shifted(mesh, 0.5, -0.25, 0),
                                       shifted(mesh, 1000, 0, 3)};
      for (const VisibilityCull mode : {VisibilityCull::on, VisibilityCull::off, VisibilityCull::automatic}) {
        expect_same(parts, {false, false, false, false}, mode, 3);
        expect_same(parts, {true, false, true, false}, mode, 3);
      }
    }
  }
}

TEST_F(CudaVisibility, WhatIsInPlainSightLeaves) {
  const Mesh sheet = as_float(corpus_item(fewer() ? "cloth" : "big_cloth").make());
  const Report apart = expect_same({sheet, shifted(sheet, 0, 0, 5000)}, {false, false}, VisibilityCull::on);
  EXPECT_EQ(culled(apart), 2 * sheet.triangles.size());
  const Report with_itself = expect_same({sheet, shifted(sheet, 0, 0, 5000)}, {true, false}, VisibilityCull::on);
  EXPECT_EQ(culled(with_itself), sheet.triangles.size());
  const Report same_place = expect_same({sheet, sheet}, {false, false}, VisibilityCull::on);
  EXPECT_LT(culled(same_place), sheet.triangles.size());
}

/// It is tried along z, then along y, then along x, with a rest between; apart along y, it must be on in the end.
TEST_F(CudaVisibility, LeftToItselfItFindsTheAxis) {
  if (fewer()) GTEST_SKIP() << "40 queries of 440,000 triangles; AllModesGiveTheSameContacts runs the same programs";
  const Mesh sheet = sightline::scenes::crumpled_cloth(220'000);  // fewer are not worth a try
  const Report report = expect_same({sheet, shifted(sheet, 0, 5000, 0)}, {false, false}, VisibilityCull::automatic, 40);
  EXPECT_EQ(culled(report), 2 * sheet.triangles.size());
}

/// -0 is 0: a plate that ends at -0 touches one that begins at 0.
TEST_F(CudaVisibility, MinusZeroIsZero) {
  for (int axis = 0; axis < 3; ++axis)
    for (const bool wide : {false, true}) {
      SCOPED_TRACE(std::to_string(axis) + (wide ? ", double" : ", float"));
      const auto plate = [&](double zero) {
        std::vector<Vec3d> corners;
        for (int i = 0; i < 4; ++i) {
          Vec3d p{};
          p[axis] = zero;
          p[(axis + 1) % 3] = i & 1;
          p[(axis + 2) % 3] = i >> 1;
          corners.push_back(p);
        }
        Mesh mesh;
        mesh.positions = corners;
        mesh.triangles = {{0, 1, 2}, {1, 3, 2}};
        return wide ? mesh : as_float(mesh);
      };
      // The third one is only there to make the image deep.
      const Report report =
          expect_same({plate(-0.0), plate(0.0), plate(-7)}, {false, false, false}, VisibilityCull::on, 5);
      EXPECT_FALSE(report.contacts.empty());
    }
}

/// A triangle over the whole image switches it off, and nothing is lost.
TEST_F(CudaVisibility, AWideTriangle) {
  const Mesh sheet = as_float(corpus_item("big_cloth").make());
  Mesh wide;
  wide.positions = std::vector<Vec3f>{{-1e6f, -1e6f, 0.1f}, {1e6f, -1e6f, 0.2f}, {0, 2e6f, 0.15f}};
  wide.triangles = {{0, 1, 2}};
  const Report report =
      expect_same({sheet, wide, shifted(sheet, 0, 0, 5000)}, {false, false, false}, VisibilityCull::on);
  EXPECT_EQ(culled(report), 0u);
}

}  // namespace
}  // namespace testing_support
