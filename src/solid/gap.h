// The smallest distance between two surfaces.
#pragma once

#include "solid/tree.h"

namespace sightline::solid {

struct Gap {
  bool below = false;  ///< the distance is below the clearance: decided exactly
  double value = 0;    ///< the distance in double, where it is below (or `always` was asked for); else infinity
};
/// The parts share no point. With `always`, the value is found however large it is.
Gap gap(const MeshView& a, const Tree& tree_a, const MeshView& b, const Tree& tree_b, double clearance, bool always);

}  // namespace sightline::solid
