// The scenes of `./dev bench cliffs`: what a query does for a triangle or contact is bounded, and does not grow with
// the scene. Counts are compared, not times, so the tests hold on any machine.
#include <cmath>
#include <functional>

#include "regimes/run.h"
#include "scenes/scenes.h"

namespace {

using namespace testing_support;
namespace scenes = sightline::scenes;

struct Cliff {
  const char* name;
  std::function<RegimeScene(std::size_t)> make;
  std::size_t least;  ///< triangles, and four times that
  double most;        ///< entries in cells, blocks and candidates, for each triangle or contact
};

RegimeScene one(sightline::Mesh mesh) { return {{std::move(mesh)}, {true}}; }
RegimeScene between(std::vector<sightline::Mesh> objects) {
  RegimeScene scene{std::move(objects), {}};
  scene.self.resize(scene.objects.size(), false);
  return scene;
}

const Cliff kCliffs[] = {
    {"slope_1e4", [](std::size_t n) { return one(scenes::sheet_over_slope(n, 1e4)); }, 20'000, 12},
    {"slope_1e5", [](std::size_t n) { return one(scenes::sheet_over_slope(n, 1e5)); }, 20'000, 12},
    {"slope_1e300", [](std::size_t n) { return one(scenes::sheet_over_slope(n, 1e300)); }, 20'000, 12},
    {"apart_1e9", [](std::size_t n) { return one(scenes::cloths_apart(n, 1e9)); }, 20'000, 12},
    {"apart_1e11", [](std::size_t n) { return one(scenes::cloths_apart(n, 1e11)); }, 20'000, 12},
    {"row_x", [](std::size_t n) { return between(scenes::row_of_boxes(n / 12, 0)); }, 24'000, 1},
    {"row_y", [](std::size_t n) { return between(scenes::row_of_boxes(n / 12, 1)); }, 24'000, 1},
    {"row_z", [](std::size_t n) { return between(scenes::row_of_boxes(n / 12, 2)); }, 24'000, 1},
    {"walls", [](std::size_t n) { return one(scenes::specks_under_walls(n, 100)); }, 50'000, 3},
    {"grating_45", [](std::size_t n) { return one(scenes::grating(n / 12, std::sqrt(0.5), std::sqrt(0.5))); }, 12'000,
     12},
    {"cylinder", [](std::size_t n) { return one(scenes::cylinder(n)); }, 4'000, 32},
    {"cylinder_rings", [](std::size_t n) { return one(scenes::cylinder(n, 8)); }, 18'000, 32},
    {"gear", [](std::size_t n) { return one(scenes::gear(n)); }, 10'000, 32},
    {"drilled", [](std::size_t n) { return one(scenes::drilled_plates(n)); }, 10'000, 32},
    {"crossed_bars", [](std::size_t n) { return one(scenes::crossed_bars(n / 12)); }, 25'000, 12},
    {"needles_sheet", [](std::size_t n) { return one(scenes::needles_through_sheet(n)); }, 10'000, 64},
    {"dust", [](std::size_t n) { return one(scenes::boxes_with_dust(n / 12)); }, 12'000, 32},
    {"plates", [](std::size_t n) { return between(scenes::turned_plates(n)); }, 6'000, 4},
};

class Cliffs : public testing::TestWithParam<Cliff> {};

TEST_P(Cliffs, WorkGrowsWithTriangles) {
  for (const std::size_t n : {GetParam().least, 4 * GetParam().least}) {
    const RegimeScene scene = GetParam().make(n);
    Tuned options;
    options.threads = 2;
    const Report report = collide(scene, options);
    double size = static_cast<double>(report.contacts.size());
    for (const sightline::Mesh& mesh : scene.objects) size += static_cast<double>(mesh.triangles.size());
    double work = static_cast<double>(report.stats.candidates);
    for (const sightline::Stage& stage : report.stats.stages)
      if (stage.name == "bin" || stage.name == "boxes") work += static_cast<double>(stage.count);
    EXPECT_LT(work / size, GetParam().most) << n << " triangles";
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Cliffs, testing::ValuesIn(kCliffs), [](const auto& info) { return info.param.name; });

}  // namespace
