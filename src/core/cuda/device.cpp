#include "cuda/device.h"

#include <cuda_runtime.h>

namespace sightline::cuda {

const std::string& missing() {
  static const std::string words = [] {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return std::string();
    cudaGetLastError();
    return std::string("no CUDA device is visible: ") +
           cudaGetErrorString(status == cudaSuccess ? cudaErrorNoDevice : status);
  }();
  return words;
}

int count() {
  if (!missing().empty()) return 0;
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::vector<std::pair<std::string, std::string>> facts(int number) {
  cudaDeviceProp about{};
  if (cudaGetDeviceProperties(&about, number) != cudaSuccess) return {};
  return {{"number", std::to_string(number)},
          {"gpu", about.name},
          {"memory", std::to_string(about.totalGlobalMem >> 20) + " MiB"},
          {"architecture", std::to_string(about.major) + "." + std::to_string(about.minor)}};
}

}  // namespace sightline::cuda
