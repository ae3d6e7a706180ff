// Fuzzes the engine against brute force where sizes differ by up to 1e300: any bytes are a scene; a difference aborts
// and prints the scene, shrunk. The body is the tests' (tests/support/scales_fuzz.h). Run it with -entropic=0
// -len_control=0 -max_len=32: otherwise most of the time of small scenes goes into the bookkeeping of libFuzzer.
#include <cstdio>
#include <cstdlib>

#include "support/scales_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = testing_support::fuzz_scales({data, size});
  if (text.empty()) return 0;
  std::fputs(text.c_str(), stderr);
  std::abort();
}
