// Fuzzes the engine against exact brute force: any bytes are a small scene, any difference is an abort that tells it,
// shrunk. The body is the tests' (tests/support/engine_fuzz.h).
#include <cstdio>
#include <cstdlib>

#include "support/engine_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = testing_support::fuzz_engine({data, size});
  if (text.empty()) return 0;
  std::fputs(text.c_str(), stderr);
  std::abort();
}
