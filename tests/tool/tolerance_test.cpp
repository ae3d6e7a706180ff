// `clash --tolerance`, `--depth`, `--volume`: in the summary, the exit status and every output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <sstream>

#include "report/csv.h"
#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ToolTolerance : public ::testing::Test {
 protected:
  ToolTolerance() {
    workshop.save("floor.stl", sightline::scenes::box({0, 0, 0}, {4, 4, 1}));
    workshop.save("wall.stl", sightline::scenes::box({1, 1, 0.96875}, {2, 3, 3}));   // 1/32 deep
    workshop.save("pin.stl", sightline::scenes::box({3, 3, 0.5}, {3.25, 3.25, 2}));  // 1/2 deep
  }
  Result clash(std::vector<std::string> more, std::vector<std::string> files) const {
    more.insert(more.begin(), "clash");
    more.insert(more.end(), files.begin(), files.end());
    return workshop.run(more);
  }
  void save_scaled(const char* name, const sightline::Mesh& mesh, double scale) const {
    std::ofstream file(workshop.folder() / name);
    for (std::size_t i = 0; i < mesh.view().positions.size(); ++i) {
      const sightline::Vec3d p = mesh.view().position(i);
      file << fmt::format("v {} {} {}\n", p[0] * scale, p[1] * scale, p[2] * scale);
    }
    for (const sightline::Triangle& t : mesh.triangles)
      file << fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
  Workshop workshop;
  std::string out;
};

TEST_F(ToolTolerance, ShallowClashesBecomeTouch) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--pairs"}}) {
    const auto with = [&](const char* tolerance, std::vector<std::string> files) {
      std::vector<std::string> options = more;
      if (*tolerance != 0) options.insert(options.end(), {"--tolerance", tolerance});
      return clash(options, std::move(files));
    };
    const Result without = with("", {"floor.stl", "wall.stl"});
    EXPECT_EQ(without.status, 1);
    EXPECT_THAT(without.out, HasSubstr("  pairs     1: 1 clash\n"));
    const Result below = with("0.03125", {"floor.stl", "wall.stl"});  // the move has to be shorter
    EXPECT_EQ(below.status, 1);
    EXPECT_THAT(below.out, HasSubstr("  pairs     1: 1 clash\n"));
    const Result above = with("0.0313", {"floor.stl", "wall.stl"});
    EXPECT_EQ(above.status, 0);
    EXPECT_THAT(above.out, HasSubstr("  pairs     1: 0 clash, 1 touch\n"));
    EXPECT_THAT(above.out, HasSubstr("clash within the tolerance"));
    const Result both = with("0.0313", {"floor.stl", "wall.stl", "pin.stl"});
    EXPECT_EQ(both.status, 1);
    EXPECT_THAT(both.out, HasSubstr("  pairs     3: 1 clash, 1 touch, 1 clear\n"));
  }
}

TEST_F(ToolTolerance, EqualPartsAreNeverTolerated) {
  EXPECT_THAT(clash({"--tolerance", "0.1", "--depth"}, {"wall.stl", "wall.stl"}).out,
              HasSubstr("  pairs     1: 1 clash\n"));
}

TEST_F(ToolTolerance, OutputsHaveDepthAndVolume) {
  const Result result = clash({"--depth", "--volume", "--tolerance", "0.04", "--json", "r.json", "--csv", "r.csv"},
                              {"wall.stl", "floor.stl", "pin.stl"});
  EXPECT_THAT(result.out, ContainsRegex("clash .*depth 0\\.5, volume 0\\.03125"));
  EXPECT_THAT(result.out, ContainsRegex("touch .*clash within the tolerance, depth 0\\.03125, volume 0\\.0625"));
  const json report = json::parse(workshop.text("r.json"));
  EXPECT_EQ(report["tolerance"], 0.04);
  EXPECT_EQ(report["unit"], nullptr);
  const json& shallow = report["pairs"][0];
  EXPECT_EQ(shallow["relation"], "touch");
  EXPECT_EQ(shallow["tolerated"], true);
  EXPECT_LE(shallow["depth"]["low"], 0.03125);
  EXPECT_GE(shallow["depth"]["high"], 0.03125);
  EXPECT_LE(shallow["volume"]["low"], 0.0625);
  EXPECT_GE(shallow["volume"]["high"], 0.0625);
  EXPECT_NEAR(double(shallow["deepest"][2]) - double(shallow["surface"][2]), -0.03125, 1e-12);
  const json& deep = report["pairs"][1];
  EXPECT_EQ(deep["relation"], "clash");
  EXPECT_FALSE(deep.contains("tolerated"));
  EXPECT_THAT(workshop.text("r_pairs.csv"), HasSubstr("depth_low,depth_high,depth_x,depth_y,depth_z,volume_low"));
  const Result junit = clash({"--tolerance", "0.04", "--format", "junit"}, {"wall.stl", "floor.stl", "pin.stl"});
  EXPECT_THAT(junit.out, HasSubstr("tests=\"2\" failures=\"1\""));
}

