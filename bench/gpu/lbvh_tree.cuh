// The tree and its kernels. Internal node s splits the sorted leaves between s and s + 1 (Apetrei 2014), so its left
// child ends with leaf s and its right child starts with leaf s + 1. After any subtree that ends with leaf s, the next
// subtree depth first is the right child of node s: so there are ropes without a pass to make them, and the search of
// leaf i for all leaves behind it starts at the right child of node i. No root, no stack.
#pragma once

#include <cuda/atomic>

#include "cuda/state.cuh"

namespace sightline::gpu_bench {

using cuda::Corners;
using cuda::corners_of;
using cuda::least;
using cuda::most;
using Mesh32 = cuda::DeviceMesh<float>;

inline constexpr std::uint32_t kNone = ~0u;       ///< no half to go to; no thread has reached a node
inline constexpr std::uint32_t kLeaf = 1u << 31;  ///< with a leaf's number
inline constexpr std::uint32_t kThreads = 256;

/// All that is zeroed before a query.
struct Work {
  cuda::State<float> state;
  unsigned top[6];  ///< greatest of x, y, z, -x, -y, -z as ordered()
};

/// Half a node, what a parent stores of a child: its box, where to go if the box is met (the child's left half, or a
/// leaf) and where to go after it. Left half of node s: 2 s, right half: 2 s + 1; both are 64 bytes.
struct alignas(32) Half {
  float4 first;   ///< low x, y, z, high x
  float4 second;  ///< high y, z, and as bits: enter, skip
};

/// A triangle in sorted order: x, y, z of each corner, and the vertex as bits.
struct alignas(16) Leaf {
  float4 corner[3];
};

/// The inverse of cuda::ordered.
__device__ inline float unordered(unsigned u) { return __uint_as_float((u & kLeaf) != 0 ? u & ~kLeaf : ~u); }

static __global__ void bounds_kernel(const float* positions, std::uint64_t count, Work* work) {
  __shared__ unsigned top[6];
  if (threadIdx.x < 6) top[threadIdx.x] = 0;
  __syncthreads();
  unsigned mine[6] = {};
  for (std::uint64_t v = blockIdx.x * kThreads + threadIdx.x; v < count; v += std::uint64_t{gridDim.x} * kThreads)
    for (int axis = 0; axis < 3; ++axis) {
      const float x = __ldg(&positions[v * 3 + axis]);
      mine[axis] = max(mine[axis], cuda::ordered(x));
      mine[3 + axis] = max(mine[3 + axis], cuda::ordered(-x));
    }
  for (int i = 0; i < 6; ++i) {
    for (int step = 16; step > 0; step /= 2) mine[i] = max(mine[i], __shfl_xor_sync(~0u, mine[i], step));
    if ((threadIdx.x & 31) == 0) atomicMax(&top[i], mine[i]);
  }
  __syncthreads();
  if (threadIdx.x < 6) atomicMax(&work->top[threadIdx.x], top[threadIdx.x]);
}

/// Bit i to bit 3 i, for 21 bits.
__device__ inline std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001F00000000FFFFu;
  x = (x | x << 16) & 0x001F0000FF0000FFu;
  x = (x | x << 8) & 0x100F00F00F00F00Fu;
  x = (x | x << 4) & 0x10C30C30C30C30C3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/// Cells are cubes: a flat mesh is not split where it is thin.
template <typename Code>
__global__ void code_kernel(Mesh32 mesh, const Work* work, int bits, Code* codes, std::uint32_t* order) {
  const std::uint32_t t = blockIdx.x * kThreads + threadIdx.x;
  if (t >= mesh.triangle_count) return;
  double low[3], width = 0;
  for (int axis = 0; axis < 3; ++axis) {
    low[axis] = -static_cast<double>(unordered(work->top[3 + axis]));
    width = max(width, unordered(work->top[axis]) - low[axis]);
  }
  const double cells = static_cast<double>(1u << bits), scale = width > 0 ? cells / width : 0;
  const Corners<float> c = corners_of(mesh, t);
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = 0.5 * (static_cast<double>(least(c, axis)) + most(c, axis));
    const double place = (middle - low[axis]) * scale;
    code |= spread(static_cast<std::uint64_t>(place > 0 ? min(place, cells - 1) : 0)) << (2 - axis);
  }
  codes[t] = static_cast<Code>(code);
  order[t] = t;
}

/// Leading bits that leaves i and i + 1 have in common, in (code, place): no two are equal.
template <typename Code>
__device__ inline int common_bits(const Code* codes, std::uint32_t i) {
  const Code x = __ldg(&codes[i]) ^ __ldg(&codes[i + 1]);
  if (x == 0) return static_cast<int>(8 * sizeof(Code)) + __clz(static_cast<int>(i ^ (i + 1)));
  return sizeof(Code) == 8 ? __clzll(static_cast<long long>(x)) : __clz(static_cast<int>(x));
}

/// Tree and boxes in one pass from the leaves up. The first thread to reach a node leaves its half and the far end of
/// its range there, the second goes on. `met`, per node, is kNone before and after.
template <typename Code>
__global__ void build_kernel(Mesh32 mesh, const Code* codes, const std::uint32_t* order, std::uint32_t* met,
                             Half* halves, Leaf* leaves) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x, end = mesh.triangle_count - 1;
  if (i > end) return;
  std::uint32_t vertices[3];
  const Corners<float> c = corners_of(mesh, order[i], vertices);
  for (int k = 0; k < 3; ++k)
    leaves[i].corner[k] = make_float4(c.at[k][0], c.at[k][1], c.at[k][2], __uint_as_float(vertices[k]));
  cuda::Box<float> box = cuda::box_of(c);
  std::uint32_t first = i, last = i, enter = kLeaf | i;
  while (first != 0 || last != end) {
    const bool left = first == 0 || (last != end && common_bits(codes, last) > common_bits(codes, first - 1));
    const std::uint32_t node = left ? last : first - 1;
    const std::uint32_t skip = last == end ? kNone : 2 * last + 1;
    Half* const both = halves + std::size_t{node} * 2;
    Half* const own = both + (left ? 0 : 1);
    own->first = make_float4(box.low[0], box.low[1], box.low[2], box.high[0]);
    own->second = make_float4(box.high[1], box.high[2], __uint_as_float(enter), __uint_as_float(skip));
    ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device> meeting(met[node]);
    // Released: the half above. Acquired: the other's half, if it was here first.
    const std::uint32_t far = meeting.exchange(left ? first : last, ::cuda::memory_order_acq_rel);
    if (far == kNone) return;
    met[node] = kNone;  // both were here
    const Half* const other = both + (left ? 1 : 0);
    const float4 f = __ldcg(&other->first), s = __ldcg(&other->second);
    const float low[3] = {f.x, f.y, f.z}, high[3] = {f.w, s.x, s.y};
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = min(box.low[axis], low[axis]);
      box.high[axis] = max(box.high[axis], high[axis]);
    }
    (left ? last : first) = far;
    enter = 2 * node;
  }
}

}  // namespace sightline::gpu_bench
