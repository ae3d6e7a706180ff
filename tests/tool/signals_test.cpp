// Interrupts, terminals and pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

void expect_interrupted(int signal, std::chrono::milliseconds after) {
  Workshop workshop;
  workshop.save_long_work("fan.stl");
  spill(workshop.folder() / "r.json", "old");
  Program program(workshop.folder().path(),
                  {"check", "fan.stl", "--json", "r.json", "--csv", "r.csv", "--obj", "r.obj", "--ply", "r.ply"});
  std::this_thread::sleep_for(after);
  program.signal(signal);
  const auto start = std::chrono::steady_clock::now();
  const Result result = program.finish();
  EXPECT_EQ(result.status, 128 + signal);
  EXPECT_THAT(result.err, HasSubstr("sightline: interrupted"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  EXPECT_EQ(workshop.text("r.json"), "old");
  EXPECT_EQ(workshop.folder().files(), 2u) << "no temporary files stay";
}

TEST(ToolSignals, InterruptEarly) { expect_interrupted(SIGINT, 200ms); }
TEST(ToolSignals, InterruptLate) { expect_interrupted(SIGINT, 1500ms); }
TEST(ToolSignals, Terminate) { expect_interrupted(SIGTERM, 500ms); }

TEST(ToolSignals, ProgressAndControlCOnATerminal) {
  Workshop workshop;
  workshop.save_long_work("fan.stl");
  Program program(workshop.folder().path(), {"check", "fan.stl", "--json", "r.json"}, Program::Where::terminal);
  EXPECT_TRUE(program.wait_for(" s", 20)) << "a progress line after half a second";
  program.type("\x03");
  const Result result = program.finish();
  EXPECT_EQ(result.status, 130);
  const std::size_t erased = result.out.rfind("\r\x1b[K");
  ASSERT_NE(erased, std::string::npos);
  EXPECT_THAT(result.out.substr(erased), HasSubstr("sightline: interrupted")) << "the line is wiped first";
  EXPECT_FALSE(workshop.has("r.json"));
}

TEST(ToolSignals, ColoursOnATerminalOnly) {
  Workshop workshop;
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  EXPECT_THAT(workshop.run({"check", "a.stl"}, Program::Where::terminal).out, HasSubstr("\x1b[1ma.stl\x1b[0m"));
  EXPECT_THAT(workshop.run({"check", "a.stl"}).out, Not(HasSubstr("\x1b")));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(workshop.run({"check", "a.stl"}, Program::Where::terminal).out, Not(HasSubstr("\x1b")));
  ::unsetenv("NO_COLOR");
}

TEST(ToolSignals, ClosedPipe) {
  Workshop workshop;
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const Result result = workshop.run({"check", "tube.stl", "--json", "r.json"}, Program::Where::closed_pipe);
  EXPECT_EQ(result.status, 1) << "as `sightline … | head` should";
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(nlohmann::json::accept(workshop.text("r.json")));
}

TEST(ToolSignals, ClosedPipeOfJson) {
  Workshop workshop;
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const Result result = workshop.run({"check", "tube.stl", "--json", "-"}, Program::Where::closed_pipe);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err, "sightline: standard output: cannot write: Broken pipe\n");
}

}  // namespace
}  // namespace testing_support
