// Fuzzes the engine against rationals: any bytes are a small scene; a difference aborts and prints the scene, shrunk.
// The body is the tests' (tests/support/engine_fuzz.h).
#include <gmp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/engine_fuzz.h"

namespace {

// GMP's numbers are small, many and not under test. Free lists spare them AddressSanitizer's bookkeeping, which costs
// more than the arithmetic. The oracle has one thread.
constexpr std::size_t kStep = 32, kSizes = 64;
std::array<void*, kSizes> free_lists{};

void* gmp_allocate(std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (size >= kSizes) return std::malloc(bytes);
  void*& list = free_lists[size];
  if (list == nullptr) {
    constexpr std::size_t kBlocks = 256;
    char* const memory = static_cast<char*>(std::malloc(kBlocks * size * kStep));  // never returned
    if (memory == nullptr) std::abort();
    for (std::size_t i = 0; i < kBlocks; ++i) {
      std::memcpy(memory + i * size * kStep, &list, sizeof list);
      list = memory + i * size * kStep;
    }
  }
  void* const block = list;
  std::memcpy(&list, block, sizeof list);
  return block;
}

void gmp_free(void* block, std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (size >= kSizes) return std::free(block);
  std::memcpy(block, &free_lists[size], sizeof(void*));
  free_lists[size] = block;
}

void* gmp_reallocate(void* block, std::size_t before, std::size_t after) {
  void* const moved = gmp_allocate(after);
  std::memcpy(moved, block, std::min(before, after));
  gmp_free(block, before);
  return moved;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_free);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = testing_support::fuzz_engine({data, size}, 512);
  if (text.empty()) return 0;
  std::fputs(text.c_str(), stderr);
  std::abort();
}
