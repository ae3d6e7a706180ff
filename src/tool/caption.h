// What `--image` writes into its picture.
#pragma once

#include "picture/picture.h"
#include "tool/summary.h"

namespace sightline::tool {

/// Of a mesh of `check`.
picture::Notes caption(const report::Part& part, const std::string& label, const Report& report);
/// Of the parts of `clash`: names of those that meet, gaps, parts inside others.
picture::Notes caption(const ClashResult& result, const Report& report);

}  // namespace sightline::tool
