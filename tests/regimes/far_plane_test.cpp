// Flat and far: a mesh in a plane axis = F whose other extents E are up to 1e308 times smaller. F / E above 1e308 lost
// contacts in silence or threw std::length_error.
#include <cmath>

#include "regimes/run.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;

struct Place {
  double at, extent;
};

class FarPlane : public testing::TestWithParam<int> {};

TEST_P(FarPlane, KeepsItsContacts) {
  const std::vector<Tuned> all = covering_options();
  for (const Place& place : {Place{1e10, 1e-300},
                             {1, 1},
                             {1e3, 1e-3},
                             {1e15, 1e-15},
                             {1e150, 1e-150},
                             {1e300, 1e-7},
                             {1e300, 1e-8},
                             {1e300, 1e-9},
                             {1.7e308, 1e-320},
                             {-1e308, 1e-308},
                             {1e10, 4e-324},
                             {-1e10, 1e-300},
                             {1e-300, 1e10},
                             {0, 1e-320},
                             {1e308, 1e308},
                             {1, 1e-308},
                             {1, 1e-310}}) {
    const RegimeScene scene = far_plane(GetParam(), place.at, place.extent);
    const std::string what = "F " + std::to_string(std::log10(std::abs(place.at))) + ", E " +
                             std::to_string(std::log10(place.extent)) + " (decimal logarithms)";
    expect_exact(scene, all, what);
    expect_exact(dealt_out(scene, 3), {all[0], all[7], all[9], all[14]}, what + ", dealt out");
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, FarPlane, testing::Range(0, 3),
                         [](const auto& info) { return std::string(1, "xyz"[info.param]); });

// Two planes: the flat mesh is one object of several, and the others are elsewhere.
TEST(FarPlanes, OfSeveralObjects) {
  for (int axis = 0; axis < 3; ++axis) {
    RegimeScene scene = far_plane(axis, 1e10, 1e-300, 50);
    scene.objects.push_back(far_plane((axis + 1) % 3, 0, 1e-300, 50).objects[0]);
    scene.objects.push_back(far_plane((axis + 2) % 3, 1e10, 2e10, 50).objects[0]);
    scene.self = {true, false, true};
    expect_exact(scene, covering_options(), "axis " + std::to_string(axis));
  }
}

}  // namespace
