// Compiled with --fmad=false and --expt-relaxed-constexpr: moving/pair_test.h decides as on the host, bit for bit.
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>

#include "cuda/check.h"
#include "cuda/cull.h"

namespace sightline::papers::cuda {
namespace {

using moving::FaceBlock;
using sightline::cuda::blocks_for;
using sightline::cuda::launch;

constexpr unsigned kThreads = 256;

/// The object with item i, where `kFirst` is an object's first item. No object is without items.
template <std::uint32_t Place::*kFirst>
__device__ std::uint32_t object_with(const Frame& frame, std::uint32_t i) {
  std::uint32_t low = 0, high = frame.object_count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (frame.places[middle].*kFirst <= i ? low : high) = middle;
  }
  return low;
}

template <typename T>
__global__ void place_kernel(Frame frame, T* to) {
  const std::uint64_t v = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (v >= frame.vertex_count) return;
  const std::uint32_t object = object_with<&Place::first_vertex>(frame, static_cast<std::uint32_t>(v));
  const Vec3d p =
      frame.objects[object].faces.position(static_cast<std::uint32_t>(v) - frame.places[object].first_vertex);
  to[3 * v] = static_cast<T>(p[0]);
  to[3 * v + 1] = static_cast<T>(p[1]);
  to[3 * v + 2] = static_cast<T>(p[2]);
}

/// A thread for each face, also for those that the last block of an object lacks.
__global__ void mark_kernel(Frame frame, std::uint8_t* stays) {
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t block = thread / FaceBlock::kFaces;
  if (block >= frame.block_count) return;
  const std::uint32_t number = object_with<&Place::first_block>(frame, static_cast<std::uint32_t>(block));
  const Place& place = frame.places[number];
  const DeviceObject& object = frame.objects[number];
  const std::uint32_t face = (static_cast<std::uint32_t>(block) - place.first_block) * FaceBlock::kFaces +
                             static_cast<std::uint32_t>(thread % FaceBlock::kFaces);
  if (face >= object.face_count) return;
  const bool stay = moving::stays(object.body, object.faces, object.two_sided, frame.tests + object.first_test,
                                  object.test_count, frame.cells, face);
  stays[place.first_triangle + face] = stay ? 1 : 0;
}

__global__ void spread_kernel(Frame frame, const std::uint8_t* stays, std::uint8_t* flags) {
  const std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t >= frame.triangle_count) return;
  const std::uint32_t number = object_with<&Place::first_triangle>(frame, static_cast<std::uint32_t>(t));
  const std::uint32_t first = frame.places[number].first_triangle, own = static_cast<std::uint32_t>(t) - first;
  const std::uint32_t* const face_of = frame.objects[number].face_of;
  flags[t] = stays[first + (face_of != nullptr ? face_of[own] : own)];
}

__global__ void begin_kernel(Frame frame, const std::uint32_t* list, const std::uint32_t* count, std::uint32_t* begin) {
  const std::uint32_t object = blockIdx.x * blockDim.x + threadIdx.x;
  if (object > frame.object_count) return;
  std::uint32_t low = 0, high = *count;
  if (object == frame.object_count) low = high;
  while (low < high) {  // the first of the list that is not before the object
    const std::uint32_t middle = low + (high - low) / 2;
    if (list[middle] < frame.places[object].first_triangle)
      low = middle + 1;
    else
      high = middle;
  }
  begin[object] = low;
}

__global__ void gather_kernel(Frame frame, const std::uint32_t* list, std::uint32_t count, std::uint32_t* triangles) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const std::uint32_t t = list[i], number = object_with<&Place::first_triangle>(frame, t);
  const Place& place = frame.places[number];
  const Triangle& triangle = frame.objects[number].faces.triangles[t - place.first_triangle];
  triangles[3 * i] = place.first_vertex + triangle[0];
  triangles[3 * i + 1] = place.first_vertex + triangle[1];
  triangles[3 * i + 2] = place.first_vertex + triangle[2];
}

__global__ void restore_kernel(Frame frame, const std::uint32_t* list, const std::uint32_t* begin, const Contact* from,
                               std::uint32_t count, Contact* to) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Contact contact = from[i];
  const Place &a = frame.places[contact.object_a], &b = frame.places[contact.object_b];
  contact.a = list[begin[contact.object_a] + contact.a] - a.first_triangle;
  contact.b = list[begin[contact.object_b] + contact.b] - b.first_triangle;
  contact.object_a = a.id;
  contact.object_b = b.id;
  to[i] = contact;
}

}  // namespace

void place_vertices(const Frame& frame, float* f32, double* f64, cudaStream_t stream) {
  const unsigned blocks = blocks_for(frame.vertex_count, kThreads);
  if (f64 != nullptr)
    launch(place_kernel<double>, blocks, kThreads, stream, frame, f64);
  else
    launch(place_kernel<float>, blocks, kThreads, stream, frame, f32);
}

void mark_faces(const Frame& frame, std::uint8_t* stays, cudaStream_t stream) {
  const std::uint64_t threads = std::uint64_t{frame.block_count} * FaceBlock::kFaces;
  launch(mark_kernel, blocks_for(threads, kThreads), kThreads, stream, frame, stays);
}

void spread_to_triangles(const Frame& frame, const std::uint8_t* stays, std::uint8_t* flags, cudaStream_t stream) {
  launch(spread_kernel, blocks_for(frame.triangle_count, kThreads), kThreads, stream, frame, stays, flags);
}

std::size_t list_bytes(std::uint32_t triangle_count) {
  std::size_t bytes = 0;
  const thrust::counting_iterator<std::uint32_t> numbers(0);
  const std::uint8_t* flags = nullptr;
  std::uint32_t* none = nullptr;
  SIGHTLINE_CUDA(
      cub::DeviceSelect::Flagged(nullptr, bytes, numbers, flags, none, none, static_cast<int>(triangle_count)));
  return bytes;
}

void list_triangles(const Frame& frame, const std::uint8_t* flags, void* scratch, std::size_t scratch_bytes,
                    std::uint32_t* list, std::uint32_t* count, cudaStream_t stream) {
  const thrust::counting_iterator<std::uint32_t> numbers(0);
  SIGHTLINE_CUDA(cub::DeviceSelect::Flagged(scratch, scratch_bytes, numbers, flags, list, count,
                                            static_cast<int>(frame.triangle_count), stream));
}

void find_begins(const Frame& frame, const std::uint32_t* list, const std::uint32_t* count, std::uint32_t* begin,
                 cudaStream_t stream) {
  launch(begin_kernel, blocks_for(std::uint64_t{frame.object_count} + 1, kThreads), kThreads, stream, frame, list,
         count, begin);
}

void gather_triangles(const Frame& frame, const std::uint32_t* list, std::uint32_t count, std::uint32_t* triangles,
                      cudaStream_t stream) {
  launch(gather_kernel, blocks_for(count, kThreads), kThreads, stream, frame, list, count, triangles);
}

void restore_numbers(const Frame& frame, const std::uint32_t* list, const std::uint32_t* begin, const Contact* from,
                     std::uint32_t count, Contact* to, cudaStream_t stream) {
  launch(restore_kernel, blocks_for(count, kThreads), kThreads, stream, frame, list, begin, from, count, to);
}

}  // namespace sightline::papers::cuda
