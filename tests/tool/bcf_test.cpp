// --bcf: the archive as a BIM program reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

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
