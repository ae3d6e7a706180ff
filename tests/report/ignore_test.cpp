// Ignore lists: the CSV reader, what an entry names, and the report of entries that match nothing.
#include "report/ignore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/csv.h"
#include "report/temporary_folder.h"

namespace {

using namespace sightline;
using report::IgnoreList;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing_support::spill;
using testing_support::TemporaryFolder;

std::string list_error(const std::string& csv) {
  const TemporaryFolder folder;
  spill(folder / "l.csv", csv);
  try {
    IgnoreList list(folder / "l.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Listed {
  explicit Listed(const std::string& csv) {
    spill(folder / "l.csv", csv);
    list.emplace(folder / "l.csv");
    for (const char* name : {"plate", "pin", "a,\"b\"\nc", "pin", "\xff"})
      parts.push_back({.file = "f.obj", .name = name, .mesh = {}, .facts = {}});
    list->begin(parts);
  }
  bool ignores(std::uint32_t pa, std::uint32_t pb, std::uint32_t a, std::uint32_t b) {
    return list->ignores({.object_a = pa, .object_b = pb, .a = a, .b = b});
  }
  TemporaryFolder folder;
  std::optional<IgnoreList> list;
  std::vector<report::Part> parts;
};

TEST(CsvRead, CellsQuotesAndLines) {
  const report::CsvTable table = report::parse_csv(
      "\xEF\xBB\xBFname_a,x\r\n# a remark, with \"quotes\nplain,1\n\n\"with, \"\"quotes\"\"\nand a "
      "line\",2\r\nshort\n,\nlast,3",
      "f");
  EXPECT_THAT(table.header, ElementsAre("name_a", "x"));
  ASSERT_EQ(table.rows.size(), 5u);
  EXPECT_EQ(table.rows[0].line, 3u);
  EXPECT_THAT(table.rows[1].cells, ElementsAre("with, \"quotes\"\nand a line", "2"));
  EXPECT_EQ(table.rows[1].line, 5u);
  EXPECT_THAT(table.rows[2].cells, ElementsAre("short", ""));
  EXPECT_EQ(table.rows[2].line, 7u);
  EXPECT_THAT(table.rows[4].cells, ElementsAre("last", "3"));
  EXPECT_EQ(table.column("x"), 1);
  EXPECT_EQ(table.column("y"), -1);
}

TEST(CsvRead, MistakesNameTheirLine) {
  EXPECT_THAT(list_error(""), HasSubstr("no header"));
  EXPECT_THAT(list_error("# only a remark\n"), HasSubstr("no header"));
  EXPECT_THAT(list_error("name_a,name_b\nx,\"y\n\n"), HasSubstr("l.csv:2: a quote that does not end"));
  EXPECT_THAT(list_error("name_a,name_b\nx,\"y\"z\n"), HasSubstr("l.csv:2: text after the closing quote"));
  EXPECT_THAT(list_error("name_a,name_b\nx,y\nx,y,z\n"), HasSubstr("l.csv:3: 3 cells; the header has 2"));
}

TEST(IgnoreList, MistakesInEntries) {
  EXPECT_THAT(list_error("a,b\nx,y\n"), HasSubstr("the header needs name_a and name_b"));
  EXPECT_THAT(list_error("a;b\nx;y\n"), HasSubstr("it is 'a;b'"));
  EXPECT_THAT(list_error("part_a,part_b\n0,one\n"), HasSubstr("l.csv:2: part_b 'one' is not a number"));
  EXPECT_THAT(list_error("part_a,part_b,triangle_a,triangle_b\n0,1,-3,5\n"),
              HasSubstr("triangle_a '-3' is not a number"));
  EXPECT_THAT(list_error("part_a,part_b,triangle_a,triangle_b\n0,1,99999999999,5\n"), HasSubstr("is not a number"));
  EXPECT_THAT(list_error("name_a,name_b\n*,\n"), HasSubstr("would ignore everything"));
  try {
    IgnoreList list("/no/such/list.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/list.csv: cannot read: No such file"));
  }
  EXPECT_THROW(IgnoreList("/tmp"), Error);
}

TEST(IgnoreList, PairsByNameInEitherOrder) {
  Listed l("name_a,name_b\npin,plate\n");
  EXPECT_TRUE(l.ignores(0, 1, 5, 6));
  EXPECT_TRUE(l.ignores(0, 3, 5, 6)) << "every part of that name";
  EXPECT_FALSE(l.ignores(1, 3, 5, 6));
  EXPECT_FALSE(l.ignores(0, 2, 5, 6));
  EXPECT_FALSE(l.ignores(0, 0, 5, 6));
  EXPECT_TRUE(l.list->ignores_pair(0, 1));
  EXPECT_FALSE(l.list->ignores_pair(0, 2));
  EXPECT_TRUE(l.list->warnings().empty());
}

TEST(IgnoreList, DifficultNames) {
  Listed l("name_a,name_b\n\"a,\"\"b\"\"\nc\",\xEF\xBF\xBD\n");
  EXPECT_TRUE(l.ignores(2, 4, 0, 0));
  EXPECT_FALSE(l.ignores(2, 3, 0, 0));
}

TEST(IgnoreList, PartsByNumber) {
  Listed l("part_a,part_b\n3,0\n");
  EXPECT_TRUE(l.ignores(0, 3, 1, 2));
  EXPECT_FALSE(l.ignores(0, 1, 1, 2));
  l.list->begin(l.parts, 3);  // now they are the parts 3 … 7
  EXPECT_FALSE(l.ignores(0, 3, 1, 2));
}

TEST(IgnoreList, ALabelIsMoreThanANumber) {
  Listed l("part_a,part_b,name_a,name_b\n0,2,plate,pin #1\n");  // as the contacts file has it, of another assembly
  EXPECT_TRUE(l.ignores(0, 1, 0, 0));
  EXPECT_FALSE(l.ignores(0, 2, 0, 0));
  EXPECT_FALSE(l.ignores(0, 3, 0, 0));
}

// It is open which of the two was meant when there was one.
TEST(IgnoreList, ANameOfTwoPartsIsNoLabel) {
  Listed l("part_a,part_b,name_a,name_b\n0,1,plate,pin\n");
  for (const std::uint32_t part : {1u, 2u, 3u}) EXPECT_FALSE(l.ignores(0, part, 0, 0)) << part;
  EXPECT_THAT(l.list->warnings(), ElementsAre(HasSubstr("matches nothing")));
}

TEST(IgnoreList, LabelsAreNoPatterns) {
  for (const char* name : {"p*", "*", "?late", "plate|x", "**"}) {
    Listed l(std::string("part_a,part_b,name_a,name_b\n0,1,") + name + ",pin #1\n");
    EXPECT_FALSE(l.ignores(0, 1, 0, 0)) << name;
    l.parts[0].name = name;
    l.list->begin(l.parts);
    EXPECT_TRUE(l.ignores(0, 1, 0, 0)) << name;
    EXPECT_FALSE(l.ignores(2, 1, 0, 0)) << name;
    Listed person(std::string("name_a,name_b\n") + name + ",pin #1\n");
    EXPECT_TRUE(person.ignores(0, 1, 0, 0)) << name;
  }
}

// A list that a page exports has an apostrophe before what a spreadsheet would take as a formula.
TEST(IgnoreList, TextsForSpreadsheets) {
  const std::string row = "0,1,'=1+2,''x,clash,accepted\n";
  Listed l("part_a,part_b,name_a,name_b,relation,status\n" + row);
  l.parts[0].name = "=1+2";
  l.parts[1].name = "'x";
  l.list->begin(l.parts);
  EXPECT_TRUE(l.ignores(0, 1, 0, 0));
  Listed review("part_a,part_b,name_a,name_b,relation,status,label_a,label_b\n" + row);
  review.parts = l.parts;
  review.list->begin(l.parts);
  EXPECT_FALSE(review.ignores(0, 1, 0, 0)) << "the review in a page has the names as they are";
}

TEST(IgnoreList, Triangles) {
  Listed l("name_a,triangle_a,name_b,triangle_b,kind\nplate,7,pin,9,crossing\nplate,8,,\n");
  EXPECT_TRUE(l.ignores(0, 1, 7, 9));
  EXPECT_FALSE(l.ignores(0, 1, 9, 7)) << "the numbers belong to their parts";
  EXPECT_TRUE(l.ignores(0, 2, 8, 5)) << "whatever it meets";
  EXPECT_TRUE(l.ignores(0, 0, 5, 8)) << "on either side";
  EXPECT_FALSE(l.ignores(1, 3, 8, 8));
  EXPECT_FALSE(l.list->ignores_pair(0, 1)) << "an entry with triangles is not for the pair";
}

TEST(IgnoreList, TrianglesAlone) {
  Listed l("triangle_a,triangle_b\n7,9\n");
  EXPECT_TRUE(l.ignores(0, 0, 7, 9));
  EXPECT_TRUE(l.ignores(1, 1, 9, 7));
  EXPECT_FALSE(l.ignores(1, 1, 7, 8));
}

TEST(IgnoreList, EntriesThatMatchNothingAreTold) {
  Listed l("name_a,name_b\nplate,pin\nplate,wheel\n\nx,y\n");
  EXPECT_THAT(l.list->warnings(), ElementsAre(HasSubstr("matches nothing: none of its 3 entries")));
  l.ignores(0, 1, 0, 0);
  EXPECT_THAT(l.list->warnings(), ElementsAre(HasSubstr("l.csv:3: this entry matches nothing: plate,wheel"),
                                              HasSubstr("l.csv:5: this entry matches nothing: x,y")));
  EXPECT_THAT(l.list->unused_lines(), ElementsAre(3u, 5u));
  std::string many = "name_a,name_b\nplate,pin\n";
  for (int i = 0; i < 30; ++i) many += "a,b\n";
  Listed m(many);
  m.ignores(0, 1, 0, 0);
  EXPECT_EQ(m.list->warnings().size(), 11u);
  EXPECT_THAT(m.list->warnings().back(), HasSubstr("and 20 more"));
  EXPECT_THAT(Listed("name_a,name_b\n").list->warnings(), ElementsAre(HasSubstr("has no entries")));
}

}  // namespace
