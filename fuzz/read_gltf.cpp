#include "read/gltf.h"
#include "read_harness.h"

namespace {

using namespace sightline;

// Moments of an animated file: valid meshes, or an Error.
void play(std::span<const std::byte> bytes) {
  const read::Source source = fuzz::source_of(bytes);
  try {
    read::GltfMovie movie(source);
    if (movie.animations().empty()) return;
    const std::vector<read::GltfFrame> frames = movie.animations().frames(25, 1000);
    for (std::size_t i = 0; i < frames.size(); i += 1 + frames.size() / 3)
      fuzz::check_parts(read::checked(movie.model(frames[i]), source));
  } catch (const Error& error) {
    fuzz::require(std::string_view(error.what()).starts_with("fuzz"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  fuzz::read_and_check(bytes, read::Format::gltf);
  play(bytes);
  return 0;
}
