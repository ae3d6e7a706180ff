// Help for the tests of the OpenGL device.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gl/device.h"
#include "sightline/papers.h"

namespace testing_support {

/// Skipped where there is no OpenGL; fails instead where SIGHTLINE_NEED_GL is set, so that CI cannot skip in silence.
class GlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sightline::papers::gl::missing().empty()) return;
    if (std::getenv("SIGHTLINE_NEED_GL") != nullptr) FAIL() << "gl: " << sightline::papers::gl::missing();
    GTEST_SKIP() << "gl: " << sightline::papers::gl::missing();
  }
};

}  // namespace testing_support
