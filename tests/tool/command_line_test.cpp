// Help, version, suggestions, manual pages, completion, standard input: what a user of a terminal expects of any tool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenes/scenes.h"
#include "sightline/io.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() { workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1})); }
  void expect_error(const std::vector<std::string>& arguments, const std::string& message) const {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  std::vector<std::string> commands() const {
    return {"check", "clash", "generate", "demo", "papers", "devices", "completion", "help", "version"};
  }
  Workshop workshop;
};

TEST_F(CommandLine, AnOptionGivenTwiceIsNamed) {
  expect_error({"check", "a.stl", "--threads", "1", "--threads", "2"}, "--threads is given 2 times; give it once\n");
  expect_error({"clash", "a.stl", "--clearance", "1", "--clearance=2", "--clearance", "3"},
               "--clearance is given 3 times; give it once\n");
  expect_error({"check", "a.stl", "--json", "x", "--json", "x"}, "--json is given 2 times; give it once\n");
}

TEST_F(CommandLine, NearWordsAreSuggested) {
  expect_error({"chek", "a.stl"}, "there is no command 'chek'; did you mean 'check'? The commands are check, ");
  expect_error({"Clash", "a.stl"}, "did you mean 'clash'?");
  expect_error({"--versoin"}, "there is no option '--versoin'; did you mean '--version'?");
  expect_error({"check", "a.stl", "--thread", "1"}, "'check' has no option '--thread'; did you mean '--threads'?");
  expect_error({"check", "a.stl", "--jsno=x"}, "'check' has no option '--jsno'; did you mean '--json'?");
  expect_error({"check", "a.stl", "--clearance", "1"}, "'check' has no option '--clearance'\n");
  expect_error({"clash", "a.stl", "--celarance", "1"}, "did you mean '--clearance'?");
  expect_error({"check", "a.stl", "--format", "junti"}, "not in {text,json,github,junit}; did you mean 'junit'?");
  expect_error({"check", "a.stl", "--method", "culide"}, "did you mean 'cullide'?");
  expect_error({"check", "a.stl", "--device", "cud"},
               "'cud' is not cpu, cuda, cuda:N, gl or best; did you mean 'cuda'?");
  expect_error({"generate", "asembly", "b.stl"}, "there is no scene 'asembly'; did you mean 'assembly'? There are ");
  expect_error({"demo", "clot"}, "did you mean 'cloth'?");
  expect_error({"papers", "exat"}, "there is no experiment 'exat'; did you mean 'exact'? 'sightline papers --help'");
  expect_error({"help", "chekc"}, "did you mean 'check'?");
  expect_error({"completion", "bsh"}, "did you mean 'bash'?");
  for (const char* far : {"zzz", "x", "-", "--", "frobnicate"})
    EXPECT_THAT(workshop.run({far}).err, Not(HasSubstr("did you mean"))) << far;
}

TEST_F(CommandLine, HelpAndVersionAreCommands) {
  EXPECT_EQ(workshop.run({"help"}).out, workshop.run({"--help"}).out);
  EXPECT_EQ(workshop.run({"version"}).out, workshop.run({"--version"}).out);
  for (const std::string& command : commands()) {
    const Result help = workshop.run({"help", command});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out, workshop.run({command, "--help"}).out) << command;
    EXPECT_THAT(workshop.run({"help"}).out, HasSubstr("\n  " + command + " "));
  }
}

/// The names of all options that a help shows.
std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = help.find("\n  -", at)) != std::string::npos; ++at) {
    const std::string line = help.substr(at + 3, help.find('\n', at + 1) - at - 3);
    const std::size_t begin = line.find("--");
    names.push_back(line.substr(begin, line.find_first_of(" ,\n", begin) - begin));
  }
  return names;
}

std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