TEST_F(ToolTolerance, SeparationsAndNearestPointsAreInAllOutputs) {
  const std::vector<std::string> outputs = {"--json", "r.json", "--csv", "r.csv"};
  const auto pairs = [&](std::vector<std::string> more, std::vector<std::string> files) {
    more.insert(more.end(), outputs.begin(), outputs.end());
    out = clash(more, std::move(files)).out;
    return json::parse(workshop.text("r.json"))["pairs"];
  };
  const json moved = pairs({"--separation"}, {"floor.stl", "wall.stl"})[0]["separation"];
  EXPECT_THAT(out, ContainsRegex("clash .*separation 0\\.03125 by \\(0, 0, -0\\.03125\\)"));
  EXPECT_NEAR(double(moved["translation"][2]), -0.03125, 1e-12);
  EXPECT_NEAR(double(moved["length"]), 0.03125, 1e-12);
  EXPECT_NEAR(double(moved["lower_bound"]), 0.03125, 1e-12);
  EXPECT_LE(moved["lower_bound"], moved["length"]);
  EXPECT_THAT(workshop.text("r_pairs.csv"), HasSubstr(",move_x,move_y,move_z,move_length,move_least\n"));
  EXPECT_THAT(workshop.text("r_pairs.csv"), HasSubstr(",-0.03125"));
  // The same move, with and without a request, decides on the tolerance.
  const json tolerated = pairs({"--tolerance", "0.04"}, {"floor.stl", "wall.stl"})[0];
  EXPECT_EQ(tolerated["tolerated"], true);
  EXPECT_EQ(tolerated["separation"]["translation"], moved["translation"]);
  EXPECT_FALSE(pairs({"--tolerance", "0.01"}, {"floor.stl", "wall.stl"})[0].contains("separation"));
  EXPECT_FALSE(pairs({"--depth"}, {"floor.stl", "wall.stl"})[0].contains("separation"));
  EXPECT_FALSE(pairs({"--separation"}, {"floor.stl", "wall.stl"})[0].contains("depth"));

  workshop.save("over.stl", sightline::scenes::box({2, 2, 1.5}, {5, 5, 2}));
  const json near = pairs({"--clearance", "1"}, {"floor.stl", "over.stl"})[0];
  EXPECT_EQ(near["relation"], "near");
  EXPECT_EQ(near["nearest_a"][2], 1);
  EXPECT_EQ(near["nearest_b"][2], 1.5);
  EXPECT_EQ(near["nearest_a"][0], near["nearest_b"][0]);
  EXPECT_THAT(workshop.text("r_pairs.csv"), HasSubstr(",near_a_x,near_a_y,near_a_z,near_b_x,near_b_y,near_b_z\n"));
}

