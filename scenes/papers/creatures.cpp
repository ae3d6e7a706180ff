#include <algorithm>
#include <cmath>

#include "scenes/papers/implicit.h"
#include "scenes/papers/papers.h"
#include "scenes/random.h"
#include "scenes/vector.h"

namespace sightline::scenes {
namespace {

/// The part and its mirror image on the other side of the plane z = 0.
void add_both(Shape& shape, RoundCone part) {
  shape.parts.push_back(part);
  part.a[2] = -part.a[2];
  part.b[2] = -part.b[2];
  part.thin[2] = -part.thin[2];
  shape.parts.push_back(part);
}

/// A branch and the branches that grow from it, four generations in all.
void grow(Shape& tree, Random& random, const Vec3d& from, const Vec3d& along, double length, double radius, int left) {
  const Vec3d to = add(from, times(length, along));
  tree.parts.push_back({.a = from, .b = to, .radius_a = radius, .radius_b = 0.7 * radius});
  if (left == 0) return;
  const int children = left == 3 ? 5 : 3;
  for (int i = 0; i < children; ++i) {
    Vec3d side = random.in_cube(1);
    side[1] = std::max(side[1], -0.2);
    const Vec3d direction = normalized(add(times(0.75, along), side));
    const Vec3d start = add(from, times(length * (i == 0 ? 1 : random.between(0.55, 1)), along));
    grow(tree, random, start, direction, length * random.between(0.6, 0.8), std::max(0.05, 0.62 * radius), left - 1);
  }
}

// All face +x, y is up, z to their left.

Shape bunny_shape() {
  Shape bunny{.name = "bunny", .parts = {}, .blend = 0.1, .bump = 0.012, .bump_length = 0.12};
  auto& parts = bunny.parts;
  parts.push_back({.a = {-0.4, 0.5, 0}, .b = {0.15, 0.55, 0}, .radius_a = 0.46, .radius_b = 0.36});
  parts.push_back({.a = {0.15, 0.6, 0}, .b = {0.48, 0.95, 0}, .radius_a = 0.3, .radius_b = 0.22});   // neck
  parts.push_back({.a = {0.5, 1.05, 0}, .b = {0.74, 0.98, 0}, .radius_a = 0.27, .radius_b = 0.17});  // head
  parts.push_back({.a = {-0.86, 0.5, 0}, .b = {-0.92, 0.55, 0}, .radius_a = 0.13, .radius_b = 0.11});
  add_both(bunny, {.a = {-0.35, 0.4, 0.24}, .b = {-0.15, 0.35, 0.3}, .radius_a = 0.27, .radius_b = 0.22});  // haunch
  add_both(bunny, {.a = {-0.25, 0.1, 0.36}, .b = {0.2, 0.08, 0.38}, .radius_a = 0.11, .radius_b = 0.09});   // hind foot
  add_both(bunny, {.a = {0.3, 0.4, 0.17}, .b = {0.42, 0.08, 0.18}, .radius_a = 0.13, .radius_b = 0.09});    // front leg
  add_both(bunny, {.a = {0.42, 0.08, 0.18}, .b = {0.55, 0.07, 0.18}, .radius_a = 0.09, .radius_b = 0.08});
  const Vec3d thin = normalized({0.9, 0.15, 0.25});
  const Vec3d root = add(kEarBase, times(-0.25, add(kEarTip, times(-1, kEarBase))));
  add_both(bunny, {.a = root, .b = kEarBase, .radius_a = 0.08, .radius_b = 0.1, .thin = thin, .flatness = 1.3});
  const Vec3d middle = times(0.5, add(kEarBase, kEarTip));
  add_both(bunny, {.a = kEarBase, .b = middle, .radius_a = 0.1, .radius_b = 0.13, .thin = thin, .flatness = 1.6});
  add_both(bunny, {.a = middle, .b = kEarTip, .radius_a = 0.13, .radius_b = 0.06, .thin = thin, .flatness = 1.6});
  return bunny;
}

Shape cow_shape() {
  Shape cow{.name = "cow", .parts = {}, .blend = 0.1, .bump = 0.006, .bump_length = 0.15};
  auto& parts = cow.parts;
  parts.push_back({.a = {-0.6, 0.95, 0}, .b = {0.5, 0.98, 0}, .radius_a = 0.36, .radius_b = 0.34});
  parts.push_back({.a = {-0.1, 0.82, 0}, .b = {0.2, 0.85, 0}, .radius_a = 0.34, .radius_b = 0.34});     // belly
  parts.push_back({.a = {0.6, 1.1, 0}, .b = {0.98, 1.4, 0}, .radius_a = 0.22, .radius_b = 0.16});       // neck
  parts.push_back({.a = {1, 1.42, 0}, .b = {1.32, 1.24, 0}, .radius_a = 0.19, .radius_b = 0.12});       // head
  parts.push_back({.a = {-0.5, 0.58, 0}, .b = {-0.45, 0.54, 0}, .radius_a = 0.14, .radius_b = 0.1});    // udder
  parts.push_back({.a = {-0.93, 1.15, 0}, .b = {-1.12, 0.75, 0}, .radius_a = 0.06, .radius_b = 0.05});  // tail
  parts.push_back({.a = {-1.12, 0.75, 0}, .b = {-1.14, 0.5, 0}, .radius_a = 0.05, .radius_b = 0.08});
  for (const double x : {-0.72, 0.55}) {
    add_both(cow, {.a = {x, 0.8, 0.2}, .b = {x + 0.04, 0.4, 0.22}, .radius_a = 0.15, .radius_b = 0.09});
    add_both(cow, {.a = {x + 0.04, 0.4, 0.22}, .b = {x, 0.06, 0.22}, .radius_a = 0.085, .radius_b = 0.1});
  }
  add_both(cow, {.a = {0.98, 1.55, 0.1}, .b = {0.98, 1.68, 0.26}, .radius_a = 0.06, .radius_b = 0.05});  // horn
  add_both(cow, {.a = {0.98, 1.68, 0.26}, .b = {1.08, 1.86, 0.28}, .radius_a = 0.05, .radius_b = 0.025});
  add_both(cow, {.a = {0.9, 1.45, 0.17},
                 .b = {0.84, 1.42, 0.36},
                 .radius_a = 0.06,
                 .radius_b = 0.07,
                 .thin = {1, 0, 0},
                 .flatness = 1.3});  // ear
  return cow;
}

Shape dragon_shape() {
  Shape dragon{.name = "dragon", .parts = {}, .blend = 0.09, .bump = 0.02, .bump_length = 0.13};
  // Spine: tail tip, loops of the body, neck, head.
  const Vec3d spine[] = {{-1.5, 0.5, 0.5},   {-1.35, 0.25, 0.15}, {-1, 0.2, -0.1},
                         {-0.6, 0.4, -0.15}, {-0.2, 0.65, 0},     {0.25, 0.62, 0.12},
                         {0.6, 0.75, 0.02},  {0.75, 1.1, -0.05},  {0.65, 1.42, 0}};
  const double radius[] = {0.05, 0.09, 0.14, 0.22, 0.28, 0.27, 0.2, 0.15, 0.14};
  for (std::size_t i = 0; i + 1 < std::size(spine); ++i) {
    dragon.parts.push_back({.a = spine[i], .b = spine[i + 1], .radius_a = radius[i], .radius_b = radius[i + 1]});
    if (i == 0) continue;
    for (const double t : {0.15, 0.65}) {  // spines along the back
      const Vec3d root = add(times(1 - t, spine[i]), times(t, spine[i + 1]));
      const double height = 1.2 * ((1 - t) * radius[i] + t * radius[i + 1]) + 0.1;
      const Vec3d up = i < 6 ? Vec3d{-0.15, 1, 0} : Vec3d{-1, 0.2, 0};
      dragon.parts.push_back(
          {.a = root, .b = add(root, times(height, up)), .radius_a = 0.08, .radius_b = 0.03, .flatness = 1.3});
    }
  }
  dragon.parts.push_back({.a = {0.65, 1.48, 0}, .b = {1.05, 1.4, 0.05}, .radius_a = 0.16, .radius_b = 0.09});  // head
  dragon.parts.push_back({.a = {0.75, 1.36, 0}, .b = {1, 1.24, 0.05}, .radius_a = 0.08, .radius_b = 0.05});    // jaw
  add_both(dragon, {.a = {0.6, 1.58, 0.08}, .b = {0.32, 1.78, 0.16}, .radius_a = 0.06, .radius_b = 0.03});     // horn
  for (const double x : {-0.3, 0.4}) {
    add_both(dragon, {.a = {x, 0.55, 0.15}, .b = {x + 0.1, 0.3, 0.38}, .radius_a = 0.14, .radius_b = 0.09});
    add_both(dragon, {.a = {x + 0.1, 0.3, 0.38}, .b = {x + 0.02, 0.06, 0.4}, .radius_a = 0.09, .radius_b = 0.06});
    add_both(dragon, {.a = {x + 0.02, 0.05, 0.4}, .b = {x + 0.2, 0.04, 0.44}, .radius_a = 0.06, .radius_b = 0.05});
  }
  return dragon;
}

Shape lizard_shape() {
  Shape lizard{.name = "lizard", .parts = {}, .blend = 0.08};
  auto& parts = lizard.parts;
  parts.push_back({.a = {-0.6, 0.3, 0}, .b = {0.5, 0.3, 0}, .radius_a = 0.17, .radius_b = 0.17});
  parts.push_back({.a = {-0.6, 0.3, 0}, .b = {-1.4, 0.22, 0}, .radius_a = 0.16, .radius_b = 0.1});
  parts.push_back({.a = {-1.4, 0.22, 0}, .b = {-2.3, 0.12, 0}, .radius_a = 0.1, .radius_b = 0.04});
  parts.push_back({.a = {0.5, 0.32, 0}, .b = {0.85, 0.36, 0}, .radius_a = 0.13, .radius_b = 0.15});
  parts.push_back({.a = {0.85, 0.36, 0}, .b = {1.15, 0.3, 0}, .radius_a = 0.15, .radius_b = 0.08});
  for (const double x : {-0.5, 0.45}) {
    add_both(lizard, {.a = {x, 0.28, 0.1}, .b = {x, 0.3, 0.42}, .radius_a = 0.09, .radius_b = 0.08});
    add_both(lizard, {.a = {x, 0.3, 0.42}, .b = {x + 0.04, 0.07, 0.52}, .radius_a = 0.08, .radius_b = 0.065});
    add_both(lizard, {.a = {x + 0.04, 0.06, 0.52}, .b = {x + 0.2, 0.06, 0.58}, .radius_a = 0.065, .radius_b = 0.06});
  }
  return lizard;
}

Shape tree_shape() {
  Shape tree{.name = "tree", .parts = {}, .blend = 0.08};
  Random random(11);
  tree.parts.push_back({.a = {0, 0, 0}, .b = {0, 0.3, 0}, .radius_a = 0.42, .radius_b = 0.3});
  grow(tree, random, {0, 0.1, 0}, normalized({0.05, 1, 0.03}), 2.2, 0.28, 3);
  return tree;
}

}  // namespace

Mesh bunny_body(std::size_t n) { return surface(bunny_shape(), n); }
Mesh cow_body(std::size_t n) { return surface(cow_shape(), n); }
Mesh dragon_body(std::size_t n) { return surface(dragon_shape(), n); }
Mesh lizard_body(std::size_t n) { return surface(lizard_shape(), n); }
Mesh tree_body(std::size_t n) { return surface(tree_shape(), n); }

}  // namespace sightline::scenes
