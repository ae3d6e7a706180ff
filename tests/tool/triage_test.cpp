// --ignore, --baseline and --format, as a CI job uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using sightline::Mesh;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Mesh named(std::string name, Mesh mesh) {
  mesh.name = std::move(name);
  return mesh;
}

class ToolTriage : public ::testing::Test {
 protected:
  ToolTriage() { save({1, 30}); }
  /// Balls a, b, c: at 0 and at these places.
  void save(std::initializer_list<double> places) {
    sightline::Assembly balls;
    balls.add(named("a", sightline::scenes::sphere(320)));
    for (const double x : places)
      balls.add(named(std::string(1, static_cast<char>('a' + balls.parts.size())),
                      sightline::scenes::sphere(320, {x, 0.1, 0.2})));
    workshop.save("balls.obj", balls);
  }
  Result clash(std::vector<std::string> more) const {
    more.insert(more.begin(), {"clash", "balls.obj"});
    return workshop.run(more);
  }
  json report(const std::string& name) const { return json::parse(workshop.text(name)); }
  Workshop workshop;
};

TEST_F(ToolTriage, AnIgnoredPairIsClear) {
  spill(workshop.folder() / "i.csv", "name_a,name_b\nb,a\n");
  const Result result = clash({"--ignore", "i.csv", "--json", "r.json"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("ignored   "));
  EXPECT_THAT(result.out, HasSubstr("(i.csv)"));
  EXPECT_EQ(result.err, "");
  const json r = report("r.json");
  EXPECT_EQ(r["found"], 0);
  EXPECT_GT(r["ignored"], 10);
  EXPECT_TRUE(r["pairs"].empty());
  EXPECT_EQ(r["ignore"]["entries"], 1);
  EXPECT_TRUE(r["ignore"]["unused_lines"].empty());
}

// What the tool wrote can be given back to it, less the lines that are to be reported.
TEST_F(ToolTriage, TheContactsFileIsAnIgnoreList) {
  clash({"--csv", "c.csv", "-q"});
  EXPECT_EQ(clash({"--ignore", "c.csv"}).status, 0);
  EXPECT_EQ(clash({"--ignore", "c_pairs.csv"}).status, 0);
  const std::string all = workshop.text("c.csv");
  spill(workshop.folder() / "less.csv", all.substr(0, all.rfind('\n', all.size() - 2) + 1));
  const Result rest = clash({"--ignore", "less.csv", "--json", "r.json"});
  EXPECT_EQ(rest.status, 1);
  EXPECT_EQ(report("r.json")["found"], 1);
  EXPECT_EQ(report("r.json")["pairs"].size(), 1u);
  // --first reports the first that is not ignored.
  const Result first = clash({"--ignore", "less.csv", "--first"});
  EXPECT_EQ(first.status, 1);
  EXPECT_THAT(first.out, HasSubstr("at least 1"));
  EXPECT_EQ(clash({"--ignore", "c.csv", "--first"}).status, 0);
}

TEST_F(ToolTriage, AListThatMatchesNothingIsWarnedAbout) {
  spill(workshop.folder() / "i.csv", "name_a,name_b\nwheel,axle\n");
  const Result result = clash({"--ignore", "i.csv", "-q"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("sightline: warning: i.csv: the ignore list matches nothing"));
  spill(workshop.folder() / "i.csv", "name_a,name_b\na,b\nwheel,axle\n");
  EXPECT_THAT(clash({"--ignore", "i.csv"}).err, HasSubstr("warning: i.csv:3: this entry matches nothing: wheel,axle"));
}

TEST_F(ToolTriage, CheckIgnoresTrianglesOfEachMesh) {
  workshop.save("t.stl", sightline::scenes::self_intersecting_tube(400));
  workshop.save("u.stl", sightline::scenes::self_intersecting_tube(400));
  workshop.run({"check", "t.stl", "--csv", "c.csv", "-q"});
  const Result result = workshop.run({"check", "t.stl", "u.stl", "--ignore", "c.csv", "--json", "r.json"});
  EXPECT_EQ(result.status, 1);
  const json r = report("r.json");
  EXPECT_EQ(r["meshes"][0]["found"], 0);
  EXPECT_GT(r["meshes"][1]["found"], 0);
}

/// A column that is missing or misspelt would ignore far more than the list names.
TEST_F(ToolTriage, HeadersThatSayLessThanTheyMean) {
  workshop.save("t.ply", sightline::scenes::self_intersecting_tube(400));
  const auto error = [&](const char* header) {
    spill(workshop.folder() / "i.csv", std::string(header) + "\n");
    const Result result = workshop.run({"check", "t.ply", "--ignore", "i.csv"});
    EXPECT_EQ(result.status, 2) << header;
    return result.err;
  };
  EXPECT_THAT(error("name_a,name_b,triangle_a"), HasSubstr("i.csv: the header has triangle_a but no triangle_b"));
  EXPECT_THAT(error("name_b,triangle_a,triangle_b"), HasSubstr("i.csv: the header has name_b but no name_a"));
  EXPECT_THAT(error("name_a,name_b,Triangle_A,Triangle_B"), HasSubstr("a column 'Triangle_A', which is not one of"));
  EXPECT_THAT(error("name_a,name_b,name_a"), HasSubstr("i.csv: the header has the column name_a twice"));
}

TEST_F(ToolTriage, ListAndBaselineAreNotOverwritten) {
  workshop.save("t.ply", sightline::scenes::self_intersecting_tube(400));
  workshop.run({"check", "t.ply", "--csv", "i.csv", "--json", "b.json", "-q"});
  const std::string list = workshop.text("i.csv"), baseline = workshop.text("b.json");
  EXPECT_THAT(workshop.run({"check", "t.ply", "--ignore", "i.csv", "--csv", "i.csv"}).err, HasSubstr("is an input"));
  EXPECT_THAT(workshop.run({"check", "t.ply", "--baseline", "b.json", "--csv", "b.json"}).err,
              HasSubstr("is an input"));
  EXPECT_EQ(workshop.text("i.csv"), list);
  EXPECT_EQ(workshop.text("b.json"), baseline);
  EXPECT_EQ(workshop.run({"check", "t.ply", "--baseline", "b.json", "--json", "b.json", "-q"}).status, 0);
}

/// Exporters give all meshes one name: then the file distinguishes them.
TEST_F(ToolTriage, BaselineOfCheckKnowsTheFile) {
  const std::string clean = "o tube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const std::string crossing = clean + "v 0.2 0.2 -1\nv 0.2 0.2 1\nv 3 3 0.5\nf 4 5 6\n";
  spill(workshop.folder() / "f1.obj", crossing);
  spill(workshop.folder() / "f2.obj", clean);
  EXPECT_EQ(workshop.run({"check", "f1.obj", "f2.obj", "--json", "b.json", "-q"}).status, 1);
  EXPECT_EQ(workshop.run({"check", "f1.obj", "f2.obj", "--baseline", "b.json", "-q"}).status, 0);
  spill(workshop.folder() / "f2.obj", crossing);
  EXPECT_EQ(workshop.run({"check", "f2.obj", "--baseline", "b.json", "-q"}).status, 1);
  EXPECT_EQ(workshop.run({"check", "f1.obj", "--baseline", "b.json", "-q"}).status, 0);
}

TEST_F(ToolTriage, BaselineSeparatesNewFromOld) {
  clash({"--json", "old.json", "-q"});
  const Result same = clash({"--baseline", "old.json", "--json", "r.json"});
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("baseline  0 new, "));
  EXPECT_EQ(report("r.json")["baseline"]["new"], 0);
  EXPECT_GT(report("r.json")["baseline"]["stayed"], 10);

  save({1, 1.5});  // c comes in
  const Result more = clash({"--baseline", "old.json", "--json", "s.json"});
  EXPECT_EQ(more.status, 1);
  EXPECT_THAT(more.out, HasSubstr("; pairs: 2 new, 0 gone (old.json)"));
  const json s = report("s.json");
  std::size_t fresh = 0;
  for (const json& contact : s["contacts"]) {
    EXPECT_EQ(contact.contains("new"), contact["part_b"] == 2);
    fresh += contact.contains("new");
  }
  EXPECT_EQ(s["baseline"]["new"], fresh);

  save({30, 31});  // b leaves
  const Result less = clash({"--baseline", "old.json", "--json", "t.json"});
  const json t = report("t.json");
  EXPECT_EQ(t["baseline"]["gone"], t["baseline"]["gone_contacts"].size());
  EXPECT_EQ(t["baseline"]["gone_contacts"][0]["name_a"], "a");
  EXPECT_TRUE(t["baseline"]["gone_contacts"][0]["contact"].contains("points"));
  EXPECT_EQ(less.status, 1) << "b and c meet now";
  save({30, 50});
  EXPECT_EQ(clash({"--baseline", "old.json"}).status, 0) << "gone is no reason to fail";
}

TEST_F(ToolTriage, BaselineOfCheckAndShuffledTriangles) {
  const Mesh tube = sightline::scenes::self_intersecting_tube(1000);
  workshop.save("t.ply", tube);
  workshop.run({"check", "t.ply", "--json", "old.json", "-q"});
  workshop.save("t.ply", sightline::scenes::shuffled(tube, 3));
  const Result result =
      workshop.run({"check", "t.ply", "--baseline", "old.json", "--max-contacts", "5", "--json", "r.json"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_EQ(report("r.json")["meshes"][0]["contacts"].size(), 5u);
}

TEST_F(ToolTriage, BaselinesThatDoNotFit) {
  clash({"--json", "old.json", "-q"});
  const auto error = [&](const std::vector<std::string>& arguments) {
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  workshop.save("t.stl", sightline::scenes::self_intersecting_tube(400));
  EXPECT_THAT(error({"check", "t.stl", "--baseline", "old.json"}),
              HasSubstr("old.json: is a report of 'clash', this is 'check'"));
  EXPECT_THAT(error({"clash", "t.stl", "--baseline", "old.json"}), HasSubstr("old.json: is a report of other parts"));
  EXPECT_THAT(error({"clash", "balls.obj", "--baseline", "none.json"}), HasSubstr("none.json: cannot read"));
  EXPECT_THAT(error({"clash", "balls.obj", "--baseline", "balls.obj"}), HasSubstr("balls.obj: is not JSON"));
  EXPECT_THAT(error({"clash", "balls.obj", "--baseline", "old.json", "--first"}), HasSubstr("--first"));
  EXPECT_THAT(error({"clash", "balls.obj", "--ignore", "none.csv"}), HasSubstr("none.csv: cannot read"));
  EXPECT_THAT(error({"clash", "balls.obj", "--ignore", "old.json"}), HasSubstr("old.json"));
  clash({"--json", "cut.json", "--max-contacts", "3", "-q"});
  EXPECT_THAT(error({"clash", "balls.obj", "--baseline", "cut.json"}), HasSubstr("not complete"));
  // A new report may take the place of the old one.
  EXPECT_EQ(clash({"--baseline", "old.json", "--json", "old.json"}).status, 0);
}

TEST_F(ToolTriage, Github) {
  workshop.save("x,y:%.stl", sightline::scenes::self_intersecting_tube(400));
  workshop.save("clean.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  const Result result = workshop.run({"check", "x,y:%.stl", "clean.stl", "missing.stl", "--format", "github"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, StartsWith("::error file=x%2Cy%3A%25.stl,title="));
  EXPECT_THAT(result.out, HasSubstr(" in 1 place: "));
  EXPECT_THAT(result.out, HasSubstr("\n::error file=missing.stl,title=missing::"));
  EXPECT_THAT(result.out, Not(HasSubstr("clean.stl")));
  EXPECT_EQ(workshop.run({"check", "clean.stl", "--format", "github"}).out, "");
  EXPECT_THAT(clash({"--format", "github", "-q"}).out, HasSubstr("title=a and b::clash: "));
}

TEST_F(ToolTriage, Junit) {
  const Result result = clash({"--format", "junit", "--clearance", "100"});
  EXPECT_EQ(result.status, 1);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(result.out.data(), result.out.size()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 3);
  EXPECT_EQ(suite.attribute("failures").as_int(), 3);
  EXPECT_THAT(suite.first_child().child("failure").attribute("message").value(), StartsWith("clash: "));
  clash({"--json", "old.json", "-q"});
  const Result same = clash({"--format", "junit", "--baseline", "old.json"});
  EXPECT_EQ(same.status, 0);
  EXPECT_THAT(same.out, HasSubstr("failures=\"0\""));
  const Result check = workshop.run({"check", "balls.obj", "missing.stl", "--format", "junit"});
  EXPECT_THAT(check.out, HasSubstr("tests=\"2\" failures=\"1\" errors=\"1\""));
}

TEST_F(ToolTriage, JsonFormat) {
  const Result result = clash({"--format", "json"});
  EXPECT_EQ(json::parse(result.out)["schema"], "sightline.report/1");
  EXPECT_EQ(clash({"--format", "junit", "--json", "-"}).status, 2);
  EXPECT_EQ(clash({"--format", "yaml"}).status, 2);
}

/// Bolts 1 to 3 in two columns, and a plate that clashes with all of them.
sightline::Assembly bolted() {
  sightline::Assembly all;
  for (int i = 1; i <= 3; ++i)
    all.add(named("bolt_" + std::to_string(i), sightline::scenes::box({i * 2.0, 0, 0}, {i * 2.0 + 1, 1, 4})));
  for (int i = 1; i <= 2; ++i)
    all.add(
        named("column" + std::to_string(i), sightline::scenes::box({-9, 0.25, i * 2.0 - 1.5}, {9, 0.5, i * 2.0 - 1})));
  all.add(named("plate", sightline::scenes::box({-1, -1, 3.5}, {8, 2, 3.75})));
  return all;
}

TEST_F(ToolTriage, PatternsNameGroupsOfParts) {
  workshop.save("b.obj", bolted());
  const auto pairs = [&](const std::vector<std::string>& ignored) {
    std::vector<std::string> arguments = {"clash", "b.obj", "--json", "r.json", "-q"};
    for (const std::string& text : ignored) arguments.insert(arguments.end(), {"--ignore", text});
    const Result result = workshop.run(arguments);
    EXPECT_EQ(result.err, "");
    const json r = report("r.json");
    EXPECT_EQ(result.status, r["pairs"].empty() ? 0 : 1);
    std::vector<std::string> names;
    for (const json& pair : r["pairs"])
      names.push_back(r["parts"][pair["part_a"].get<int>()]["name"].get<std::string>() + " " +
                      r["parts"][pair["part_b"].get<int>()]["name"].get<std::string>());
    return names;
  };
  EXPECT_EQ(pairs({}).size(), 9u);
  const std::vector<std::string> plate = {"bolt_1 plate", "bolt_2 plate", "bolt_3 plate"};
  EXPECT_EQ(pairs({"*bolt*,*column*"}), plate);
  EXPECT_EQ(pairs({"column?,bolt_*"}), plate) << "either way round";
  EXPECT_EQ(pairs({"bolt_1|bolt_2|bolt_3,*u*n*"}), plate);
  EXPECT_EQ(pairs({"*bolt*,*column*", "plate,*"}).size(), 0u);
  EXPECT_EQ(pairs({"bolt_1,*"}).size(), 6u);
  spill(workshop.folder() / "i.csv", "name_a,name_b\n*bolt*,*column*\n");
  EXPECT_EQ(pairs({"i.csv"}), plate);
  EXPECT_EQ(pairs({"i.csv", "*,pl?te"}).size(), 0u);
}

TEST_F(ToolTriage, PatternsThatMatchNothingOrEverything) {
  workshop.save("b.obj", bolted());
  const auto err = [&](const std::string& text) {
    return workshop.run({"clash", "b.obj", "--ignore", text, "-q"}).err;
  };
  EXPECT_THAT(err("*blot*,*column*"), HasSubstr("warning: *blot*,*column*: the ignore list matches nothing"));
  for (const char* all : {"*,*", "**,", ",", "*,**"})
    EXPECT_THAT(err(all), HasSubstr("would ignore everything")) << all;
  EXPECT_THAT(err("a,b,c"), HasSubstr("there is no such file, and two patterns have one comma between them"));
  EXPECT_THAT(err("*bolt*"), HasSubstr("*bolt*: cannot read: No such file"));
}

TEST_F(ToolTriage, LabelsNamePartsOfOneName) {
  sightline::Assembly all;
  for (int i = 0; i < 3; ++i) all.add(named("bolt", sightline::scenes::box({i * 0.75, 0, 0}, {i * 0.75 + 1, 1, 1})));
  // OBJ joins objects of one name; so the three are files.
  for (int i = 0; i < 3; ++i) {
    std::filesystem::create_directory(workshop.folder() / std::to_string(i));
    sightline::Assembly one;
    one.add(all.meshes[static_cast<std::size_t>(i)]);
    workshop.save(std::to_string(i) + "/bolt.stl", one);
  }
  const std::vector<std::string> files = {"clash", "0/bolt.stl", "1/bolt.stl", "2/bolt.stl"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), files.begin(), files.end());
    return workshop.run(more);
  };
  EXPECT_THAT(run({"--json", "r.json"}).out, HasSubstr("clash     0/bolt.stl:bolt  1/bolt.stl:bolt "));
  EXPECT_EQ(report("r.json")["parts"][2]["label"], "2/bolt.stl:bolt");
  for (const char* format : {"github", "junit"})
    EXPECT_THAT(run({"--format", format}).out, HasSubstr("bolt.stl")) << format;
  EXPECT_THAT(run({"--format", "junit"}).out, HasSubstr("name=\"0/bolt.stl:bolt and 1/bolt.stl:bolt\""));
  EXPECT_EQ(run({"--ignore", "0/*,*", "--ignore", "1/bolt.stl:bolt,2/bolt.stl:bolt"}).status, 0);
}

/// What the tool writes about one pair does not hide another one.
TEST_F(ToolTriage, ListsOfPartsOfOneName) {
  for (int i = 0; i < 3; ++i) {
    sightline::Assembly one;
    one.add(named("p", sightline::scenes::box({i * 0.75, 0, 0}, {i * 0.75 + 1, 1, 1})));
    workshop.save(std::to_string(i) + ".obj", one);
  }
  for (const bool same_file : {false, true}) {
    const std::vector<std::string> arguments = {"clash", "0.obj", same_file ? "0.obj" : "1.obj",
                                                same_file ? "0.obj" : "2.obj"};
    const auto run = [&](std::vector<std::string> more) {
      more.insert(more.begin(), arguments.begin(), arguments.end());
      return workshop.run(more);
    };
    run({"--csv", "p.csv", "--obj", "out.obj", "-q"});
    for (const char* table : {"p.csv", "p_pairs.csv"}) {
      const std::string all = workshop.text(table);
      EXPECT_EQ(run({"--ignore", table, "-q"}).status, 0) << "the whole list is the whole result";
      const std::size_t second = all.find('\n', all.find('\n') + 1) + 1;
      spill(workshop.folder() / "one.csv", all.substr(0, second));
      const Result result = run({"--ignore", "one.csv", "--json", "r.json"});
      EXPECT_EQ(result.status, 1) << result.out;
      EXPECT_GT(report("r.json")["ignored"], 0);
      // A row of pairs is for a pair, a row of contacts for one of its contacts.
      EXPECT_EQ(report("r.json")["pairs"].size(), (same_file ? 3u : 2u) - (table == std::string("p_pairs.csv")));
    }
    // All files have the same labels.
    run({"--json", "r.json", "-q"});
    const std::string parts = workshop.text("p_parts.csv"), obj = workshop.text("out.obj");
    for (const json& part : report("r.json")["parts"]) {
      EXPECT_THAT(parts, HasSubstr("," + part["label"].get<std::string>() + ","));
      EXPECT_THAT(obj, HasSubstr("\no " + part["label"].get<std::string>() + "\n"));
    }
    workshop.run({"clash", "out.obj", "--json", "back.json", "-q"});
    EXPECT_EQ(report("back.json")["parts"].size(), 3u);
  }
}

TEST_F(ToolTriage, NamesWithSignsOfPatterns) {
  sightline::Assembly all;
  for (const char* name : {"a*", "b", "abc"})
    all.add(named(name, sightline::scenes::box({all.parts.size() * 0.25, 0, 0}, {all.parts.size() * 0.25 + 1, 1, 1})));
  workshop.save("s.obj", all);
  workshop.run({"clash", "s.obj", "--csv", "s.csv", "-q"});
  const std::string pairs = workshop.text("s_pairs.csv");
  spill(workshop.folder() / "one.csv", pairs.substr(0, pairs.find('\n', pairs.find('\n') + 1) + 1));  // a* x b
  workshop.run({"clash", "s.obj", "--ignore", "one.csv", "--json", "r.json", "-q"});
  EXPECT_EQ(report("r.json")["pairs"].size(), 2u);
}

/// Exporters give all meshes one name, and triangles have the same numbers in each.
TEST_F(ToolTriage, ListsOfCheckTellMeshesOfOneNameApart) {
  const std::string crossing =
      "o tube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 3 3 0.5\nf 4 5 6\n";
  spill(workshop.folder() / "f1.obj", crossing);
  spill(workshop.folder() / "f2.obj", crossing);
  workshop.run({"check", "f1.obj", "f2.obj", "--csv", "c.csv", "-q"});
  const std::string all = workshop.text("c.csv");
  EXPECT_THAT(all, HasSubstr("\n1,1,f2.obj:tube,f2.obj:tube,"));
  EXPECT_EQ(workshop.run({"check", "f1.obj", "f2.obj", "--ignore", "c.csv", "-q"}).status, 0);
  spill(workshop.folder() / "one.csv", all.substr(0, all.find("\n1,") + 1));
  EXPECT_EQ(workshop.run({"check", "f1.obj", "f2.obj", "--ignore", "one.csv", "-q"}).status, 1);
}

TEST_F(ToolTriage, GroupsJoinPairsByName) {
  workshop.save("b.obj", bolted());
  const Result result = workshop.run({"clash", "b.obj", "--group"});
  EXPECT_THAT(result.out,
              ::testing::ContainsRegex("\n  clash     bolt_\\* \\(3\\)  column\\* \\(2\\)      6 +[0-9]+\n"));
  EXPECT_THAT(result.out, ::testing::ContainsRegex("\n  clash     bolt_\\* \\(3\\)  plate +3 +[0-9]+\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("bolt_1")));
  EXPECT_EQ(workshop.run({"clash", "b.obj", "--ignore", "bolt_*,column*", "--ignore", "bolt_*,plate"}).status, 0)
      << "the groups are patterns";
}

}  // namespace
}  // namespace testing_support
