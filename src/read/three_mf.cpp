#include "read/read_memory.h"

namespace sightline::read {

Model read_three_mf(const Source& source) { throw Error(source.file + ": this format is not built yet"); }

}  // namespace sightline::read
