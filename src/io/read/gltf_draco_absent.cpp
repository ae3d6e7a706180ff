// A build without Draco.
#include "read/gltf.h"

namespace sightline::read {

const bool kHasDraco = false;

void decode_draco(GltfDocument& doc, const GltfValue&, const GltfValue& extension) {
  doc.fail(extension.path, "is compressed by Draco; this sightline was built without the Draco library");
}

}  // namespace sightline::read
