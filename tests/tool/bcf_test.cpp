// --bcf: the archive as a BIM program reads it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "scenes/scenes.h"
#include "tool/program.h"

namespace testing_support {
namespace {

using ::testing::HasSubstr;

class ToolBcf : public ::testing::Test {
 protected:
  ToolBcf() { workshop.save("assembly.obj", sightline::scenes::demo_assembly()); }
  std::map<std::string, std::string> entries(const std::string& name) const {
    std::map<std::string, std::string> out;
    int error = 0;
    zip_t* archive = zip_open((workshop.folder() / name).c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error);
    EXPECT_NE(archive, nullptr) << error;
    for (zip_int64_t i = 0; archive != nullptr && i < zip_get_num_entries(archive, 0); ++i) {
      zip_stat_t info;
      zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &info);
      std::string& text = out[info.name];
      text.resize(info.size);
      zip_file_t* file = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
      EXPECT_EQ(zip_fread(file, text.data(), info.size), static_cast<zip_int64_t>(info.size));
      zip_fclose(file);
    }
    zip_discard(archive);
    return out;
  }
  Workshop workshop;
};

pugi::xml_document parsed(const std::string& text) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(text.c_str())) << text;
  return document;
}

/// The rules of the schema of BCF 2.1 for the elements that are written: their order, how often each occurs (at least,
/// at most), and their attributes. An element without children has a text.
struct Element {
  const char* name;
  int least, most;
  std::vector<Element> children = {};
  std::vector<const char*> required = {}, allowed = {};  ///< attributes
};
constexpr int kMany = 1 << 20;

const std::vector<Element> kVector = {{"X", 1, 1}, {"Y", 1, 1}, {"Z", 1, 1}};
const Element kVersion = {"Version", 1, 1, {{"DetailedVersion", 0, 1}}, {"VersionId"}};
const Element kMarkup = {
    "Markup",
    1,
    1,
    {{"Header",
      0,
      1,
      {{"File",
        1,
        kMany,
        {{"Filename", 0, 1}, {"Date", 0, 1}, {"Reference", 0, 1}},
        {},
        {"IfcProject", "IfcSpatialStructureElement", "isExternal"}}}},
     {"Topic",
      1,
      1,
      {{"ReferenceLink", 0, kMany},
       {"Title", 1, 1},
       {"Priority", 0, 1},
       {"Index", 0, 1},
       {"Labels", 0, kMany},
       {"CreationDate", 1, 1},
       {"CreationAuthor", 1, 1},
       {"ModifiedDate", 0, 1},
       {"ModifiedAuthor", 0, 1},
       {"DueDate", 0, 1},
       {"AssignedTo", 0, 1},
       {"Stage", 0, 1},
       {"Description", 0, 1}},
      {"Guid"},
      {"TopicType", "TopicStatus"}},
     {"Comment", 0, kMany, {{"Date", 1, 1}, {"Author", 1, 1}, {"Comment", 1, 1}}, {"Guid"}},
     {"Viewpoints", 0, kMany, {{"Viewpoint", 0, 1}, {"Snapshot", 0, 1}, {"Index", 0, 1}}, {"Guid"}}}};
const Element kView = {
    "VisualizationInfo",
    1,
    1,
    {{"Components",
      0,
      1,
      {{"ViewSetupHints", 0, 1},
       {"Selection",
        0,
        1,
        {{"Component", 1, kMany, {{"OriginatingSystem", 0, 1}, {"AuthoringToolId", 0, 1}}, {}, {"IfcGuid"}}}},
       {"Visibility", 1, 1, {}, {}, {"DefaultVisibility"}}}},
     {"OrthogonalCamera", 0, 1},
     {"PerspectiveCamera",
      0,
      1,
      {{"CameraViewPoint", 1, 1, kVector},
       {"CameraDirection", 1, 1, kVector},
       {"CameraUpVector", 1, 1, kVector},
       {"FieldOfView", 1, 1}}}},
    {"Guid"}};