TEST_F(ToolTolerance, DetailsAreCurvesNormalsAndManifolds) {
  EXPECT_EQ(clash({"--details", "--quiet"}, {"floor.stl", "wall.stl"}).status, 2);
  EXPECT_EQ(clash({"--details", "--json", "r.json", "--pairs"}, {"floor.stl", "wall.stl"}).status, 2);
  clash({"--details", "--volume", "--json", "r.json"}, {"floor.stl", "wall.stl", "pin.stl"});
  const json report = json::parse(workshop.text("r.json"));
  const json& pair = report["pairs"][0];
  ASSERT_EQ(pair["curves"].size(), 1u);
  const json& curve = pair["curves"][0];
  EXPECT_EQ(curve["closed"], true);
  EXPECT_EQ(curve["crossing"], true);
  EXPECT_EQ(curve["bounds_overlap"], true);
  EXPECT_EQ(curve["area"], nullptr);
  EXPECT_NEAR(double(curve["length"]["low"]), 6, 1e-9);  // around the wall: 1 x 2
  EXPECT_TRUE(pair["areas"].empty());
  EXPECT_EQ(pair["manifold"]["normal"], json::parse("[0, 0, -1]"));
  EXPECT_NEAR(double(pair["manifold"]["depth"]), 0.03125, 1e-12);
  EXPECT_EQ(pair["manifold"]["points"].size(), 4u);
  EXPECT_NEAR(double(pair["overlap"]["area"]["low"]), 2 * 2 + 6 * 0.03125, 1e-9);
  EXPECT_NEAR(double(pair["overlap"]["centroid"][2][0]), 1 - 0.03125 / 2, 1e-9);
  EXPECT_EQ(pair["overlap"]["low"], json::parse("[1, 1, 0.96875]"));
  for (const json& contact : report["contacts"]) EXPECT_EQ(contact["normal"].size(), 3u);
  EXPECT_EQ(report["pairs"][1]["overlap"]["centroid"][0].size(), 2u);

  sightline::Mesh two = sightline::scenes::box({0, 0, 0}, {2, 2, 2});
  const sightline::Mesh other = sightline::scenes::box({1, 1, 1}, {3, 3, 3});
  workshop.save("two.stl", sightline::scenes::merged(std::vector<sightline::Mesh>{two, other}));
  workshop.run({"check", "--details", "--json", "c.json", "two.stl"});
  const json mesh = json::parse(workshop.text("c.json"))["meshes"][0];
  ASSERT_EQ(mesh["curves"].size(), 1u);
  EXPECT_EQ(mesh["curves"][0]["closed"], true);
  EXPECT_EQ(mesh["curves"][0]["bounds_overlap"], false);
  EXPECT_TRUE(mesh["contacts"][0].contains("normal"));
}

/// Of the table at `path`, by part_a, part_b and curve: the points in order, whether it is closed, and all its cells.
struct CurveRows {
  std::vector<sightline::Vec3d> points;
  std::vector<std::string> cells;  ///< of the first point
  bool is_closed() const { return cells[5] == "yes"; }
  double length() const {
    double sum = 0;
    for (std::size_t i = is_closed() ? 0 : 1; i < points.size(); ++i) {
      const sightline::Vec3d &p = points[i], &q = points[i == 0 ? points.size() - 1 : i - 1];
      sum += std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    }
    return sum;
  }
};
std::map<std::vector<std::string>, CurveRows> curves_of(const std::string& text) {
  std::map<std::vector<std::string>, CurveRows> curves;
  const sightline::report::CsvTable table = sightline::report::parse_csv(text, "curves");
  EXPECT_EQ(fmt::format("{}", fmt::join(table.header, ",")),
            "part_a,part_b,name_a,name_b,curve,closed,crossing,bounds_overlap,area,point,triangle_a,triangle_b,x,y,z");
  for (const sightline::report::CsvRow& row : table.rows) {
    CurveRows& curve = curves[{row.cells[0], row.cells[1], row.cells[4]}];
    EXPECT_EQ(row.cells[9], std::to_string(curve.points.size()));
    if (curve.points.empty()) curve.cells = row.cells;
    curve.points.push_back({std::stod(row.cells[12]), std::stod(row.cells[13]), std::stod(row.cells[14])});
  }
  return curves;
}
std::set<std::vector<std::string>> pairs_of(const std::string& text) {
  std::set<std::vector<std::string>> pairs;
  const sightline::report::CsvTable table = sightline::report::parse_csv(text, "contacts");
  for (const sightline::report::CsvRow& row : table.rows)
    pairs.insert({row.cells[0], row.cells[1], row.cells[static_cast<std::size_t>(table.column("triangle_a"))],
                  row.cells[static_cast<std::size_t>(table.column("triangle_b"))]});
  return pairs;
}

