// Formats for other programs: names cannot break out of them.
#include "report/formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "report/bcf.h"
#include "report/sample.h"
#include "report/temporary_folder.h"

namespace {

using namespace sightline::report;
using ::testing::HasSubstr;

const std::string kHostile = "a\"b'<c>&d\n::error::x,y:z%0A\r\x1b[31m\xff]]>\x01 \xEF\xBF\xBF ü";

std::vector<Finding> sample() {
  return {{.result = Finding::Result::passed,
           .file = "clean.stl",
           .name = "clean",
           .message = {},
           .details = {},
           .milliseconds = 12},
          {.result = Finding::Result::failed,
           .file = kHostile,
           .name = kHostile,
           .message = kHostile,
           .details = {kHostile, "second"},
           .milliseconds = 3},
          {.result = Finding::Result::error,
           .file = "broken.stl",
           .name = "broken",
           .message = "cannot read",
           .details = {}}};
}

std::string github(const std::vector<Finding>& findings) {
  Buffer text;
  append_github(text, findings);
  return {text.data(), text.size()};
}

TEST(Github, OneLineForEachThatDidNotPass) {
  const std::string text = github(sample());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("::error file=broken.stl,title=broken::cannot read\n"));
  // In the first line the properties end at the third "::".
  const std::string line = text.substr(0, text.find('\n'));
  ASSERT_TRUE(line.starts_with("::error file="));
  const std::string properties = line.substr(2, line.find("::", 2) - 2);
  EXPECT_EQ(std::count(properties.begin(), properties.end(), ','), 1);
  EXPECT_EQ(properties.find(':'), std::string::npos);
  EXPECT_THAT(properties, HasSubstr("%250A"));
  EXPECT_THAT(line, HasSubstr("%0Asecond"));
  EXPECT_EQ(github({}), "");
}

TEST(Junit, ReadsBackAsXml) {
  Buffer text;
  append_junit(text, "sightline \"check\" <&>", sample());
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  ASSERT_TRUE(result) << result.description() << " at " << result.offset;
  const pugi::xml_node suites = document.child("testsuites"), suite = suites.child("testsuite");
  EXPECT_STREQ(suite.attribute("name").value(), "sightline \"check\" <&>");
  EXPECT_EQ(suite.attribute("tests").as_int(), 3);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_EQ(suite.attribute("time").as_string(), std::string("0.015"));
  std::vector<pugi::xml_node> cases(suite.children("testcase").begin(), suite.children("testcase").end());
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_FALSE(cases[0].first_child());
  const std::string expected =
      "a\"b'<c>&d\n::error::x,y:z%0A\r\xEF\xBF\xBD[31m\xEF\xBF\xBD]]>\xEF\xBF\xBD \xEF\xBF\xBD ü";
  EXPECT_EQ(cases[1].attribute("name").value(), expected);
  EXPECT_EQ(cases[1].child("failure").attribute("message").value(), expected);
  std::string text_of_failure = "\n" + expected + "\nsecond";
  std::ranges::replace(text_of_failure, '\r', '\n');  // as XML reads line ends in text
  EXPECT_EQ(cases[1].child("failure").text().get(), text_of_failure);
  EXPECT_STREQ(cases[2].child("error").attribute("message").value(), "cannot read");
  // XML 1.0 has no place for control characters, not even as references.
  const std::string all(text.data(), text.size());
  for (const char c : all) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r');
  EXPECT_EQ(all.find("&#1;"), std::string::npos);
}

TEST(Bcf, ProgressCountsContactsAndPairs) {
  const testing_support::Sample sample;
  const std::vector<sightline::Contact> contacts(10'000, sample.report.contacts.front());
  const std::vector<std::string> labels = {"a", "b"};
  const std::vector<sightline::PartPair> pairs = {{.a = 0, .b = 1, .relation = sightline::Relation::clash}};
  const BcfInput input = {.parts = sample.parts, .labels = labels, .pairs = pairs, .contacts = contacts, .author = "x"};
  const testing_support::TemporaryFolder folder;
  std::uint64_t items = 0;
  WriteOptions options{.progress = [&](std::uint64_t more) { items += more; }};
  Output output(folder / "a.bcf");
  write_bcf(output, input, options);
  EXPECT_EQ(items, 2u * 4096 + 1) << "in blocks of 4096 contacts";
  options.cancel = [] { return true; };
  EXPECT_THROW(write_bcf(output, input, options), Cancelled);
}

}  // namespace
