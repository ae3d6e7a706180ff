// One reader: FUZZ_FORMAT is set by CMakeLists.txt.
#include "read_harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sightline::read::Format;
  const auto bytes = std::as_bytes(std::span(data, size));
  constexpr Format kFormat = Format::FUZZ_FORMAT;
  if constexpr (kFormat == Format::obj || kFormat == Format::off) sightline::fuzz::check_pieces(bytes, kFormat);
  return sightline::fuzz::read_and_check(bytes, kFormat);
}