TEST_F(ToolTolerance, CurvesAreInTheSummaryAndInCsv) {
  workshop.save("shelf.stl", sightline::scenes::box({3, 0, 1}, {4, 2, 1.25}));  // stands on the floor
  const std::vector<std::string> files = {"floor.stl", "wall.stl", "pin.stl", "shelf.stl"};
  EXPECT_THAT(clash({"--csv", "r.csv"}, files).out, Not(HasSubstr("curves")));
  const std::string contacts = workshop.text("r.csv");
  const Result result = clash({"--details", "--csv", "r.csv", "--json", "r.json"}, files);
  // Around the wall 6, around the foot of the shelf 6, around the pin 1.
  EXPECT_THAT(result.out, HasSubstr("  curves    3: 3 closed, 0 open, length 13 in all; 1 area\n"
                                    "            length 6, closed, "));
  EXPECT_THAT(result.out, ContainsRegex("length 6, closed, [0-9]+ points from \\([^)]*\\), floor with wall\n"));
  EXPECT_THAT(result.out, ContainsRegex("length 1, closed, [0-9]+ points from \\([^)]*\\), floor with pin\n"));
  EXPECT_EQ(workshop.text("r.csv"), contacts);

  const auto curves = curves_of(workshop.text("r_curves.csv"));
  const std::set<std::vector<std::string>> in_contact = pairs_of(contacts);
  for (const auto& [key, curve] : curves)
    EXPECT_TRUE(in_contact.contains({key[0], key[1], curve.cells[10], curve.cells[11]}));
  std::size_t count = 0;
  const json report = json::parse(workshop.text("r.json"));
  for (const json& pair : report["pairs"])
    for (std::size_t i = 0; i < pair["curves"].size(); ++i, ++count) {
      const auto found = curves.find({pair["part_a"].dump(), pair["part_b"].dump(), std::to_string(i)});
      ASSERT_NE(found, curves.end());
      const json& curve = pair["curves"][i];
      const CurveRows& rows = found->second;
      EXPECT_EQ(curve["points"], rows.points.size());
      EXPECT_NEAR(double(curve["length"]["low"]), rows.length(), 1e-9);
      EXPECT_EQ(curve["closed"], rows.is_closed());
      EXPECT_EQ(curve["crossing"], rows.cells[6] == "yes");
      EXPECT_EQ(curve["bounds_overlap"], rows.cells[7] == "yes");
      EXPECT_EQ(curve["area"].is_null() ? "" : curve["area"].dump(), rows.cells[8]);
    }
  EXPECT_EQ(count, curves.size());
  EXPECT_THAT(clash({"--details", "--max-contacts", "1"}, files).out,
              HasSubstr("  curves    not joined, because the list of contacts is not complete\n"));
}

TEST_F(ToolTolerance, CurvesOfEachMeshOfACheck) {
  const std::vector<sightline::Mesh> boxes = {sightline::scenes::box({0, 0, 0}, {2, 2, 2}),
                                              sightline::scenes::box({1, 1, 1}, {3, 3, 3})};
  workshop.save("two.stl", sightline::scenes::merged(boxes));
  const Result result = workshop.run({"check", "--details", "--csv", "r.csv", "floor.stl", "two.stl", "two.stl"});
  EXPECT_THAT(result.out, HasSubstr("  curves    none\n"));
  EXPECT_THAT(result.out, HasSubstr("  curves    1: 1 closed, 0 open, length 6 in all\n"));
  const auto curves = curves_of(workshop.text("r_curves.csv"));
  ASSERT_EQ(curves.size(), 2u);
  const std::set<std::vector<std::string>> in_contact = pairs_of(workshop.text("r.csv"));
  for (const auto& [key, curve] : curves) {
    EXPECT_EQ(key[0], key[1]);
    EXPECT_NEAR(curve.length(), 6, 1e-12);
    EXPECT_EQ(curve.cells[7], "no");  // not two parts
    EXPECT_TRUE(in_contact.contains({key[0], key[1], curve.cells[10], curve.cells[11]}));
  }
  // One part of clash meets itself, too.
  workshop.run({"clash", "--self", "--details", "--csv", "s.csv", "floor.stl", "two.stl"});
  EXPECT_TRUE(curves_of(workshop.text("s_curves.csv")).contains({"1", "1", "0"}));
}

