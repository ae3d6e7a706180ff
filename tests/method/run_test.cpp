// What all methods over images have in common: options that are checked whatever the scene is, a cancel that is heard,
// queries of several threads at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "method/run_method.h"
#include "scenes/scenes.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Objects& objects, const Options& options) {
  try {
    collide(objects, options);
  } catch (const sightline::Error& error) {
    return error.what();
  }
  return "";
}

const Method kMethods[] = {Method::cullide, Method::quick_cullide};

/// Nothing has to be drawn: boxes tell.
Objects apart() {
  return {"apart", {sightline::scenes::sphere(80), sightline::scenes::sphere(80, {5, 0, 0})}, Objects::none};
}

TEST(Run, ViewsAreCheckedWhereNothingIsDrawn) {
  for (const Method method : kMethods) {
    Options options = with(method, Precision::image, 64);
    EXPECT_TRUE(collide(apart(), options).contacts.empty());
    options.paper.views = {View{{0, 0, 0}}};
    EXPECT_THAT(error_of(apart(), options), HasSubstr("direction (0, 0, 0) is not a direction"));
    options.paper.views = {View{}, View{.direction = {0, 0, -1}, .field_of_view = 200}};
    EXPECT_THAT(error_of(apart(), options), HasSubstr("field of view of 200 degrees"));
  }
}

TEST(Run, ACancelThatSaysSoOnceIsHeard) {
  const Objects objects{"spheres", sightline::scenes::spheres(12, 320), Objects::none};
  const auto expected = collide(objects).contacts;
  ASSERT_GT(expected.size(), 0u);
  for (const Method method : {Method::cullide, Method::quick_cullide, Method::peel}) {
    std::size_t cancelled = 0;
    for (int when = 0; when < 40; ++when) {
      Options options = with(method, Precision::conservative, 64);
      int asked = 0;
      options.cancel = [&] { return asked++ == when; };
      const Report report = collide(objects, options);
      cancelled += report.cancelled ? 1 : 0;
      EXPECT_EQ(report.cancelled, asked > when) << when;
      if (report.cancelled) {
        EXPECT_FALSE(report.complete);
      } else {
        EXPECT_EQ(report.contacts, expected);
      }
    }
    EXPECT_GT(cancelled, 0u);
  }
}

// Memory is kept from query to query, and shared by all of them.
TEST(Run, QueriesFromManyThreads) {
  const Objects scenes[] = {{"spheres", sightline::scenes::spheres(30, 1280), Objects::none},
                            {"two objects", sightline::scenes::two_objects(9000, 400), Objects::none},
                            {"few", sightline::scenes::spheres(4, 320), Objects::none}};
  std::vector<std::vector<sightline::Contact>> expected;
  for (const Objects& scene : scenes) expected.push_back(collide(scene).contacts);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&, i] {
      for (int run = 0; run < 6; ++run) {
        const int which = (i + run) % 3;
        const Options options = with(kMethods[run % 2], Precision::conservative, 64);
        wrong += collide(scenes[which], options).contacts != expected[which] ? 1 : 0;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace testing_support
