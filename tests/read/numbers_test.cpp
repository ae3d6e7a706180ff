// Text to double: correctly rounded, whatever the length and the locale.
#include <fmt/format.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "read/files.h"
#include "read/text.h"

namespace sightline::test {
namespace {

using Numbers = ReadTest;

double first_x(const Mesh& m) { return points(m)[0][0]; }
std::string obj_with(const std::string& x) { return "v " + x + " 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"; }

TEST_F(Numbers, AwkwardOnes) {
  const std::vector<std::pair<std::string, double>> cases = {{"0.1", 0.1},
                                                             {"+.5", 0.5},
                                                             {"5.", 5},
                                                             {"1E+2", 100},
                                                             {"-0", -0.0},
                                                             {"4.9406564584124654e-324", 4.9406564584124654e-324},
                                                             {"2.2250738585072011e-308", 2.2250738585072011e-308},
                                                             {"1.7976931348623157e308", 1.7976931348623157e308},
                                                             {"9007199254740993", 9007199254740992.0},
                                                             {"9007199254740993.00000000000000000000000000001", 9007199254740994.0},
                                                             {"1e-400", 0},
                                                             {"-1e-99999999999999999999", -0.0},
                                                             {"0e99999", 0}};
  for (const auto& [text, value] : cases) {
    const double x = first_x(mesh("a.obj", obj_with(text)));
    EXPECT_EQ(x, value) << text;
    EXPECT_EQ(std::signbit(x), std::signbit(value)) << text;
  }
}

TEST_F(Numbers, TenThousandDigits) {
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("0." + std::string(10'000, '3')))), 1.0 / 3);
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("1" + std::string(10'000, '0') + "e-10000"))), 1);
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("0." + std::string(10'000, '0') + "1"))), 0);
  // Half way between 1 and the next double, but for a digit far out.
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("1.00000000000000011102230246251565404236316680908203125"))), 1);
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("1.00000000000000011102230246251565404236316680908203125" + std::string(9'000, '0') + "1"))),
            1 + std::numeric_limits<double>::epsilon());
  EXPECT_EQ(error("a.obj", obj_with(std::string(10'000, '9'))),
            "a.obj:1: x \"" + std::string(40, '9') + "…\" (10000 characters) is too large for a double");
}

TEST_F(Numbers, RoundTrip) {
  std::mt19937_64 random(1);
  std::string text;
  std::vector<double> values;
  while (values.size() < 30'000) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    text += values.size() % 3 == 1 ? "\nv " : " ";
    text += fmt::format("{:.17g}", value);
  }
  const std::vector<Vec3d> read = points(mesh("a.obj", text + "\nf 1 2 3\n"));
  ASSERT_EQ(read.size(), 10'000u);
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(read[i / 3][i % 3], values[i]) << i;
}

TEST_F(Numbers, LocaleDoesNotMatter) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(first_x(mesh("a.obj", obj_with("0.25"))), 0.25);
  EXPECT_NE(error("a.obj", obj_with("0,25")).find("x \"0,25\" is not a number"), std::string::npos);
  std::setlocale(LC_ALL, before.c_str());
}

TEST_F(Numbers, QuotesAreShortAndPrintable) {
  EXPECT_EQ(read::quote("a\tb\x01"), "\"a\\x09b\\x01\"");
  EXPECT_EQ(read::quote(std::string(39, 'a') + "\xC3\xA4xyz"), "\"" + std::string(39, 'a') + "…\" (44 characters)");
  for (const char* bad : {"+-1", "--1", "1e", "e5", ".", "+", "0x10", "1d5", "1_000", "infinity", "nan(1)"})
    EXPECT_NE(error("a.obj", obj_with(bad)), "no error") << bad;
}

}  // namespace
}  // namespace sightline::test
