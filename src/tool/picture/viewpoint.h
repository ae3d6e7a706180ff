// The viewpoint of a picture.
#pragma once

#include "picture/model.h"
#include "picture/view.h"

namespace sightline::picture {

/// The direction, of a fixed list, from which most of the largest cluster is seen: small images of the place are drawn
/// from each, and its visible pixels counted. Directions from a little above and from the corners count somewhat more.
/// Without contacts, or with a place that no direction shows, the first of the list.
Vec3d choose_direction(const Model& model, Drawer& drawer, int up, const report::WriteOptions& options);

}  // namespace sightline::picture