TEST_F(ToolTolerance, AllScalesHaveNumbers) {
  for (const double scale : {1e150, 1e300, 1e-160, 1e-300, 1e-307}) {
    save_scaled("a.obj", sightline::scenes::box({0, 0, 0}, {1, 1, 1}), scale);
    save_scaled("b.obj", sightline::scenes::box({0.25, 0.25, 0.75}, {0.5, 0.5, 3}), scale);
    const Result result =
        clash({"--depth", "--volume", "--separation", "--clearance", "1", "--json", "r.json", "--csv", "r.csv"},
              {"a.obj", "b.obj"});
    EXPECT_EQ(result.status, 1) << result.err;
    const json pair = json::parse(workshop.text("r.json"))["pairs"][0];  // throws for inf and nan
    EXPECT_NEAR(double(pair["depth"]["low"]) / scale, 0.25, 1e-9) << scale;
    EXPECT_NEAR(double(pair["depth"]["high"]) / scale, 0.25, 1e-9) << scale;
    EXPECT_NEAR(double(pair["separation"]["length"]) / scale, 0.25, 1e-9) << scale;
    EXPECT_EQ(pair["volume"]["high"].is_null(), scale > 1);
    for (const char* word : {"inf", "nan"}) EXPECT_THAT(workshop.text("r_pairs.csv"), Not(HasSubstr(word)));
    EXPECT_THAT(result.out, HasSubstr(scale > 1 ? "volume above 1.79769e+308" : "to 4.9e-324"));
    const Result tolerant = clash({"--tolerance", fmt::format("{}", 0.3 * scale)}, {"a.obj", "b.obj"});
    EXPECT_EQ(tolerant.status, 0) << tolerant.out;
  }
  // No power of two is a scale for both.
  save_scaled("a.obj", sightline::scenes::box({0, 0, 0}, {1, 1, 1}), 1e300);
  save_scaled("b.obj", sightline::scenes::box({-1, -1, -1}, {1, 1, 1}), 1e-300);
  const Result none = clash({"--depth", "--tolerance", "1"}, {"a.obj", "b.obj"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("no depth: the coordinates span too many magnitudes"));
}

TEST_F(ToolTolerance, ToleratedPairsAreNothingNew) {
  workshop.save("away.stl", sightline::scenes::box({1, 1, 5}, {2, 3, 6}));
  std::filesystem::create_directory(workshop.folder() / "old");
  std::filesystem::copy_file(workshop.folder() / "away.stl", workshop.folder() / "old/wall.stl");
  EXPECT_EQ(clash({"--json", "old.json"}, {"floor.stl", "old/wall.stl"}).status, 0);
  const std::vector<std::string> options = {"--baseline", "old.json", "--tolerance", "0.04", "--format", "junit"};
  const Result shallow = clash(options, {"floor.stl", "wall.stl"});
  EXPECT_EQ(shallow.status, 0) << shallow.err;
  EXPECT_THAT(shallow.out, HasSubstr("failures=\"0\""));
  workshop.save("wall.stl", sightline::scenes::box({1, 1, 0.5}, {2, 3, 3}));
  const Result deep = clash(options, {"floor.stl", "wall.stl"});
  EXPECT_EQ(deep.status, 1) << deep.err;
  EXPECT_THAT(deep.out, HasSubstr("failures=\"1\""));
}

TEST_F(ToolTolerance, OpenPartsAreNamed) {
  sightline::Mesh open = sightline::scenes::box({1, 1, 0.5}, {2, 2, 2});
  open.triangles.pop_back();
  workshop.save("open.stl", open);
  EXPECT_THAT(clash({"--depth"}, {"floor.stl", "open.stl"}).out, HasSubstr("no depth: open has 3 open edges"));
  sightline::Mesh turned = sightline::scenes::box({1, 1, 0.5}, {2, 2, 2});
  std::swap(turned.triangles[0][0], turned.triangles[0][1]);
  workshop.save("turned.stl", turned);
  EXPECT_THAT(clash({"--volume"}, {"floor.stl", "turned.stl"}).out,
              HasSubstr("no volume: turned is wound inconsistently at 3 edges"));
  workshop.save(
      "needle.stl",
      sightline::Mesh{"needle", std::vector<sightline::Vec3d>{{1, 1, 0.5}, {2, 2, 0.5}, {3, 3, 0.5}}, {{0, 1, 2}}, {}});
  EXPECT_THAT(clash({"--depth"}, {"floor.stl", "needle.stl"}).out,
              HasSubstr("no depth: needle has no triangle with area"));
}

// A turned building: its walls and slabs reach into each other by rounding alone, until a tolerance takes that away.
TEST_F(ToolTolerance, ATurnedBuildingHasTheClashesOfTheBuilding) {
  ASSERT_EQ(workshop.run({"generate", "building", "building.obj", "--triangles", "20000"}).status, 0);
  std::istringstream lines(workshop.text("building.obj"));
  std::ofstream turned(workshop.folder() / "turned.obj");
  const double angle = 17 * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  for (std::string text; std::getline(lines, text);) {
    double x = 0, y = 0, z = 0;
    if (std::sscanf(text.c_str(), "v %lf %lf %lf", &x, &y, &z) == 3)
      text = fmt::format("v {} {} {}", c * x - s * y, s * x + c * y, z);
    turned << text << '\n';
  }
  turned.close();
  const auto clashes = [&](std::vector<std::string> more, const char* file) {
    more.insert(more.end(), {"--pairs", "--json", "r.json"});
    clash(more, {file});
    int count = 0;
    const json report = json::parse(workshop.text("r.json"));
    for (const json& pair : report["pairs"]) count += pair["relation"] == "clash";
    return count;
  };
  const int before = clashes({}, "building.obj");
  EXPECT_GT(before, 0);
  EXPECT_GT(clashes({}, "turned.obj"), before);
  EXPECT_EQ(clashes({"--tolerance", "1e-9"}, "turned.obj"), before);
}

TEST_F(ToolTolerance, UnitsAreNeverGuessed) {
  const auto error = [&](const char* tolerance) {
    const Result result = clash({"--tolerance", tolerance}, {"floor.stl", "wall.stl"});
    EXPECT_EQ(result.status, 2) << tolerance;
    return result.err;
  };
  EXPECT_THAT(error("0.5mm"), HasSubstr("'0.5mm' has a unit, but the files do not define one unit for all parts"));
  EXPECT_THAT(error("0.5parsec"), HasSubstr("the unit 'parsec' is not one of um, mm, cm, m, in, ft"));
  EXPECT_THAT(error(""), HasSubstr("'' is not a number"));
  EXPECT_THAT(error("deep"), HasSubstr("'deep' is not a finite number"));
  EXPECT_THAT(error("nan"), HasSubstr("'nan' is not a finite number"));
  // glTF files are in metres.
  std::ofstream(workshop.folder() / "box.gltf")
      << R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
    "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                   "min": [0, 0, 0], "max": [0, 0, 0]}],
    "bufferViews": [{"buffer": 0, "byteLength": 36}],
    "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]})";
  EXPECT_NE(clash({"--tolerance", "0.5mm"}, {"box.gltf", "box.gltf"}).status, 2);
  EXPECT_EQ(clash({"--tolerance", "0.5mm"}, {"box.gltf", "wall.stl"}).status, 2);
  std::string far = workshop.text("box.gltf");
  far.replace(far.find("{\"mesh\": 0}"), 11, "{\"mesh\": 0, \"translation\": [0, 0, 3]}");
  spill(workshop.folder() / "far.gltf", far);
  EXPECT_THAT(clash({"--clearance", "5"}, {"box.gltf", "far.gltf"}).out, HasSubstr("gap 3 m\n"));
}

}  // namespace
}  // namespace testing_support
