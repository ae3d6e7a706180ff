// Compiled with --fmad=false: the filters in exact/points.h are argued for plain operations.
#include <cub/device/device_merge_sort.cuh>

#include "cuda/check.h"
#include "cuda/settle.cuh"
#include "exact/tri_tri.h"

namespace sightline::cuda {
namespace {

template <typename T>
__global__ void settle_kernel(DeviceMesh<T> mesh, const Pair* survivors, std::uint32_t most_survivors, ObjectTable objects,
                              Contact* contacts, std::uint32_t most_contacts, State<T>* state) {
  const std::uint32_t count = state->survivors;
  if (count > most_survivors) return;  // grown and repeated by the host
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const Pair pair = survivors[i];
    const Corners<T> a = corners_of(mesh, pair.a), b = corners_of(mesh, pair.b);
    exact::TrianglePair exact;
    for (int corner = 0; corner < 3; ++corner)
      for (int axis = 0; axis < 3; ++axis) {
        exact.points.at[corner][axis] = a.at[corner][axis];
        exact.points.at[3 + corner][axis] = b.at[corner][axis];
      }
    Contact contact;
    contact.a = pair.a;
    contact.b = pair.b;
    bool one_object = true;
    if (mesh.object != nullptr) {
      const std::uint32_t object_a = mesh.object[pair.a] / 2, object_b = mesh.object[pair.b] / 2;
      one_object = object_a == object_b;
      contact.object_a = objects.id[object_a];
      contact.object_b = objects.id[object_b];
      contact.a -= objects.first_triangle[object_a];
      contact.b -= objects.first_triangle[object_b];
    }
    const exact::Verdict verdict = exact.decide(one_object);
    if (verdict == exact::Verdict::clear) continue;
    contact.kind = static_cast<Kind>(verdict);
    const std::uint32_t at = append(&state->contacts);
    if (at < most_contacts) contacts[at] = contact;
  }
}

struct CanonicalOrder {
  __device__ bool operator()(const Contact& p, const Contact& q) const {
    if (p.object_a != q.object_a) return p.object_a < q.object_a;
    if (p.object_b != q.object_b) return p.object_b < q.object_b;
    if (p.a != q.a) return p.a < q.a;
    return p.b < q.b;
  }
};

}  // namespace

template <typename T>
void settle(const DeviceMesh<T>& mesh, const Pair* survivors, std::uint32_t most_survivors, const ObjectTable& objects,
            Contact* contacts, std::uint32_t most_contacts, State<T>* state, cudaStream_t stream) {
  constexpr int kBlocks = 528, kThreads = 128;
  settle_kernel<<<kBlocks, kThreads, 0, stream>>>(mesh, survivors, most_survivors, objects, contacts, most_contacts, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

std::size_t sort_bytes(std::uint32_t contacts) {
  std::size_t bytes = 0;
  SIGHTLINE_CUDA(cub::DeviceMergeSort::SortKeys(nullptr, bytes, static_cast<Contact*>(nullptr), contacts, CanonicalOrder{}));
  return bytes;
}

void sort_contacts(Contact* contacts, std::uint32_t count, void* memory, std::size_t bytes, cudaStream_t stream) {
  SIGHTLINE_CUDA(cub::DeviceMergeSort::SortKeys(memory, bytes, contacts, count, CanonicalOrder{}, stream));
}

template void settle(const DeviceMesh<float>&, const Pair*, std::uint32_t, const ObjectTable&, Contact*, std::uint32_t,
                     State<float>*, cudaStream_t);
template void settle(const DeviceMesh<double>&, const Pair*, std::uint32_t, const ObjectTable&, Contact*, std::uint32_t,
                     State<double>*, cudaStream_t);

}  // namespace sightline::cuda
