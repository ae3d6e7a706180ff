// The viewer, built from this folder into one page without data, inside the program.
#pragma once

#include "page/page.h"

namespace sightline::viewer {

/// Null in a build without the viewer (CMake's SIGHTLINE_VIEWER; it needs Node.js and npm).
const report::PageShell* shell();

}  // namespace sightline::viewer
