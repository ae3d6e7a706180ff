// How a method pruned its potentially colliding set, for the page.
#pragma once

#include <span>

#include "page/page.h"
#include "tool/method_options.h"

namespace sightline::tool {

/// Which pass dropped each triangle. Where the method does not record this, a triangle that is not left at the end
/// counts for the last pass. Without passes if the exact engine answered.
report::PagePruning pruning_of(const MethodReport& how, std::span<const report::Part> parts);

}  // namespace sightline::tool
