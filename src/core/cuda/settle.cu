// Compiled with --fmad=false: the filters in exact/points.h are argued for plain operations.
#include "cuda/check.h"
#include "cuda/stages.cuh"
#include "exact/tri_tri.h"

namespace sightline::cuda {
namespace {

/// One copy for both types of coordinates: the compiler takes most of this file's time for it.
__device__ __noinline__ exact::Verdict decide(exact::TrianglePair& pair, bool one_object) {
  return pair.decide(one_object);
}

template <typename T>
__global__ void settle_kernel(DeviceMesh<T> mesh, PairOutput output, std::uint32_t first, State<T>* state) {
  if (state->survivors > output.most_survivors) return;  // grown and repeated by the host
  const std::uint32_t count = static_cast<std::uint32_t>(state->survivors);
  for (std::uint32_t i = first + blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const Pair pair = output.survivors[i];
    const Corners<T> a = corners_of(mesh, pair.a), b = corners_of(mesh, pair.b);
    exact::TrianglePair exact;
    for (int corner = 0; corner < 3; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        exact.points.at[corner][axis] = a.at[corner][axis];
        exact.points.at[3 + corner][axis] = b.at[corner][axis];
      }
    const exact::Verdict verdict = decide(exact, mesh.object == nullptr || mesh.object[pair.a] == mesh.object[pair.b]);
    if (verdict != exact::Verdict::clear) output.add_contact(mesh, pair, static_cast<Kind>(verdict), state);
  }
}

}  // namespace

template <typename T>
void settle(const DeviceMesh<T>& mesh, const PairOutput& output, std::uint32_t first, State<T>* state,
            cudaStream_t stream) {
  constexpr int kBlocks = 528, kThreads = 128;
  launch(settle_kernel<T>, kBlocks, kThreads, stream, mesh, output, first, state);
}

template void settle(const DeviceMesh<float>&, const PairOutput&, std::uint32_t, State<float>*, cudaStream_t);
template void settle(const DeviceMesh<double>&, const PairOutput&, std::uint32_t, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
