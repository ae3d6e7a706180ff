// Validation shared by several workers; the public validate() runs on one.
#pragma once

#include <string>

#include "base/parallel.h"
#include "sightline/mesh.h"

namespace sightline {

void validate(const MeshView& mesh, const std::string& name, Workers& workers);

}  // namespace sightline