void expect_valid(const pugi::xml_node& node, const Element& rule) {
  EXPECT_STREQ(node.name(), rule.name);
  for (const char* name : rule.required) EXPECT_TRUE(node.attribute(name)) << rule.name << " has no " << name;
  for (const pugi::xml_attribute a : node.attributes()) {
    const auto is = [&](const char* name) { return std::string(name) == a.name(); };
    EXPECT_TRUE(std::ranges::any_of(rule.required, is) || std::ranges::any_of(rule.allowed, is))
        << rule.name << ": " << a.name();
  }
  const std::string text = node.text().get();
  if (rule.children.empty()) {
    if (rule.allowed.empty()) EXPECT_NE(text, "") << rule.name;
    if (std::string(rule.name).ends_with("Date"))
      EXPECT_THAT(text, ::testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
    if (rule.name == std::string("FieldOfView")) EXPECT_TRUE(std::stod(text) >= 45 && std::stod(text) <= 60) << text;
    return;
  }
  pugi::xml_node child = node.first_child();
  for (const Element& expected : rule.children) {
    int count = 0;
    for (; std::string(child.name()) == expected.name; child = child.next_sibling()) {
      ++count;
      expect_valid(child, expected);
    }
    EXPECT_TRUE(count >= expected.least && count <= expected.most)
        << rule.name << ": " << count << " " << expected.name;
  }
  EXPECT_FALSE(child) << rule.name << " has " << child.name() << " at a wrong place";
}

void expect_valid(const std::map<std::string, std::string>& entries) {
  const std::string guid = "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}";
  expect_valid(parsed(entries.at("bcf.version")).document_element(), kVersion);
  for (const auto& [name, text] : entries) {
    if (name == "bcf.version") continue;
    EXPECT_THAT(name, ::testing::MatchesRegex(guid + "/(markup\\.bcf|viewpoint\\.bcfv)"));
    EXPECT_TRUE(entries.contains(name.substr(0, 36) + "/markup.bcf"));
    const pugi::xml_document document = parsed(text);
    expect_valid(document.document_element(), name.ends_with(".bcf") ? kMarkup : kView);
    for (const pugi::xpath_node& node : document.select_nodes("//@Guid"))
      EXPECT_THAT(node.attribute().value(), ::testing::MatchesRegex(guid));
    for (const pugi::xpath_node& node : document.select_nodes("//Viewpoints/Viewpoint"))
      EXPECT_TRUE(entries.contains(name.substr(0, 37) + node.node().text().get()));
  }
}

TEST_F(ToolBcf, FollowsTheSchema) {
  // Names that could be ids of IFC, or that have no text.
  std::string text = workshop.text("assembly.obj");
  text.replace(text.find("o plate"), 7, "o 2O2Fr$t4X7Zf8NOew3FLOH");
  spill(workshop.folder() / "ifc.obj", text);
  workshop.run({"clash", "ifc.obj", "--clearance", "0.1", "--depth", "--volume", "--bcf", "o.bcf", "-q"});
  const auto all = entries("o.bcf");
  EXPECT_EQ(all.size(), 1 + 2 * 4u);
  expect_valid(all);
  workshop.run({"clash", "assembly.obj", "--pairs", "--bcf", "p.bcf", "-q"});
  expect_valid(entries("p.bcf"));
}

/// Two unit cubes that overlap by half, as 3MF in this unit; each coordinate times `size`.
std::string cubes(const std::string& unit, double size) {
  std::string objects;
  for (int id = 1; id <= 2; ++id) {
    objects += fmt::format("<object id=\"{}\"><mesh><vertices>", id);
    for (int i = 0; i < 8; ++i)
      objects += fmt::format("<vertex x=\"{}\" y=\"{}\" z=\"{}\"/>", size * ((i & 1) + (id - 1) * 0.5),
                             size * (i >> 1 & 1), size * (i >> 2));
    objects += "</vertices><triangles>";
    for (const char* t : {"021", "123", "456", "576", "014", "154", "263", "367", "042", "246", "135", "375"})
      objects += fmt::format("<triangle v1=\"{}\" v2=\"{}\" v3=\"{}\"/>", t[0], t[1], t[2]);
    objects += "</triangles></mesh></object>";
  }
  return fmt::format(
      "<model unit=\"{}\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\"><resources>{}</resources>"
      "<build><item objectid=\"1\"/><item objectid=\"2\"/></build></model>",
      unit, objects);
}

// The same thing in three units: the descriptions have the unit of the file, the viewpoints are in meters.
TEST_F(ToolBcf, ViewpointsAreInMeters) {
  const auto eye_and_text = [&](const std::string& file) {
    const Result result = workshop.run({"clash", file, "--depth", "--volume", "--bcf", "o.bcf"});
    std::pair<std::array<double, 3>, std::string> out;
    for (const auto& [name, text] : entries("o.bcf")) {
      const pugi::xml_document document = parsed(text);
      const pugi::xml_node at = document.child("VisualizationInfo").child("PerspectiveCamera").child("CameraViewPoint");
      if (name.ends_with(".bcfv"))
        out.first = {at.child("X").text().as_double(), at.child("Y").text().as_double(),
                     at.child("Z").text().as_double()};
      if (name.ends_with(".bcf"))
        out.second = document.child("Markup").child("Topic").child("Description").text().get();
    }
    const bool is_known = file.ends_with(".3mf");
    EXPECT_EQ(result.out.find("o.bcf is in meters; it takes a file unit as a meter") == std::string::npos, is_known);
    EXPECT_EQ(out.second.find("takes a file unit as a meter") == std::string::npos, is_known) << out.second;
    return out;
  };
  const auto save = [&](const std::string& name, const std::string& unit, double size) {
    int error = 0;
    zip_t* archive = zip_open((workshop.folder() / name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    const std::string model = cubes(unit, size);
    zip_file_add(archive, "3D/3dmodel.model", zip_source_buffer(archive, model.data(), model.size(), 0), 0);
    ASSERT_EQ(zip_close(archive), 0);
  };
  save("m.3mf", "meter", 1);
  save("mm.3mf", "millimeter", 1000);
  save("ft.3mf", "foot", 1 / 0.3048);
  const auto [meters, text] = eye_and_text("m.3mf");
  EXPECT_THAT(text, HasSubstr(" Depth: 0.5 m. Volume of the overlap: 0.5 m³. Place: 0.75, 0.5, 0.5 m."));
  EXPECT_THAT(eye_and_text("mm.3mf").second,
              HasSubstr(" Depth: 500 mm. Volume of the overlap: 5e+08 mm³. Place: 750, 500, 500 mm."));
  for (const char* other : {"mm.3mf", "ft.3mf"})
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(eye_and_text(other).first[static_cast<std::size_t>(axis)], meters[static_cast<std::size_t>(axis)],
                  1e-9)
          << other;
  EXPECT_THAT(eye_and_text("assembly.obj").second, HasSubstr(" file units. The files do not define one unit"));
}

TEST_F(ToolBcf, AClashWithinTheTolerance) {
  workshop.save("a.stl", sightline::scenes::box({0, 0, 0}, {1, 1, 1}));
  workshop.save("b.stl", sightline::scenes::box({0.875, 0.25, 0.25}, {2, 2, 2}));
  workshop.run({"clash", "a.stl", "b.stl", "--tolerance", "0.25", "--bcf", "o.bcf", "-q"});
  for (const auto& [name, text] : entries("o.bcf"))
    if (name.ends_with(".bcf")) {
      EXPECT_THAT(text, HasSubstr("a and b overlap, and the overlap is within the tolerance."));
    }
}

TEST_F(ToolBcf, ATopicForEachPair) {
  const Result result = workshop.run({"clash", "assembly.obj", "--clearance", "0.1", "--bcf", "o.bcf"});
  EXPECT_EQ(result.status, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wrote o.bcf in "));
  const auto all = entries("o.bcf");
  ASSERT_EQ(all.size(), 1 + 2 * 4u);
  EXPECT_EQ(std::string(parsed(all.at("bcf.version")).child("Version").attribute("VersionId").value()), "2.1");
  std::map<std::string, std::string> titles;  // and their type
  for (const auto& [name, text] : all) {
    if (!name.ends_with("/markup.bcf")) continue;
    const std::string id = name.substr(0, name.find('/'));
    EXPECT_THAT(id, ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    const pugi::xml_document document = parsed(text);
    const pugi::xml_node topic = document.child("Markup").child("Topic");
    EXPECT_EQ(id, topic.attribute("Guid").value());
    titles[topic.child("Title").text().get()] = topic.attribute("TopicType").value();
    // The order of the schema.
    std::vector<std::string> order;
    for (const pugi::xml_node child : topic.children()) order.push_back(child.name());
    EXPECT_EQ(order,
              (std::vector<std::string>{"Title", "Index", "Labels", "CreationDate", "CreationAuthor", "Description"}));
    EXPECT_EQ(std::string(document.child("Markup").child("Header").child("File").child("Filename").text().get()),
              "assembly.obj");

    const pugi::xml_document view = parsed(all.at(id + "/viewpoint.bcfv"));
    const pugi::xml_node info = view.child("VisualizationInfo");
    EXPECT_STREQ(info.attribute("Guid").value(),
                 document.child("Markup").child("Viewpoints").attribute("Guid").value());
    std::set<std::string> selected;
    for (const pugi::xml_node c : info.child("Components").child("Selection").children())
      selected.insert(c.child("AuthoringToolId").text().get());
    EXPECT_EQ(selected.size(), 2u);
    const auto vector = [&](const char* name) {
      const pugi::xml_node v = info.child("PerspectiveCamera").child(name);
      return std::array{v.child("X").text().as_double(), v.child("Y").text().as_double(),
                        v.child("Z").text().as_double()};
    };
    const auto d = vector("CameraDirection"), u = vector("CameraUpVector"), e = vector("CameraViewPoint");
    EXPECT_NEAR(d[0] * d[0] + d[1] * d[1] + d[2] * d[2], 1, 1e-12);
    EXPECT_NEAR(u[0] * u[0] + u[1] * u[1] + u[2] * u[2], 1, 1e-12);
    EXPECT_NEAR(d[0] * u[0] + d[1] * u[1] + d[2] * u[2], 0, 1e-12);
    EXPECT_GT(u[2], 0);
    EXPECT_GT(e[2], -20);
  }
  EXPECT_EQ(titles, (std::map<std::string, std::string>{{"plate and block: touch", "Issue"},
                                                        {"plate and pin: clash", "Clash"},
                                                        {"housing and ball: contains", "Issue"},
                                                        {"pin and ring: near", "Issue"}}));
}

// The camera of the clash looks at the contacts: its ray passes their middle.
TEST_F(ToolBcf, TheCameraLooksAtTheContacts) {
  workshop.save("a.stl", sightline::scenes::box({100, 0, 0}, {101, 1, 1}));
  workshop.save("b.stl", sightline::scenes::box({100.5, 0.5, 0.5}, {140, 2, 2}));
  workshop.run({"clash", "a.stl", "b.stl", "--bcf", "o.bcf", "-q"});
  for (const auto& [name, text] : entries("o.bcf")) {
    if (!name.ends_with(".bcfv")) continue;
    const pugi::xml_document view = parsed(text);
    const pugi::xml_node camera = view.child("VisualizationInfo").child("PerspectiveCamera");
    const double target[3] = {100.75, 0.75, 0.75};  // the box of the contacts
    const char* const axes[3] = {"X", "Y", "Z"};
    double along = 0, direction[3], offset[3];
    for (int k = 0; k < 3; ++k) {
      direction[k] = camera.child("CameraDirection").child(axes[k]).text().as_double();
      offset[k] = target[k] - camera.child("CameraViewPoint").child(axes[k]).text().as_double();
      along += direction[k] * offset[k];
    }
    EXPECT_GT(along, 0.5);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(offset[k], along * direction[k], 1e-9);
  }
}

TEST_F(ToolBcf, TheSameBytesEveryTime) {
  workshop.run({"clash", "assembly.obj", "--bcf", "a.bcf", "-q", "--threads", "1"});
  workshop.shell(
      "TZ=Asia/Tokyo $SIGHTLINE clash assembly.obj --bcf b.bcf -q --threads 2; sleep 2.1; $SIGHTLINE clash "
      "assembly.obj --bcf c.bcf -q");
  EXPECT_EQ(workshop.text("a.bcf"), workshop.text("b.bcf"));
  EXPECT_EQ(workshop.text("a.bcf"), workshop.text("c.bcf"));
  EXPECT_FALSE(workshop.text("a.bcf").empty());
  workshop.shell("SOURCE_DATE_EPOCH=86400 $SIGHTLINE clash assembly.obj --bcf d.bcf -q");
  EXPECT_THAT(workshop.text("d.bcf"), HasSubstr("<CreationDate>1970-01-02T00:00:00Z</CreationDate>"));
}

TEST_F(ToolBcf, NamesAreEscapedAndPairsAlone) {
  std::string text = workshop.text("assembly.obj");
  text.replace(text.find("o plate"), 7, "o <a>&\"\x01");
  spill(workshop.folder() / "odd.obj", text);
  const Result result = workshop.run({"clash", "odd.obj", "--pairs", "--bcf", "o.bcf"});
  EXPECT_EQ(result.status, 1) << result.err;
  bool found = false;
  for (const auto& [name, contents] : entries("o.bcf"))
    if (name.ends_with("markup.bcf"))
      found |= std::string(parsed(contents).child("Markup").child("Topic").child("Title").text().get()) ==
               "<a>&\"\xEF\xBF\xBD and pin: clash";
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace testing_support
