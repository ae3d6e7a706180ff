// Scenes that a method drives: the response uses what the detector finds, and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "measure.h"
#include "scenes/scenes.h"

using namespace measure;

namespace {

scenes::Detector by(const papers::Method& method) {
  return [method](Scene& scene, std::span<const scenes::Motion> motions, papers::Report& found) {
    papers::Method own = method;
    if (auto* velocity = std::get_if<papers::Velocity>(&own)) velocity->motions.assign(motions.begin(), motions.end());
    found = papers::run(scene, own);
  };
}

std::vector<Vec3d> points(const MeshView& mesh) {
  std::vector<Vec3d> all;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) all.push_back(mesh.position(i));
  return all;
}

const scenes::Detector kBlind = [](Scene&, std::span<const scenes::Motion>, papers::Report& found) { found = {}; };

constexpr papers::Precision kSure = papers::Precision::conservative;

class DrivenScene : public testing::TestWithParam<scenes::PaperScene> {};

/// A conservative method finds the exact list, so that not a bit of the scene changes.
TEST_P(DrivenScene, AConservativeMethodChangesNothing) {
  const auto undriven = GetParam().make(3000), driven = GetParam().make(3000), blind = GetParam().make(3000);
  driven->drive(by(papers::Cullide{.images = {.precision = kSure, .resolution = 256}}));
  blind->drive(kBlind);
  bool seen = false;
  for (int i = 0; i < 60; ++i) {
    undriven->advance();
    driven->advance();
    blind->advance();
    ASSERT_EQ(hash(undriven->frame()), hash(driven->frame())) << "frame " << i + 1;
    seen |= hash(undriven->frame()) != hash(blind->frame());
  }
  EXPECT_EQ(seen, GetParam().response.any) << "a scene without any contact must differ if it responds to some";
}

INSTANTIATE_TEST_SUITE_P(Papers, DrivenScene,
                         testing::ValuesIn(scenes::paper_scenes().begin(), scenes::paper_scenes().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

void expect_same(std::unique_ptr<Animation> undriven, std::unique_ptr<Animation> driven, const papers::Method& method,
                 int frames) {
  driven->drive(by(method));
  for (int i = 0; i < frames; ++i) {
    undriven->advance();
    driven->advance();
    ASSERT_EQ(hash(undriven->frame()), hash(driven->frame())) << "frame " << i + 1;
  }
}

TEST(DrivenScenes, OtherConservativeMethods) {
  const papers::QuickCullide quick{.images = {.precision = kSure, .resolution = 200}};
  const papers::Peel peel{.images = {.precision = kSure, .resolution = 200}};
  expect_same(scenes::resting_cloth(1200), scenes::resting_cloth(1200), quick, 60);
  expect_same(scenes::torn_cloth(4000, 10), scenes::torn_cloth(4000, 10), peel, 60);
  expect_same(scenes::stairs(3000, 20), scenes::stairs(3000, 20), peel, 40);
}

/// Balls that a method does not see fall through the steps.
TEST(DrivenScenes, WhatIsMissedHasNoResponse) {
  const auto stairs = scenes::stairs(3000, 20);
  stairs->drive(kBlind);
  bool rising = false;
  for (int i = 0; i < 60; ++i) {
    stairs->advance();
    for (std::size_t ball = 11; ball < 31; ++ball) rising |= stairs->frame().objects[ball].motion.velocity[1] > 0.031;
  }
  EXPECT_FALSE(rising);
}

/// Balls leave along normals: they bounce, and no centre ever gets into a solid.
TEST(DrivenScenes, Normals) {
  const auto stairs = scenes::stairs(3000, 20), bouncing = scenes::bouncing(5000, 6), usual = scenes::stairs(3000, 20);
  stairs->use_normals();
  bouncing->use_normals();
  bool rising = false, aside = false, differs = false;
  for (int i = 0; i < 150; ++i) {
    for (scenes::Animation* animation : {stairs.get(), bouncing.get(), usual.get()}) animation->advance();
    differs |= hash(stairs->frame()) != hash(usual->frame());
    for (const auto& [animation, solids] : {std::pair(stairs.get(), 11u), {bouncing.get(), 1u}}) {
      const auto& objects = animation->frame().objects;
      for (std::size_t ball = solids; ball < objects.size(); ++ball) {
        rising |= solids == 11 && objects[ball].motion.velocity[1] > 0.031;
        aside |= solids == 1 && std::abs(objects[ball].motion.velocity[0]) > 0.01;
        for (std::size_t solid = 0; solid < solids; ++solid)
          ASSERT_NE(side_of(objects[solid].mesh, objects[ball].motion.center), Side::inside)
              << "frame " << i << ", ball " << ball;
      }
    }
  }
  EXPECT_TRUE(rising);
  EXPECT_TRUE(aside);
  EXPECT_TRUE(differs);
}

/// True if a point less than `reach` away from p is not inside the solid.
bool is_shallow(const MeshView& solid, const Vec3d& p, double reach) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double by : {-reach, reach}) {
      Vec3d moved = p;
      moved[axis] += by;
      if (side_of(solid, moved) != Side::inside) return true;
    }
  return false;
}

