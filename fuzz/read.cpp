// One reader: FUZZ_FORMAT is set by CMakeLists.txt.
#include "read_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sightline::fuzz::read_and_check(std::as_bytes(std::span(data, size)), sightline::read::Format::FUZZ_FORMAT);
}
