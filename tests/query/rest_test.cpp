// What a scene keeps of objects at rest: the same lists as those of a scene that was made for the frame, whatever moved
// before; the meaning of the options; and the memory that may not change.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "regimes/run.h"
#include "scenes/scenes.h"
#include "sightline/query.h"
#include "support/instances.h"

namespace {

using namespace testing_support;
using sightline::Error;
using sightline::ObjectId;
using sightline::UseRest;

/// The unit box moved by (x, 0, 0).
Mesh box_at(double x) { return as_double(sightline::scenes::box({x, 0, 0}, {x + 1, 1, 1})); }

/// A wavy sheet of 2 n² triangles over [0, side]².
Mesh ground(int n, double side = 1) {
  return transformed(sheet(n, [](double x, double y) { return 0.05 * (x * (1 - x) + y * y); }), [side](const Vec3d& p) {
    return Vec3d{side * p[0], side * p[1], side * p[2]};
  });
}

bool has_stage(const Report& report, std::string_view name) {
  return std::any_of(report.stats.stages.begin(), report.stats.stages.end(),
                     [name](const sightline::Stage& stage) { return stage.name == name; });
}

/// A scene beside a record of what is in it. `expect_same` compares it with a scene that is made anew.
class Twin {
 public:
  struct Object {
    std::shared_ptr<Mesh> mesh;  ///< its memory stays in place and is not written
    Transform transform;
    ObjectOptions options;
    MeshView view() const { return mesh->view().placed(transform); }
  };

  ObjectId add(Mesh mesh, const Transform& transform, const ObjectOptions& options) {
    objects_.push_back(Object{std::make_shared<Mesh>(std::move(mesh)), transform, options});
    return scene_.add(objects_.back()->view(), options);
  }
  void move(ObjectId id, const Vec3d& by) {
    Object& object = *objects_[id];
    kept_.push_back(object.mesh);  // the scene still uses its triangles
    object.mesh = std::make_shared<Mesh>(transformed(*object.mesh, [&by](const Vec3d& p) {
      return Vec3d{p[0] + by[0], p[1] + by[1], p[2] + by[2]};
    }));
    scene_.move(id, object.mesh->view().positions);
  }
  void place(ObjectId id, const Transform& transform) { scene_.place(id, objects_[id]->transform = transform); }
  void replace(ObjectId id, Mesh mesh, const Transform& transform) {
    kept_.push_back(objects_[id]->mesh);
    objects_[id]->mesh = std::make_shared<Mesh>(std::move(mesh));
    objects_[id]->transform = transform;
    scene_.replace(id, objects_[id]->view());
  }
  void remove(ObjectId id) {
    scene_.remove(id);
    objects_[id].reset();
  }
  void set_options(ObjectId id, const ObjectOptions& options) {
    scene_.set_options(id, objects_[id]->options = options);
  }
  std::size_t size() const { return objects_.size(); }
  bool has(ObjectId id) const { return objects_[id].has_value(); }
  const ObjectOptions& options(ObjectId id) const { return objects_[id]->options; }

  /// Returns the number of contacts.
  std::size_t expect_same(const Tuned& options, const std::string& what) {
    Scene fresh;
    std::vector<MeshView> meshes;
    for (const std::optional<Object>& object : objects_) {
      meshes.push_back(object ? object->view() : MeshView());
      const ObjectId id = fresh.add(meshes.back(), object ? object->options : ObjectOptions{});
      if (!object) fresh.remove(id);
    }
    const Report expected = collide(fresh, Tuned{.threads = 1});
    collide(scene_, report_, options);
    EXPECT_EQ(difference(expected.contacts, report_, meshes), "") << what << ", " << describe(options);
    EXPECT_EQ(report_.stats.triangles, expected.stats.triangles) << what;
    EXPECT_EQ(report_.stats.candidates, report_.stats.decided_filtered + report_.stats.decided_exact);
    return expected.contacts.size();
  }

