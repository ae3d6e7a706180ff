// Every scene of the papers: sizes, determinism, and what happens in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "measure.h"
#include "scenes/papers/placing.h"

using namespace measure;

namespace {

class EveryPaperScene : public testing::TestWithParam<scenes::PaperScene> {};

TEST_P(EveryPaperScene, HasAboutTheSizeAskedFor) {
  for (const std::size_t n : {0, 20'000, 27'000}) {
    const double wanted = static_cast<double>(n == 0 ? GetParam().triangles : n);
    const auto animation = GetParam().make(n);
    EXPECT_NEAR(static_cast<double>(triangles(animation->frame())), wanted, 0.1 * wanted);
  }
}

TEST_P(EveryPaperScene, IsTheSameEveryTime) {
  const auto first = GetParam().make(15'000), second = GetParam().make(15'000);
  const std::uint64_t start = hash(first->frame());
  EXPECT_EQ(start, hash(second->frame()));
  for (int i = 0; i < 8; ++i) {
    first->advance();
    second->advance();
    ASSERT_EQ(hash(first->frame()), hash(second->frame())) << "frame " << i + 1;
  }
  EXPECT_EQ(hash(first->frame()) == start, GetParam().frames == 1);
}

TEST_P(EveryPaperScene, MeshesAreValid) {
  const auto animation = GetParam().make(10'000);
  advance(*animation, 5);
  std::set<std::string> names;
  for (const AnimatedObject& object : animation->frame().objects) {
    EXPECT_NO_THROW(validate(object.mesh));
    EXPECT_TRUE(names.insert(object.mesh.name).second) << object.mesh.name << " twice";
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, EveryPaperScene,
                         testing::ValuesIn(scenes::paper_scenes().begin(), scenes::paper_scenes().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PaperAnimations, ThreadsChangeNoBit) {
  const auto expect_same = [](std::unique_ptr<Animation> one, std::unique_ptr<Animation> two) {
    advance(*one, 30);
    advance(*two, 30);
    EXPECT_EQ(hash(one->frame()), hash(two->frame()));
  };
  expect_same(scenes::cloth_on_table(3000, 1), scenes::cloth_on_table(3000, 2));
  expect_same(scenes::breaking(6000, 1), scenes::breaking(6000, 2));
  expect_same(scenes::breaking_on_ground(3000, 1), scenes::breaking_on_ground(3000, 2));
  expect_same(scenes::pushing_tori(2000, 1), scenes::pushing_tori(2000, 2));
  expect_same(scenes::leaves(8000, 60, 1), scenes::leaves(8000, 60, 2));
  expect_same(scenes::billiard(8000, 20, 1), scenes::billiard(8000, 20, 2));
  expect_same(scenes::torn_cloth(8000, 20, 1), scenes::torn_cloth(8000, 20, 2));
  expect_same(scenes::stairs(8000, 30, 1), scenes::stairs(8000, 30, 2));
  expect_same(scenes::snow(8000, 300, 1), scenes::snow(8000, 300, 2));
}

TEST(PaperAnimations, SolidsAreSolid) {
  for (const char* name : {"stairs", "snow", "two-tori", "billiard"}) {
    SCOPED_TRACE(name);
    const auto animation = scenes::find_paper_scene(name)->make(12'000);
    advance(*animation, 3);
    for (const AnimatedObject& object : animation->frame().objects) {
      ASSERT_TRUE(topology(object.mesh).closed()) << object.mesh.name;
      ASSERT_TRUE(consistently_wound(object.mesh)) << object.mesh.name;
      ASSERT_GT(signed_volume(object.mesh), 0) << object.mesh.name;
    }
  }
}

/// Positions one frame on are where the motion puts them: exactly for the centre, to first order for rotation.
TEST(PaperAnimations, MotionPredictsTheNextFrame) {
  for (const char* name : {"two-tori", "stairs", "billiard"}) {
    SCOPED_TRACE(name);
    const auto animation = scenes::find_paper_scene(name)->make(6000);
    animation->advance();
    const AnimationFrame before = animation->frame();
    animation->advance();
    std::size_t followed = 0;
    for (std::size_t i = 0; i < before.objects.size(); ++i) {
      const scenes::Motion& m = before.objects[i].motion;
      const Vec3d p = before.objects[i].mesh.view().position(0),
                  q = animation->frame().objects[i].mesh.view().position(0);
      const Vec3d r{p[0] - m.center[0], p[1] - m.center[1], p[2] - m.center[2]};
      const Vec3d& w = m.angular_velocity;
      const Vec3d turn{w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]};
      double error = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        error = std::max(error, std::abs(p[axis] + m.velocity[axis] + turn[axis] - q[axis]));
      followed += error < 0.01 ? 1 : 0;
    }
    // Those that hit something in between change their velocity; the lizard deforms.
    EXPECT_GE(followed + 8, before.objects.size());
  }
}

TEST(PaperAnimations, ToriApproachAndMeet) {
  const auto tori = scenes::approaching_tori(2000);
  EXPECT_TRUE(contacts(tori->frame()).contacts.empty());
  advance(*tori, 80);
  EXPECT_FALSE(contacts(tori->frame()).contacts.empty());
}

TEST(PaperAnimations, BreakingMakesMoreAndMorePieces) {
  const auto breaking = scenes::breaking(8000);
  EXPECT_EQ(breaking->frame().objects.size(), 2u);
  const std::size_t whole = triangles(breaking->frame());
  advance(*breaking, 60);
  const std::size_t early = breaking->frame().objects.size();
  EXPECT_GT(early, 20u);
  advance(*breaking, 240);
  EXPECT_GT(breaking->frame().objects.size(), early + 100);
  EXPECT_EQ(triangles(breaking->frame()), whole);
}

TEST(PaperAnimations, PiecesComeToRestOnTheGroundWithoutContacts) {
  const auto breaking = scenes::breaking_on_ground(3000);
  constexpr std::size_t kFalling = 0, kGround = 2;
  const auto without_falling = [&] {
    sightline::Scene scene;
    for (std::size_t i = kFalling + 1; i < breaking->frame().objects.size(); ++i)
      scene.add(breaking->frame().objects[i].mesh);
    return scene.collide().found;
  };
  for (int i = 0; i < 12; ++i) {
    advance(*breaking, 50);
    EXPECT_EQ(without_falling(), 0u) << "frame " << 50 * (i + 1);
  }
  const std::vector<scenes::AnimatedObject> before = breaking->frame().objects;
  ASSERT_GT(before.size(), 200u);
  EXPECT_TRUE(before[1].mesh.triangles.empty()) << "all is broken by now";
  advance(*breaking, 20);
  for (std::size_t i = kGround; i < before.size(); ++i)
    EXPECT_EQ(breaking->frame().objects[i].mesh.positions, before[i].mesh.positions) << "object " << i << " moves";
  // Most of them lie on the ground and on each other, not far above it.
  const auto low = [&](std::size_t i) { return scenes::box_of(before[i].mesh).low[1]; };
  const double top = scenes::box_of(before[kGround].mesh).high[1];
  std::size_t lying = 0;
  for (std::size_t i = kGround + 1; i < before.size(); ++i) lying += low(i) < top + 0.4;
  for (std::size_t i = kGround + 1; i < before.size(); ++i)
    EXPECT_GT(low(i), top - 1e-6) << "piece " << i << " fell off";
  EXPECT_GT(lying, (before.size() - kGround - 1) * 9 / 10);
}

TEST(PaperAnimations, ToriPushEachOtherAway) {
  const auto tori = scenes::pushing_tori(2000);
  const auto distance = [&] {
    const auto& objects = tori->frame().objects;
    const Vec3d d = scenes::minus(objects[0].motion.center, objects[1].motion.center);
    return std::sqrt(scenes::dot(d, d));
  };
  const double at_first = distance();
  std::size_t meetings = 0;
  bool before = false;
  double least = at_first;
  for (int i = 0; i < 200; ++i) {
    tori->advance();
    const bool meet = !contacts(tori->frame()).contacts.empty();
    EXPECT_FALSE(meet && before) << "frame " << i << " shows the contacts of the frame before";
    meetings += meet;
    before = meet;
    least = std::min(least, distance());
  }
  EXPECT_GE(meetings, 1u);
  EXPECT_LT(least, at_first / 2);
  EXPECT_GT(distance(), least + 0.5);
}

TEST(PaperAnimations, TornClothGainsTrianglesAndVertices) {
  const auto torn = scenes::torn_cloth(20'000, 20);
  const MeshView before = torn->frame().objects[0].mesh;
  const std::size_t triangles_before = before.triangles.size(), vertices_before = before.positions.size();
  const std::uint64_t open_before = topology(before).open_edges;
  advance(*torn, 80);
  const Mesh& after = torn->frame().objects[0].mesh;
  EXPECT_GT(after.triangles.size(), triangles_before + 20);
  EXPECT_GT(after.view().positions.size(), vertices_before + 20);
  EXPECT_GT(topology(after).open_edges, open_before);
}

TEST(PaperAnimations, BallsBounceAndStayAboveTheGround) {
  const auto stairs = scenes::stairs(20'000, 100);
  ASSERT_EQ(stairs->frame().objects.size(), 111u);
  bool rising = false;
  for (int i = 0; i < 120; ++i) {
    stairs->advance();
    for (std::size_t ball = 11; ball < 111; ++ball) {
      const scenes::Motion& motion = stairs->frame().objects[ball].motion;
      rising |= motion.velocity[1] > 0.02;
      ASSERT_GT(motion.center[1], -1.1);
      ASSERT_LT(motion.center[1], 7);
    }
  }
  EXPECT_TRUE(rising);
}

TEST(PaperAnimations, SnowSticks) {
  const auto snow = scenes::snow(5000, 200);
  advance(*snow, 150);
  std::size_t stuck = 0;
  for (std::size_t i = 2; i < snow->frame().objects.size(); ++i)
    stuck += snow->frame().objects[i].motion.velocity == Vec3d{} ? 1 : 0;
  EXPECT_GT(stuck, 50u);
  EXPECT_GT(contacts(snow->frame()).contacts.size(), stuck);
}

TEST(PaperAnimations, LizardPushesBalls) {
  const auto billiard = scenes::billiard(10'000, 30);
  std::size_t with_lizard = 0;
  for (int i = 0; i < 120; ++i) {
    billiard->advance();
    const Report report = contacts(billiard->frame());
    with_lizard += !report.contacts.empty() && report.contacts.front().object_a == 0 ? 1 : 0;
  }
  EXPECT_GT(with_lizard, 0u);
}

TEST(PaperAnimations, LeavesMeetBranchesAndEachOther) {
  const auto leaves = scenes::leaves(10'000, 150);
  advance(*leaves, 60);
  const Report report = contacts(leaves->frame());
  const auto on_branch = std::count_if(report.contacts.begin(), report.contacts.end(),
                                       [](const Contact& contact) { return contact.object_a == 0; });
  EXPECT_GT(on_branch, 0);
  EXPECT_GT(static_cast<std::ptrdiff_t>(report.contacts.size()), on_branch);
}

// The demo's cloth: what a step leads through something goes back, and at rest nothing crosses, the cloth itself or the
// table.
TEST(RestingCloth, AtRestNothingCrosses) {
  for (const std::size_t n : {1500, 4000}) {
    const auto cloth = scenes::resting_cloth(n, 2);
    std::size_t found = 0;
    for (int i = 0; i < 200; ++i) {
      cloth->advance();
      if (i % 10 == 0) found += contacts(cloth->frame()).contacts.size();
    }
    EXPECT_GT(found, 0u) << "it never met anything: nothing was tested";
    for (const Contact& contact : contacts(cloth->frame()).contacts)
      EXPECT_EQ(contact.kind, Kind::touching)
          << contact.object_a << " " << contact.object_b << ": " << contact.a << " and " << contact.b;
    const std::uint64_t rest = hash(cloth->frame());
    cloth->advance();
    EXPECT_EQ(hash(cloth->frame()), rest) << "it is at rest";
    // It hangs over the table: its middle lies on top, its corners hang down.
    const MeshView mesh = cloth->frame().objects[0].mesh;
    double high = -10, low = 10;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
      high = std::max(high, mesh.position(i)[1]);
      low = std::min(low, mesh.position(i)[1]);
    }
    EXPECT_GT(high, -0.02);
    EXPECT_LT(low, -0.5);
  }
}

TEST(RestingCloth, ThreadsChangeNoBit) {
  const auto one = scenes::resting_cloth(1500, 1), two = scenes::resting_cloth(1500, 2);
  advance(*one, 40);
  advance(*two, 40);
  EXPECT_EQ(hash(one->frame()), hash(two->frame()));
}

}  // namespace
