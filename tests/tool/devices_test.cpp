// `sightline devices`: what is there, and what is missing, in words and as JSON; and `--device gl` as a user types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/papers.h"
#include "sightline/sightline.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

bool has_gl() { return sightline::papers::gl_info().missing.empty(); }

TEST(ToolDevices, ListsAllOfThem) {
  Workshop workshop;
  const Result text = workshop.run({"devices"});
  EXPECT_EQ(text.status, 0);
  const Result result = workshop.run({"devices", "--json", "-"});
  EXPECT_EQ(result.status, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema"], "sightline.devices/1");
  ASSERT_EQ(json["devices"].size(), 3u);
  const char* const names[] = {"cpu", "cuda", "gl"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& device = json["devices"][i];
    EXPECT_EQ(device["name"], names[i]);
    EXPECT_NE(device.contains("missing"), device["usable"].get<bool>());
    EXPECT_THAT(text.out, HasSubstr(names[i]));
  }
  EXPECT_EQ(json["devices"][2]["usable"], has_gl());
}

TEST(ToolDevices, NoDriver) {
  setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent.json", 1);
  Workshop workshop;
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  const Result list = workshop.run({"devices"});
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.out, HasSubstr("gl    cannot be used: "));
  const Result check = workshop.run({"check", "--method", "cullide", "--device", "gl", "a.stl"});
  unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
  EXPECT_EQ(check.status, 2);
  EXPECT_EQ(check.out, "");
  EXPECT_THAT(check.err, HasSubstr("sightline: gl: "));
}

TEST(ToolDevices, OneFlagAndTheSameAnswer) {
  if (!has_gl()) GTEST_SKIP() << "no OpenGL here";
  Workshop workshop;
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const auto contacts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"check", "--method", "quick-cullide", "--resolution", "64", "--json", "-"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("tube.stl");
    const Result result = workshop.run(words);
    EXPECT_EQ(result.status, 1) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    return json.at("meshes").at(0).at("contacts");
  };
  const auto cpu = contacts({});
  EXPECT_FALSE(cpu.empty());
  EXPECT_EQ(cpu, contacts({"--device", "gl"}));
  EXPECT_EQ(cpu, contacts({"--device", "gl", "--gl-queries", "each"}));
  const Result exact = workshop.run({"check", "--device", "gl", "tube.stl"});
  EXPECT_EQ(exact.status, 2);
  EXPECT_THAT(exact.err, HasSubstr("gl: the exact engine runs on the cpu and the cuda device"));
}

}  // namespace
}  // namespace testing_support
