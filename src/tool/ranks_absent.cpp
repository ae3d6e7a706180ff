#include "sightline/mesh.h"
#include "tool/console.h"
#include "tool/ranks.h"

namespace sightline::tool {

int check_ranks(const Settings&) {
  throw Error(
      fmt::format("an MPI launcher started {} processes, but this sightline was built without MPI", launched_ranks()));
}

}  // namespace sightline::tool