TEST_F(CommandLine, ManualPagesHaveEveryOption) {
  const std::string tool = workshop.run({"help", "--man"}).out;
  EXPECT_THAT(tool, AllOf(HasSubstr(".TH SIGHTLINE 1 "), HasSubstr(".SH EXAMPLES\n"), HasSubstr(".SH EXIT STATUS\n")));
  for (const std::string& command : commands()) {
    EXPECT_THAT(tool, HasSubstr("\\fB" + command + "\\fR\n"));
    const std::string page = workshop.run({"help", "--man", command}).out;
    EXPECT_THAT(page, HasSubstr(".SH NAME\nsightline\\-" + command + " \\- ")) << command;
    const std::vector<std::string> options = options_in(workshop.run({command, "--help"}).out);
    EXPECT_GE(options.size(), 1u) << command;
    for (const std::string& option : options)
      EXPECT_THAT(page, HasSubstr("\\fB" + escaped(option) + "\\fR")) << command;
  }
  EXPECT_THAT(workshop.run({"help", "--man", "check"}).out, HasSubstr("sightline check frame_%04d.obj"));
}

TEST_F(CommandLine, ManualPagesAreCleanRoff) {
  if (workshop.shell("command -v groff").status != 0) GTEST_SKIP() << "groff is not installed";
  for (const std::string& command : commands()) {
    const Result page = workshop.shell("$SIGHTLINE help --man " + command + " | groff -man -Tutf8 -ww -z 2>&1");
    EXPECT_EQ(page.out, "") << command;
  }
}

/// What bash offers at the end of these words.
std::string completed(const Workshop& workshop, const std::string& words, int last) {
  return workshop
      .shell("source <($SIGHTLINE completion bash) && COMP_WORDS=(" + words + ") COMP_CWORD=" + std::to_string(last) +
             "; _sightline; printf '%s\n' \"${COMPREPLY[@]}\"")
      .out;
}

TEST_F(CommandLine, BashCompletes) {
  EXPECT_EQ(completed(workshop, "sightline cl", 1), "clash\n");
  EXPECT_EQ(completed(workshop, "sightline check --js", 2), "--json\n");
  EXPECT_EQ(completed(workshop, "sightline check --clear", 2), "\n") << "an option of clash";
  EXPECT_EQ(completed(workshop, "sightline clash --clear", 2), "--clearance\n");
  EXPECT_EQ(completed(workshop, "sightline check --format j", 3), "json\njunit\n");
  EXPECT_EQ(completed(workshop, "sightline check a", 2), "a.stl\n");
  EXPECT_EQ(completed(workshop, "sightline check --json a", 3), "a.stl\n");
  EXPECT_EQ(completed(workshop, "sightline check --threads ''", 3), "\n");
  EXPECT_EQ(completed(workshop, "sightline generate tub", 2), "tube\n");
  EXPECT_EQ(completed(workshop, "sightline completion z", 2), "zsh\n");
  EXPECT_EQ(completed(workshop, "sightline help gen", 2), "generate\n");
}

TEST_F(CommandLine, CompletionHasEveryOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = workshop.run({"completion", shell}).out;
    for (const std::string& command : commands())
      for (const std::string& option : options_in(workshop.run({command, "--help"}).out))
        EXPECT_THAT(script, HasSubstr(std::string(shell) == "fish" ? " -l " + option.substr(2) : option)) << shell;
    if (workshop.shell("command -v " + std::string(shell)).status != 0) continue;
    spill(workshop.folder() / "script", script);
    EXPECT_EQ(workshop.shell(std::string(shell) + " -n script 2>&1").out, "") << shell;
  }
}

