// Each method on each of the papers' scenes, on OpenGL: not only the same contacts as on the CPU, but the same sets
// left by the same passes with the same numbers of fragments. In conservative precision the contacts are the exact
// ones.
#include <gtest/gtest.h>

#include <optional>

#include "gl.h"
#include "method/run.h"
#include "raster/raster.h"
#include "scenes/papers/papers.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using namespace sightline;
using namespace sightline::papers;
using papers::Report;
using papers::method::MethodSettings;

Scene scene_of(const scenes::AnimationFrame& frame, bool with_self) {
  Scene scene;
  for (const scenes::AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = with_self && object.self});
  return scene;
}

std::vector<std::optional<Motion>> motions_of(const scenes::AnimationFrame& frame) {
  std::vector<std::optional<Motion>> motions;
  for (const scenes::AnimatedObject& object : frame.objects) motions.push_back(object.motion);
  return motions;
}

/// What a method answers, or the error that it throws (cinder: an object that is not closed).
struct Answer {
  std::optional<Report> report;
  std::string error;
};
Answer answer_of(Scene& scene, MethodSettings options, const Renderer& renderer) {
  options.renderer = renderer;
  try {
    return {papers::method::run(scene, options), ""};
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

void expect_same(const Report& cpu, const Report& gl) {
  EXPECT_EQ(gl.stats.device, "gl");
  EXPECT_EQ(cpu.method.renderer, Renderer::Type::cpu);
  EXPECT_EQ(gl.method.renderer, Renderer::Type::gl);
  EXPECT_EQ(cpu.contacts, gl.contacts);
  EXPECT_EQ(cpu.complete, gl.complete);
  EXPECT_EQ(cpu.method.pcs, gl.method.pcs);
  EXPECT_EQ(cpu.method.penetrations, gl.method.penetrations);
  EXPECT_EQ(cpu.method.self_interferences, gl.method.self_interferences);
  EXPECT_EQ(cpu.method.unbalanced, gl.method.unbalanced);
  EXPECT_EQ(cpu.method.pairs_tested, gl.method.pairs_tested);
  ASSERT_EQ(cpu.method.passes.size(), gl.method.passes.size());
  for (std::size_t i = 0; i < cpu.method.passes.size(); ++i) {
    const Pass &a = cpu.method.passes[i], &b = gl.method.passes[i];
    ASSERT_EQ(a.level, b.level) << "pass " << i;
    ASSERT_EQ(a.pcs_after, b.pcs_after) << "pass " << i;
    ASSERT_EQ(a.renders, b.renders) << "pass " << i;
    ASSERT_EQ(a.queries, b.queries) << "pass " << i;
    ASSERT_EQ(a.triangles, b.triangles) << "pass " << i;
    ASSERT_EQ(a.fragments, b.fragments) << "pass " << i;
  }
}

struct Case {
  MethodName method;
  Precision precision;
  unsigned resolution;
  bool self;  ///< objects that ask for it are checked against themselves, too
};

class GlMethod : public GlTest {
 protected:
  void compare(Scene& scene, const Case& c, GlQueries queries, const std::vector<Contact>& exact) {
    MethodSettings options;
    options.method = c.method;
    options.paper.resolution = c.resolution;
    options.paper.motions = motions;
    if (c.method == MethodName::velocity)
      options.paper.then = MethodName::quick_cullide;
    else
      options.paper.precision = c.precision;
    SCOPED_TRACE(std::string(to_string(c.method)) + " " + std::string(to_string(c.precision)) + " at " +
                 std::to_string(c.resolution) + ", queries " + std::string(to_string(queries)));
    const Answer cpu = answer_of(scene, options, Renderer::cpu());
    const Answer gl = answer_of(scene, options, Renderer::gl(queries));
    ASSERT_EQ(cpu.error, gl.error);
    if (!cpu.report) return;
    expect_same(*cpu.report, *gl.report);
    if (c.precision == Precision::conservative && c.method != MethodName::velocity) {
      EXPECT_EQ(gl.report->contacts, exact);
    }
  }

  std::vector<std::optional<Motion>> motions;  ///< by object; for velocity
};

class GlMethods : public GlMethod, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(GlMethods, SameAsOnTheCpu) {
  const scenes::PaperScene& which = scenes::paper_scenes()[GetParam()];
  const auto animation = which.make(600);
  for (std::size_t frame = 0; frame < std::min<std::size_t>(which.frames, 25); ++frame) animation->advance();
  motions = motions_of(animation->frame());
  Scene with_self = scene_of(animation->frame(), true), between = scene_of(animation->frame(), false);
  const std::vector<Contact> all = with_self.collide().contacts, crossed = between.collide().contacts;
  const Case cases[] = {{MethodName::cullide, Precision::image, 128, true},
                        {MethodName::quick_cullide, Precision::image, 200, true},
                        {MethodName::self_cullide, Precision::image, 100, true},
                        {MethodName::peel, Precision::image, 64, false},
                        {MethodName::cinder, Precision::image, 96, false},
                        {MethodName::velocity, Precision::conservative, 64, false},
                        {MethodName::cullide, Precision::conservative, 64, true},
                        {MethodName::quick_cullide, Precision::conservative, 4, true},
                        {MethodName::quick_cullide, Precision::conservative, 130, true},
                        {MethodName::self_cullide, Precision::conservative, 32, true},
                        {MethodName::self_cullide, Precision::conservative, 130, true},
                        {MethodName::peel, Precision::conservative, 48, false},
                        {MethodName::peel, Precision::image, 200, true},
                        {MethodName::peel, Precision::conservative, 48, true}};
  for (const Case& c : cases) {
    compare(c.self ? with_self : between, c, GlQueries::batched, c.self ? all : crossed);
    if (c.resolution <= 100) compare(c.self ? with_self : between, c, GlQueries::each, c.self ? all : crossed);
  }
}

// Small bodies far from each other, since software draws each pixel.
TEST_F(GlMethod, TheLargestImage) {
  std::vector<Mesh> bodies;
  for (const Vec3d& at : {Vec3d{0, 0, 0}, Vec3d{0.001, 0.0005, 0.001}, Vec3d{1, 1, 1}, Vec3d{1.0015, 1, 1.0005}})
    bodies.push_back(scenes::sphere(80, at, 0.001));
  Scene scene;
  for (const Mesh& body : bodies) scene.add(body);
  const std::vector<Contact> exact = scene.collide().contacts;
  EXPECT_GT(exact.size(), 20u);
  const unsigned most = raster::kMostPixels;
  compare(scene, {MethodName::quick_cullide, Precision::image, most, true}, GlQueries::batched, exact);
  compare(scene, {MethodName::cullide, Precision::conservative, most, true}, GlQueries::batched, exact);
  compare(scene, {MethodName::quick_cullide, Precision::conservative, most / 2 + 1, true}, GlQueries::batched, exact);
  compare(scene, {MethodName::quick_cullide, Precision::image, 4100, true}, GlQueries::each, exact);
  // Bodies that do not hide each other along a diagonal, where the image would show nothing else.
  std::vector<Mesh> aside = {scenes::sphere(80, {0, 0, 0}, 0.001), scenes::sphere(80, {0.001, 0.0005, 0.001}, 0.001),
                             scenes::sphere(80, {1, 0.4, 0.7}, 0.001)};
  Scene with_self;
  for (const Mesh& body : aside) with_self.add(body, {.self = true});
  const std::vector<Contact> crossed = with_self.collide().contacts;
  EXPECT_GT(crossed.size(), 10u);
  compare(with_self, {MethodName::self_cullide, Precision::conservative, 4096, true}, GlQueries::batched, crossed);
  compare(with_self, {MethodName::self_cullide, Precision::conservative, 512, true}, GlQueries::each, crossed);
}

// Contacts of a body with itself are complete at any size, by both kinds of queries. Software draws the images, so the
// body is small, and the largest image is drawn by one of them.
TEST_F(GlMethod, SelfContactsAtManySizes) {
  const Mesh tori = scenes::two_tori(300);
  Scene scene;
  scene.add(tori, {.self = true});
  const std::vector<Contact> exact = scene.collide().contacts;
  EXPECT_GT(exact.size(), 20u);
  for (const unsigned resolution : {17u, 77u, 256u, 400u})
    for (const MethodName method : {MethodName::self_cullide, MethodName::peel})
      for (const GlQueries queries : {GlQueries::batched, GlQueries::each})
        if (queries == GlQueries::each || resolution < 400)
          compare(scene, {method, Precision::conservative, resolution, true}, queries, exact);
}

INSTANTIATE_TEST_SUITE_P(All, GlMethods, ::testing::Range(std::size_t{0}, scenes::paper_scenes().size()),
                         [](const auto& info) {
                           std::string name(scenes::paper_scenes()[info.param].name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace testing_support
