#include "cuda/check.h"
#include "cuda/filter.cuh"
#include "cuda/pair.cuh"

namespace sightline::cuda {
namespace {

constexpr int kWarps = 8;  ///< a block

/// Boxes of two entries overlap, and this cell is the one that reports the pair: both by one subtraction. Six fields of
/// 8 bits and three of 1 bit, each below a guard bit that is 1 on the left side; a guard bit stays if its field does
/// not borrow.
///   left:  high x, y, z;  255 - low x, y, z;  flag of x, y, z
///   right: low x, y, z;   255 - high x, y, z; no flag of x, y, z
/// flag: the triangle's least cell on that axis is this one. The pair is taken where one of both has the flag, for
/// each axis: that is in one cell exactly, the one of the greater least corner.
struct Packed {
  unsigned long long left, right;
};
constexpr unsigned long long kGuards = [] {
  unsigned long long g = 0;
  for (int i = 0; i < 6; ++i) g |= 1ull << (9 * i + 8);
  for (int i = 0; i < 3; ++i) g |= 1ull << (54 + 2 * i + 1);
  return g;
}();

__device__ inline bool meets(unsigned long long left, unsigned long long right) {
  return ((left - right) & kGuards) == kGuards;
}

/// Low and high end within a cell, in 8 bits: the cell itself is 32 … 223. Monotone and clamped. The flag: the low end
/// is in this cell, or clamped to it.
template <typename T>
__device__ inline Packed pack(const Grid<T>& grid, const Corners<T>& c, std::uint32_t place) {
  const auto field = [](T d) {
    const T t = d * T(192) + T(32);
    return static_cast<unsigned long long>(static_cast<unsigned>(t > T(0) ? (t < T(255) ? t : T(255)) : T(0)));
  };
  Packed p{kGuards, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const int cell = static_cast<int>(axis == 0 ? place & 2047 : axis == 1 ? place >> 11 & 2047 : place >> 22);
    const T low = rounded_product(least(c, axis) - grid.low[axis], grid.inverse) - static_cast<T>(cell);
    const T high = rounded_product(most(c, axis) - grid.low[axis], grid.inverse) - static_cast<T>(cell);
    const unsigned long long lo = field(low), hi = field(high);
    const unsigned long long flag = low >= T(0) || cell == 0 ? 1 : 0;
    p.left |= hi << (9 * axis) | (255 - lo) << (9 * (axis + 3)) | flag << (54 + 2 * axis);
    p.right |= lo << (9 * axis) | (255 - hi) << (9 * (axis + 3)) | (1 - flag) << (54 + 2 * axis);
  }
  return p;
}

constexpr int kWindow = 32;

__device__ inline std::uint32_t warp_max(std::uint32_t x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, x);
#else
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(~0u, x, step));
  return x;
#endif
}

template <typename T>
struct WarpMemory {
  LocalTriangles<T, 2 * kWindow> triangles;  ///< rows, then a tile of columns behind them
  unsigned long long right[2 * kWindow];
  std::uint32_t id[2 * kWindow];
  std::uint16_t boxed[2 * 32];    ///< queue of row << 8 | column: boxes meet
  std::uint16_t doubted[2 * 32];  ///< the same: r's plane did not part them
  Pair open[2 * 32];              ///< queue of triangles: k's plane did not, either
};

/// Equal corners have equal keys: the vertex, or in a soup a hash of its position.
template <typename T>
__device__ inline std::uint32_t position_key(const T* p) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (int axis = 0; axis < 3; ++axis) {
    const double x = static_cast<double>(p[axis]) + 0.0;  // -0 is 0
    hash = (hash ^ static_cast<std::uint64_t>(__double_as_longlong(x))) * 0xBF58476D1CE4E5B9u;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash >> 32 ^ hash);
}