 private:
  Scene scene_;
  Report report_;
  std::vector<std::optional<Object>> objects_;
  std::vector<std::shared_ptr<Mesh>> kept_;
};

Transform random_transform(Random& random) {
  Transform t;
  for (auto& row : t.rows) {
    for (int k = 0; k < 3; ++k) row[k] = random.in(-1, 1);
    row[3] = random.in(0, 3);
  }
  return random.chance(0.3) ? Transform::translation({random.in(0, 3), random.in(0, 3), random.in(0, 3)}) : t;
}
ObjectOptions random_options(Random& random) {
  ObjectOptions options{.self = random.chance(0.3)};
  if (random.chance(0.5)) options.groups = 1u << random.below(3);
  if (random.chance(0.3)) options.collides_with = static_cast<std::uint32_t>(random.below(8));
  return options;
}

class Sequences : public testing::TestWithParam<int> {};

// Few objects change in a frame, so that the others come to rest, and several frames pass without any change.
TEST_P(Sequences, GiveTheListsOfAFreshScene) {
  Random random(static_cast<std::uint64_t>(GetParam()));
  std::vector<Mesh> shapes;
  for (const char* name :
       {"torus", "cubes", "cloth", "two_triangles", "degenerates", "one_triangle", "lattice_field"}) {
    shapes.push_back(corpus_item(name).make());
    shapes.push_back(as_float(shapes.back()));
  }
  shapes.push_back(box_at(0));
  shapes.push_back(as_float(box_at(0)));
  shapes.push_back(as_float(ground(12, 3)));
  shapes.emplace_back();
  const auto shape = [&] { return shapes[static_cast<std::size_t>(random.below(static_cast<int>(shapes.size())))]; };
  Twin twin;
  for (int i = 0; i < 8; ++i) twin.add(shape(), random_transform(random), random_options(random));
  std::vector<Tuned> rows = covering_options();
  rows.resize(rows.size() + 8);  // and as often the default
  std::size_t contacts = 0;
  for (int frame = 0; frame < smaller(60, 6, 10); ++frame) {
    for (int changes = random.chance(0.4) ? 0 : random.below(4); changes > 0; --changes) {
      const auto id = static_cast<ObjectId>(random.below(static_cast<int>(twin.size())));
      if (!twin.has(id)) continue;
      switch (random.below(8)) {
        case 0:
          twin.add(shape(), random_transform(random), random_options(random));
          break;
        case 1:
          twin.move(id, {random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)});
          break;
        case 2:
          twin.replace(id, shape(), random_transform(random));
          break;
        case 3:
          twin.set_options(id, random_options(random));
          break;
        case 4:
          if (twin.size() < 30) twin.remove(id);
          break;
        default:
          twin.place(id, random_transform(random));
      }
    }
    Tuned options = rows[static_cast<std::size_t>(random.below(static_cast<int>(rows.size())))];
    options.rest = random.chance(0.7) ? UseRest::on : random.chance(0.5) ? UseRest::automatic : UseRest::off;
    contacts += twin.expect_same(options, "frame " + std::to_string(frame));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(contacts, 100u) << "the scene is about contacts";
}
INSTANTIATE_TEST_SUITE_P(Seeds, Sequences, testing::Range(0, 24));

// Each object of a regime moves in turn among the others at rest: sizes and distances up to 1e300.
class RestRegimes : public testing::TestWithParam<std::size_t> {};

TEST_P(RestRegimes, EachObjectAgainstTheOthers) {
  const testing_support::Regime& regime = regimes()[GetParam()];
  const RegimeScene whole = regime.make(smaller<std::size_t>(4000, 4));
  for (const RegimeScene& scene : {whole, dealt_out(whole, 5)}) {
    const std::vector<Contact> expected = truth(scene);
    const std::vector<MeshView> objects = views(scene.objects);
    Scene engine;
    for (std::size_t i = 0; i < objects.size(); ++i) engine.add(objects[i], {.self = scene.self[i]});
    const std::vector<Tuned> rows = covering_options();
    std::size_t row = GetParam();
    for (std::size_t frame = 0; frame < 4 + std::min<std::size_t>(objects.size(), 8); ++frame) {
      const std::size_t moved = frame * 7 % objects.size();
      if (frame >= 4) engine.replace(static_cast<ObjectId>(moved), objects[moved]);  // as it was, but unknown to it
      Tuned options = rows[row++ % rows.size()];
      options.rest = UseRest::on;
      EXPECT_EQ(difference(expected, collide(engine, options), objects), "")
          << regime.name << ", frame " << frame << ", " << describe(options);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Scenes, RestRegimes, testing::Range<std::size_t>(0, regimes().size()),
                         [](const auto& info) { return regimes()[info.param].name; });

class RestOptions : public testing::Test {
 protected:
  RestOptions() {
    scene_.add(ground_);
    box_ = scene_.add(box_mesh_);
    scene_.add(other_);  // in the ground, at rest
    for (int frame = 0; frame < 4; ++frame) scene_.collide(report_);
    all_ = report_.contacts;
  }
  void move_box() { scene_.move(box_, box_mesh_.view().positions); }

  const Mesh ground_ = ground(60, 4);
  const Mesh box_mesh_ = sightline::scenes::box({1, 1, -0.5}, {2, 2, 0.5});
  const Mesh other_ = sightline::scenes::box({3, 3, -0.5}, {3.5, 3.5, 0.5});
  Scene scene_;
  Report report_;
  ObjectId box_ = 0;
  std::vector<Contact> all_;
};

TEST_F(RestOptions, WhatRestsIsNotTestedAgain) {
  ASSERT_GT(all_.size(), 50u);
  scene_.collide(report_);
  EXPECT_EQ(report_.contacts, all_);
  EXPECT_EQ(report_.stats.candidates, 0u);
  move_box();
  scene_.collide(report_);
  EXPECT_EQ(report_.contacts, all_);
  EXPECT_GT(report_.stats.candidates, 0u);
  EXPECT_TRUE(has_stage(report_, "boxes"));
  EXPECT_FALSE(has_stage(report_, "bin"));
}

TEST_F(RestOptions, MaxContactsKeepsTheHead) {
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, all_.size() / 2, all_.size(), all_.size() + 1}) {
    move_box();
    scene_.collide(report_, {.max_contacts = most});
    const std::vector<Contact> head(all_.begin(),
                                    all_.begin() + static_cast<std::ptrdiff_t>(std::min(most, all_.size())));
    EXPECT_EQ(report_.contacts, head);
    EXPECT_EQ(report_.found, all_.size());
    EXPECT_EQ(report_.complete, most >= all_.size());
  }
}

TEST_F(RestOptions, FirstIsThatOfAFreshScene) {
  Scene fresh;
  for (const Mesh* mesh : {&ground_, &box_mesh_, &other_}) fresh.add(*mesh);
  const Report expected = fresh.collide({.first = true});
  for (int frame = 0; frame < 3; ++frame) {
    if (frame > 0) move_box();
    double last = 0;
    scene_.collide(report_, {.first = true, .progress = [&last](double at) {
                               EXPECT_GE(at, last);
                               last = at;
                             }});
    EXPECT_EQ(report_.contacts, expected.contacts);
    EXPECT_EQ(report_.found, 1u);
    EXPECT_FALSE(report_.complete);
  }
  // None, found without an image.
  const Mesh far_box = sightline::scenes::box({1, 1, 5}, {2, 2, 6});
  scene_.remove(2);
  scene_.move(box_, far_box.view().positions);
  scene_.collide(report_, {.first = true});
  EXPECT_TRUE(report_.contacts.empty() && report_.complete && report_.found == 0);
  EXPECT_FALSE(has_stage(report_, "bin"));
}

TEST_F(RestOptions, ProgressAndCancel) {
  for (const unsigned threads : {1u, 3u}) {
    move_box();
    double last = 0;
    scene_.collide(report_, {.threads = threads, .progress = [&last](double at) {
                               EXPECT_GE(at, last);
                               last = at;
                             }});
    EXPECT_EQ(last, 1.0);
    move_box();
    scene_.collide(report_, {.threads = threads, .cancel = [] { return true; }});
    EXPECT_TRUE(report_.cancelled);
    EXPECT_FALSE(report_.complete);
    EXPECT_TRUE(std::includes(all_.begin(), all_.end(), report_.contacts.begin(), report_.contacts.end()));
    scene_.collide(report_);
    EXPECT_EQ(report_.contacts, all_);
  }
}

// Cancelled while trees are built: nothing may come to rest half.
TEST_F(RestOptions, CancelAtAnyCall) {
  for (int after = 0; after < 40; ++after) {
    Scene scene;
    for (const Mesh* mesh : {&ground_, &box_mesh_, &other_}) scene.add(*mesh);
    Report report;
    for (int frame = 0; frame < 2; ++frame) scene.collide(report);
    int calls = 0;
    scene.collide(report, {.cancel = [&] { return calls++ >= after; }});
    EXPECT_EQ(report.cancelled, calls > after);
    EXPECT_EQ(report.complete, !report.cancelled);
    for (int frame = 0; frame < 4; ++frame) {
      scene.collide(report);
      EXPECT_EQ(report.contacts, all_) << "after " << after;
      if (frame == 1) scene.move(1, box_mesh_.view().positions);
    }
  }
}

TEST_F(RestOptions, MemoryIsCountedAndSmall) {
  const Mesh large = ground(400);  // 320,000 triangles
  Scene scene;
  scene.add(large);
  scene.add(box_mesh_);
  Report report;
  scene.collide(report);
  for (int frame = 0; frame < 3; ++frame) scene.collide(report);
  scene.move(1, box_mesh_.view().positions);
  const std::uint64_t before = report.stats.peak_bytes;
  scene.collide(report);
  const double with = static_cast<double>(report.stats.peak_bytes) / static_cast<double>(large.triangles.size());
  EXPECT_LT(with, 40) << "bytes a triangle, the image of the first query included";
  scene.replace(0, large);
  scene.collide(report);
  EXPECT_GT(before, report.stats.peak_bytes + 12 * large.triangles.size()) << "a tree at rest has 12 bytes a triangle";
}

// The contract of sightline/query.h: the memory of an object stays as it is until a move or replace.

TEST(Memory, AnUnannouncedChangeIsAnError) {
  Mesh mesh = as_float(box_at(0));
  const Mesh other = as_float(box_at(0.5));
  auto& positions = std::get<std::vector<Vec3f>>(mesh.positions);
  Scene scene;
  scene.add(mesh);
  scene.add(other);
  Report report;
  for (int frame = 0; frame < 4; ++frame) scene.collide(report);
  EXPECT_FALSE(report.contacts.empty());
  for (Vec3f& p : positions) p[2] += 10;
  for (int frame = 0; frame < 3; ++frame) EXPECT_THROW(scene.collide(report), Error);
  scene.move(0, positions);
  scene.collide(report);
  EXPECT_TRUE(report.contacts.empty());
}

TEST(Memory, AChangeOfOneIndexIsFoundInTime) {
  Mesh large = ground(100);
  const Mesh box = box_at(0);
  Scene scene;
  scene.add(large);
  scene.add(box);
  Report report;
  for (int frame = 0; frame < 4; ++frame) scene.collide(report);
  std::swap(large.triangles[12'345][0], large.triangles[12'345][1]);
  const std::size_t bytes = large.triangles.size() * sizeof(Triangle) + large.view().positions.size() * sizeof(Vec3d);
  bool found = false;
  for (std::size_t query = 0; query < bytes / 4096 + 8 && !found; ++query) try {
      scene.collide(report);
    } catch (const Error& error) {
      found = true;
      EXPECT_NE(std::string(error.what()).find("object 0"), std::string::npos);
    }
  EXPECT_TRUE(found);
  scene.replace(0, large);
  EXPECT_NO_THROW(scene.collide(report));
}

// The more moves, the sooner a change is found: 16 kB a query, and 64 bytes for each triangle that moved.
TEST(Memory, AChangeIsFoundSoonerWhereMuchMoves) {
  for (const bool much : {false, true}) {
    Mesh large = ground(150);
    const Mesh moving = much ? sightline::scenes::crumpled_cloth(4'000) : box_at(0);
    Scene scene;
    scene.add(large);
    scene.add(moving);
    Report report;
    const auto next = [&] {
      scene.move(1, moving.view().positions);
      scene.collide(report);
    };
    for (int frame = 0; frame < 4; ++frame) next();
    const std::size_t last = large.triangles.size() - 10;
    std::swap(large.triangles[last][0], large.triangles[last][1]);
    const std::size_t bytes = large.triangles.size() * sizeof(Triangle) + large.view().positions.size() * sizeof(Vec3d);
    const std::size_t most = bytes / (16'384 + 64 * moving.triangles.size() - 4096) + 2;
    std::size_t query = 0;
    try {
      for (; query <= most; ++query) next();
    } catch (const Error&) {
    }
    EXPECT_LE(query, most) << moving.triangles.size() << " triangles that move";
  }
}

TEST(Memory, RewritingTheSamePositionsIsNoChange) {
  Mesh mesh = box_at(0);
  const Mesh other = box_at(0.5);
  Scene scene;
  scene.add(mesh);
  scene.add(other);
  Report report;
  for (int frame = 0; frame < 6; ++frame) {
    mesh.positions = Mesh(mesh).positions;
    scene.replace(0, mesh);
    scene.collide(report);
  }
  const std::vector<Vec3d> copy = std::get<1>(mesh.positions);
  for (int frame = 0; frame < 6; ++frame) {
    std::copy(copy.begin(), copy.end(), std::get<1>(mesh.positions).begin());
    EXPECT_NO_THROW(scene.collide(report));
  }
}

// Objects that come, go and move by the thousand: the list of what rests stays as short as the scene.
TEST(Many, ComeAndGo) {
  const Mesh box = as_float(box_at(0));
  Twin twin;
  for (int i = 0; i < 40; ++i) twin.add(box, Transform::translation({0.9 * i, 0, 0}), {});
  for (int frame = 0; frame < smaller(60, 3); ++frame) {
    if (frame % 5 == 0) {
      for (ObjectId id = 0; id < twin.size(); ++id)
        if (twin.has(id) && (id + static_cast<ObjectId>(frame)) % 3 == 0) twin.remove(id);
      for (int i = 0; i < 12; ++i) twin.add(box, Transform::translation({0.9 * (i + frame % 7), 0.5, 0}), {});
    }
    twin.expect_same({}, "frame " + std::to_string(frame));
  }
}

}  // namespace
