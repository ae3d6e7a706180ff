// Prints one line: whether the CUDA tests ran here.
#include <cstdio>
#include <string_view>

#include "sightline/sightline.h"

int main() {
  try {
    sightline::Device::cuda();
    std::puts("CUDA: compiled, and run on the GPU here");
  } catch (const sightline::Error& missing) {
    const std::string_view words = missing.what();
    if (words.find("built without") != words.npos)
      std::puts("CUDA: NOT compiled: no nvcc here");
    else
      std::printf("CUDA: compiled, not run: no GPU here (%s)\n", missing.what());
  }
}
