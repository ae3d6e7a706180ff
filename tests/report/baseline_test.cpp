// Baselines: reports read back, contacts found again under other numbers, and files that are no report.
#include "report/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/json.h"
#include "report/temporary_folder.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using report::Baseline;
using report::Comparison;
using ::testing::HasSubstr;
using testing_support::spill;
using testing_support::TemporaryFolder;

struct Checked {
  explicit Checked(std::vector<Mesh> given) : meshes(std::move(given)) {
    Scene scene;
    for (const Mesh& mesh : meshes) {
      parts.push_back({.file = "f.obj", .name = mesh.name, .mesh = mesh, .facts = {}});
      scene.add(mesh, {.self = true});
    }
    scene.collide(report);
    std::vector<MeshView> views(meshes.begin(), meshes.end());
    pairs = classify(views, report).pairs;
  }
  void write(const std::filesystem::path& path) const {
    report::Output output(path);
    report::JsonWriter(output, {}).clash("1", {.parts = parts, .pairs = pairs}, report);
    output.commit();
  }
  Comparison against(const std::filesystem::path& path) const {
    Baseline baseline(path, "clash");
    baseline.add_parts(parts);
    return baseline.compare({parts, report.contacts}, {}, pairs);
  }
  std::vector<Mesh> meshes;
  std::vector<report::Part> parts;
  papers::Report report;
  std::vector<PartPair> pairs;
};

Mesh named(std::string name, Mesh mesh) {
  mesh.name = std::move(name);
  return mesh;
}
Mesh ball(const std::string& name, double x) { return named(name, scenes::sphere(500, {x, 0.1, 0.2})); }

TEST(Baseline, TheSameRunHasNothingNew) {
  const TemporaryFolder folder;
  const Checked run({ball("a \"b\"\n\xff", 0), ball("c", 1), named("box", scenes::box({0, 0, 0}, {3, 3, 3}))});
  run.write(folder / "r.json");
  ASSERT_GT(run.report.found, 50u);
  const Comparison c = run.against(folder / "r.json");
  EXPECT_EQ(c.added, 0u);
  EXPECT_EQ(c.stayed, run.report.contacts.size());
  EXPECT_TRUE(c.gone.empty());
  EXPECT_EQ(c.pairs_added, 0u);
  EXPECT_EQ(c.pairs_gone, 0u);
}

TEST(Baseline, TrianglesInAnotherOrderAndPartsInAnotherOrder) {
  const TemporaryFolder folder;
  const Mesh a = ball("a", 0), b = ball("b", 1), box = named("box", scenes::box({0, 0, 0}, {3, 3, 3}));
  Checked({a, b, box}).write(folder / "r.json");
  const Checked other({named("box", scenes::shuffled(box, 4)), named("b", scenes::shuffled(b, 5)), a});
  const Comparison c = other.against(folder / "r.json");
  EXPECT_EQ(c.added, 0u);
  EXPECT_EQ(c.stayed, other.report.contacts.size());
  EXPECT_TRUE(c.gone.empty());
  EXPECT_EQ(c.pairs_added, 0u);
}

TEST(Baseline, NewGoneAndStayed) {
  const TemporaryFolder folder;
  Checked({ball("a", 0), ball("b", 1), ball("c", 30)}).write(folder / "r.json");
  const Checked moved({ball("a", 0), ball("b", 1), ball("c", 1.5)});  // c now meets both
  const Comparison c = moved.against(folder / "r.json");
  EXPECT_GT(c.added, 0u);
  EXPECT_GT(c.stayed, 0u);
  EXPECT_TRUE(c.gone.empty());
  EXPECT_EQ(c.pairs_added, 2u);
  for (std::size_t i = 0; i < moved.report.contacts.size(); ++i)
    EXPECT_EQ(c.is_new[i], moved.report.contacts[i].object_b == 2);
  moved.write(folder / "s.json");
  const Checked back({ball("a", 0), ball("b", 1), ball("c", 30)});
  const Comparison d = back.against(folder / "s.json");
  EXPECT_EQ(d.added, 0u);
  EXPECT_EQ(d.gone.size(), c.added);
  EXPECT_EQ(d.pairs_gone, 2u);
}

TEST(Baseline, AnotherKindIsNew) {
  const TemporaryFolder folder;
  const Mesh low = named("low", scenes::box({0, 0, 0}, {1, 1, 1}));
  Checked({low, named("high", scenes::box({0.25, 0.25, 1}, {0.75, 0.75, 2}))}).write(folder / "r.json");
  const Checked deeper({low, named("high", scenes::box({0.25, 0.25, 0.9}, {0.75, 0.75, 2}))});
  const Comparison c = deeper.against(folder / "r.json");
  EXPECT_GT(c.added, 0u);
  EXPECT_EQ(c.pairs_added, 1u) << "touch became clash";
}

