#include <zip.h>

#include "read/file.h"
#include "read/files.h"
#include "read/read_memory.h"

namespace sightline::test {
namespace {

const std::string kTetra = R"(<vertices><vertex x="0.1" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="1" z="0"/><vertex x="0" y="0" z="1"/></vertices>
<triangles><triangle v1="0" v2="2" v3="1"/><triangle v1="0" v2="1" v3="3"/></triangles>)";

std::string model(const std::string& resources, const std::string& build, const std::string& attributes = "") {
  return R"(<?xml version="1.0" encoding="UTF-8"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02" )" + attributes +
         "><resources>" + resources + "</resources><build>" + build + "</build></model>";
}
std::string object(const std::string& id, const std::string& name, const std::string& mesh) {
  return "<object id=\"" + id + "\" name=\"" + name + "\" type=\"model\"><mesh>" + mesh + "</mesh></object>";
}
const std::string kOneBox = model(object("1", "box", kTetra), R"(<item objectid="1"/>)");

class ThreeMf : public ReadTest {
 protected:
  using Entries = std::vector<std::pair<std::string, std::string>>;
  std::filesystem::path pack(const Entries& entries) const {
    const std::filesystem::path path = folder_.path() / "a.3mf";
    std::filesystem::remove(path);
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const auto& [name, text] : entries) zip_file_add(archive, name.c_str(), zip_source_buffer(archive, text.data(), text.size(), 0), 0);
    EXPECT_EQ(zip_close(archive), 0);
    return path;
  }
  std::filesystem::path pack(const std::string& text) const { return pack(Entries{{"3D/3dmodel.model", text}}); }
  std::string error_in(const std::string& text) const { return error_of(pack(text)); }
};

TEST_F(ThreeMf, OneObject) {
  const Mesh m = read_mesh(pack(kOneBox));
  EXPECT_EQ(m.name, "box");
  EXPECT_FALSE(is_float(m));
  EXPECT_EQ(points(m)[0], (Vec3d{0.1, 0, 0}));
  EXPECT_EQ(m.triangles, (Triangles{{0, 2, 1}, {0, 1, 3}}));
}

TEST_F(ThreeMf, ComponentsAndItemsArePlaced) {
  const std::string text = model(object("1", "bolt &amp; nut", kTetra) +
                                     R"(<object id="2"><components><component objectid="1" transform="0 1 0 -1 0 0 0 0 1 10 0 0"/><component objectid="1"/></components></object>)" + object("3", "unused", kTetra),
                                 R"(<item objectid="2" transform="2 0 0 0 2 0 0 0 2 0 0 1"/><item objectid="1"/>)");
  const Assembly assembly = read_assembly(pack(text));
  EXPECT_EQ(assembly.meshes.size(), 1u);  // shared
  EXPECT_EQ(assembly.unit, "millimeter");  // by default
  const std::vector<Mesh> all = expanded(assembly);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].name, "bolt & nut");
  EXPECT_EQ(read_mesh(pack(text)).triangles.size(), 6u);
  EXPECT_EQ(points(all[0])[2], (Vec3d{20, 2, 1}));   // (1,0,0) turned to (0,1,0), moved to (10,1,0), doubled, raised
  EXPECT_EQ(points(all[1])[2], (Vec3d{2, 0, 1}));
  EXPECT_EQ(points(all[2])[2], (Vec3d{1, 0, 0}));
}

TEST_F(ThreeMf, RelationshipsAndProductionPaths) {
  const std::string root = R"(<model xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06" requiredextensions="p"><resources/><build><item objectid="1" p:path="/3D/parts/x.model"/></build></model>)";
  const std::vector<Mesh> all = read_assembly(pack({{"_rels/.rels", R"(<Relationships><Relationship Target="/3D/main.model" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>)"},
                                                    {"3D/main.model", root}, {"3D/parts/x.model", kOneBox}})).meshes;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "box");
}

