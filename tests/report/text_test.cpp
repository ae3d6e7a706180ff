#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "report/names.h"

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

std::string number(double value) {
  Buffer text;
  append_number(text, value);
  return fmt::to_string(text);
}

TEST(ReportText, NumbersAreThoseOfFmt) {
  std::vector<double> values = {0,    0.1,  1,    9.5,        1e15,          9999999999999998,  1e16,
                                1e17, 1e22, 1e23, 5e-324,     DBL_MIN,       DBL_MAX,           INFINITY,
                                NAN,  1e-4, 1e-5, 0.00012345, 123456789.125, 9007199254740993.0};
  for (int e = -330; e < 310; ++e)
    for (const double digits : {1.0, 1.5, 9.999999999999999, 1.2345678901234567})
      values.push_back(digits * std::pow(10, e));
  for (int e = -1074; e < 1024; ++e) values.push_back(std::ldexp(1, e));
  std::mt19937_64 random(1);
  for (int i = 0; i < 300'000; ++i) {
    values.push_back(std::bit_cast<double>(random()));
    values.push_back(static_cast<double>(static_cast<std::int64_t>(random())) * 1e-16);
    values.push_back(static_cast<float>(static_cast<std::int32_t>(random())) * 1e-7f);
    values.push_back(static_cast<double>(random() % 100'000));
  }
  int wrong = 0;
  for (const double value : values)
    for (const double x : {value, -value, std::nextafter(value, 0), std::nextafter(value, 2 * value)})
      if (number(x) != fmt::format("{}", x) && wrong++ < 10) {
        ADD_FAILURE() << number(x) << " instead of " << fmt::format("{}", x);
      }
  EXPECT_EQ(wrong, 0);
  std::vector<std::uint64_t> whole = {0, 12345, ~std::uint64_t{0}};
  for (std::uint64_t power = 1; whole.size() < 3 + 3 * 20; power *= 10)
    whole.insert(whole.end(), {power - 1, power, power + 1});
  for (int i = 0; i < 100'000; ++i) whole.push_back(random() >> (random() % 64));
  for (const std::uint64_t value : whole) {
    Buffer text;
    append_number(text, value);
    EXPECT_EQ(fmt::to_string(text), std::to_string(value));
  }
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
