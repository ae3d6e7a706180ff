#include <algorithm>

#include "cuda/validate.h"

namespace sightline::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned long long kNone = ~0ull;

unsigned blocks_for(std::uint64_t items) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(items / (kThreads * 4) + 1, 1, 4096));
}

/// NaN and the infinities have a difference to themselves that is not zero.
template <typename T>
__global__ void find_not_finite(const T* values, std::uint64_t count, unsigned long long* least) {
  unsigned long long found = kNone;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count && found == kNone; i += step)
    if (!(values[i] - values[i] == T(0))) found = i;
  if (found != kNone) atomicMin(least, found);
}

__global__ void find_out_of_range(const std::uint32_t* indices, std::uint64_t count, std::uint64_t vertices,
                                  unsigned long long* least) {
  unsigned long long found = kNone;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count && found == kNone; i += step)
    if (indices[i] >= vertices) found = i;
  if (found != kNone) atomicMin(least, found);
}

template <typename T>
T fetch(const T* device, std::uint64_t at) {
  T value;
  SIGHTLINE_CUDA(cudaMemcpy(&value, device + at, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

}  // namespace

void Validator::check(const Input& input, cudaStream_t stream) {
  unsigned long long* flaws = flaws_.reserve(2);
  SIGHTLINE_CUDA(cudaMemsetAsync(flaws, 0xFF, 2 * sizeof *flaws, stream));
  const std::uint64_t numbers = input.vertex_count * 3, indices = std::uint64_t{input.triangle_count} * 3;
  if (input.f64 != nullptr)
    find_not_finite<<<blocks_for(numbers), kThreads, 0, stream>>>(input.f64, numbers, flaws);
  else
    find_not_finite<<<blocks_for(numbers), kThreads, 0, stream>>>(input.f32, numbers, flaws);
  find_out_of_range<<<blocks_for(indices), kThreads, 0, stream>>>(input.triangles, indices, input.vertex_count,
                                                                  flaws + 1);
  SIGHTLINE_CUDA(cudaGetLastError());
  unsigned long long found[2];
  SIGHTLINE_CUDA(cudaMemcpyAsync(found, flaws, sizeof found, cudaMemcpyDeviceToHost, stream));
  SIGHTLINE_CUDA(cudaStreamSynchronize(stream));
  if (found[0] != kNone)
    throw Error("cuda: vertex " + std::to_string(found[0] / 3) + ": " + "xyz"[found[0] % 3] + " is not finite: " +
                std::to_string(input.f64 != nullptr ? fetch(input.f64, found[0]) : fetch(input.f32, found[0])));
  if (found[1] != kNone)
    throw Error("cuda: triangle " + std::to_string(found[1] / 3) + ": vertex " +
                std::to_string(fetch(input.triangles, found[1])) + " does not exist; there are " +
                std::to_string(input.vertex_count));
}

}  // namespace sightline::cuda
