// Objects come and go: ids, order and cost; and views of what is gone do not compile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "method/run.h"
#include "query/boxes.h"
#include "scenes/scenes.h"
#include "sightline/assembly.h"
#include "sightline/query.h"
#include "support/corpus.h"
#include "support/errors.h"

namespace {

using namespace testing_support;
using sightline::Assembly;
using sightline::Contact;
using sightline::Error;
using sightline::ObjectId;
using sightline::Positions;
using sightline::Report;
using sightline::Scene;
using sightline::papers::MethodName;
using sightline::papers::method::MethodSettings;

/// The time of one call, in nanoseconds: the least of several runs of many.
template <class Action>
double time_of(const Action& action) {
  double least = 1e300;
  for (int run = 0; run < 20; ++run) {
    constexpr int kCalls = 50;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) action();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count() / kCalls);
  }
  return least;
}

TEST(RemovedObjects, AreNamedAsRemoved) {
  const Mesh box = box_at(0);
  Scene scene;
  for (int i = 0; i < 5; ++i) scene.add(box);
  for (const ObjectId id : {3u, 0u, 4u}) {
    scene.remove(id);
    const std::string expected = "scene: object " + std::to_string(id) + " was removed";
    EXPECT_EQ(error_of([&] { scene.remove(id); }), expected);
    EXPECT_EQ(error_of([&] { scene.move(id, box.view().positions); }), expected);
    EXPECT_EQ(error_of([&] { scene.replace(id, box); }), expected);
    EXPECT_EQ(error_of([&] { scene.place(id, {}); }), expected);
    EXPECT_EQ(error_of([&] { scene.set_options(id, {}); }), expected);
    EXPECT_EQ(error_of([&] { scene.options(id); }), expected);
    EXPECT_TRUE(scene.is_removed(id));
    EXPECT_EQ(scene.mesh(id).triangles.size(), 0u);
    EXPECT_EQ(scene.mesh(id).positions.size(), 0u);
  }
  EXPECT_EQ(error_of([&] { scene.remove(5); }), "scene: object 5 does not exist; there are 5");
  EXPECT_EQ(scene.size(), 5u);
  EXPECT_EQ(scene.mesh(1).triangles.size(), 12u);
  scene.replace(2, {});  // empty, but not removed
  scene.move(2, box.view().positions);
  scene.collide();
  EXPECT_EQ(error_of([&] { scene.remove(3); }), "scene: object 3 was removed") << "also after a query";
  EXPECT_EQ(scene.add(box), 5u);
  scene.remove(1);
  scene.remove(2);
  scene.remove(5);
  EXPECT_TRUE(scene.collide().contacts.empty());
  EXPECT_EQ(error_of([&] { scene.remove(5); }), "scene: object 5 was removed");
}

