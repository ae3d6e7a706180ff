// `--image`, as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string size_of(const std::string& png) {
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png[at + i]);
    return value;
  };
  return std::to_string(number(16)) + "x" + std::to_string(number(20));
}

TEST(ToolImage, CheckAndClashDrawPictures) {
  Workshop workshop;
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  workshop.save("assembly.obj", sightline::scenes::demo_assembly());
  const Result check = workshop.run({"check", "tube.stl", "--image", "t.png", "--image-size", "320x200"});
  EXPECT_EQ(check.status, 1) << check.err;
  EXPECT_THAT(check.out, HasSubstr("wrote t.png in "));
  const std::string first = workshop.text("t.png");
  ASSERT_THAT(first, StartsWith("\x89PNG\r\n"));
  EXPECT_EQ(size_of(first), "320x200");
  EXPECT_EQ(workshop.run({"clash", "assembly.obj", "--image", "a.png", "-q"}).status, 1);
  EXPECT_EQ(size_of(workshop.text("a.png")), "1600x1000");
  // The same bytes again, whatever the threads.
  workshop.run({"check", "tube.stl", "--image", "u.png", "--image-size", "320x200", "--threads", "1"});
  EXPECT_EQ(workshop.text("u.png"), first);
  workshop.run({"check", "tube.stl", "--image", "v.png", "--image-size", "320x200", "--image-up", "x"});
  EXPECT_NE(workshop.text("v.png"), first);
}

TEST(ToolImage, OfSeveralMeshesTheOneWithTheMostContacts) {
  Workshop workshop;
  workshop.save("clean.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  workshop.save("small.stl", sightline::scenes::self_intersecting_tube(400));
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const Result result = workshop.run({"check", "clean.stl", "small.stl", "missing.stl", "tube.stl", "clean.stl",
                                      "--image", "p.png", "--image-size", "64x64"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, HasSubstr("The picture shows tube.stl."));
  workshop.run({"check", "tube.stl", "--image", "q.png", "--image-size", "64x64"});
  EXPECT_EQ(workshop.text("p.png"), workshop.text("q.png"));
  // The geometry files keep all meshes; the picture is the same.
  workshop.run(
      {"check", "clean.stl", "small.stl", "tube.stl", "--image", "r.png", "--image-size", "64x64", "--ply", "r.ply"});
  EXPECT_EQ(workshop.text("r.png"), workshop.text("q.png"));
}

TEST(ToolImage, TextsNameTheFileAndTheGap) {
  Workshop workshop;
  workshop.save("a.obj", sightline::scenes::demo_assembly());
  workshop.save("b.obj", sightline::scenes::demo_assembly());
  const auto drawn = [&](std::vector<std::string> arguments, const std::string& size) {
    arguments.insert(arguments.end(), {"--image", "p.png", "--image-size", size, "-q"});
    EXPECT_EQ(workshop.run(arguments).status, 1);
    return workshop.text("p.png");
  };
  for (const char* command : {"clash", "check"}) {
    EXPECT_NE(drawn({command, "a.obj"}, "400x300"), drawn({command, "b.obj"}, "400x300")) << command;
    EXPECT_EQ(drawn({command, "a.obj"}, "400x299"), drawn({command, "b.obj"}, "400x299")) << "too small for texts";
  }
  EXPECT_NE(drawn({"clash", "a.obj"}, "400x300"), drawn({"clash", "a.obj", "--clearance", "0.1"}, "400x300"));
}

TEST(ToolImage, NothingToDrawIsNoPicture) {
  Workshop workshop;
  const Result result = workshop.run({"check", "missing.stl", "--image", "p.png", "--json", "r.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_FALSE(workshop.has("p.png"));
  EXPECT_TRUE(workshop.has("r.json"));
}

TEST(ToolImage, Errors) {
  Workshop workshop;
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(400));
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> all = {"check", "tube.stl"};
    all.insert(all.end(), more.begin(), more.end());
    const Result result = workshop.run(all);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(error({"--image", "no/such/folder/p.png"}), HasSubstr("no/such/folder/p.png: cannot write"));
  EXPECT_THAT(error({"--image", "tube.stl"}), HasSubstr("is an input"));
  EXPECT_THAT(error({"--image", "-"}), HasSubstr("only --json"));
  EXPECT_THAT(error({"--image", "a.png", "--json", "a.png"}), HasSubstr("two outputs"));
  for (const char* size : {"12", "x", "10x2000", "99999x5", "-5x5", "640x480x2", "1600X"})
    EXPECT_THAT(error({"--image", "p.png", "--image-size", size}), HasSubstr("is not a size such as 1600x1000"))
        << size;
  EXPECT_THAT(error({"--image-size", "640x480"}), HasSubstr("--image"));
  EXPECT_THAT(error({"--image", "p.png", "--image-up", "w"}), HasSubstr("w"));
  EXPECT_FALSE(workshop.has("p.png"));
}

}  // namespace
}  // namespace testing_support
