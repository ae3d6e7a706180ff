// The replacement of the viewer in a build without it.
#include "viewer/shell.h"

namespace sightline::viewer {

const report::PageShell* shell() { return nullptr; }

}  // namespace sightline::viewer