TEST_F(CommandLine, StandardInputIsAFile) {
  workshop.save("tube.stl", sightline::scenes::self_intersecting_tube(1000));
  const json expected = json::parse(workshop.run({"check", "tube.stl", "--json", "-"}).out)["meshes"][0];
  for (const char* how : {"< tube.stl", "<<< $(true) < tube.stl", "< <(cat tube.stl)"}) {
    const Result result = workshop.shell("$SIGHTLINE check - --json - " + std::string(how));
    EXPECT_EQ(result.status, 1) << how << result.err;
    const json mesh = json::parse(result.out)["meshes"][0];
    EXPECT_EQ(mesh["contacts"], expected["contacts"]) << how;
    EXPECT_EQ(mesh["file"], "/dev/stdin");
    EXPECT_EQ(mesh["name"], "stdin");
  }
  workshop.save("far.stl", sightline::scenes::box({5, 0, 0}, {6, 1, 1}));
  EXPECT_EQ(workshop.shell("cat far.stl | $SIGHTLINE clash a.stl -").status, 0);
  const Result two = workshop.shell("cat tube.stl | $SIGHTLINE clash - -");
  EXPECT_EQ(two.status, 1) << two.err;
  EXPECT_THAT(two.out, ContainsRegex("clash     stdin #0  stdin #1 "));
}

