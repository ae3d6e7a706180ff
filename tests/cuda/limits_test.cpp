// Every option reaches the GPU, or it is refused with a clear error.
#include "cuda/gpu.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Contact;
using sightline::Device;
using sightline::Report;

using CudaOptions = OnGpu;

Report on_gpu(const Mesh& mesh, const Tuned& options) {
  return sightline::self_intersections(mesh, options, Device::cuda());
}

TEST_F(CudaOptions, MaxContactsKeepsTheFirst) {
  for (const char* name : {"lattice", "cubes", "one_triangle", "big_uniform"}) {
    const Mesh mesh = corpus_item(name).make();
    const std::vector<Contact> all = sightline::self_intersections(mesh).contacts;
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{7}, all.size(), all.size() + 1}) {
      Tuned options;
      options.max_contacts = most;
      const Report report = on_gpu(mesh, options);
      EXPECT_EQ(report.contacts, std::vector(all.begin(), all.begin() + std::min(most, all.size()))) << name;
      EXPECT_EQ(report.found, all.size()) << name << " " << most;
      EXPECT_EQ(report.complete, most >= all.size()) << name << " " << most;
    }
  }
}

TEST_F(CudaOptions, FirstIsTheFirstInCanonicalOrder) {
  for (const char* name : {"lattice", "cubes", "one_triangle"}) {
    const Mesh mesh = corpus_item(name).make();
    const std::vector<Contact> all = sightline::self_intersections(mesh).contacts;
    Tuned options;
    options.first = true;
    const Report report = on_gpu(mesh, options);
    EXPECT_EQ(report.contacts, std::vector(all.begin(), all.begin() + std::min<std::size_t>(1, all.size()))) << name;
    EXPECT_EQ(report.found, report.contacts.size());
    EXPECT_EQ(report.complete, all.empty());
  }
}

TEST_F(CudaOptions, CancelAtAnyQuestion) {
  const Mesh mesh = corpus_item("lattice").make();
  int calls = 0;
  for (int after = 0; after <= calls; ++after) {
    calls = 0;
    Tuned options;
    options.cancel = [&] { return calls++ >= after; };
    const Report report = on_gpu(mesh, options);
    if (calls <= after) {  // no call returned true
      EXPECT_TRUE(report.complete);
      EXPECT_GE(after, 2) << "cancel is called before and after";
      break;
    }
    EXPECT_TRUE(report.cancelled);
    EXPECT_FALSE(report.complete);
    EXPECT_TRUE(report.contacts.empty());
  }
}

TEST_F(CudaOptions, ProgressEndsAtOne) {
  double last = 0;
  Tuned options;
  options.progress = [&](double done) { last = done; };
  const Mesh mesh = corpus_item("lattice").make();
  on_gpu(mesh, options);
  EXPECT_EQ(last, 1.0);
}

TEST_F(CudaOptions, StatsHaveStagesAndMemory) {
  const Mesh mesh = corpus_item("big_cloth").make();
  const Report report = on_gpu(mesh, {});
  const sightline::Stats& stats = report.stats;
  ASSERT_GE(stats.stages.size(), 3u);
  EXPECT_EQ(stats.stages.front().name, "upload");
  EXPECT_EQ(stats.stages.back().name, "download");
  EXPECT_EQ(stats.device, "cuda");
  EXPECT_EQ(stats.simd, "cuda");
  EXPECT_EQ(stats.triangles, mesh.triangles.size());
  EXPECT_GT(stats.candidates, 0u);
  EXPECT_GT(stats.peak_bytes, mesh.triangles.size() * 12);
  EXPECT_GT(stats.milliseconds, 0);
}

TEST_F(CudaOptions, CellSizeDoesNotMatter) {
  const Mesh mesh = corpus_item("cloth").make();
  const std::vector<Contact> all = sightline::self_intersections(mesh).contacts;
  for (const double cell : {1e-300, 0.1, 1.0, 2.5, 30.0, 1e6}) {
    Tuned options;
    options.cell = cell;
    EXPECT_EQ(on_gpu(mesh, options).contacts, all) << cell;
  }
}

TEST_F(CudaOptions, WhatItCannotDoItRefuses) {
  const Mesh mesh = corpus_item("lattice").make();
  const auto refused = [&](const auto& change) {
    Tuned options;
    change(options);
    return error_of([&] { on_gpu(mesh, options); });
  };
  EXPECT_EQ(refused([](Tuned& o) { o.simd = sightline::Simd::scalar; }),
            "cuda: simd scalar is an option of the cpu device");
  EXPECT_NE(refused([](Tuned& o) { o.axis = sightline::Axis::y; }), "");
  EXPECT_EQ(refused([](Tuned& o) { o.visibility = sightline::VisibilityCull::on; }), "");
  EXPECT_NE(refused([](Tuned& o) { o.cell = -1; }), "");
  EXPECT_EQ(refused([](Tuned& o) { o.threads = 3; }), "");
}

/// 4,324,453,500 duplicates: more than a counter of 32 bits can hold. It must not come back as a smaller number.
TEST_F(CudaOptions, MorePairsThanCanBeCounted) {
  Mesh mesh;
  mesh.positions = std::vector<sightline::Vec3f>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles.assign(93'000, {0, 1, 2});
  const std::string error = error_of([&] { on_gpu(mesh, {}); });
  EXPECT_EQ(error,
            "cuda: 4324453500 pairs for the exact decision are more than this device's engine can count; use the "
            "cpu device");
}

TEST_F(CudaOptions, ASceneKeepsItsDevice) {
  sightline::Scene cpu;
  sightline::Scene gpu(Device::cuda());
  EXPECT_EQ(error_of([&] { gpu.collide(); }), "");
  EXPECT_EQ(error_of([&] { gpu.collide(); }), "");
}

TEST_F(CudaOptions, BadInputIsRefusedAsOnTheCpu) {
  Mesh mesh = corpus_item("lattice").make();
  mesh.triangles[3][2] = 1u << 31;
  EXPECT_EQ(error_of([&] { on_gpu(mesh, {}); }), error_of([&] { sightline::self_intersections(mesh); }));
}

}  // namespace
}  // namespace testing_support
