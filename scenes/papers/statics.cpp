#include "scenes/papers/papers.h"
#include "scenes/scenes.h"

namespace sightline::scenes {

Mesh deformed_body(std::size_t n, const Mesh*) { return self_intersecting_tube(n); }
Mesh two_cows(std::size_t n) { return two_bodies(n / 2); }
std::vector<Mesh> bunny_and_dragon(std::size_t n, const Mesh*, const Mesh*) { return two_objects(n / 2, n / 2); }

}  // namespace sightline::scenes
