#include <array>

#include "scenes/papers/papers.h"
#include "scenes/papers/placing.h"
#include "scenes/scenes.h"

namespace sightline::scenes {

Mesh two_cows(std::size_t n) {
  const Mesh cow = cow_body(n / 2);
  // Shifted by less than a leg's width and turned a little, so that all their parts cross.
  const Pose pose{.center = {0.11, 0.04, 0.13}, .rotation = rotation_about({0.1, 1, 0.2}, 0.08)};
  const std::array<Mesh, 2> cows = {cow, placed(cow, pose)};
  Mesh result = merged(cows);
  result.name = "two cows";
  return result;
}

std::vector<Mesh> bunny_and_dragon(std::size_t n, const Mesh* bunny, const Mesh* dragon) {
  const Pose pose{.center = {0.23, 0.31, 0.07}, .rotation = rotation_about({0, 1, 0}, 0.2)};
  Mesh second = body_or(dragon, dragon_body(n * 29 / 56));
  std::vector<Mesh> result;
  result.push_back(body_or(bunny, bunny_body(n * 27 / 56)));
  result.push_back(placed(second, pose));
  return result;
}

}  // namespace sightline::scenes
