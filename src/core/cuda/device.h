// The CUDA devices of this machine. No CUDA header is needed to include this.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightline/version.h"

namespace sightline::cuda {

/// Empty if a GPU can be used; else what is missing: "built without CUDA" or "no CUDA device is visible: …". The
/// machine is queried once.
SIGHTLINE_API const std::string& missing();

/// GPUs that can be used.
int count();

/// Name, memory and architecture of a GPU, for `sightline devices`.
std::vector<std::pair<std::string, std::string>> facts(int number);

}  // namespace sightline::cuda