TEST(Baseline, PartsOfOneNameAreComparedInOrder) {
  const TemporaryFolder folder;
  Checked({ball("x", 0), ball("x", 1), ball("x", 30)}).write(folder / "r.json");
  EXPECT_EQ(Checked({ball("x", 0), ball("x", 1), ball("x", 30)}).against(folder / "r.json").added, 0u);
  EXPECT_GT(Checked({ball("x", 30), ball("x", 0), ball("x", 1)}).against(folder / "r.json").added, 0u);
}

TEST(Baseline, AShapeThatChangedALittleKeepsItsContacts) {
  const TemporaryFolder folder;
  Checked({ball("a", 0), ball("b", 1)}).write(folder / "r.json");
  const Checked moved({ball("a", 0), ball("b", 1 + 1e-9)});
  EXPECT_EQ(moved.against(folder / "r.json").added, 0u);
  EXPECT_TRUE(moved.against(folder / "r.json").gone.empty());
}

TEST(Baseline, PartsThatAreNotHereAnyMore) {
  const TemporaryFolder folder;
  Checked({ball("a", 0), ball("b", 1)}).write(folder / "r.json");
  Baseline baseline(folder / "r.json", "clash");
  const Checked run({ball("a", 0)});
  baseline.add_parts(run.parts);
  EXPECT_TRUE(baseline.knows_any());
  EXPECT_TRUE(baseline.compare({run.parts, run.report.contacts}).gone.empty());
  EXPECT_EQ(baseline.without_part().size(), baseline.old().contacts.size());
}

std::string baseline_error(const std::string& json, const std::string& command = "check") {
  const TemporaryFolder folder;
  spill(folder / "old.json", json);
  try {
    Baseline baseline(folder / "old.json", command);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Baseline, FilesThatAreNoReport) {
  const std::string head = R"({"schema": "sightline.report/1", "command": "check", "meshes": [)";
  EXPECT_EQ(baseline_error(head + "]}"), "");
  EXPECT_THAT(baseline_error("solid nothing"), HasSubstr("old.json: is not JSON: error at byte 1"));
  EXPECT_THAT(baseline_error(head), HasSubstr("is not JSON"));
  EXPECT_THAT(baseline_error(""), HasSubstr("is not JSON"));
  EXPECT_THAT(baseline_error("{}"), HasSubstr("is not a report of sightline"));
  EXPECT_THAT(baseline_error("[1, 2]"), HasSubstr("is not a report of sightline"));
  EXPECT_THAT(baseline_error(R"({"schema": "sightline.report/2", "command": "check"})"),
              HasSubstr("schema 'sightline.report/2' where 'sightline.report/1' is needed"));
  EXPECT_THAT(baseline_error(R"({"schema": "sightline.papers/1"})"), HasSubstr("sightline.papers/1"));
  EXPECT_THAT(baseline_error(head + "]}", "clash"), HasSubstr("is a report of 'check', this is 'clash'"));
  EXPECT_THAT(baseline_error(head + R"({"name": "a", "complete": false}]})"), HasSubstr("not complete"));
  const auto contact = [&](const std::string& body) {
    return baseline_error(head + R"({"name": "a", "complete": true, "contacts": [{)" + body + "}]}]}");
  };
  EXPECT_EQ(contact(R"("a": 1, "b": 2, "kind": "crossing", "points": [[0,0,0]])"), "");
  EXPECT_THAT(contact(R"("a": -1, "b": 2)"), HasSubstr("a of a contact is -1"));
  EXPECT_THAT(contact(R"("a": 1.5, "b": 2)"), HasSubstr("1.5"));
  EXPECT_THAT(contact(R"("a": 1e300, "b": 2)"), HasSubstr("a of a contact is"));
  EXPECT_THAT(contact(R"("a": 1, "b": 2, "kind": "hugging")"), HasSubstr("'hugging' is not a kind"));
  EXPECT_THAT(contact(R"("part_a": 7, "a": 1, "b": 2)"), HasSubstr("a contact of part 7; it has 1 parts"));
  EXPECT_THAT(contact(R"("a": 1, "b": 2, "points": [[1,2,3,4,5],[],"x",{"y": [1]}])"), "");
  EXPECT_THAT(baseline_error(R"({"schema": "sightline.report/1", "command": "check", "contacts": [{"a": 1, "b": 2}]})"),
              HasSubstr("a contact of part"));
  EXPECT_THROW(Baseline("/no/such.json", "check"), Error);
}

}  // namespace
