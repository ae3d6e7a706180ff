// The CUDA devices of this machine. No CUDA header is needed to include this.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sightline/contact.h"
#include "sightline/version.h"

namespace sightline::cuda {

/// Empty if a GPU can be used; else what is missing: "built without CUDA" or "no CUDA device is visible: …". The
/// machine is queried once.
SIGHTLINE_API const std::string& missing();

/// GPUs that can be used.
int count();

/// Throws an Error that names what is missing: CUDA in this build, any GPU in this machine, or this number.
inline void require_gpu(int number) {
  if (!missing().empty()) throw Error("cuda: " + missing());
  if (number < 0 || number >= count())
    throw Error("cuda: there is no GPU " + std::to_string(number) + "; this machine has " + std::to_string(count()));
}

/// Name, memory and architecture of a GPU, for `sightline devices`.
std::vector<std::pair<std::string, std::string>> facts(int number);

}  // namespace sightline::cuda
