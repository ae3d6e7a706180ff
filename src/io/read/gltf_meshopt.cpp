// EXT_meshopt_compression, by meshoptimizer. Its decoders check their input; the sizes were checked by the caller.
#include <meshoptimizer.h>

#include "read/gltf.h"

namespace sightline::read {

const bool kHasMeshopt = true;

std::optional<std::vector<std::byte>> decode_meshopt(std::span<const std::byte> bytes, MeshoptMode mode,
                                                     MeshoptFilter filter, std::size_t count, std::size_t stride) {
  std::vector<std::byte> out(count * stride);
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const int status =
      mode == MeshoptMode::attributes  ? meshopt_decodeVertexBuffer(out.data(), count, stride, from, bytes.size())
      : mode == MeshoptMode::triangles ? meshopt_decodeIndexBuffer(out.data(), count, stride, from, bytes.size())
                                       : meshopt_decodeIndexSequence(out.data(), count, stride, from, bytes.size());
  if (status != 0) return std::nullopt;
  if (filter == MeshoptFilter::octahedral) meshopt_decodeFilterOct(out.data(), count, stride);
  if (filter == MeshoptFilter::quaternion) meshopt_decodeFilterQuat(out.data(), count, stride);
  if (filter == MeshoptFilter::exponential) meshopt_decodeFilterExp(out.data(), count, stride);
  return out;
}

}  // namespace sightline::read
