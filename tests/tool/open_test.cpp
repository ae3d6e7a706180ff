// --open, with a program in place of the desktop's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class ToolOpen : public ::testing::Test {
 protected:
  ToolOpen() { workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1})); }
  /// Runs the tool with this body of xdg-open.
  Result run(const std::string& body, const std::string& arguments) const {
    return workshop.shell("mkdir -p bin; printf '%s\\n' '#!/bin/sh' '" + body +
                          "' > bin/xdg-open; chmod +x bin/xdg-open; PATH=\"$PWD/bin:$PATH\" $SIGHTLINE " + arguments);
  }
  const std::string keep = "echo \"$1\" > opened.tmp; mv opened.tmp opened";
  Workshop workshop;
};

TEST_F(ToolOpen, OpensWhatWasWritten) {
  const Result check = run(keep, "check a.stl --image=--open.png --open");  // a name like an option
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_EQ(check.err, "");
  EXPECT_THAT(workshop.text("opened"), EndsWith("/--open.png\n"));
  EXPECT_TRUE(workshop.text("opened").starts_with("/"));
  const Result demo = run(keep, "demo snow --triangles 500 --frames 2 --image d.png --report d.html --open");
  if (demo.status == 0) {  // a build without the viewer refuses --report
    EXPECT_THAT(workshop.text("opened"), EndsWith("/d.html\n"));
  }
  EXPECT_EQ(run(keep, "clash a.stl --self --image c.png --open -q").status, 0);
  EXPECT_THAT(workshop.text("opened"), EndsWith("/c.png\n"));
}

TEST_F(ToolOpen, AFailureIsAWarning) {
  const Result fails = run("exit 3", "check a.stl --image p.png --open");
  EXPECT_EQ(fails.status, 0);
  EXPECT_THAT(fails.err, HasSubstr("warning: --open: p.png was written, but xdg-open found no program that opens it"));
  const Result none = workshop.shell("PATH=$PWD/nothing; $SIGHTLINE check a.stl --image p.png --open");
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.err, HasSubstr("p.png was written, but the program xdg-open cannot be run: No such file"));
}

TEST_F(ToolOpen, DoesNotWaitForTheBrowser) {
  const Result result = run(keep + "; sleep 12; echo > closed", "check a.stl --image p.png --open");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(workshop.text("opened"), EndsWith("/p.png\n"));
  EXPECT_FALSE(workshop.has("closed"));
}

TEST_F(ToolOpen, NeedsAFile) {
  for (const char* command : {"check", "clash"}) {
    const Result result = workshop.run({command, "a.stl", "--open"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("--open: needs --report or --image")) << command;
  }
  // Nothing that failed is opened.
  EXPECT_EQ(run(keep, "check missing.stl --image p.png --open").status, 2);
  EXPECT_FALSE(workshop.has("opened"));
}

}  // namespace
}  // namespace testing_support
