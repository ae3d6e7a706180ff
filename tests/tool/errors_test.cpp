// Mistakes on the command line: status 2, one line that names the mistake, nothing on standard output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "sightline/sightline.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ToolErrors : public ::testing::Test {
 protected:
  ToolErrors() { workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1})); }

  void expect_error(const std::vector<std::string>& arguments, const std::string& message) {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, StartsWith("sightline: ")) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_EQ(workshop.folder().files(), 1u) << "nothing is left behind";
  }

  Workshop workshop;
};

TEST_F(ToolErrors, Commands) {
  expect_error({"frobnicate", "a.stl"},
               "there is no command 'frobnicate'; the commands are check, clash, generate, demo, papers, devices, "
               "completion, help and version");
  expect_error({"--frob"}, "there is no option '--frob'");
  expect_error({"check"}, "MESH is required");
  expect_error({"clash"}, "PART is required");
  expect_error({"check", "--frob", "a.stl"}, "--frob");
  EXPECT_EQ(workshop.run({}).status, 2);
}

TEST_F(ToolErrors, Values) {
  expect_error({"check", "--threads", "-1", "a.stl"}, "--threads: '-1' is not a whole number of at least 0");
  expect_error({"check", "--threads", "two", "a.stl"}, "--threads: 'two' is not a whole number");
  expect_error({"check", "--threads", "5000", "a.stl"}, "--threads: Value 5000 not in range 0 to 1024");
  expect_error({"check", "--max-contacts", "1.5", "a.stl"}, "--max-contacts: '1.5' is not a whole number");
  expect_error({"check", "--simd", "mmx", "a.stl"}, "--simd: mmx not in {best,scalar,sse4,avx2,avx512,neon}");
  expect_error({"check", "--device", "gpu", "a.stl"}, "--device: 'gpu' is not cpu, cuda, cuda:N, gl or best");
  expect_error({"check", "--axis", "w", "a.stl"}, "--axis: w not in {auto,x,y,z}");
  expect_error({"check", "--cell", "nan", "a.stl"}, "--cell: 'nan' is not a finite number of at least 0");
  expect_error({"clash", "--clearance", "-1", "a.stl"}, "--clearance: '-1' is not a finite number of at least 0");
  expect_error({"clash", "--clearance", "inf", "a.stl"}, "--clearance: 'inf' is not a finite number");
  expect_error({"check", "--clearance", "1", "a.stl"}, "--clearance");
}

TEST_F(ToolErrors, DeviceMemory) {
  for (const char* command : {"check", "clash"}) {
    for (const char* size :
         {"", "0", "0G", "-1", "M", "1.5G", "2GB", "2 G", "1e9", "99999999999999999999", "20000000T"})
      expect_error({command, "--device", "best", "--device-memory", size, "a.stl"},
                   std::string("--device-memory: '") + size + "' is not a size such as 512M or 2G");
    expect_error({command, "--device", "best", "--tiles", "on", "a.stl"}, "--tiles: on not in {auto,off}");
    expect_error({command, "--tiles", "auto", "a.stl"},
                 "--tiles: is for the memory of the cuda device; --device is cpu, not cuda or best");
    expect_error({command, "--tiles", "off", "--device", "gl", "a.stl"},
                 "--tiles: is for the memory of the cuda device");
    expect_error({command, "--device-memory", "2G", "a.stl"}, "--device-memory: is for the memory of the cuda device");
    expect_error({command, "--device-memory", "2G", "--device", "best", "--method", "cullide", "a.stl"},
                 "--device-memory: is for the exact method; velocity on the cuda device keeps all objects there");
  }
}

TEST_F(ToolErrors, DeviceMemoryWithBestIsNone) {
  for (const char* size : {"1000000000", "512M", "2g", "64T", "1000000K"}) {
    const Result result =
        workshop.run({"check", "--device", "best", "--tiles", "auto", "--device-memory", size, "a.stl"});
    EXPECT_EQ(result.status, 0) << size << result.err;
  }
}

TEST_F(ToolErrors, DeviceThatIsNotThere) {
  try {
    sightline::Device::cuda();
    GTEST_SKIP() << "there is one";
  } catch (const sightline::Error& missing) {  // before the file is looked for
    for (const char* command : {"check", "clash"})
      expect_error({command, "--device", "cuda", "missing.stl"}, missing.what());
  }
}

TEST_F(ToolErrors, Inputs) {
  expect_error({"clash", ""}, "a file name is empty");
  expect_error({"clash", "missing.stl", "a.stl"}, "missing.stl: ");
  expect_error({"clash", "."}, "is a folder; 'clash' takes the files of one assembly");
}

TEST_F(ToolErrors, Outputs) {
  expect_error({"check", "a.stl", "--json", "a.stl"}, "a.stl: is an input; it would be overwritten");
  expect_error({"check", "a.stl", "--json", "./x/../a.stl"}, "is an input");
  expect_error({"check", "a.stl", "--json", "x", "--csv", "x"}, "x: two outputs would be written to this file");
  expect_error({"check", "a.stl", "--json", "x_segments.ply", "--ply", "x.ply"},
               "x_segments.ply: two outputs would be written to this file");
  expect_error({"check", "a.stl", "--json", "no/such/x.json"},
               "no/such/x.json: cannot write: No such file or directory");
  expect_error({"check", "a.stl", "--ply", "."}, "cannot write: Is a directory");
  expect_error({"check", "a.stl", "--csv", "-"}, "only --json can write to standard output");
}

TEST_F(ToolErrors, Generate) {
  expect_error({"generate", "teapot", "b.stl"}, "there is no scene 'teapot'; there are tube, ");
  expect_error({"generate", "tube", "b.stl", "--frame", "1"}, "--frame 1: the scene 'tube' does not move");
  expect_error({"generate", "stairs", "b.stl", "--frame", "1000000"}, "--frame 1000000: must be at most 100000");
  expect_error({"generate", "tube", "b.xyz"}, "b.xyz: unknown extension; use .stl, .obj, .ply or .off");
  expect_error({"generate", "tube"}, "OUT is required");
}

TEST_F(ToolErrors, FullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const Result file = workshop.run({"check", "a.stl", "--json", "/dev/full"});
  EXPECT_EQ(file.status, 2);
  EXPECT_THAT(file.err, HasSubstr("/dev/full: cannot write: No space left on device"));
  const Result out = workshop.run({"check", "a.stl"}, Program::Where::full_device);
  EXPECT_EQ(out.status, 2);
  EXPECT_THAT(out.err, HasSubstr("standard output: cannot write: No space left on device"));
}

TEST_F(ToolErrors, HelpAndVersionAreNoErrors) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"}, {"check", "--help"}, {"clash", "-h"}, {"generate", "--help"}, {"--version"}}) {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, ::testing::EndsWith("\n"));
  }
  for (const char* command : {"check", "clash"}) {
    const std::string help = workshop.run({command, "--help"}).out;
    for (const char* word : {"Examples:", "--json", "--csv", "--ply", "--obj", "--max-contacts", "--first", "--threads",
                             "--device", "--quiet", "The answer does not depend on these:", "--simd", "Exit status:"})
      EXPECT_THAT(help, HasSubstr(word));
  }
  EXPECT_THAT(workshop.run({"--version"}).out, ::testing::MatchesRegex("sightline [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace testing_support