/// One warp at work on windows of 32 consecutive entries, a lane for each. A row meets the entries behind it in its
/// cell: those of its own window, and those of the tiles of 32 that follow it while its cell goes on.
template <typename T>
class PairWarp {
 public:
  __device__ PairWarp(const DeviceMesh<T>& mesh, State<T>* state, const BinBuffers& bins, const PairOutput& output,
                      WarpMemory<T>& memory)
      : mesh_(mesh),
        state_(state),
        bins_(bins),
        output_(output),
        memory_(memory),
        grid_(state->grid),
        count_(state->entries),
        lane_(threadIdx.x & 31) {}

  /// `final`: there is no such window; what is left in the queues is done.
  __device__ void run(std::uint32_t window, bool final) {
    const std::uint32_t first = window * kWindow;
    std::uint32_t end = 0;        // of the row's cell
    unsigned long long left = 0;  // what it meets is not asked for
    if (!final && first + lane_ < count_) {
      const Entry entry = bins_.entries[first + lane_];
      const int x = static_cast<int>(entry.place & 2047), y = static_cast<int>(entry.place >> 11 & 2047);
      end = bins_.start[(static_cast<int>(entry.place >> 22) * grid_.size[1] + y) * grid_.size[0] + x + 1];
      left = load(entry, lane_);
    }
    const std::uint32_t last = warp_max(end);
    std::uint32_t tile = first + kWindow;
    if (tile < last) load_tile(tile, last);
    __syncwarp();
    // Columns of the window: those behind the lane, and below its cell's end.
    unsigned own = 0;
    if (!final)
      for (int k = 1; k < kWindow; ++k) own |= static_cast<unsigned>(meets(left, memory_.right[k])) << k;
    own &= below(end, first) & ~((2u << lane_) - 1);
    for (;;) {
      const int columns = tile < last ? static_cast<int>(min(last - tile, static_cast<std::uint32_t>(kWindow))) : 0;
      unsigned hits = 0;
      for (int k = 0; k < columns; ++k) hits |= static_cast<unsigned>(meets(left, memory_.right[kWindow + k])) << k;
      pump(own, hits & below(end, tile), final);
      tile += kWindow;
      if (tile >= last) break;
      own = 0;
      load_tile(tile, last);
      __syncwarp();
    }
  }

  __device__ std::uint32_t candidates() const { return candidates_; }

 private:
  /// Bits of the columns from `tile` on that are below `end`.
  __device__ static unsigned below(std::uint32_t end, std::uint32_t tile) {
    return end <= tile ? 0 : end - tile >= 32 ? ~0u : (1u << (end - tile)) - 1;
  }

  __device__ void load_tile(std::uint32_t tile, std::uint32_t last) {
    if (tile + lane_ < last) load(bins_.entries[tile + lane_], kWindow + lane_);
  }
  /// Returns the left side of its box; the right side is kept for all.
  __device__ unsigned long long load(const Entry& entry, int e) {
    std::uint32_t keys[3];
    const Corners<T> c = corners_of(mesh_, entry.triangle, keys);
    if (mesh_.soup)
      for (int i = 0; i < 3; ++i) keys[i] = position_key(c.at[i]);
    const int cell[3] = {static_cast<int>(entry.place & 2047), static_cast<int>(entry.place >> 11 & 2047),
                         static_cast<int>(entry.place >> 22)};
    T origin[3];  // the middle of the cell, or near it: only that it is the same for all in the cell matters
    for (int axis = 0; axis < 3; ++axis)
      origin[axis] = grid_.low[axis] + rounded_product(static_cast<T>(cell[axis]) + T(0.5), grid_.width);
    memory_.triangles.set(e, c, origin, keys);
    memory_.id[e] = entry.triangle;
    const Packed p = pack(grid_, c, entry.place);
    memory_.right[e] = p.right;
    return p.left;
  }

  template <typename Item>
  __device__ void append_lanes(bool wanted, const Item& item, Item* queue, int& queued) {
    const unsigned mask = __ballot_sync(~0u, wanted);
    if (wanted) queue[queued + __popc(mask & ((1u << lane_) - 1))] = item;
    queued += __popc(mask);
  }

