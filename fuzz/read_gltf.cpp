#include "read_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sightline::fuzz::read_and_check(data, size, sightline::read::Format::gltf);
}