/// A cloth leaves the table along normals: it drapes, no corner of it gets deeper into the table than the distance that
/// its layers keep, and the cloth of the demo ends without a crossing.
TEST(DrivenScenes, NormalsOfACloth) {
  for (const bool rests : {false, true})
    for (const std::size_t n : {1200u, 3000u}) {
      const auto make = [&] { return rests ? scenes::resting_cloth(n) : scenes::cloth_on_table(n); };
      const auto cloth = make(), usual = make();
      cloth->use_normals();
      const double thickness = 0.55 * 2 / std::round(std::sqrt(static_cast<double>(n) * 20 / 43.2));
      const Mesh &sheet = cloth->frame().objects[0].mesh, &table = cloth->frame().objects[1].mesh;
      bool differs = false;
      for (int i = 0; i < 200; ++i) {
        cloth->advance();
        usual->advance();
        differs |= hash(cloth->frame()) != hash(usual->frame());
        if (i % 10 != 9) continue;
        for (const Vec3d& p : points(sheet))
          ASSERT_TRUE(side_of(table, p) != Side::inside || is_shallow(table, p, thickness)) << "frame " << i;
      }
      EXPECT_TRUE(differs);
      double lowest = 0, middle = -1;
      for (const Vec3d& p : points(sheet)) {
        lowest = std::min(lowest, p[1]);
        if (std::hypot(p[0], p[2]) < 0.2) middle = std::max(middle, p[1]);
      }
      EXPECT_GE(middle, 0) << "it lies on the table";
      EXPECT_LT(middle, 2 * thickness);
      EXPECT_LT(lowest, -0.5) << "and its border hangs";
      if (!rests) continue;
      Scene scene;
      scene.add(sheet, {.self = true});
      scene.add(table);
      for (const Contact& contact : scene.collide().contacts)
        EXPECT_TRUE(contact.kind == Kind::touching && contact.object_b == 1);
    }
}

/// CInDeR drives its three demos: pairs of objects, flakes, normals.
TEST(DrivenScenes, Cinder) {
  const papers::Cinder cinder{.images = {.resolution = 256}};
  const auto stairs = scenes::stairs(1500, 10), bouncing = scenes::bouncing(2500, 6);
  const auto snow = scenes::snow(2000, 80), undriven = scenes::snow(2000, 80);
  advance(*bouncing, 40);
  advance(*snow, 90);
  advance(*undriven, 90);
  const auto stuck = [](const Animation& animation) {
    std::size_t count = 0;
    for (std::size_t i = 2; i < animation.frame().objects.size(); ++i)
      count += animation.frame().objects[i].motion.velocity == Vec3d{} ? 1 : 0;
    return count;
  };
  const std::size_t stuck_before = stuck(*snow);
  for (Animation* animation : {stairs.get(), snow.get(), bouncing.get()}) animation->drive(by(cinder));
  bool rising = false, bounced = false;
  for (int i = 0; i < 25; ++i) {
    for (Animation* animation : {stairs.get(), snow.get(), undriven.get(), bouncing.get()}) animation->advance();
    for (std::size_t ball = 11; ball < 21; ++ball) rising |= stairs->frame().objects[ball].motion.velocity[1] > 0.04;
    for (std::size_t ball = 1; ball < 7; ++ball) bounced |= bouncing->frame().objects[ball].motion.velocity[1] > 0.01;
  }
  EXPECT_TRUE(rising);
  EXPECT_TRUE(bounced);
  EXPECT_GT(stuck(*snow), stuck_before);
  EXPECT_NEAR(static_cast<double>(stuck(*snow)), static_cast<double>(stuck(*undriven)), 2);
}

/// The normals that a detector returns are the ones that balls bounce along, whatever the body's surface is like.
TEST(DrivenScenes, BallsBounceAlongTheNormalsReturned) {
  const auto bouncing = scenes::bouncing(4000, 10);
  const MeshView body = bouncing->frame().objects[0].mesh;
  // A triangle far below every ball, as the plane must have the ball's centre before it.
  std::uint32_t lowest = 0;
  for (std::uint32_t i = 0; i < body.triangles.size(); ++i)
    if (body.corners(i)[0][1] < body.corners(lowest)[0][1]) lowest = i;
  const Vec3d normal{0.6, 0.8, 0};
  bouncing->drive([&](Scene&, std::span<const scenes::Motion>, papers::Report& found) {
    found = {};
    found.method.method = papers::MethodName::cinder;
    for (std::uint32_t ball = 1; ball <= 10; ++ball)
      found.method.penetrations.push_back({.object_a = 0, .a = lowest, .object_b = ball, .normal = normal});
  });
  const AnimationFrame before = bouncing->frame();
  bouncing->advance();
  for (std::size_t ball = 1; ball <= 10; ++ball) {
    const Vec3d& v = bouncing->frame().objects[ball].motion.velocity;
    EXPECT_GE(v[0] * normal[0] + v[1] * normal[1], -1e-12) << "ball " << ball;
    EXPECT_EQ(v == before.objects[ball].motion.velocity, before.objects[ball].motion.velocity[0] >= 0)
        << "ball " << ball << " changes its velocity if it moves against the normal";
  }
}