TEST_F(ThreeMf, BadValues) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kOneBox;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(error_in(with("0.1", "nan")), "a.3mf: object \"1\": vertex 0: x \"nan\" is not a finite number");
  EXPECT_EQ(error_in(with("0.1", "1e999")), "a.3mf: object \"1\": vertex 0: x \"1e999\" is too large for a double");
  EXPECT_EQ(error_in(with("x=\"0.1\"", "")), "a.3mf: object \"1\": vertex 0: x \"\" is not a number");
  EXPECT_EQ(error_in(with("v3=\"3\"", "v3=\"4\"")), "a.3mf: object \"1\": triangle 1: vertex index \"4\" is out of range; there are 4 vertices");
  EXPECT_EQ(error_in(with("v3=\"3\"", "v3=\"-1\"")), "a.3mf: object \"1\": triangle 1: v3 \"-1\" is not a vertex index");
  EXPECT_EQ(error_in(with("v3=\"3\"", "v3=\"99999999999\"")), "a.3mf: object \"1\": triangle 1: vertex index \"99999999999\" is out of range; there are 4 vertices");
  EXPECT_EQ(error_in(with("objectid=\"1\"", "objectid=\"8\"")), "a.3mf: build item 0: there is no object \"8\" in \"3D/3dmodel.model\"");
  EXPECT_EQ(error_in(with("objectid=\"1\"", "objectid=\"1\" transform=\"1 0\"")), "a.3mf: build item 0: transform: \"\" is not a number");
  EXPECT_EQ(error_in(with("</model>", "")), "a.3mf: \"3D/3dmodel.model\" byte 467: not valid XML: Start-end tags mismatch");
  EXPECT_EQ(error_in(model(object("1", "", kTetra), "")), "a.3mf: the file has no triangles");
  EXPECT_EQ(error_in(model("", "", R"(xmlns:b="http://x/beamlattice/2017" requiredextensions="b")")),
            "a.3mf: \"3D/3dmodel.model\": the required extension \"b\" (\"http://x/beamlattice/2017\") is not supported: it is a beam lattice: "
            "bars between points, without triangles; export the model with its beams as a mesh");
  EXPECT_EQ(error_of(pack({{"x", "y"}})), "a.3mf: \"3D/3dmodel.model\": the archive has no such entry");
  EXPECT_EQ(error("b.3mf", "PK\x03\x04 and no more"), "b.3mf: not a zip archive: Not a zip archive");
}

TEST_F(ThreeMf, CyclesAndDoublingComponents) {
  const std::string cycle = R"(<object id="1"><components><component objectid="1"/></components></object>)";
  EXPECT_EQ(error_in(model(cycle, R"(<item objectid="1"/>)")), "a.3mf: object \"1\": components deeper than 64: a cycle?");
  std::string doubling = object("0", "", kTetra);
  for (int i = 1; i < 60; ++i) {
    const std::string component = "<component objectid=\"" + std::to_string(i - 1) + "\"/>";
    doubling += "<object id=\"" + std::to_string(i) + "\"><components>" + component + component + "</components></object>";
  }
  const read::FileBytes bytes = read::load_file(pack(model(doubling, R"(<item objectid="59"/>)")));
  read::Source source{.bytes = bytes.span(), .file = "a.3mf", .stem = "a"};
  source.limits.instanced = 10'000;
  EXPECT_THROW(
      try { read::read_model(source, read::Format::three_mf); } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("components"), std::string::npos) << error.what();
        throw;
      },
      Error);
}

TEST_F(ThreeMf, ManyItemsOfAnObjectFullOfNothing) {
  std::string junk, items;
  for (int i = 0; i < 20'000; ++i) junk += "<a/>", items += "<item objectid=\"1\"/>";
  const read::FileBytes bytes = read::load_file(pack(model("<object id=\"1\"><mesh><vertices>" + junk + "</vertices></mesh></object>", items)));
  read::Source source{.bytes = bytes.span(), .file = "a.3mf", .stem = "a"};
  source.limits.instanced = 10'000;
  EXPECT_THROW(read::read_model(source, read::Format::three_mf), Error);
}

TEST_F(ThreeMf, Bombs) {
  const std::string text = error_in(kOneBox + std::string(100'000'000, ' '));
  EXPECT_NE(text.find("inflates to more than"), std::string::npos) << text;
  std::string entities = "<?xml version=\"1.0\"?><!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\">";
  for (char c = 'b'; c < 'l'; ++c) entities += std::string("<!ENTITY ") + c + " \"" + [&] { std::string s; for (int i = 0; i < 10; ++i) s += std::string("&") + char(c - 1) + ";"; return s; }() + "\">";
  entities += "]>" + model(object("1", "&k;", kTetra), R"(<item objectid="1"/>)").substr(38);
  EXPECT_EQ(read_mesh(pack(entities)).name, "&k;");
  const std::string deep = "<model>" + [] { std::string s; for (int i = 0; i < 500'000; ++i) s += "<a>"; return s; }();
  EXPECT_NE(error_in(deep).find("not valid XML"), std::string::npos);
}

}  // namespace
}  // namespace sightline::test
