// Each leaf against those behind it: boxes along the ropes, then the engine's certified filter.
#pragma once

#include "bench/gpu/lbvh_tree.cuh"
#include "cuda/filter.cuh"
#include "cuda/stages.cuh"

namespace sightline::gpu_bench {

using cuda::Finding;
using cuda::Pair;
using cuda::PairOutput;

inline constexpr int kRefill = 8;  ///< this many idle lanes get new leaves

__device__ inline cuda::Vector<float> point(const float4& v) { return {v.x, v.y, v.z}; }

/// LocalTriangles::parted, for float corners: true if the plane of p certainly has q, but for the vertices they share,
/// on one side.
__device__ inline bool parted(const float4* p, const float4* q) {
  const cuda::Plane<float> plane = cuda::Plane<float>::through(point(p[0]), point(p[1]), point(p[2]));
  int shared = 0, sum = 0;
  for (int j = 0; j < 3; ++j) {
    const unsigned k = __float_as_uint(q[j].w);
    const bool common =
        (k == __float_as_uint(p[0].w)) | (k == __float_as_uint(p[1].w)) | (k == __float_as_uint(p[2].w));
    const int side = plane.at(point(q[j])).sign();
    shared += common ? 1 : 0;
    sum += common ? 0 : side;
  }
  return shared < 3 && (sum == 3 - shared || sum == shared - 3);
}

struct Queues {
  Pair boxed[64];  ///< leaves whose boxes meet
  Pair open[64];   ///< leaves that no plane parts
};

struct Tree {
  const Half* halves;
  const Leaf* leaves;
  const std::uint32_t* order;
};

/// A warp in which each lane follows the ropes for one leaf; a lane that has reached the end gets another leaf.
class QueryWarp {
 public:
  __device__ QueryWarp(const Mesh32& mesh, const Tree& tree, const PairOutput& output, cuda::State<float>* state,
                       Queues& queues)
      : mesh_(mesh), tree_(tree), output_(output), state_(state), queues_(queues), lane_(threadIdx.x & 31) {}

  __device__ void run(std::uint32_t chunk) {
    const std::uint32_t count = mesh_.triangle_count - 1;  // behind the last leaf there is none
    std::uint32_t next = 0, end = 0, at = kNone, own = 0;
    cuda::Box<float> box{};
    for (bool dry = false;;) {
      const unsigned idle = __ballot_sync(~0u, at == kNone);
      const bool done = dry && idle == ~0u;
      if (!dry && __popc(idle) >= kRefill) {
        if (next >= end) {
          if (lane_ == 0) next = atomicAdd(&state_->next_unit, chunk);
          next = __shfl_sync(~0u, next, 0);
          dry = next >= count;
          end = min(next + chunk, count);
        }
        const std::uint32_t mine = next + cuda::lanes_below(idle);
        if (at == kNone && mine < end) {
          own = mine;
          at = 2 * own + 1;
          box = cuda::box_of(corners_at(own));
        }
        next += __popc(idle);
      }
      bool found = false;
      std::uint32_t enter = 0;
      if (at != kNone) {
        const float4 f = __ldg(&tree_.halves[at].first), s = __ldg(&tree_.halves[at].second);
        const bool meets = (f.x <= box.high[0]) & (f.y <= box.high[1]) & (f.z <= box.high[2]) & (f.w >= box.low[0]) &
                           (s.x >= box.low[1]) & (s.y >= box.low[2]);
        enter = __float_as_uint(s.z);
        found = meets & (enter >= kLeaf);
        at = meets & (enter < kLeaf) ? enter : __float_as_uint(s.w);
      }
      cuda::append_lanes(found, Pair{own, enter & ~kLeaf}, queues_.boxed, boxed_);
      if (boxed_ >= 32 || (done && boxed_ > 0)) try_planes();
      if (open_ >= 32 || (done && open_ > 0)) try_all();
      if (done && boxed_ + open_ == 0) break;
    }
    if (lane_ == 0 && candidates_ > 0) atomicAdd(&state_->candidates, static_cast<unsigned long long>(candidates_));
  }

 private:
  __device__ Corners<float> corners_at(std::uint32_t leaf) const {
    Corners<float> c;
    for (int k = 0; k < 3; ++k) {
      const float4 v = __ldg(&tree_.leaves[leaf].corner[k]);
      c.at[k][0] = v.x, c.at[k][1] = v.y, c.at[k][2] = v.z;
    }
    return c;
  }
  /// The last 32 of a queue, one for each lane; returns how many there were.
  __device__ int take(const Pair* queue, int& queued, Pair& item) {
    __syncwarp();
    const int count = min(32, queued);
    queued -= count;
    if (lane_ < count) item = queue[queued + lane_];
    __syncwarp();
    return count;
  }

  __device__ void try_planes() {
    Pair pair{0, 0};
    const int count = take(queues_.boxed, boxed_, pair);
    candidates_ += count;
    bool keep = false;
    if (lane_ < count) {
      float4 p[3], q[3];
      for (int k = 0; k < 3; ++k) p[k] = __ldg(&tree_.leaves[pair.a].corner[k]);
      for (int k = 0; k < 3; ++k) q[k] = __ldg(&tree_.leaves[pair.b].corner[k]);
      keep = !parted(p, q) && !parted(q, p);
    }
    cuda::append_lanes(keep, pair, queues_.open, open_);
  }

  __device__ void try_all() {
    Pair pair{0, 0};
    const int count = take(queues_.open, open_, pair);
    Finding finding = Finding::clear;
    if (lane_ < count) {
      finding = cuda::decide(corners_at(pair.a), corners_at(pair.b), true);
      const std::uint32_t a = tree_.order[pair.a], b = tree_.order[pair.b];
      pair = {min(a, b), max(a, b)};
    }
    if (finding == Finding::open) output_.add_survivor(pair, state_);
    if (finding == Finding::crossing) output_.add_contact(mesh_, pair, Kind::crossing, state_);
    __syncwarp();
  }

  const Mesh32& mesh_;
  const Tree& tree_;
  const PairOutput& output_;
  cuda::State<float>* state_;
  Queues& queues_;
  const int lane_;
  int boxed_ = 0, open_ = 0;
  std::uint32_t candidates_ = 0;
};

static __global__ void __launch_bounds__(kThreads, 5)
    query_kernel(Mesh32 mesh, Tree tree, PairOutput output, cuda::State<float>* state, std::uint32_t chunk) {
  __shared__ Queues queues[kThreads / 32];
  QueryWarp(mesh, tree, output, state, queues[threadIdx.x / 32]).run(chunk);
}

}  // namespace sightline::gpu_bench
