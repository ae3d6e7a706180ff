// Flat neighbours: the float filter decides them, and as the exact decision does.
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "support/tuned.h"

namespace {

using namespace sightline;
using scenes::FlatCoordinates;
using testing_support::Tuned;

struct Variant {
  const char* name;
  FlatCoordinates coordinates;
  bool doubles, soup;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Flat : public testing::TestWithParam<Variant> {
 protected:
  static Mesh mesh() {
    const auto [name, coordinates, doubles, soup] = GetParam();
    const Mesh bodies = scenes::flat_bodies(7000, coordinates, doubles);
    return soup ? scenes::to_soup(bodies) : bodies;
  }
};

/// Fewer than a thousandth of the candidates leave the filter, on each instruction set, and the list is that of exact
/// decisions alone.
TEST_P(Flat, NeighboursStayInTheFilter) {
  const Mesh bodies = mesh();
  const Report exact = self_intersections(bodies, Tuned{.simd = Simd::scalar});
  EXPECT_GT(exact.contacts.size(), 100u);
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512, Simd::neon}) {
    if (!available(simd)) continue;
    const Report report = self_intersections(bodies, Tuned{.simd = simd});
    EXPECT_EQ(report.contacts, exact.contacts) << to_string(simd);
    EXPECT_GT(report.stats.candidates, 6 * bodies.triangles.size()) << to_string(simd);
    EXPECT_LT(1000 * report.stats.decided_exact, report.stats.candidates) << to_string(simd);
  }
}

/// The same far from the origin, where float32 has few digits left for a triangle.
TEST_P(Flat, FarFromTheOrigin) {
  const Mesh bodies = scenes::moved(mesh(), {300, -500, 700});
  const Report exact = self_intersections(bodies, Tuned{.simd = Simd::scalar}), report = self_intersections(bodies);
  EXPECT_EQ(report.contacts, exact.contacts);
  EXPECT_LT(1000 * report.stats.decided_exact, report.stats.candidates);
}

INSTANTIATE_TEST_SUITE_P(Coordinates, Flat,
                         testing::Values(Variant{"exact", FlatCoordinates::exact, false, false},
                                         Variant{"rounded", FlatCoordinates::rounded, false, false},
                                         Variant{"exact_double", FlatCoordinates::exact, true, false},
                                         Variant{"rounded_double", FlatCoordinates::rounded, true, false},
                                         Variant{"exact_soup", FlatCoordinates::exact, false, true},
                                         Variant{"rounded_double_soup", FlatCoordinates::rounded, true, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