TEST(RemovedObjects, CostNothing) {
  const Mesh left = box_at(0), right = box_at(0.5);
  Scene fresh, old;
  Report report;
  fresh.add(left);
  fresh.add(right);
  old.add(left);
  for (int i = 0; i < 100'000; ++i) old.remove(old.add(right));
  EXPECT_EQ(old.add(right), 100'001u);
  const double expected = time_of([&] { fresh.collide(report); });
  const std::size_t contacts = report.contacts.size();
  EXPECT_LT(time_of([&] { old.collide(report); }), 5 * expected);
  EXPECT_EQ(report.contacts.size(), contacts);
  EXPECT_EQ(report.contacts.front().object_b, 100'001u);
}

// Each from the first: each time all that follow would move if the list were kept dense at once.
TEST(RemovedObjects, ARemoveIsNotProportionalToTheScene) {
  const Mesh box = box_at(0);
  const auto time_of_all = [&](int count) {
    Scene scene;
    for (int i = 0; i < count; ++i) scene.add(box);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) scene.remove(static_cast<ObjectId>(i));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double small = std::min({time_of_all(2'000), time_of_all(2'000), time_of_all(2'000)});
  EXPECT_LT(time_of_all(60'000), 30 * 10 * small);
}

/// Objects by id, changed at random; a scene of the same objects without gaps has the same contacts under other ids.
class Changing {
 public:
  explicit Changing(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 12; ++i)
      meshes_.push_back(i % 2 == 0 ? box_at(0.75 * i) : sightline::scenes::sphere(80, {0.75 * i + 0.4, 0.5, 0.5}, 0.6));
  }

  void change() {
    const int what = random_.below(5);
    if (what < 2 || living_.empty()) {
      const std::size_t mesh = pick();
      living_[scene.add(meshes_[mesh])] = mesh;
      return;
    }
    auto object = living_.begin();
    std::advance(object, random_.below(static_cast<int>(living_.size())));
    if (what < 4) {
      scene.remove(object->first);
      living_.erase(object);
      return;
    }
    object->second = pick();
    scene.replace(object->first, meshes_[object->second]);
  }

  void expect_same(MethodSettings options) {
    Scene dense;
    MethodSettings of_dense = options;
    options.paper.motions.resize(scene.size());
    std::vector<ObjectId> ids;
    for (const auto& [id, mesh] : living_) {
      dense.add(meshes_[mesh]);
      const sightline::papers::Motion motion{{0, 0, 0}, {id % 2 == 0 ? 1.0 : -1.0, 0, 0}, {0, 0, 0}};
      of_dense.paper.motions.push_back(motion);
      options.paper.motions[id] = motion;
      ids.push_back(id);
    }
    sightline::papers::Report expected = sightline::papers::method::run(dense, of_dense);
    for (Contact& c : expected.contacts) c.object_a = ids[c.object_a], c.object_b = ids[c.object_b];
    for (auto& t : expected.method.pcs) t.object = ids[t.object];
    for (auto& d : expected.method.dropped) d.triangle.object = ids[d.triangle.object];
    const sightline::papers::Report report = sightline::papers::method::run(scene, options);
    EXPECT_EQ(report.contacts, expected.contacts);
    EXPECT_EQ(report.method.pcs, expected.method.pcs);
    EXPECT_EQ(report.method.dropped, expected.method.dropped);
    EXPECT_EQ(report.stats.triangles, expected.stats.triangles);
    contacts += report.contacts.size();
  }

  Scene scene;
  std::size_t contacts = 0;

 private:
  std::size_t pick() { return static_cast<std::size_t>(random_.below(static_cast<int>(meshes_.size()))); }

  Random random_;
  std::vector<Mesh> meshes_;
  std::map<ObjectId, std::size_t> living_;
};

TEST(RemovedObjects, IdsStayWithTheirObjects) {
  Changing changing(1);
  for (int i = 0; i < 400; ++i) {
    changing.change();
    if (i % 3 == 0) changing.expect_same({});
  }
  EXPECT_GT(changing.contacts, 1000u);
}

TEST(RemovedObjects, IdsStayWithTheirObjectsInThePapersMethods) {
  using enum MethodName;
  for (const MethodName method : {cullide, quick_cullide, peel, velocity}) {
    Changing changing(2);
    MethodSettings options;
    options.method = method;
    options.paper.record_dropped = method != peel;
    if (method != velocity) options.paper.resolution = 128;
    for (int i = 0; i < 60; ++i) {
      changing.change();
      if (i % 7 == 0) changing.expect_same(options);
    }
    EXPECT_GT(changing.contacts, 10u) << to_string(method);
  }
}

// Views of temporaries do not compile.

using Points = std::vector<Vec3d>;
static_assert(std::is_constructible_v<Positions, Points&>);
static_assert(std::is_constructible_v<Positions, const Points&>);
static_assert(std::is_constructible_v<Positions, std::vector<Vec3f>&>);
static_assert(std::is_constructible_v<Positions, std::span<const Vec3f>>);
static_assert(std::is_constructible_v<Positions, std::span<Vec3d>>);
static_assert(std::is_constructible_v<Positions, std::array<Vec3d, 3>&>);
static_assert(std::is_convertible_v<const Points&, Positions>);
static_assert(!std::is_constructible_v<Positions, Points>);
static_assert(!std::is_constructible_v<Positions, const Points>);
static_assert(!std::is_constructible_v<Positions, std::vector<Vec3f>>);
static_assert(!std::is_constructible_v<Positions, std::array<Vec3d, 3>>);
static_assert(!std::is_convertible_v<Points, Positions>);

using Triangles = std::vector<Triangle>;
static_assert(std::is_constructible_v<MeshView, Points&, Triangles&>);
static_assert(std::is_constructible_v<MeshView, Positions, std::span<const Triangle>>);
static_assert(!std::is_constructible_v<MeshView, Points&, Triangles>);
static_assert(!std::is_constructible_v<MeshView, Points, Triangles&>);
static_assert(!std::is_constructible_v<MeshView, Points&, std::array<Triangle, 2>>);
static_assert(!std::is_convertible_v<Mesh, MeshView> && std::is_convertible_v<const Mesh&, MeshView>);

template <typename Points>
concept can_be_moved_to = requires(Scene scene, Points (*simulate)()) {
  scene.move(0, simulate());
};
static_assert(can_be_moved_to<Points&> && can_be_moved_to<const Points&> && can_be_moved_to<std::span<const Vec3f>>);
static_assert(!can_be_moved_to<Points> && !can_be_moved_to<const Points> && !can_be_moved_to<std::vector<Vec3f>>);

template <typename Points, typename Triangles>
concept can_be_replaced_by = requires(Scene scene, Points (*points)(), Triangles (*triangles)()) {
  scene.replace(0, {points(), triangles()});
};
static_assert(can_be_replaced_by<Points&, Triangles&>);
static_assert(!can_be_replaced_by<Points, Triangles&> && !can_be_replaced_by<Points&, Triangles>);

template <typename Owner>
concept has_a_view = requires(Owner (*load)()) {
  load().view();
};
static_assert(has_a_view<Mesh&> && has_a_view<const Mesh&> && !has_a_view<Mesh> && !has_a_view<const Mesh>);
template <typename Parts>
concept has_views = requires(Parts (*load)()) {
  load().views();
  load().view(0);
};
static_assert(has_views<Assembly&> && has_views<const Assembly&> && !has_views<Assembly> && !has_views<const Assembly>);

template <typename Numbers>
concept is_a_flat_array = requires(Numbers (*simulate)()) {
  Positions::flat(simulate());
};
static_assert(is_a_flat_array<std::vector<float>&> && is_a_flat_array<std::span<const double>>);
static_assert(!is_a_flat_array<std::vector<float>> && !is_a_flat_array<std::vector<double>>);

}  // namespace
