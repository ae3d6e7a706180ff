#include <algorithm>

#include "cuda/validate.h"

namespace sightline::cuda {
namespace {

constexpr unsigned long long kNone = ~0ull;

/// NaN and the infinities have a difference to themselves that is not zero.
template <typename T>
struct NotFinite {
  const T* values;
  __device__ bool operator()(std::uint64_t i) const { return !(values[i] - values[i] == T(0)); }
};
struct OutOfRange {
  const std::uint32_t* indices;
  std::uint64_t vertices;
  __device__ bool operator()(std::uint64_t i) const { return indices[i] >= vertices; }
};

template <typename Bad>
__global__ void find_first(Bad bad, std::uint64_t count, unsigned long long* least) {
  unsigned long long found = kNone;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count && found == kNone; i += step)
    if (bad(i)) found = i;
  if (found != kNone) atomicMin(least, found);
}
template <typename Bad>
void look_for(const Bad& bad, std::uint64_t count, unsigned long long* least, cudaStream_t stream) {
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(count / (kThreads * 4) + 1, 1, 4096));
  launch(find_first<Bad>, blocks, kThreads, stream, bad, count, least);
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
    look_for(NotFinite<double>{input.f64}, numbers, flaws, stream);
  else
    look_for(NotFinite<float>{input.f32}, numbers, flaws, stream);
  look_for(OutOfRange{input.triangles, input.vertex_count}, indices, flaws + 1, stream);
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
