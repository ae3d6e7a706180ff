// A build without meshoptimizer.
#include "read/gltf.h"

namespace sightline::read {

const bool kHasMeshopt = false;

std::optional<std::vector<std::byte>> decode_meshopt(std::span<const std::byte>, MeshoptMode, MeshoptFilter,
                                                     std::size_t, std::size_t) {
  return std::nullopt;  // not reached: the caller checks kHasMeshopt
}

}  // namespace sightline::read
