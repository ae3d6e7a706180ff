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

}  // namespace sightline::cuda
