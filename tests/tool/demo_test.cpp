// `sightline demo`: scenes run, say what they find, and leave a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/papers/papers.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

TEST(ToolDemo, WithoutANameTheScenesAreListed) {
  const Result result = Workshop().run({"demo"});
  EXPECT_EQ(result.status, 0);
  for (const sightline::scenes::PaperScene& scene : sightline::scenes::paper_scenes())
    EXPECT_THAT(result.out, HasSubstr("\n  " + std::string(scene.name) + " "));
}

TEST(ToolDemo, EverySceneRuns) {
  Workshop workshop;
  for (const sightline::scenes::PaperScene& scene : sightline::scenes::paper_scenes()) {
    SCOPED_TRACE(scene.name);
    const Result result = workshop.run({"demo", std::string(scene.name), "--triangles", "2000", "--frames", "3"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\n  frame    2  "));
    EXPECT_THAT(result.out, HasSubstr("\n3 frames in "));
    const std::string page = std::string(scene.name) + ".html";
    if (result.out.find("wrote ") != std::string::npos) {  // a build without the viewer writes none
      EXPECT_TRUE(workshop.has(page));
    }
  }
}

TEST(ToolDemo, ShortNamesRunTheSameScenes) {
  Workshop workshop;
  const Result list = workshop.run({"demo"});
  for (const auto& [alias, name] :
       {std::pair{"bunny", "deformed-bunny"}, std::pair{"cows", "two-cows"}, std::pair{"dragon", "bunny-dragon"},
        std::pair{"cloth", "cloth-on-table"}, std::pair{"walker", "billiard"}, std::pair{"torn", "torn-cloth"},
        std::pair{"tori", "two-tori"}}) {
    SCOPED_TRACE(alias);
    const Result result = workshop.run({"demo", alias, "--triangles", "2000", "--frames", "1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.out.starts_with(std::string(name) + ": ")) << result.out;
    EXPECT_THAT(list.out, HasSubstr("; also '" + std::string(alias) + "'\n"));
  }
}

TEST(ToolDemo, AMethodReportsWhatItsPassesLeft) {
  Workshop workshop;
  for (const char* method : {"cullide", "quick-cullide", "self-cullide", "peel", "velocity"}) {
    SCOPED_TRACE(method);
    const Result result =
        workshop.run({"demo", "two-tori", "--triangles", "800", "--frames", "2", "--method", method, "--threads", "1"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(" triangles left after "));
  }
}

TEST(ToolDemo, Errors) {
  Workshop workshop;
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(error({"demo", "tube"}), HasSubstr("there is no scene 'tube'; there are deformed-bunny, "));
  EXPECT_THAT(error({"demo", "two-tori", "--method", "velocity", "--motion", "0:1,0,0"}),
              HasSubstr("have their own motions"));
  EXPECT_THAT(error({"demo", "two-tori", "--frames", "-3"}), HasSubstr("-3"));
  EXPECT_THAT(error({"demo", "two-tori", "--frames", "1000000"}), HasSubstr("1 to 100000"));
  EXPECT_THAT(error({"demo", "two-tori", "--triangles", "99999999"}), HasSubstr("at most 10000000"));
  EXPECT_THAT(
      error({"demo", "two-tori", "--frames", "1", "--report", "no/such/folder/p.html"}),
      ::testing::AnyOf(HasSubstr("no/such/folder/p.html: cannot write"), HasSubstr("built without the viewer")));
}

TEST(ToolDemo, NoFramesIsAnError) {
  const Workshop workshop;
  const Result result = workshop.run({"demo", "two-tori", "--frames", "0"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, ::testing::HasSubstr("--frames 0: 1 to 100000"));
}

}  // namespace
}  // namespace testing_support