  /// Takes in the columns that the lane's box meets, of the window and of the tile, as bits, and works off the queues
  /// that refer to triangles in shared memory; with `final`, the last one, too. Each step is here once: inlined more
  /// often, the kernel outgrew the instruction cache (issue slots used: 54 %).
  __device__ void pump(unsigned own, unsigned hits, bool final) {
    for (;;) {
      const bool more = __any_sync(~0u, (own | hits) != 0);
      if (open_ >= 32 || (final && !more && boxed_ + doubted_ == 0 && open_ > 0)) {
        try_all();
      } else if (doubted_ >= 32 || (!more && boxed_ == 0 && doubted_ > 0)) {
        try_column_plane();
      } else if (boxed_ >= 32 || (!more && boxed_ > 0)) {
        try_row_plane();
      } else if (more) {
        const bool from_own = own != 0;
        const int column = from_own ? __ffs(static_cast<int>(own)) - 1 : kWindow + __ffs(static_cast<int>(hits)) - 1;
        append_lanes((own | hits) != 0, static_cast<std::uint16_t>(lane_ << 8 | column), memory_.boxed, boxed_);
        if (from_own)
          own &= own - 1;
        else
          hits &= hits - 1;
      } else {
        break;
      }
    }
    __syncwarp();
  }

  /// Whose pair it is: are both of one object, and are contacts within it asked for?
  __device__ bool wanted(int r, int k, bool& one_object) const {
    one_object = true;
    if (mesh_.object == nullptr) return true;
    const std::uint32_t object_r = mesh_.object[memory_.id[r]], object_k = mesh_.object[memory_.id[k]];
    one_object = object_r == object_k;
    return !one_object || (object_r & 1) != 0;
  }

  /// Does p's plane part them? In a soup equal keys are no proof of equal positions: those are looked at.
  __device__ bool parted(int p, int q, bool one_object) const {
    unsigned common = 0;
    if (!memory_.triangles.parted(p, q, one_object, common)) return false;
    if (!mesh_.soup || common == 0) return true;
    const Corners<T> a = corners_of(mesh_, memory_.id[p]), b = corners_of(mesh_, memory_.id[q]);
    for (int j = 0; j < 3; ++j) {
      bool found = (common >> j & 1) == 0;
      for (int i = 0; i < 3; ++i)
        found = found || (a.at[i][0] == b.at[j][0] && a.at[i][1] == b.at[j][1] && a.at[i][2] == b.at[j][2]);
      if (!found) return false;
    }
    return true;
  }

  /// The last 32 pairs whose boxes meet.
  __device__ void try_row_plane() {
    __syncwarp();
    const int count = min(32, boxed_);
    boxed_ -= count;
    candidates_ += count;
    std::uint16_t item = 0;
    bool keep = false;
    if (lane_ < count) {
      item = memory_.boxed[boxed_ + lane_];
      const int r = static_cast<int>(item >> 8), k = static_cast<int>(item & 255);
      bool one_object;
      keep = wanted(r, k, one_object) && !parted(r, k, one_object);
    }
    append_lanes(keep, item, memory_.doubted, doubted_);
  }

  __device__ void try_column_plane() {
    __syncwarp();
    const int count = min(32, doubted_);
    doubted_ -= count;
    Pair pair{0, 0};
    bool keep = false;
    if (lane_ < count) {
      const unsigned item = memory_.doubted[doubted_ + lane_];
      const int r = static_cast<int>(item >> 8), k = static_cast<int>(item & 255);
      bool one_object;
      wanted(r, k, one_object);
      keep = !parted(k, r, one_object);
      const std::uint32_t a = memory_.id[r], b = memory_.id[k];
      pair = {min(a, b), max(a, b)};
    }
    append_lanes(keep, pair, memory_.open, open_);
  }

