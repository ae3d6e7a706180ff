// The context from inside: memory that is not there, and what comes after an error.
#include "gl/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gl.h"
#include "support/errors.h"

namespace testing_support {
namespace {

using namespace sightline::papers;
using sightline::Error;
using ::testing::HasSubstr;

class GlContext : public GlTest {};

TEST_F(GlContext, ABufferThatIsTooLarge) {
  gl::Session session;
  gl::Buffer buffer;
  const auto most = static_cast<std::size_t>(session->info.most_bytes);
  EXPECT_THAT(error_of([&] { buffer.reserve(*session, most + 1, "a test"); }),
              HasSubstr("gl: a test of " + std::to_string(most + 1) + " bytes; "));
  EXPECT_EQ(buffer.capacity(), 0u);
  buffer.reserve(*session, 1000, "a test");
  EXPECT_GE(buffer.capacity(), 1000u);
}

/// The driver refuses: far more than any machine has.
TEST_F(GlContext, OutOfVideoMemory) {
  gl::Session session;
  session->info.most_bytes = std::int64_t{1} << 46;
  gl::Buffer buffer;
  const std::string error = error_of([&] { buffer.reserve(*session, std::size_t{1} << 45, "a test"); });
  session->set_broken();  // its limits are not those of the machine any more
  if (error.empty()) GTEST_SKIP() << "this driver promises memory that it does not have";
  EXPECT_THAT(error, HasSubstr("out of video memory (a test)"));
  EXPECT_EQ(buffer.capacity(), 0u);
}

TEST_F(GlContext, AnErrorOfTheDriverIsReported) {
  gl::Session session;
  glEnable(0xFFFF);
  EXPECT_THAT(error_of([&] { session->check("a test"); }), HasSubstr("invalid enum (a test)"));
  EXPECT_TRUE(session->broken());
}

TEST_F(GlContext, AProgramThatIsNone) {
  gl::Session session;
  EXPECT_THAT(error_of([&] { session->compute("nonsense", [] { return std::string("#version 450\nnonsense\n"); }); }),
              HasSubstr("the program 'nonsense' cannot be made"));
}

}  // namespace
}  // namespace testing_support
