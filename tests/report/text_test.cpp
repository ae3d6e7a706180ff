#include "report/names.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sightline::report {
namespace {

std::string json_text(std::string_view value) {
  Buffer text;
  append_json(text, value);
  return fmt::to_string(text);
}

std::string csv(std::string_view value) {
  Buffer text;
  append_csv(text, value);
  return fmt::to_string(text);
}

TEST(ReportText, JsonStringsReadBack) {
  const std::string all_ascii = [] {
    std::string text;
    for (char c = 0; c < 127; ++c) text += c;
    return text + '\x7f';
  }();
  for (const std::string& value : {std::string(), std::string("plain"), std::string("a\"b\\c/\n\t\r"), all_ascii,
                                   std::string("Zahnräder 齿轮 🦷"), std::string("\u2028\u202e")})
    EXPECT_EQ(nlohmann::json::parse(json_text(value)).get<std::string>(), value);
}

TEST(ReportText, JsonReplacesInvalidUtf8) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(json_text("a\xff"), "\"a" + replacement + "\"");
  EXPECT_EQ(json_text("\xC3"), "\"" + replacement + "\"");                    // cut short
  EXPECT_EQ(json_text("\xC0\x80"), "\"" + replacement + replacement + "\"");  // overlong
  EXPECT_EQ(nlohmann::json::parse(json_text("\xED\xA0\x80 \xF4\x90\x80\x80 \xE2\x82")).get<std::string>().size(), 29u);
}

TEST(ReportText, CsvQuotesOnlyWhatItMust) {
  EXPECT_EQ(csv("gear 12"), "gear 12");
  EXPECT_EQ(csv(""), "");
  EXPECT_EQ(csv("a,b"), "\"a,b\"");
  EXPECT_EQ(csv("5\" pipe"), "\"5\"\" pipe\"");
  EXPECT_EQ(csv("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(csv(" edge"), "\" edge\"");
  EXPECT_EQ(csv("\xff"), "\xEF\xBF\xBD");
}

TEST(ReportText, PrintableHasNoControls) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\u0085\u202e"), "\\u0085\\u202e");
  EXPECT_EQ(printable("Zahnräder 齿轮"), "Zahnräder 齿轮");
}

TEST(ReportText, ColumnsAndShortening) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("räder"), 5u);
  EXPECT_EQ(columns("齿轮"), 4u);
  EXPECT_EQ(columns("e\u0301"), 1u);
  EXPECT_EQ(shorten("short", 10), "short");
  EXPECT_EQ(shorten("a_very_long_name.stl", 9), "a_ve….stl");
  for (std::size_t most = 2; most < 12; ++most) EXPECT_LE(columns(shorten("齿轮齿轮齿轮x", most)), most);
}

}  // namespace
}  // namespace sightline::report