  /// The last 32 pairs that no plane parts, from the corners as given.
  __device__ void try_all() {
    __syncwarp();
    const int count = min(32, open_);
    open_ -= count;
    Finding finding = Finding::clear;
    Pair pair{0, 0};
    if (lane_ < count) {
      pair = memory_.open[open_ + lane_];
      const bool one_object = mesh_.object == nullptr || mesh_.object[pair.a] == mesh_.object[pair.b];
      finding = decide(corners_of(mesh_, pair.a), corners_of(mesh_, pair.b), one_object);
    }
    tell(finding, pair);
  }

  __device__ std::uint32_t places(unsigned mask, std::uint32_t* counter) {
    std::uint32_t base = 0;
    if (lane_ == 0) base = atomicAdd(counter, static_cast<std::uint32_t>(__popc(mask)));
    return __shfl_sync(~0u, base, 0) + __popc(mask & ((1u << lane_) - 1));
  }
  __device__ void tell(Finding finding, const Pair& pair) {
    const unsigned open = __ballot_sync(~0u, finding == Finding::open);
    const unsigned crossing = __ballot_sync(~0u, finding == Finding::crossing);
    if (open != 0) {
      const std::uint32_t at = places(open, &state_->survivors);
      if (finding == Finding::open && at < output_.most_survivors) output_.survivors[at] = pair;
    }
    if (crossing != 0) {
      const std::uint32_t at = places(crossing, &state_->contacts);
      if (finding == Finding::crossing && at < output_.most_keys)
        output_.keys[at] = key_of(mesh_, output_.objects, output_.layout, pair, kCrossing);
    }
  }
  static constexpr int kCrossing = 1;  ///< Kind::crossing

  const DeviceMesh<T>& mesh_;
  State<T>* state_;
  const BinBuffers& bins_;
  const PairOutput& output_;
  WarpMemory<T>& memory_;
  const Grid<T> grid_;
  const std::uint32_t count_;
  const int lane_;
  int boxed_ = 0, doubted_ = 0, open_ = 0;
  std::uint32_t candidates_ = 0;
};

template <typename T>
__global__ void __launch_bounds__(kWarps * 32)
    pair_kernel(DeviceMesh<T> mesh, BinBuffers bins, PairOutput output, State<T>* state) {
  __shared__ WarpMemory<T> memory[kWarps];
  const std::uint32_t count = state->entries;
  if (count > bins.most_entries) return;  // grown and repeated by the host
  PairWarp<T> warp(mesh, state, bins, output, memory[threadIdx.x / 32]);
  const std::uint32_t windows = (count + kWindow - 1) / kWindow;
  const int lane = threadIdx.x & 31;
  for (bool final = false; !final;) {
    std::uint32_t window = 0;
    if (lane == 0) window = atomicAdd(&state->next_window, 1u);
    window = __shfl_sync(~0u, window, 0);
    final = window >= windows;
    warp.run(window, final);
  }
  if (lane == 0 && warp.candidates() > 0)
    atomicAdd(&state->candidates, static_cast<unsigned long long>(warp.candidates()));
}

}  // namespace

template <typename T>
void find_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const PairOutput& output, State<T>* state,
                cudaStream_t stream) {
  static const int blocks = [] {
    int device = 0, processors = 0, each = 0;
    SIGHTLINE_CUDA(cudaGetDevice(&device));
    SIGHTLINE_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    SIGHTLINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, pair_kernel<T>, kWarps * 32, 0));
    return processors * (each > 0 ? each : 1);
  }();
  pair_kernel<<<blocks, kWarps * 32, 0, stream>>>(mesh, bins, output, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

template void find_pairs(const DeviceMesh<float>&, const BinBuffers&, const PairOutput&, State<float>*, cudaStream_t);
template void find_pairs(const DeviceMesh<double>&, const BinBuffers&, const PairOutput&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
