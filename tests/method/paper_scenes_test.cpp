// The papers' own scenes, small: conservative precision loses nothing on any of them, at any resolution.
#include <gtest/gtest.h>

#include "method/run.h"
#include "scenes/papers/papers.h"
#include "sightline/sightline.h"
#include "support/sizes.h"

namespace {

using namespace sightline;
using papers::MethodName;
using papers::Precision;
using papers::Report;
using papers::method::MethodSettings;

Scene scene_of(const scenes::AnimationFrame& frame, bool with_self) {
  Scene scene;
  for (const scenes::AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = with_self && object.self});
  return scene;
}

void expect_exact(Scene& scene, MethodName method, unsigned resolution, const std::vector<Contact>& exact) {
  MethodSettings options;
  options.method = method;
  options.paper.precision = Precision::conservative;
  options.paper.resolution = resolution;
  const Report report = papers::method::run(scene, options);
  EXPECT_EQ(report.contacts, exact) << to_string(method) << " at " << resolution;
  EXPECT_TRUE(report.complete);
}

class PaperScenes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PaperScenes, ConservativeIsExact) {
  const scenes::PaperScene& which = scenes::paper_scenes()[GetParam()];
  SCOPED_TRACE(which.name);
  const auto animation = which.make(testing_support::smaller<std::size_t>(2000, 5));
  for (std::size_t frame = 0; frame < which.frames && frame <= 30; ++frame, animation->advance()) {
    if (frame % 30 != 0) continue;
    Scene with_self = scene_of(animation->frame(), true), between = scene_of(animation->frame(), false);
    const std::vector<Contact> all = with_self.collide().contacts, crossed = between.collide().contacts;
    for (const unsigned resolution : {4u, 32u, 64u, 512u, testing_support::smaller(4096u, 4u)}) {
      expect_exact(with_self, MethodName::cullide, resolution, all);
      expect_exact(with_self, MethodName::quick_cullide, resolution, all);
      expect_exact(with_self, MethodName::self_cullide, resolution, all);
      expect_exact(with_self, MethodName::peel, resolution, all);
      expect_exact(between, MethodName::peel, resolution, crossed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PaperScenes, ::testing::Range(std::size_t{0}, scenes::paper_scenes().size()),
                         [](const auto& info) {
                           std::string name(scenes::paper_scenes()[info.param].name);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
