// Objects that share a mesh and have places of their own; pairs of objects that are wanted, by groups.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "scenes/scenes.h"
#include "sightline/assembly.h"
#include "support/compare.h"
#include "support/instances.h"
#include "support/sizes.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Contact;
using sightline::Error;
using sightline::ObjectId;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;

/// Contacts of every pair and of every object with itself, from meshes that were expanded.
std::vector<Contact> all_contacts(const std::vector<Mesh>& meshes) {
  Scene scene;
  for (const Mesh& mesh : meshes) scene.add(mesh, {.self = true});
  return scene.collide().contacts;
}

class Placed : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Placed, ContactsAreThoseOfTheExpandedScene) {
  const Instances scene = random_instances(GetParam(), 12, 4, false);
  const std::vector<Mesh> meshes = scene.expanded();
  const std::vector<MeshView> placed = scene.views();
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t v = 0; v < placed[i].positions.size(); ++v)
      ASSERT_EQ(placed[i].position(v), meshes[i].view().position(v)) << i << " " << v;
  const std::vector<Contact> expected = scene.wanted_of(all_contacts(meshes));
  ASSERT_FALSE(expected.empty());
  for (const Simd simd : {Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512, Simd::neon}) {
    if (!sightline::available(simd)) continue;
    for (const unsigned threads : {1u, 3u}) {
      Scene twin;
      for (std::size_t i = 0; i < placed.size(); ++i) twin.add(placed[i], scene.objects[i].options);
      EXPECT_EQ(difference(expected, sightline::collide(twin, Tuned{.threads = threads, .simd = simd}), placed), "");
    }
  }
}

TEST_P(Placed, GroupsLeaveOutPairsAndNothingElse) {
  const Instances scene = random_instances(GetParam(), 14, 3, true);
  const std::vector<MeshView> placed = scene.views();
  const std::vector<Contact> all = all_contacts(scene.expanded()), expected = scene.wanted_of(all);
  EXPECT_LT(expected.size(), all.size());
  for (const auto visibility : {sightline::VisibilityCull::on, sightline::VisibilityCull::off})
    for (const unsigned threads : {1u, 2u}) {
      Scene twin;
      for (std::size_t i = 0; i < placed.size(); ++i) twin.add(placed[i], scene.objects[i].options);
      EXPECT_EQ(difference(expected, sightline::collide(twin, Tuned{.threads = threads, .visibility = visibility}), placed),
                "");
      // The same by a change of the options, object by object.
      Scene changed;
      for (const MeshView& view : placed) changed.add(view);
      changed.collide();
      for (std::size_t i = 0; i < placed.size(); ++i)
        changed.set_options(static_cast<ObjectId>(i), scene.objects[i].options);
      EXPECT_EQ(difference(expected, sightline::collide(changed, Tuned{.threads = threads, .visibility = visibility}), placed),
                "");
    }
}

TEST_P(Placed, RelationsOfInstancesAreThoseOfExpandedParts) {
  const Instances scene = random_instances(GetParam(), 10, 5, false);
  sightline::Assembly shared, expanded;
  shared.meshes = scene.shapes;
  for (const auto& object : scene.objects)
    shared.parts.push_back({"", static_cast<std::uint32_t>(object.shape), object.transform});
  for (Mesh& mesh : scene.expanded()) expanded.add(std::move(mesh));
  const sightline::ClashOptions options{.clearance = 0.3};
  EXPECT_EQ(clashes(shared, options).pairs, clashes(expanded, options).pairs);
}

TEST_P(Placed, APlaceIsChangedFromFrameToFrame) {
  const Instances scene = random_instances(GetParam(), 6, 3, false), other = random_instances(GetParam() + 100, 6, 3, false);
  Scene moving;
  for (std::size_t i = 0; i < 6; ++i) moving.add(scene.view(i), scene.objects[i].options);
  Report report;
  moving.collide(report);
  Instances now = scene;
  for (std::size_t i = 0; i < 6; i += 2) {
    now.objects[i].transform = other.objects[i].transform;
    moving.place(static_cast<ObjectId>(i), now.objects[i].transform);
  }
  moving.collide(report);
  EXPECT_EQ(difference(now.wanted_of(all_contacts(now.expanded())), report, now.views()), "");
  // New positions keep the place.
  const Mesh bent = transformed(now.shapes[now.objects[1].shape], [](const Vec3d& p) { return Vec3d{p[0], p[1] + p[0] * p[2], p[2]}; });
  now.shapes.push_back(bent);
  now.objects[1].shape = now.shapes.size() - 1;
  moving.move(1, bent.view().positions);
  moving.collide(report);
  EXPECT_EQ(difference(now.wanted_of(all_contacts(now.expanded())), report, now.views()), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, Placed, testing::Range<std::uint64_t>(0, smaller<std::uint64_t>(10, 3, 3)));

TEST(Instances, OneMeshTakesTheMemoryOfOne) {
  const Mesh rod = sightline::scenes::sphere(1368);
  constexpr int kSide = 27;
  Scene scene;
  std::size_t count = 0;
  for (int x = 0; x < kSide; ++x)
    for (int y = 0; y < kSide; ++y)
      for (int z = 0; z < kSide; ++z, ++count)
        scene.add(rod.view().placed(sightline::Transform::translation({2.5 * x, 2.5 * y, 1.999 * z})));
  const Report report = scene.collide();
  EXPECT_EQ(report.stats.triangles, count * rod.triangles.size());
  EXPECT_FALSE(report.contacts.empty());
  // Expanded, the input alone would have 1368 * 12 + 686 * 12 bytes an object. What the query needs of its own is less.
  EXPECT_LT(report.stats.peak_bytes, count * rod.triangles.size() * 12) << report.stats.peak_bytes;
}

TEST(Instances, ATransformThatIsNoneIsAnError) {
  const Mesh box = sightline::scenes::box({0, 0, 0}, {1, 1, 1});
  const auto error = [&](const sightline::Transform& transform) -> std::string {
    Scene scene;
    try {
      scene.add(box.view().placed(transform));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  sightline::Transform bad;
  bad.rows[1][2] = std::nan("");
  EXPECT_EQ(error(bad), "object 0: the transform has the entry nan, not a finite number");
  bad = sightline::Transform::translation({1e308, 0, 0});
  bad.rows[0][0] = 1e308;
  EXPECT_NE(error(bad).find("the transform takes it out of the range of"), std::string::npos) << error(bad);
  EXPECT_EQ(error(sightline::Transform::translation({1e30, 0, 0})), "");
}

TEST(Instances, MapsAreComposedInnerFirst) {
  sightline::Transform turn;
  turn.rows = {{{0, -1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}};
  const sightline::Transform step = sightline::Transform::translation({1, 2, 3});
  EXPECT_EQ((turn * step)({0, 0, 0}), (Vec3d{-2, 1, 3}));
  EXPECT_EQ((step * turn)({1, 0, 0}), (Vec3d{1, 3, 3}));
  EXPECT_EQ((turn * sightline::Transform{}), turn);
}

}  // namespace
}  // namespace testing_support
