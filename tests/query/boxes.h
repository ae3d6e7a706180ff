// Boxes in a row.
#pragma once

#include "scenes/scenes.h"

namespace testing_support {

/// The unit box moved by (x, 0, 0).
inline sightline::Mesh box_at(double x) { return sightline::scenes::box({x, 0, 0}, {x + 1, 1, 1}); }

}  // namespace testing_support
