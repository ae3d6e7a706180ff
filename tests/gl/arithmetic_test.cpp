// What a driver computes: the check that every context goes through, on more triangles; and that it finds faults.
#include "gl/arithmetic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gl.h"
#include "gl/context.h"
#include "gl/shaders.h"

namespace testing_support {
namespace {

using namespace sightline::papers;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GlArithmetic : public GlTest {
 protected:
  /// The flaw that is found with `from` replaced by `to` in a program.
  static std::string with_fault(const char* name, std::string text, const std::string& from, const std::string& to) {
    gl::Context context;  // its own: the programs of a session are kept
    context.enter();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    context.compute(name, [&] { return text; });
    const std::string flaw = gl::arithmetic_flaw(context, gl::kTrustTriangles);
    context.leave();
    return flaw;
  }
};

TEST_F(GlArithmetic, ThisDriversIsTheHosts) {
  gl::Session session;
  EXPECT_EQ(gl::arithmetic_flaw(*session, 5000), "");
}

/// As NVIDIA's compiler did to an array of doubles.
TEST_F(GlArithmetic, DepthsInFloatsAreFound) {
  EXPECT_THAT(with_fault("setup", gl::setup_shader(), "z = between(pz,", "z = between(double(float(pz)),"),
              HasSubstr(" of triangle 0 comes out as "));
}

TEST_F(GlArithmetic, AnyOtherRoundingIsFound) {
  EXPECT_NE(with_fault("setup", gl::setup_shader(), "dx = divide(over_x, area)", "dx = over_x * (1.0LF / area)"), "");
  EXPECT_THAT(with_fault("setup", gl::setup_shader(), "x = int(down(sx))", "x = int(down(sx + 0.25LF))"),
              StartsWith("corners of triangle "));
  EXPECT_NE(with_fault("setup", gl::setup_shader(), "p.spread = spread;", "p.spread = double(float(spread));"), "");
}

TEST_F(GlArithmetic, KeysThatAreOffAreFound) {
  EXPECT_THAT(with_fault("ends", gl::ends_shader(), "return uint(least(up(z) + 1.0LF", "return uint(least(up(z)"),
              StartsWith("depths "));
  EXPECT_NE(with_fault("ends", gl::ends_shader(), "return float_bits(higher) + 2u", "return float_bits(higher) + 1u"),
            "");
  EXPECT_NE(with_fault("ends", gl::ends_shader(), "precise double nearer = z - spread",
                       "precise double nearer = double(float(z)) - spread"),
            "");
}

}  // namespace
}  // namespace testing_support
