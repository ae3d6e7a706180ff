// CUDA calls that are always checked, and device memory that grows.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sightline/error.h"

namespace sightline::cuda {

/// Throws Error with the call and CUDA's own words.
inline void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears it, so that a later call does not tell it again
  throw Error(std::string("cuda: ") + call + ": " + cudaGetErrorString(status));
}
#define SIGHTLINE_CUDA(call) ::sightline::cuda::check((call), #call)

/// Bytes that all buffers of one engine hold.
struct MemoryCount {
  std::size_t now = 0, peak = 0;
};

/// Device memory that is kept from query to query and only grows. Contents are lost when it does.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(MemoryCount& count) : count_(&count) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  T* reserve(std::size_t n) {
    if (n <= capacity_) return data_;
    SIGHTLINE_CUDA(cudaFree(data_));
    data_ = nullptr;
    count_->now -= capacity_ * sizeof(T);
    capacity_ = 0;
    const cudaError_t status = cudaMalloc(reinterpret_cast<void**>(&data_), n * sizeof(T));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw Error("cuda: out of device memory: " + std::to_string(n * sizeof(T) >> 20) + " MiB asked for, " +
                  std::to_string(free >> 20) + " MiB free, " + std::to_string(count_->now >> 20) +
                  " MiB in use by this query");
    }
    check(status, "cudaMalloc");
    capacity_ = n;
    count_->now += n * sizeof(T);
    count_->peak = count_->now > count_->peak ? count_->now : count_->peak;
    return data_;
  }
  T* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  MemoryCount* count_;
  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace sightline::cuda