TEST_F(CommandLine, StandardInputThatIsNoMesh) {
  const Result empty = workshop.run({"check", "-"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("/dev/stdin: the file is empty"));
  EXPECT_THAT(workshop.shell("gzip -c a.stl | $SIGHTLINE check -").err, HasSubstr("is a file compressed by gzip"));
  EXPECT_THAT(workshop.shell("$SIGHTLINE check - < .").err, HasSubstr("/dev/stdin: cannot read"));
  const Result terminal = workshop.run({"check", "-"}, Program::Where::terminal);
  EXPECT_EQ(terminal.status, 2);
  EXPECT_THAT(terminal.out, HasSubstr("standard input is a terminal"));
}

TEST_F(CommandLine, InterruptEndsTheReadOfAPipe) {
  const Result result = workshop.shell(
      "mkfifo f; sleep 60 > f & writer=$!; $SIGHTLINE check - < f & tool=$!; sleep 1; kill -TERM $tool; wait $tool; "
      "echo status $?; kill $writer");
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
  EXPECT_THAT(result.out, HasSubstr("status 143\n"));
}

TEST_F(CommandLine, VerboseHasStagesAndChoices) {
  const Result plain = workshop.run({"check", "a.stl"});
  EXPECT_THAT(plain.out, ContainsRegex("\n  time      [0-9.]+ m?s\n$"));
  EXPECT_THAT(plain.out, Not(HasSubstr("ran on")));
  const Result more = workshop.run({"check", "a.stl", "--verbose"});
  EXPECT_THAT(more.out, ContainsRegex("\n  time      [0-9.]+ m?s: read [0-9.]+, topology "));
  EXPECT_THAT(more.out, ContainsRegex("\n  ran on    [0-9]+ thread"));
  EXPECT_EQ(workshop.run({"check", "a.stl", "-v", "-q"}).status, 2);

  workshop.save("assembly.obj", sightline::scenes::demo_assembly());
  const Result clash = workshop.run({"clash", "assembly.obj"});
  EXPECT_THAT(clash.out, AllOf(Not(HasSubstr("chose")), Not(HasSubstr("surface")), Not(HasSubstr("ran on"))));
  const Result all = workshop.run({"clash", "assembly.obj", "-v"});
  EXPECT_THAT(all.out, AllOf(HasSubstr("\n  chose     "), ContainsRegex("\n  ball +720 +362  closed   none\n")));
}

TEST_F(CommandLine, OpenAndFlawedPartsAreListedWithoutVerbose) {
  spill(workshop.folder() / "open.obj", "v 0 0 9\nv 1 0 9\nv 0 1 9\no sheet\nf 1 2 3\n");
  const Result result = workshop.run({"clash", "a.stl", "open.obj"});
  EXPECT_THAT(result.out, ContainsRegex("\n  sheet +1 +3  open \\(3 open edges\\)  none\n"));
  EXPECT_THAT(result.out, Not(ContainsRegex("\n  a +12 ")));
}

TEST_F(CommandLine, ProgressOfWritingHasAPercentage) {
  workshop.save_long_work("fan.stl");
  Program program(workshop.folder().path(), {"check", "fan.stl", "--max-contacts", "3000000", "--json", "/dev/null"},
                  Program::Where::terminal);
  EXPECT_TRUE(program.wait_for("writing fan.stl [", 120)) << program.finish().out;
}

TEST_F(CommandLine, MemoryIsOfferedByCheckAndClash) {
  for (const char* option : {"--memory", "--scratch"}) {
    for (const std::vector<std::string>& help :
         std::vector<std::vector<std::string>>{{"COMMAND", "--help"}, {"help", "--man", "COMMAND"}})
      for (const char* command : {"check", "clash"}) {
        std::vector<std::string> arguments = help;
        std::ranges::replace(arguments, std::string("COMMAND"), std::string(command));
        const std::string text = workshop.run(arguments).out;
        const bool offered = text.find(option) != std::string::npos ||
                             text.find(std::string("\\-\\-") + (option + 2)) != std::string::npos;
        EXPECT_TRUE(offered) << option << " " << command << " " << help.front();
      }
  }
}

TEST_F(CommandLine, ProgressOfDrawingHasAPercentage) {
  Program program(workshop.folder().path(), {"check", "a.stl", "--image", "a.png", "--image-size", "4096x4096"},
                  Program::Where::terminal);
  EXPECT_TRUE(program.wait_for("drawing [", 60)) << program.finish().out;
}

TEST_F(CommandLine, PicturesAreNamedPng) {
  expect_error({"check", "a.stl", "--image", "out.JPG"},
               "--image out.JPG: pictures are written as PNG; give a name that ends in .png, such as out.png");
  for (const char* name : {"x.webp", "q.pgn", "x.tar.png.gz"})
    expect_error({"check", "a.stl", "--image", name}, "pictures are written as PNG");
  expect_error({"demo", "stairs", "--image", "x.mp4"}, "pictures are written as PNG");
  EXPECT_EQ(workshop.run({"check", "a.stl", "--image", "out.png"}).status, 0);
}

TEST_F(CommandLine, FilesOfOtherProgramsNameWhatToExport) {
  const std::vector<std::tuple<std::string, std::string, std::string>> files = {
      {"x.stp", "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\n",
       "is a STEP file, which is not read; export"},
      {"x.stl", "ISO-10303-21;\nHEADER;\n", "is a STEP file"},
      {"x.ifc", "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\n", "is an IFC file"},
      {"x.dat", "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC2X3'));\n", "is an IFC file"},
      {"x.fbx", std::string("Kaydara FBX Binary  \0\x1a\0", 23), "is an FBX file"},
      {"y.fbx", "; FBX 7.3.0 project file\n", "is an FBX file"},
      {"x.usda", "#usda 1.0\ndef Mesh \"a\" {}\n", "is a USD file"},
      {"x.usdz", std::string("PK\x03\x04") + std::string(60, 'x'), "is a USD file"},
      {"x.usdc", "PXR-USDC....", "is a USD file"},
      {"x.blend", "BLENDER-v300RENDH",
       "is a Blender file, which is not read; in Blender, use File > Export > glTF 2.0"},
      {"x.3ds", std::string("MM\x10\0\0\0\x02\0", 8), "is a 3DS file"},
      {"x.dae", "<?xml version=\"1.0\"?>\n<!-- a -->\n<COLLADA version=\"1.4.1\">", "is a COLLADA file"},
      {"x.x3d", "\n<X3D></X3D>", "is an X3D file"},
      {"x.wrl", "#VRML V2.0 utf8\n", "is a VRML file"},
      {"x.igs", "                                                                        S      1\n",
       "is an IGES file"},
      {"x.SLDPRT", "\xd0\xcf\x11\xe0", "is a SolidWorks file"},
      {"x.stl.gz", "\x1f\x8b\x08", "is a file compressed by gzip, which is not read; unpack it first: gunzip -c FILE"},
  };
  for (const auto& [name, contents, message] : files) {
    spill(workshop.folder() / name, contents);
    expect_error({"check", name}, name + ": " + message);
    expect_error({"clash", name, "a.stl"}, name + ": " + message);
  }
}

}  // namespace
}  // namespace testing_support
