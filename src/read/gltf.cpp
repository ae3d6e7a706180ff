#include "read/read_memory.h"

namespace sightline::read {

Model read_gltf(const Source& source) { throw Error(source.file + ": this format is not built yet"); }

}  // namespace sightline::read
