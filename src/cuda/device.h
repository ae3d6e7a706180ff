// Whether there is a CUDA device. No CUDA header is needed to ask.
#pragma once

#include <string>

namespace sightline::cuda {

/// Empty if a GPU can be used; else what is missing: "built without CUDA" or "no CUDA device is visible: …". The
/// machine is asked once.
const std::string& missing();

}  // namespace sightline::cuda
