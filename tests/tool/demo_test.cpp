// `sightline demo`: scenes run, print what they find, and leave a page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <regex>

#include "scenes/papers/papers.h"
#include "sightline/papers.h"
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

TEST(ToolDemo, APictureHasAllFrames) {
  Workshop workshop;
  const Result result = workshop.run({"demo", "snow", "--triangles", "500", "--frames", "4", "--image", "a.png"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote a.png\n"));
  const std::string file = workshop.text("a.png");
  const auto control = file.find("acTL");
  ASSERT_NE(control, std::string::npos);
  EXPECT_EQ(file.substr(control + 4, 4), std::string("\0\0\0\4", 4));
  EXPECT_EQ(file.substr(16, 8), std::string("\0\0\2\200\0\0\1\220", 8));  // 640 x 400
  const Result sized = workshop.run(
      {"demo", "snow", "--triangles", "500", "--frames", "1", "--image", "b.png", "--image-size", "1600x1000"});
  EXPECT_EQ(sized.status, 0) << sized.err;
  EXPECT_EQ(workshop.text("b.png").substr(16, 8), std::string("\0\0\6\100\0\0\3\350", 8));
  const Result many = workshop.run({"demo", "snow", "--frames", "1001", "--image", "c.png"});
  EXPECT_EQ(many.status, 2);
  EXPECT_THAT(many.err, HasSubstr("--image: 1001 frames; at most 1000"));
  EXPECT_FALSE(workshop.has("c.png"));
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

/// The numbers in the first group of the pattern, match by match.
std::vector<std::uint64_t> numbers(const std::string& text, const std::string& pattern) {
  std::vector<std::uint64_t> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back(std::stoull(std::regex_replace((*match)[1].str(), std::regex(","), "")));
  return found;
}

/// What a method misses, frame by frame, counted here against the exact list.
TEST(ToolDrive, CountsWhatTheMethodMissed) {
  using namespace sightline;
  const papers::Cullide coarse{.images = {.precision = papers::Precision::image,
                                          .views = {{{0.3, -1, 0.2}}, {{-1, -0.6, 0.3}}},
                                          .resolution = 400}};
  const auto stairs = scenes::find_paper_scene("stairs")->make(2000);
  stairs->drive([&](Scene& scene, std::span<const papers::Motion>, papers::Report& found) {
    found = papers::run(scene, coarse);
  });
  std::vector<std::uint64_t> missed, exact_counts;
  for (int i = 0; i < 30; ++i) {
    if (i > 0) stairs->advance();
    Scene scene;
    for (const scenes::AnimatedObject& object : stairs->frame().objects) scene.add(object.mesh);
    const std::vector<Contact> exact = scene.collide().contacts, found = papers::run(scene, coarse).contacts;
    std::vector<Contact> lost;
    for (const Contact& contact : exact)
      if (std::find(found.begin(), found.end(), contact) == found.end()) lost.push_back(contact);
    missed.push_back(lost.size());
    exact_counts.push_back(exact.size());
  }
  const std::uint64_t all = std::accumulate(missed.begin(), missed.end(), std::uint64_t{0});
  const std::uint64_t exact_all = std::accumulate(exact_counts.begin(), exact_counts.end(), std::uint64_t{0});
  ASSERT_GT(all, 0u) << "nothing is tested if nothing is missed";
  ASSERT_LT(all, exact_all) << "or if everything is missed";

  Workshop workshop;
  const Result result =
      workshop.run({"demo", "stairs", "--triangles", "2000", "--frames", "30", "--drive", "cullide", "--precision",
                    "image", "--resolution", "400", "--view", "0.3,-1,0.2", "--view", "-1,-0.6,0.3"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("(30 frames, driven by cullide)"));
  EXPECT_EQ(numbers(result.out, "\n  frame .*, ([\\d,]+) missed; "), missed);
  // The response of a step uses the contacts of the frame before it.
  const std::vector<std::uint64_t> before(missed.begin(), missed.end() - 1);
  EXPECT_EQ(numbers(result.out, "; 1 query of the response, ([\\d,]+) of "), before);
  EXPECT_EQ(numbers(result.out, "\ncullide missed ([\\d,]+) of "), std::vector{all});
  EXPECT_EQ(numbers(result.out, "\ncullide missed [\\d,]+ of ([\\d,]+) contacts in the frames"),
            std::vector{exact_all});
}

TEST(ToolDrive, AConservativeMethodMissesNothing) {
  Workshop workshop;
  for (const char* scene : {"cloth", "torn", "snow", "bouncing", "breaking"}) {
    SCOPED_TRACE(scene);
    const Result result = workshop.run(
        {"demo", scene, "--triangles", "2000", "--frames", "20", "--drive", "quick-cullide", "--resolution", "128"});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("\nquick-cullide missed 0 of "));
    EXPECT_THAT(result.out, HasSubstr(", and 0 of "));
  }
}

TEST(ToolDrive, PresetsAndOptionsApply) {
  Workshop workshop;
  const Result published = workshop.run({"demo", "bouncing", "--triangles", "2500", "--frames", "3", "--drive",
                                         "cinder", "--as-published", "--resolution", "256", "--view", "z"});
  EXPECT_EQ(published.status, 0) << published.err;
  EXPECT_THAT(published.out, HasSubstr("driven by cinder"));
  const Result velocity = workshop.run({"demo", "stairs", "--triangles", "2000", "--frames", "3", "--drive", "velocity",
                                        "--then", "cullide", "--no-spheres"});
  EXPECT_EQ(velocity.status, 0) << velocity.err;
  const Result normals = workshop.run({"demo", "stairs", "--triangles", "2000", "--frames", "3", "--drive", "normals"});
  EXPECT_EQ(normals.status, 0) << normals.err;
  EXPECT_THAT(normals.out, HasSubstr("driven by normals"));
  const Result cloth = workshop.run({"demo", "cloth", "--triangles", "1200", "--frames", "8", "--drive", "normals"});
  EXPECT_EQ(cloth.status, 0) << cloth.err;
}

TEST(ToolDrive, AMethodThatCannotServeTheSceneIsRefused) {
  const Workshop workshop;
  const auto error = [&](const char* scene, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"demo", scene, "--triangles", "2000", "--frames", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2);
    EXPECT_FALSE(workshop.has(std::string(scene) + ".html"));
    return result.err;
  };
  EXPECT_THAT(error("snow", {"--drive", "normals"}), HasSubstr("the scene 'snow' has no response along normals"));
  EXPECT_THAT(
      error("stairs", {"--drive", "self-cullide"}),
      HasSubstr("--drive self-cullide: self-cullide is for contacts of a surface with itself; those in 'stairs' "
                "are between objects"));
  EXPECT_THAT(
      error("torn-cloth", {"--drive", "cinder", "--as-published"}),
      HasSubstr("--drive cinder: its published passes need closed objects, and some objects of the scene 'torn-cloth' "
                "are open"));
  EXPECT_THAT(error("cloth-on-table", {"--drive", "cinder"}),
              HasSubstr("--drive cinder: it finds no contacts of an object with itself"));
  EXPECT_THAT(error("billiard", {"--drive", "velocity"}),
              HasSubstr("--drive velocity: it needs rigid motions, and some objects of the scene 'billiard' deform"));
  EXPECT_THAT(error("bunny-dragon", {"--drive", "peel"}),
              HasSubstr("--drive peel: nothing in the scene 'bunny-dragon' responds to contacts"));
  EXPECT_THAT(error("stairs", {"--drive", "peel", "--method", "peel"}), HasSubstr("--drive excludes --method"));
  EXPECT_THAT(error("stairs", {"--resolution", "64"}), HasSubstr("--resolution requires --method or --drive"));
  EXPECT_THAT(error("stairs", {"--drive", "peel", "--mip-map", "2"}), HasSubstr("peel does not use it"));
}

TEST(ToolMovingBody, FollowsAPathFromAFile) {
  Workshop workshop;
  spill(workshop.folder() / "path.txt", "# a walk\n0 0 0\r\n\n0.1 0 -2e-1  0 30 0\n\t.5 0 0 1 2 3\n");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"demo", "moving-body", "--triangles", "2000", "--path", "path.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workshop.run(arguments);
  };
  const Result result = run({});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("(3 frames)"));
  EXPECT_THAT(result.out, HasSubstr("; body at 0.1 0 -0.2, turned 0 30 0\n"));
  EXPECT_THAT(result.out, HasSubstr("; body at 0.5 0 0, turned 1 2 3\n"));
  const Result longer = run({"--frames", "5", "--drive", "cullide", "--resolution", "128"});
  EXPECT_EQ(longer.status, 0) << longer.err;
  EXPECT_EQ(numbers(longer.out, "frame +(\\d).*; body at 0.5 0 0").size(), 3u) << "it stays at its last place";
  // Without a path and without a terminal it has a path of its own.
  const Result own = workshop.run({"demo", "moving-body", "--triangles", "2000", "--frames", "3"});
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_THAT(own.out, ::testing::Not(HasSubstr("body at")));
}

