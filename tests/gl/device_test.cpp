// The device by its public face: what it takes, what it refuses, and in which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "gl.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using namespace sightline;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Mesh some_mesh() { return scenes::self_intersecting_tube(2000); }
Options on_gl(Method method) {
  Options options;
  options.device = Device::gl();
  options.method = method;
  options.paper.resolution = 64;
  return options;
}

TEST(GlDevice, IsThereOrSaysWhatIsMissing) {
  const std::string error = error_of([] { EXPECT_EQ(Device::gl().type(), Device::Type::gl); });
  EXPECT_EQ(error, gl::missing().empty() ? "" : "gl: " + gl::missing());
  for (const DeviceInfo& device : devices()) {
    EXPECT_EQ(device.facts.empty(), !device.missing.empty()) << device.name;
    if (device.name == "gl") {
      EXPECT_EQ(device.missing, gl::missing());
    }
  }
}

TEST(GlDevice, OptionsOfItAreRefusedElsewhere) {
  Options options;
  options.gl_queries = GlQueries::each;
  const Mesh mesh = some_mesh();
  EXPECT_THAT(error_of([&] { self_intersections(mesh, options); }), HasSubstr("gl_queries each is for the gl device"));
}

class GlOptions : public GlTest {};

TEST_F(GlOptions, TheExactMethodIsRefusedWithWhatRunsHere) {
  const Mesh mesh = some_mesh();
  const std::string error = error_of([&] { self_intersections(mesh, on_gl(Method::exact)); });
  for (const char* word : {"gl: the exact method", "cpu", "quick-cullide", "cinder"})
    EXPECT_THAT(error, HasSubstr(word));
}

TEST_F(GlOptions, OthersAreRefused) {
  const Mesh mesh = some_mesh();
  Options simd = on_gl(Method::cullide);
  simd.simd = Simd::scalar;
  EXPECT_THAT(error_of([&] { self_intersections(mesh, simd); }), HasSubstr("gl: simd scalar"));
  Scene scene;
  scene.motion(scene.add(mesh), {});
  EXPECT_THAT(error_of([&] { scene.collide(on_gl(Method::velocity)); }), HasSubstr("velocity itself draws nothing"));
  Options each = on_gl(Method::cullide);
  each.gl_queries = GlQueries::each;
  each.paper.depth = DepthBits::fixed32;
  EXPECT_THAT(error_of([&] { self_intersections(mesh, each); }), HasSubstr("32 fixed bits need batched queries"));
  Options large = on_gl(Method::cullide);
  large.paper.resolution = 16385;
  EXPECT_THAT(error_of([&] { self_intersections(mesh, large); }), HasSubstr("resolution 16385"));
}

TEST_F(GlOptions, ScenesOfTheDeviceAndScenesThatLendIt) {
  const Mesh mesh = some_mesh();
  Scene here, there(Device::gl());
  here.add(mesh, {.self = true});
  there.add(mesh, {.self = true});
  const auto exact = here.collide().contacts;
  ASSERT_FALSE(exact.empty());
  Options cullide = on_gl(Method::quick_cullide);
  EXPECT_EQ(here.collide(cullide).contacts, exact);
  EXPECT_EQ(there.collide(cullide).contacts, exact);
  cullide.device = Device::cpu();  // the scene's own
  const Report report = there.collide(cullide);
  EXPECT_EQ(report.contacts, exact);
  EXPECT_EQ(report.stats.device, "gl");
  EXPECT_THAT(error_of([&] { there.collide(); }), HasSubstr("gl: the exact method"));
}

/// Each query has a context for itself; none is bound to the thread that made it first.
TEST_F(GlOptions, ThreadsAtTheSameTimeAndOneAfterTheOther) {
  const Mesh mesh = some_mesh();
  const auto exact = self_intersections(mesh).contacts;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> threads;
    std::vector<Report> reports(3);
    for (Report& report : reports)
      threads.emplace_back([&] { report = self_intersections(mesh, on_gl(Method::quick_cullide)); });
    for (std::thread& thread : threads) thread.join();
    for (const Report& report : reports) EXPECT_EQ(report.contacts, exact);
  }
}

}  // namespace
}  // namespace testing_support
