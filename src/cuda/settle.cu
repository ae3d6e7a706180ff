// Compiled with --fmad=false: the filters in exact/points.h are argued for plain operations.
#include <cub/device/device_radix_sort.cuh>

#include "cuda/check.h"
#include "cuda/settle.cuh"
#include "exact/tri_tri.h"

namespace sightline::cuda {
namespace {

template <typename T>
__global__ void settle_kernel(DeviceMesh<T> mesh, PairOutput output, std::uint32_t first, State<T>* state) {
  const std::uint32_t count = state->survivors;
  if (count > output.most_survivors) return;  // grown and repeated by the host
  for (std::uint32_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const Pair pair = output.survivors[i];
    const Corners<T> a = corners_of(mesh, pair.a), b = corners_of(mesh, pair.b);
    exact::TrianglePair exact;
    for (int corner = 0; corner < 3; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        exact.points.at[corner][axis] = a.at[corner][axis];
        exact.points.at[3 + corner][axis] = b.at[corner][axis];
      }
    const exact::Verdict verdict = exact.decide(mesh.object == nullptr || mesh.object[pair.a] == mesh.object[pair.b]);
    if (verdict == exact::Verdict::clear) continue;
    const std::uint32_t at = append(&state->contacts);
    if (at < output.most_keys)
      output.keys[at] = key_of(mesh, output.objects, output.layout, pair, static_cast<int>(verdict));
  }
}

template <typename T>
__global__ void fill_kernel(unsigned long long* keys, std::uint32_t room, const State<T>* state) {
  const std::uint32_t count = state->contacts;
  for (std::uint32_t i = count + blockIdx.x * blockDim.x + threadIdx.x; i < room; i += gridDim.x * blockDim.x)
    keys[i] = ~0ull;
}

template <typename T>
__global__ void unpack_kernel(const unsigned long long* keys, std::uint32_t room, KeyLayout layout, Contact* contacts,
                              const State<T>* state) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= min(room, state->contacts)) return;
  unsigned long long key = keys[i];
  const auto field = [&key](int bits) {
    if (bits == 0) return 0u;
    const unsigned long long value = key & (~0ull >> (64 - bits));
    key >>= bits;
    return static_cast<std::uint32_t>(value);
  };
  Contact contact;
  contact.kind = static_cast<Kind>(field(2));
  contact.b = field(layout.triangle_bits);
  contact.a = field(layout.triangle_bits);
  contact.object_b = field(layout.object_bits);
  contact.object_a = field(layout.object_bits);
  contacts[i] = contact;
}

}  // namespace

template <typename T>
void settle(const DeviceMesh<T>& mesh, const PairOutput& output, std::uint32_t first, State<T>* state,
            cudaStream_t stream) {
  constexpr int kBlocks = 528, kThreads = 128;
  settle_kernel<<<kBlocks, kThreads, 0, stream>>>(mesh, output, first, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

std::size_t sort_bytes(std::uint32_t contacts, const KeyLayout& layout) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned long long> keys;
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, contacts, 0, layout.bits()));
  return bytes;
}

template <typename T>
void sort_contacts(const PairOutput& output, unsigned long long* other, std::uint32_t room, Contact* contacts,
                   void* memory, std::size_t bytes, const State<T>* state, cudaStream_t stream) {
  fill_kernel<<<64, 256, 0, stream>>>(output.keys, room, state);
  SIGHTLINE_CUDA(cudaGetLastError());
  cub::DoubleBuffer<unsigned long long> both(output.keys, other);
  SIGHTLINE_CUDA(cub::DeviceRadixSort::SortKeys(memory, bytes, both, room, 0, output.layout.bits(), stream));
  constexpr std::uint32_t kThreads = 256;
  unpack_kernel<<<(room + kThreads - 1) / kThreads, kThreads, 0, stream>>>(both.Current(), room, output.layout,
                                                                           contacts, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

#define SIGHTLINE_SETTLE(T)                                                                                        \
  template void settle(const DeviceMesh<T>&, const PairOutput&, std::uint32_t, State<T>*, cudaStream_t);           \
  template void sort_contacts(const PairOutput&, unsigned long long*, std::uint32_t, Contact*, void*, std::size_t, \
                              const State<T>*, cudaStream_t);
SIGHTLINE_SETTLE(float)
SIGHTLINE_SETTLE(double)

}  // namespace sightline::cuda