/// No ball's centre is ever inside the body, and no ball is inside as a whole.
TEST(Bouncing, NoBallGetsInside) {
  constexpr std::size_t kBalls = 30;
  const auto bouncing = scenes::bouncing(8000, kBalls);
  ASSERT_EQ(bouncing->frame().objects.size(), kBalls + 1);
  std::size_t contact_frames = 0, sideways = 0;
  for (int i = 0; i < 300; ++i) {
    bouncing->advance();
    const AnimationFrame& frame = bouncing->frame();
    contact_frames += contacts(frame).contacts.empty() ? 0 : 1;
    Assembly parts;
    parts.add(frame.objects[0].mesh);
    for (std::size_t ball = 1; ball <= kBalls; ++ball) {
      const scenes::Motion& motion = frame.objects[ball].motion;
      parts.add(scenes::sphere(20, motion.center, 0.01));
      ASSERT_GT(motion.center[1], -0.6);
      ASSERT_LT(motion.center[1], 9);
      sideways += std::hypot(motion.velocity[0], motion.velocity[2]) > 0.01 ? 1 : 0;
    }
    for (const PartPair& pair : clashes(parts).pairs)
      ASSERT_NE(pair.a, 0u) << "the centre of ball " << pair.b - 1 << " is in the body in frame " << i + 1;
  }
  EXPECT_GT(contact_frames, 50u);
  EXPECT_GT(sideways, 50u) << "the body's sides push balls away";
}

/// Balls that rest do not move, and lie close above the body, at a place without a contact. (A ball off a plane may
/// also rest on the plane's edge, with its centre beyond the edge.)
TEST(Bouncing, BallsAtRestLieOnTheBody) {
  constexpr std::size_t kBalls = 20;
  const Mesh cube = scenes::box({-1, 0, -1}, {1, 2, 1});  // as high as the bunny, and flat on top
  const auto bouncing = scenes::bouncing(6000, kBalls, 1, &cube);
  advance(*bouncing, 400);
  const AnimationFrame before = bouncing->frame();
  advance(*bouncing, 20);
  double top = 0;
  for (const Vec3d& corner : points(before.objects[0].mesh)) top = std::max(top, corner[1]);
  std::size_t resting = 0;
  for (std::size_t ball = 1; ball <= kBalls; ++ball) {
    if (before.objects[ball].motion.velocity != Vec3d{}) continue;
    ++resting;
    EXPECT_EQ(hash({{before.objects[ball]}}), hash({{bouncing->frame().objects[ball]}}));
    EXPECT_GT(before.objects[ball].motion.center[1], top) << "ball " << ball;
    Assembly parts;
    parts.add(before.objects[0].mesh);
    parts.add(before.objects[ball].mesh);
    const std::vector<PartPair> pairs = clashes(parts, {.clearance = 0.01}).pairs;
    ASSERT_EQ(pairs.size(), 1u) << "ball " << ball << " is in the air";
    EXPECT_EQ(pairs[0].relation, Relation::near) << "ball " << ball;
  }
  EXPECT_GT(resting, kBalls / 2);
}

TEST(MovingBody, FollowsItsPlacementAndCarriesFlakes) {
  const auto moving = scenes::moving_body(4000, 150);
  const Vec3d start = moving->frame().objects[0].mesh.view().position(0);
  for (int i = 0; i < 130; ++i) {
    moving->steer({});
    moving->advance();
  }
  const AnimationFrame before = moving->frame();
  EXPECT_NEAR(before.objects[0].mesh.view().position(0)[0], start[0], 1e-6);
  moving->steer({.offset = {0.25, 0.5, -0.125}});
  std::size_t carried = 0, stuck = 0;
  for (std::size_t i = 0; i < before.objects.size(); ++i) {
    const Vec3d p = before.objects[i].mesh.view().position(0), q = moving->frame().objects[i].mesh.view().position(0);
    const double moved = std::hypot(q[0] - p[0] - 0.25, q[1] - p[1] - 0.5, q[2] - p[2] + 0.125);
    stuck += i >= 2 && before.objects[i].motion.velocity == Vec3d{} ? 1 : 0;
    if (moved < 1e-6) ++carried;
  }
  EXPECT_GT(carried, 10u) << "the body and the flakes on it";
  EXPECT_GT(stuck, carried) << "flakes on the floor stay";
  const double turned_before = before.objects[0].mesh.view().position(0)[0];
  moving->steer({.offset = {0.25, 0.5, -0.125}, .degrees = {0, 90, 0}});
  EXPECT_GT(std::abs(moving->frame().objects[0].mesh.view().position(0)[0] - turned_before - 0.25), 0.01);
  moving->steer({});
  for (std::size_t i = 0; i < before.objects.size(); ++i)
    for (std::size_t v = 0; v < before.objects[i].mesh.view().positions.size(); v += 50)
      for (std::size_t axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(before.objects[i].mesh.view().position(v)[axis],
                    moving->frame().objects[i].mesh.view().position(v)[axis], 1e-5)
            << "back at the first place";
}

}  // namespace
