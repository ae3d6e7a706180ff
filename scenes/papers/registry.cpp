#include <algorithm>
#include <utility>

#include "scenes/papers/placing.h"

namespace sightline::scenes {
namespace {

class StaticScene final : public StoredAnimation {
 public:
  StaticScene(std::vector<Mesh> meshes, bool self) {
    for (Mesh& mesh : meshes) objects().push_back({.mesh = std::move(mesh), .self = self});
  }
  void advance() override {}
};

std::unique_ptr<Animation> still(std::vector<Mesh> meshes, bool self) {
  return std::make_unique<StaticScene>(std::move(meshes), self);
}

constexpr std::size_t or_default(std::size_t n, std::size_t usual) { return n == 0 ? usual : n; }

constexpr std::string_view kSelf = "self-intersections-with-cullide", kQuick = "quick-cullide",
                           kPeeling = "alternate-surface-peeling", kCinder = "practical-cinder",
                           kBackFace = "back-face-culling-for-collision";

constexpr Response kSolids{.any = true}, kBalls{.any = true, .normals = true}, kPieces{.any = true, .open = true},
    kWalker{.any = true, .deforming = true}, kSheets{.any = true, .open = true, .deforming = true},
    kCloth{.any = true, .self = true, .open = true, .deforming = true, .normals = true};

const PaperScene kScenes[] = {
    {"deformed-bunny", kSelf, "a body with one self-intersecting area", 5000, 1,
     [](std::size_t n) { return still({deformed_body(or_default(n, 5000))}, true); }},
    {"two-cows", kSelf, "two cows in each other as one mesh", 3000, 1,
     [](std::size_t n) { return still({two_cows(or_default(n, 3000))}, true); }},
    {"bunny-dragon", kPeeling, "two bodies in each other", 5600, 1,
     [](std::size_t n) { return still(bunny_and_dragon(or_default(n, 5600)), false); }},
    {"cloth-on-table", kQuick, "a cloth that falls over a round table and folds", 21'600, 200,
     [](std::size_t n) { return cloth_on_table(n); }, kCloth},
    {"breaking", kQuick, "a body that breaks another into hundreds of pieces", 285'000, 400,
     [](std::size_t n) { return breaking(n); }, kPieces},
    {"leaves", kQuick, "leaves that fall from a tree", 40'000, 300, [](std::size_t n) { return leaves(n); }, kSheets},
    {"billiard", kPeeling, "a lizard that walks among 40 balls", 182'100, 300,
     [](std::size_t n) { return billiard(n); }, kWalker},
    {"torn-cloth", kPeeling, "sharp objects that tear a cloth", 85'600, 300,
     [](std::size_t n) { return torn_cloth(n); }, kSheets},
    {"stairs", kCinder, "50 balls that bounce down 11 steps", 25'132, 300, [](std::size_t n) { return stairs(n); },
     kBalls},
    {"snow", kCinder, "snowflakes that stick to a bunny and the floor", 22'012, 240,
     [](std::size_t n) { return snow(n); }, kSolids},
    {"moving-body", kCinder, "snow on a bunny that you move, by keys or a path", 22'012, 240,
     [](std::size_t n) { return moving_body(n); }, kSolids, true},
    {"bouncing", kCinder, "balls that bounce off a bunny along its normals", 31'000, 300,
     [](std::size_t n) { return bouncing(n); }, kBalls},
    {"two-tori", kBackFace, "two tori that approach each other", 10'000, 120,
     [](std::size_t n) { return approaching_tori(n); }},
};

}  // namespace

std::span<const PaperScene> paper_scenes() { return kScenes; }

const PaperScene* find_paper_scene(std::string_view name) {
  const auto found = std::ranges::find(kScenes, name, &PaperScene::name);
  return found == std::end(kScenes) ? nullptr : found;
}

}  // namespace sightline::scenes
