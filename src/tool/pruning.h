// How a method pruned its potentially colliding set, for the page.
#pragma once

#include <span>

#include "page/page.h"
#include "tool/method_options.h"

namespace sightline::tool {

/// Which pass dropped each triangle. Where the method does not tell, what is not left at the end went in the last one.
/// Without passes where no method of a paper answered.
report::PagePruning pruning_of(const MethodReport& how, std::span<const report::Part> parts);

}  // namespace sightline::tool
