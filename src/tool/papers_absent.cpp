// `sightline papers` in a build without the experiments.
#include "sightline/mesh.h"
#include "tool/commands.h"

namespace sightline::tool {

std::vector<std::string> experiment_names() { return {}; }

std::string experiment_list() { return "Experiments: none; this sightline was built with SIGHTLINE_EXPERIMENTS=OFF"; }

int papers_command(const Settings&) {
  throw Error("this sightline was built without the experiments (SIGHTLINE_EXPERIMENTS=OFF)");
}

}  // namespace sightline::tool
