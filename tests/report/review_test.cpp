// Reviews in pages: what --ignore and --baseline read from a page that was saved.
#include "report/review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/ignore.h"
#include "report/temporary_folder.h"

namespace {

using namespace sightline;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::spill;
using testing_support::TemporaryFolder;

constexpr const char* kHeader = "name_a,name_b,part_a,part_b,label_a,label_b,relation,status,comment\r\n";

std::string page_with(const std::string& rows) {
  // The program itself has the beginning of the element in its text, after it.
  return "<!doctype html>\n<html lang=\"en\"><head></head><body>\n<pre id=\"review\" hidden>\n# sightline review "
         "1\r\n" +
         std::string(kHeader) + rows +
         "</pre>\n<script>x(`<pre id=\"review\" hidden>\\n${y}</pre>`)</script></body></html>\n";
}

std::vector<report::Part> parts_named(std::initializer_list<const char*> names) {
  std::vector<report::Part> parts;
  for (const char* name : names) parts.push_back({.file = "f.obj", .name = name, .mesh = {}, .facts = {}});
  return parts;
}

template <typename Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Review, OnlyAcceptedPairsAreIgnored) {
  const TemporaryFolder folder;
  spill(folder / "p.html", page_with("plate,pin,0,1,plate,pin,clash,accepted,\"ok, &#60;b&#62; &#38;#60;\"\r\n"
                                     "plate,,0,2,plate,bolt,clash,open,\r\n,,2,3,bolt,bolt,touch,accepted,\r\n"));
  report::IgnoreList list(folder / "p.html");
  const auto parts = parts_named({"plate", "pin", "bolt", "bolt"});
  list.begin(parts);
  EXPECT_EQ(list.size(), 2u);
  EXPECT_TRUE(list.ignores_pair(0, 1));
  EXPECT_FALSE(list.ignores_pair(0, 2));
  EXPECT_TRUE(list.ignores_pair(2, 3));  // by number: two parts have this name
  EXPECT_FALSE(list.ignores_pair(0, 3));
}

TEST(Review, AnExportedListIsReadInTheSameWay) {
  const TemporaryFolder folder;
  spill(folder / "l.csv", "name_a,name_b,relation,status\nplate,pin,clash,accepted\nplate,bolt,clash,to fix\n");
  report::IgnoreList list(folder / "l.csv");
  EXPECT_EQ(list.size(), 1u);
  // A list with statuses of its own, and no relations, keeps its meaning.
  spill(folder / "own.csv", "name_a,name_b,status\nplate,pin,known\nplate,bolt,seen\n");
  EXPECT_EQ(report::IgnoreList(folder / "own.csv").size(), 2u);
}

TEST(Review, PairsOfAPageAreABaseline) {
  const TemporaryFolder folder;
  spill(
      folder / "p.html",
      page_with("plate,,0,1,plate,bolt,clash,open,\r\n,,1,2,bolt,bolt,touch,accepted,\r\n,,2,2,bolt,bolt,,open,\r\n"));
  report::Baseline baseline(folder / "p.html", "clash");
  EXPECT_THAT(baseline.old().parts, ElementsAre("plate", "bolt", "bolt"));
  const auto parts = parts_named({"bolt", "plate", "bolt", "new"});  // in another order, and with another part
  baseline.add_parts(parts);
  const std::vector<PartPair> pairs = {{.a = 0, .b = 1, .relation = Relation::clash},
                                       {.a = 0, .b = 2, .relation = Relation::clash},
                                       {.a = 1, .b = 3, .relation = Relation::touch}};
  const report::Comparison found = baseline.compare({parts, {}}, {}, pairs);
  EXPECT_THAT(found.pair_is_new, ElementsAre(false, true, true));  // the second one was a touch
  EXPECT_EQ(found.pairs_added, 2u);
  EXPECT_EQ(found.added, 0u);
  EXPECT_NE(error_of([&] { report::Baseline(folder / "p.html", "check"); }), "");
}

TEST(Review, ContactsOfPairsThatStayedAreNotNew) {
  const TemporaryFolder folder;
  spill(folder / "p.html", page_with("a,b,0,1,a,b,clash,open,\r\n"));
  report::Baseline baseline(folder / "p.html", "clash");
  Mesh mesh;
  mesh.positions = std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, -1}, {0.3, 0.2, 1}, {0.2, 0.3, 1}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  auto parts = parts_named({"a", "b", "c"});
  for (report::Part& part : parts) part.mesh = mesh;
  baseline.add_parts(parts);
  const std::vector<PartPair> pairs = {{.a = 0, .b = 1, .relation = Relation::clash},
                                       {.a = 0, .b = 2, .relation = Relation::clash}};
  const std::vector<Contact> contacts = {{.object_a = 0, .object_b = 1, .a = 0, .b = 1},
                                         {.object_a = 0, .object_b = 2, .a = 0, .b = 1}};
  const report::Comparison found = baseline.compare({parts, contacts}, {}, pairs);
  EXPECT_THAT(found.is_new, ElementsAre(false, true));
  EXPECT_EQ(found.added, 1u);
  EXPECT_EQ(found.stayed, 1u);
}

TEST(Review, BadPagesAreErrorsWithTheReason) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) {
    spill(folder / "p.html", text);
    return error_of([&] { report::IgnoreList list(folder / "p.html"); });
  };
  const auto baseline_error = [&](const std::string& text) {
    spill(folder / "p.html", text);
    return error_of([&] { report::Baseline baseline(folder / "p.html", "clash"); });
  };
  EXPECT_THAT(error("<!doctype html>\n<script>x(`<pre id=\"review\" hidden>\\n${y}`)</script>"),
              HasSubstr("is a page without a review"));
  std::string cut = page_with("");
  cut.resize(cut.find("</pre>"));
  EXPECT_THAT(error(cut), HasSubstr("is a page without a review"));
  EXPECT_THAT(baseline_error(page_with("a,b,0,4294967296,a,b,clash,open,\r\n")),
              HasSubstr("'4294967296' is not the number of a part"));
  EXPECT_THAT(baseline_error(page_with("a,b,x,1,a,b,clash,open,\r\n")), HasSubstr("'x' is not the number of a part"));
  EXPECT_THAT(baseline_error(page_with("a,b,0,1,a,b,kiss,open,\r\n")), HasSubstr("'kiss' is not a relation"));
}

}  // namespace
