// Which axis of a model points upwards: formats other than glTF and 3MF do not define it. Pictures and pages use this.
#pragma once

#include <span>
#include <string>

#include "report/document.h"

namespace sightline::picture {

/// 0, 1 or 2 for x, y or z. An axis is more likely the upward one if the model could stand on its lower end (the end is
/// flat or wide, and the centroid is above it), and if its upper and lower half differ: most things have a symmetry
/// from left to right, and none from top to bottom. Where nothing speaks for an axis, it is z. The answer follows the
/// model if its axes are exchanged, unless two axes are equally likely.
int guess_up(std::span<const report::Part> parts);

/// y for glTF and z for 3MF, whose specifications define it; otherwise the guess. `file` names the format.
int up_of(const std::string& file, std::span<const report::Part> parts);

}  // namespace sightline::picture
