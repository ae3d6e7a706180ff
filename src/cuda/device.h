// Whether there is a CUDA device. No CUDA header is needed to ask.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sightline::cuda {

/// Empty if a GPU can be used; else what is missing: "built without CUDA" or "no CUDA device is visible: …". The
/// machine is asked once.
const std::string& missing();

/// What `sightline devices` tells of it; empty where it is missing.
std::vector<std::pair<std::string, std::string>> facts();

}  // namespace sightline::cuda
