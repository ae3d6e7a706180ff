// Labels, patterns and groups of names; pairs over time.
#include "report/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <set>

#include "report/timeline.h"

namespace {

using namespace sightline;
using ::testing::ElementsAre;

std::vector<report::Part> parts_of(std::initializer_list<std::pair<const char*, const char*>> list) {
  std::vector<report::Part> parts;
  for (const auto& [file, name] : list) parts.push_back({.file = file, .name = name, .mesh = {}, .facts = {}});
  return parts;
}

TEST(Labels, NamesFilesAndNumbers) {
  EXPECT_THAT(report::labels(parts_of({{"a", "x"}, {"a", "y"}})), ElementsAre("x", "y"));
  EXPECT_THAT(report::labels(parts_of({{"a", "x"}, {"b", "x"}, {"b", "y"}})), ElementsAre("a:x", "b:x", "y"));
  EXPECT_THAT(report::labels(parts_of({{"a", "x"}, {"a", "x"}, {"b", "x"}})), ElementsAre("x #0", "x #1", "b:x"));
  EXPECT_THAT(report::labels(parts_of({{"a", ""}, {"a", "x"}})), ElementsAre("a:", "x"));
}

// Names that look like labels: still no two alike, and a name that only one part has stays as it is.
TEST(Labels, AreUnique) {
  std::mt19937 random(7);
  const char* const names[] = {"x", "x #0", "x #1", "a:x", "a:x #2", "", "x #1 #1"};
  const char* const files[] = {"a", "b", "a:x"};
  for (int round = 0; round < 2000; ++round) {
    std::vector<report::Part> parts;
    for (std::size_t i = 0, count = 1 + random() % 7; i < count; ++i)
      parts.push_back({.file = files[random() % 3], .name = names[random() % 7], .mesh = {}, .facts = {}});
    const std::vector<std::string> labels = report::labels(parts);
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto same =
          std::count_if(parts.begin(), parts.end(), [&](const report::Part& p) { return p.name == parts[i].name; });
      if (same == 1 && !parts[i].name.empty()) EXPECT_EQ(labels[i], parts[i].name);
    }
  }
}

TEST(Labels, OfBytesThatAreNotUtf8) {
  EXPECT_THAT(report::labels(parts_of({{"a", "x\xff"}, {"a", "x\xfe"}})), ElementsAre("x\xff #0", "x\xfe #1"));
}

TEST(Labels, OneAfterTheOther) {
  report::LabelsInOrder order;
  std::vector<std::string> labels;
  for (const report::Part& part :
       parts_of({{"a", "x"}, {"b", "x"}, {"b", "x"}, {"b", "x #2"}, {"a", "y"}, {"a", ""}, {"a", "b:x"}}))
    labels.push_back(order.next(part));
  EXPECT_THAT(labels, ElementsAre("x", "b:x", "x #2", "b:x #2", "y", "a:", "a:b:x"));
}

// Against std::regex, over all short texts of two letters.
TEST(Patterns, FitWhatRegularExpressionsFit) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string pattern, expression, name;
    for (std::size_t i = 0, count = random() % 7; i < count; ++i) {
      const char c = "ab*?|"[random() % 5];
      pattern += c;
      expression += c == '*' ? ".*" : c == '?' ? "." : std::string(1, c);
    }
    for (std::size_t i = 0, count = random() % 6; i < count; ++i) name += "ab"[random() % 2];
    EXPECT_EQ(report::fits(pattern, name), std::regex_match(name, std::regex("(" + expression + ")")))
        << pattern << " " << name;
  }
}

TEST(Patterns, UnusualNames) {
  EXPECT_TRUE(report::fits("a*b", "a*b"));
  EXPECT_TRUE(report::fits("a|b", "a|b")) << "a name is a pattern for itself";
  EXPECT_TRUE(report::fits("T?r", "T\xC3\xBCr")) << "a character of two bytes";
  EXPECT_FALSE(report::fits("T??r", "T\xC3\xBCr"));
  EXPECT_TRUE(report::fits("*", ""));
  EXPECT_FALSE(report::fits("?", ""));
  const std::string many(300, 'a');
  EXPECT_FALSE(report::fits("*a*a*a*a*a*a*a*a*b", many)) << "and not after hours";
}

TEST(Groups, NumbersBecomeStars) {
  EXPECT_EQ(report::group_of("bolt_012"), "bolt_*");
  EXPECT_EQ(report::group_of("M8x20"), "M*x*");
  EXPECT_EQ(report::group_of("plate"), "plate");
  EXPECT_EQ(report::group_of("7"), "*");
  for (const char* name : {"bolt_012", "M8x20", "plate", "7", "a #3"})
    EXPECT_TRUE(report::fits(report::group_of(name), name)) << name;
}

TEST(Timeline, RunsAndWorstFrames) {
  EXPECT_EQ(report::runs_of({3, 4, 5, 9, 11, 12}), "3 to 5, 9, 11 to 12");
  EXPECT_EQ(report::runs_of({1, 3, 5, 7, 9}, 2), "1, 3, …");
  EXPECT_EQ(report::runs_of({}), "");
  report::Timeline timeline;
  const auto pair = [](Relation relation, std::uint64_t contacts, double gap) {
    return report::FramePair{.a = "b", .b = "a", .relation = relation, .contacts = contacts, .gap = gap};
  };
  timeline.add({.label = "0", .pairs = {pair(Relation::near, 0, 0.5)}});
  timeline.add({.label = "1", .pairs = {pair(Relation::near, 0, 0.25)}});
  timeline.add({.label = "2", .error = "lost"});
  timeline.add({.label = "3", .pairs = {pair(Relation::near, 0, 0.25)}});
  ASSERT_EQ(timeline.pairs().size(), 1u);
  EXPECT_EQ(timeline.pairs()[0].worst_frame, 1u) << "the first of equal gaps";
  timeline.add({.label = "4", .pairs = {pair(Relation::touch, 9, 0)}});
  timeline.add({.label = "5", .pairs = {pair(Relation::clash, 2, 0)}});
  timeline.add({.label = "6", .pairs = {pair(Relation::clash, 7, 0)}});
  timeline.add({.label = "7", .pairs = {pair(Relation::clash, 7, 0)}});
  EXPECT_EQ(timeline.pairs()[0].worst_frame, 6u);
  EXPECT_THAT(timeline.pairs()[0].frames, ElementsAre(0, 1, 3, 4, 5, 6, 7));
}

}  // namespace
