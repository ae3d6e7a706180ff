// The shapes of the creatures, for code that deforms or places them. All face +x, y is up, z to their left.
#pragma once

#include "scenes/papers/implicit.h"

namespace sightline::scenes {

Shape bunny_shape();
Shape cow_shape();
Shape dragon_shape();
Shape lizard_shape();
Shape tree_shape();

/// Where the left ear of the bunny begins to stand free of the head, its direction and the length from there.
inline constexpr Vec3d kEarBase{0.42, 1.36, 0.2};
inline constexpr Vec3d kEarTip{0.3, 2.02, 0.36};

}  // namespace sightline::scenes
