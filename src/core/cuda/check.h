// CUDA calls that are always checked, and device memory that grows.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "cuda/memory.h"

namespace sightline::cuda {

/// Throws Error with the call and CUDA's message. The error is OutOfDeviceMemory if memory is missing: kernels and
/// graphs take memory, too.
inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that a later call does not report it again
  const std::string words = std::string("cuda: ") + call + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(words);
  throw Error(words);
}
#define SIGHTLINE_CUDA(call) ::sightline::cuda::check((call), #call)

#ifdef __CUDACC__
/// Blocks with a thread for each item.
inline unsigned blocks_for(std::uint64_t items, unsigned threads) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, cudaStream_t stream,
            const Arguments&... arguments) {
  kernel<<<blocks, threads, 0, stream>>>(arguments...);
  SIGHTLINE_CUDA(cudaGetLastError());
}
#endif

/// Device memory that is kept from query to query and only grows. Contents are lost when it grows. If there is no room,
/// OutOfDeviceMemory is thrown and the buffer is empty.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(MemoryCount& count) : count_(&count) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() {
    cudaFree(data_);
    count_->remove(capacity_ * sizeof(T));
  }

  T* reserve(std::size_t n) {
    if (n <= capacity_) return data_;
    release();
    const std::size_t bytes = n * sizeof(T);
    if (!count_->allows(bytes)) throw out_of_device_memory(*count_, bytes, free_bytes());
    const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&data_), bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      data_ = nullptr;
      throw out_of_device_memory(*count_, bytes, free_bytes());
    }
    check(status, "cudaMalloc");
    capacity_ = n;
    count_->add(bytes);
    return data_;
  }
  /// Frees the memory.
  void release() {
    SIGHTLINE_CUDA(cudaFree(std::exchange(data_, nullptr)));
    count_->remove(std::exchange(capacity_, 0) * sizeof(T));
  }
  T* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  std::uint32_t capacity32() const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(capacity_, ~std::uint32_t{0}));
  }

 private:
  static std::size_t free_bytes() {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return free;
  }

  MemoryCount* count_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace sightline::cuda
