// A query answered by one of the papers' methods.
#pragma once

#include <span>

#include "scene/query.h"

namespace sightline::method {

/// Throws Error for options that the method cannot honour.
void run(std::span<const QueryObject> objects, const Options& options, Report& report);

}  // namespace sightline::method