TEST(ToolMovingBody, ErrorsOfAPathNameFileLineAndValue) {
  Workshop workshop;
  const auto error = [&](const std::string& text) {
    spill(workshop.folder() / "p.txt", text);
    const Result result = workshop.run({"demo", "moving-body", "--triangles", "2000", "--path", "p.txt"});
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_THAT(error("0 0 0\n1 x 2\n"), HasSubstr("p.txt:2: 'x' is not a number"));
  EXPECT_THAT(error("0 0 0\n1 2 3m\n"), HasSubstr("p.txt:2: '3m' is not a number"));
  EXPECT_THAT(error("1 2\n"), HasSubstr("p.txt:1: 2 numbers; a line has x y z or x y z rx ry rz"));
  EXPECT_THAT(error("\n# no\n1 2 3 4 5 6 7\n"), HasSubstr("p.txt:3: 7 numbers; "));
  EXPECT_THAT(error("1 2 nan\n"), HasSubstr("p.txt:1: nan is not within 100000 of 0"));
  EXPECT_THAT(error("1 2 1e999\n"), HasSubstr("p.txt:1: 1e999 is not within 100000 of 0"));
  EXPECT_THAT(error("1 -100001 2\n"), HasSubstr("p.txt:1: -100001 is not within 100000 of 0"));
  EXPECT_THAT(error("# only this\n"), HasSubstr("p.txt: there is no line with a place"));
  const auto run = [&](const std::vector<std::string>& arguments) { return workshop.run(arguments).err; };
  EXPECT_THAT(run({"demo", "moving-body", "--path", "none.txt"}), HasSubstr("none.txt: cannot read: No such file"));
  EXPECT_THAT(run({"demo", "stairs", "--path", "p.txt"}),
              HasSubstr("--path: the scene 'stairs' has no body that a user moves; take moving-body"));
}

TEST(ToolMovingBody, KeysMoveTheBody) {
  Workshop workshop;
  Program program(workshop.folder().path(), {"demo", "moving-body", "--triangles", "2000"}, Program::Where::terminal);
  ASSERT_TRUE(program.wait_for("q: end", 20));
  ASSERT_TRUE(program.wait_for("body at 0 0 0, turned 0 0 0", 20));
  EXPECT_FALSE(program.echoes());
  program.type("\x1b[C");
  EXPECT_TRUE(program.wait_for("body at 0.05 0 0, turned 0 0 0", 20)) << "right";
  program.type("\x1b[5~\x1bOB");
  EXPECT_TRUE(program.wait_for("body at 0.05 0.05 0, turned 0 0 0", 20)) << "page up";
  EXPECT_TRUE(program.wait_for("body at 0.05 0.05 0.05, turned 0 0 0", 20)) << "down";
  program.type("x\x1b[3~\x1b[1;5Ca");  // three keys that mean nothing
  EXPECT_TRUE(program.wait_for("body at 0.05 0.05 0.05, turned 0 5 0", 20)) << "turned";
  program.type("q");
  EXPECT_TRUE(program.wait_for("5 frames in ", 20));
  EXPECT_TRUE(program.echoes());
  const Result result = program.finish();
  EXPECT_EQ(result.status, 0);
}

TEST(ToolMovingBody, ControlCRestoresTheTerminal) {
  Workshop workshop;
  Program program(workshop.folder().path(), {"demo", "moving-body", "--triangles", "2000"}, Program::Where::terminal);
  ASSERT_TRUE(program.wait_for("body at 0 0 0", 20));
  EXPECT_FALSE(program.echoes());
  program.type("\x03");
  EXPECT_TRUE(program.wait_for("sightline: interrupted", 20));
  EXPECT_TRUE(program.echoes());
  EXPECT_EQ(program.finish().status, 130);
  EXPECT_EQ(workshop.folder().files(), 0u);
}

TEST(ToolDemo, NoFramesIsAnError) {
  const Workshop workshop;
  const Result result = workshop.run({"demo", "two-tori", "--frames", "0"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, ::testing::HasSubstr("--frames 0: 1 to 100000"));
}

}  // namespace
}  // namespace testing_support
