// No allocation in steady state: operator new is counted while a scene answers frame after frame.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

#include "scenes/scenes.h"
#include "sightline/query.h"
#include "support/corpus.h"

namespace {
std::atomic<std::uint64_t> allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
// Not inlined: g++ would take an inlined free for a wrong one.
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

using namespace testing_support;
using sightline::ObjectId;
using sightline::Report;
using sightline::Scene;
using sightline::Transform;

Transform turned_box(const Vec3d& at, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{{c, -s, 0, at[0]}, {s, c, 0, at[1]}, {0, 0, 1, at[2]}}}};
}

/// Allocations in the last of many frames.
template <typename Frame>
std::uint64_t allocations_of(const Frame& frame) {
  for (int i = 0; i < 40; ++i) frame(i);
  const std::uint64_t before = allocations;
  for (int i = 20; i < 40; ++i) frame(i);
  return allocations - before;
}

const Mesh& unit_box() {
  static const Mesh box = as_float(sightline::scenes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}));
  return box;
}

TEST(Allocations, TheCounterCounts) {
  const std::uint64_t before = allocations;
  Report report = sightline::self_intersections(unit_box());
  EXPECT_GT(allocations, before);
}

TEST(Allocations, NoneForTwoBoxes) {
  Scene scene;
  scene.add(unit_box());
  const ObjectId other = scene.add(unit_box());
  Report report;
  EXPECT_EQ(allocations_of([&](int i) {
              scene.place(other, turned_box({0.8, 0.1, 0.2}, 0.01 * i));
              scene.collide(report);
            }),
            0u);
  EXPECT_FALSE(report.contacts.empty());
}

TEST(Allocations, NoneForTwoBoxesAtRest) {
  Scene scene;
  scene.add(unit_box());
  scene.add(unit_box().view().placed(turned_box({0.8, 0.1, 0.2}, 1)));
  Report report;
  EXPECT_EQ(allocations_of([&](int) { scene.collide(report); }), 0u);
}

TEST(Allocations, NoneForAThousandBoxes) {
  Scene scene;
  std::vector<Vec3d> places;
  for (int i = 0; i < 1000; ++i) {
    places.push_back({1.2 * (i % 10), 1.2 * (i / 10 % 10), 1.2 * (i / 100)});
    scene.add(unit_box().view().placed(turned_box(places.back(), i)));
  }
  Report report;
  for (const bool all : {true, false})
    EXPECT_EQ(allocations_of([&](int i) {
                for (ObjectId id = 0; id < (all ? 1000u : 1u); ++id)
                  scene.place(id, turned_box(places[id], id + 0.01 * (i % 20)), 1);
                scene.collide(report, {.threads = 1});
              }),
              0u);
  EXPECT_FALSE(report.contacts.empty());
}

TEST(Allocations, NoneForABoxOnALargeMeshAtRest) {
  const Mesh large = as_float(sightline::scenes::bumpy_body(50'000, {0, 0, 0}, 10));
  Scene scene;
  scene.add(large, {}, 1);
  const ObjectId box = scene.add(unit_box());
  Report report;
  EXPECT_EQ(allocations_of([&](int i) {
              scene.place(box, turned_box({0, 0, 10}, 0.01 * (i % 20)));
              scene.collide(report, {.threads = 1});
            }),
            0u);
}

}  // namespace
