// What the tests of the papers' scenes measure.
#pragma once

#include <cstdint>
#include <cstring>

#include "scenes/papers/papers.h"
#include "sightline/sightline.h"

namespace measure {

using namespace sightline;
using scenes::AnimatedObject;
using scenes::Animation;
using scenes::AnimationFrame;

inline std::size_t triangles(const AnimationFrame& frame) {
  std::size_t count = 0;
  for (const AnimatedObject& object : frame.objects) count += object.mesh.triangles.size();
  return count;
}

/// FNV-1a over the bits of all positions, indices and motions.
inline std::uint64_t hash(const AnimationFrame& frame) {
  std::uint64_t value = 14695981039346656037u;
  const auto mix_in = [&](const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      value ^= static_cast<const unsigned char*>(data)[i];
      value *= 1099511628211u;
    }
  };
  for (const AnimatedObject& object : frame.objects) {
    const MeshView view = object.mesh;
    mix_in(view.positions.f32().data(), view.positions.f32().size_bytes());
    mix_in(view.positions.f64().data(), view.positions.f64().size_bytes());
    mix_in(view.triangles.data(), view.triangles.size_bytes());
    mix_in(&object.motion, sizeof object.motion);
  }
  return value;
}

inline double signed_volume(const MeshView& mesh) {
  double volume = 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto [a, b, c] = mesh.corners(i);
    volume +=
        a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return volume / 6;
}

/// Each edge once in each direction: then the winding is the same everywhere.
bool consistently_wound(const MeshView& mesh);

inline Report contacts(const AnimationFrame& frame, unsigned threads = 1) {
  Scene scene;
  for (const AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = object.self});
  return scene.collide({.threads = threads});
}

inline void advance(Animation& animation, int frames) {
  for (int i = 0; i < frames; ++i) animation.advance();
}

}  // namespace measure
