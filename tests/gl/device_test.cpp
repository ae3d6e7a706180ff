// The OpenGL renderer from outside: what it takes, what it refuses, and with which messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "gl.h"
#include "method/run.h"
#include "scenes/scenes.h"
#include "support/errors.h"

namespace testing_support {
namespace {

using namespace sightline;
using namespace sightline::papers;
using papers::Report;
using papers::method::MethodSettings;
using ::testing::AnyOf;
using ::testing::HasSubstr;

Mesh some_mesh() { return scenes::self_intersecting_tube(2000); }
MethodSettings on_gl(MethodName method, GlQueries queries = GlQueries::batched) {
  MethodSettings options;
  options.renderer = Renderer::gl(queries);
  options.method = method;
  options.paper.resolution = 64;
  return options;
}

TEST(GlDevice, IsThereOrTheErrorNamesWhatIsMissing) {
  const std::string error = error_of([] { EXPECT_EQ(Renderer::gl().type(), Renderer::Type::gl); });
  EXPECT_EQ(error, gl::missing().empty() ? "" : "gl: " + gl::missing());
  const DeviceInfo info = gl_info();
  EXPECT_EQ(info.name, "gl");
  EXPECT_EQ(info.missing, gl::missing());
  EXPECT_EQ(info.facts.empty(), !info.missing.empty());
}

TEST(GlDevice, IsNoDeviceOfTheEngine) {
  for (const DeviceInfo& device : devices()) {
    EXPECT_EQ(device.facts.empty(), !device.missing.empty()) << device.name;
    EXPECT_THAT(device.name, AnyOf("cpu", "cuda"));
  }
}

class GlOptions : public GlTest {};

/// Only the OpenGL renderer can have queries one at a time.
TEST_F(GlOptions, QueriesBelongToTheRenderer) {
  EXPECT_EQ(Renderer::cpu().queries(), GlQueries::batched);
  EXPECT_EQ(Renderer::gl().queries(), GlQueries::batched);
  EXPECT_EQ(Renderer::gl(GlQueries::each).queries(), GlQueries::each);
  EXPECT_NE(Renderer::gl(GlQueries::each), Renderer::gl());
  EXPECT_NE(Renderer::gl(), Renderer::cpu());
}

TEST_F(GlOptions, TheExactMethodIsRefusedWithWhatRunsHere) {
  const Mesh mesh = some_mesh();
  const std::string error = error_of([&] { method::run(mesh, on_gl(MethodName::exact)); });
  for (const char* word : {"gl: the exact engine", "cpu", "cuda", "the papers' methods"})
    EXPECT_THAT(error, HasSubstr(word));
}

TEST_F(GlOptions, OthersAreRefused) {
  const Mesh mesh = some_mesh();
  MethodSettings simd = on_gl(MethodName::cullide);
  simd.simd = Simd::scalar;
  EXPECT_THAT(error_of([&] { method::run(mesh, simd); }), HasSubstr("gl: simd scalar"));
  Scene scene;
  scene.add(mesh);
  MethodSettings velocity = on_gl(MethodName::velocity);
  velocity.paper.motions = {Motion{}};
  EXPECT_THAT(error_of([&] { method::run(scene, velocity); }), HasSubstr("velocity itself draws nothing"));
  MethodSettings each = on_gl(MethodName::cullide, GlQueries::each);
  each.paper.depth = DepthBits::fixed32;
  EXPECT_THAT(error_of([&] { method::run(mesh, each); }), HasSubstr("32 fixed bits need batched queries"));
  MethodSettings large = on_gl(MethodName::cullide);
  large.paper.resolution = 16385;
  EXPECT_THAT(error_of([&] { method::run(mesh, large); }), HasSubstr("resolution 16385"));
}

TEST_F(GlOptions, OneSceneForEachRenderer) {
  const Mesh mesh = some_mesh();
  Scene scene;
  scene.add(mesh, {.self = true});
  const auto exact = scene.collide().contacts;
  ASSERT_FALSE(exact.empty());
  MethodSettings settings = on_gl(MethodName::quick_cullide);
  const Report flat = method::run(scene, settings);
  EXPECT_EQ(flat.contacts, exact);
  EXPECT_EQ(flat.stats.device, "gl");
  const QuickCullide quick{.images = {.resolution = 64}};
  for (const GlQueries queries : {GlQueries::batched, GlQueries::each}) {
    const Report report = papers::run(scene, quick, {}, Renderer::gl(queries));
    EXPECT_EQ(report.contacts, exact);
    EXPECT_EQ(report.stats.device, "gl");
    EXPECT_EQ(report.method.renderer, Renderer::Type::gl);
    EXPECT_EQ(papers::run(mesh, quick, {}, Renderer::gl(queries)).contacts, exact);
  }
  settings.renderer = Renderer::cpu();
  const Report report = method::run(scene, settings);
  EXPECT_EQ(report.contacts, exact);
  EXPECT_EQ(report.stats.device, "cpu");
  EXPECT_EQ(report.method.renderer, Renderer::Type::cpu);
  EXPECT_THAT(error_of([&] { method::run(scene, on_gl(MethodName::exact)); }), HasSubstr("gl: the exact engine"));
}

/// Each query has a context for itself; none is bound to the thread that made it first.
TEST_F(GlOptions, ThreadsAtTheSameTimeAndOneAfterTheOther) {
  const Mesh mesh = some_mesh();
  const auto exact = self_intersections(mesh).contacts;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    std::vector<Report> reports(3);
    for (Report& report : reports)
      threads.emplace_back([&] { report = method::run(mesh, on_gl(MethodName::quick_cullide)); });
    for (std::thread& thread : threads) thread.join();
    for (const Report& report : reports) EXPECT_EQ(report.contacts, exact);
  }
}

}  // namespace
}  // namespace testing_support
