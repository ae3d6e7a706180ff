#include <array>
#include <atomic>

#include "cuda/check.h"
#include "cuda/filter.cuh"
#include "cuda/stages.cuh"
#include "rules/report.h"

namespace sightline::cuda {
namespace {

constexpr int kWarps = 8;  ///< a block

/// Boxes of two entries overlap, and this cell is the one that reports the pair: both by one subtraction. Six fields of
/// 8 bits and three of 1 bit, each below a guard bit that is 1 on the left side; a guard bit stays if its field does
/// not borrow.
///   left:  high x, y, z;  255 - low x, y, z;  flag of x, y, z
///   right: low x, y, z;   255 - high x, y, z; no flag of x, y, z; kept as its negative, to be added
/// flag: the triangle's least cell on that axis is this one. The pair is taken where one of both has the flag, for each
/// axis (R2 of rules/report.h).
struct Packed {
  unsigned long long left, right;
};
constexpr unsigned long long kGuards = [] {
  unsigned long long g = 0;
  for (int i = 0; i < 6; ++i) g |= 1ull << (9 * i + 8);
  for (int i = 0; i < 3; ++i) g |= 1ull << (54 + 2 * i + 1);
  return g;
}();

/// Twice `misses`, and 1 more unless left meets right: bits of a row of columns, the first one on top. The carry of an
/// addition takes the place of a comparison and a selection.
__device__ inline unsigned miss(unsigned misses, unsigned long long left, unsigned long long right) {
  constexpr unsigned kLow = static_cast<unsigned>(kGuards), kHigh = static_cast<unsigned>(kGuards >> 32);
  const unsigned long long d = left + right;
  unsigned borrowed;  // guard bits that are gone, in two operations; the compiler needs three
  asm("lop3.b32 %0, %1, %2, 0, 0x0c;" : "=r"(borrowed) : "r"(static_cast<unsigned>(d)), "n"(kLow));
  asm("lop3.b32 %0, %1, %2, %0, 0xae;" : "+r"(borrowed) : "r"(static_cast<unsigned>(d >> 32)), "n"(kHigh));
  asm("{ .reg .u32 sum; add.cc.u32 sum, %1, 0xffffffff; addc.u32 %0, %0, %0; }" : "+r"(misses) : "r"(borrowed));
  return misses;
}

/// Low and high end within a cell, in 8 bits: the cell itself is 32 … 223. Monotone and clamped. The flag: the low end
/// is in this cell, or clamped to it.
template <typename T>
__device__ inline Packed pack(const Grid<T>& grid, const Corners<T>& c, const int* cell) {
  constexpr unsigned kOnes = 1 | 1 << 9 | 1 << 18, kBase = 0x4B000000;  // 2^23, whose last place is 1
  unsigned low = 0, high = 0, flags = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto field = [&](T place) {  // two operations beside the comparisons, the kernel's busiest pipe
      const float in_cell = static_cast<float>(place - static_cast<T>(cell[axis]));
      const float t = __saturatef(fmaf(in_cell, 192 / 255.0f, 32 / 255.0f));
      return __float_as_uint(__fmaf_rz(t, 255.0f, __uint_as_float(kBase))) << (9 * axis);
    };
    const T least_place = place_of(grid, axis, least(c, axis));
    low += field(least_place);
    high += field(place_of(grid, axis, most(c, axis)));
    flags |= rules::is_least(least_place, cell[axis]) ? 1u << (2 * axis) : 0u;
  }
  low -= kBase * kOnes;
  high -= kBase * kOnes;
  constexpr unsigned long long kFlags = 1 | 1 << 2 | 1 << 4;
  const auto side = [](unsigned first, unsigned second, unsigned long long flag) {
    return first | static_cast<unsigned long long>(255 * kOnes - second) << 27 | flag << 54;
  };
  return {kGuards | side(high, low, flags), 0 - side(low, high, flags ^ kFlags)};
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

/// The question of a query, and how equal corners are recognised.
enum class Question {
  mesh,    ///< one mesh against itself, common vertices by number
  soup,    ///< one mesh with three vertices for each triangle, common vertices by position
  objects  ///< several objects, whatever their vertices
};

/// Columns taken at once: of a row, and of all, unless the rows have kSomeTaken each. The room for them is chosen so
/// that four blocks leave 60 KiB of an H200's processor to its cache; with twice as much, a soup took 1.3 ms instead of
/// 0.9.
constexpr int kMostTaken = 16, kSomeTaken = 8, kRoom = 32 * kSomeTaken;

template <typename T>
struct WarpMemory {
  LocalTriangles<T, 2 * kWindow> triangles;  ///< rows, then a tile of columns behind them
  unsigned long long right[2 * kWindow];
  std::uint32_t id[2 * kWindow];
  std::uint16_t boxed[32 + kRoom];  ///< queue of row << 8 | column: boxes meet
  std::uint16_t doubted[2 * 32];    ///< queue of row << 8 | column: the row's plane does not separate them
  Pair open[2 * 32];                ///< queue of triangles: neither plane separates them
};

/// Equal corners have equal keys: the vertex, or in a soup a hash of its position.
__device__ inline std::uint32_t bits_of(float x) { return __float_as_uint(x + 0.0f); }  // -0 is 0
__device__ inline std::uint32_t bits_of(double x) {
  const long long bits = __double_as_longlong(x + 0.0);
  return static_cast<std::uint32_t>(bits) * 0xC2B2AE35u + static_cast<std::uint32_t>(bits >> 32);
}
template <typename T>
__device__ inline std::uint32_t position_key(const T* p) {
  const std::uint32_t h = bits_of(p[0]) * 0x9E3779B1u + bits_of(p[1]) * 0x85EBCA77u + bits_of(p[2]) * 0xC2B2AE3Du;
  return h ^ h >> 15;
}

/// What a warp does at once: a window of 32 consecutive entries and the first tile of 32 that it meets. Where there are
/// few windows, several warps share one: each takes the columns of a part.
struct Work {
  std::uint32_t window, tile;
  unsigned columns;  ///< of every 32, as bits
};

/// One warp at work, a lane for each entry of a window. A row meets the entries behind it in its cell: those of its own
/// window, and those of the tiles of 32 that follow it while its cell goes on.
template <typename T, Question kQuestion>
class PairWarp {
 public:
  __device__ PairWarp(const DeviceMesh<T>& mesh, State<T>* state, const BinBuffers& bins, const PairOutput& output,
                      const Grid<T>& grid, std::uint32_t most_tiles, WarpMemory<T>& memory)
      : mesh_(mesh),
        state_(state),
        bins_(bins),
        output_(output),
        memory_(memory),
        grid_(grid),
        count_(state->entries),
        most_tiles_(most_tiles),
        lane_(threadIdx.x & 31),
        in_order_(kQuestion == Question::soup && state->listed == 0) {}

  /// `final`: there is no such work; what is left in the queues is done.
  __device__ void run(const Work& work, bool final) {
    const std::uint32_t first = work.window * kWindow;
    std::uint32_t end = 0;        // of the row's cell
    unsigned long long left = 0;  // not used by a lane without an entry
    if (!final && first + lane_ < count_) {
      const Entry entry = bins_.entries[first + lane_];
      const int x = static_cast<int>(entry.place & 2047), y = static_cast<int>(entry.place >> 11 & 2047);
      end = bins_.end[(static_cast<int>(entry.place >> 22) * grid_.size[1] + y) * grid_.size[0] + x];
      left = load(entry, lane_);
    }
    const std::uint64_t most = first + std::uint64_t{work.tile + most_tiles_} * kWindow;
    const std::uint32_t last = static_cast<std::uint32_t>(min(most, std::uint64_t{warp_max(end)}));
    unsigned own = 0;
    if (work.tile == 1) {
      // Columns of the window in the lane's cell: the half that follows it in a circle, so that every pair is one
      // lane's and no lane has many.
      const unsigned same = lanes_of_one(end), half = lane_ < 16 ? 0x1FFFEu : 0xFFFEu;
      own = end == 0 ? 0 : same & __funnelshift_l(half, half, lane_) & work.columns;
    }
    for (std::uint32_t tile = first + work.tile * kWindow;; tile += kWindow) {
      const int columns = tile < last ? static_cast<int>(min(last - tile, static_cast<std::uint32_t>(kWindow))) : 0;
      if (lane_ < columns) load(bins_.entries[tile + lane_], kWindow + lane_);
      __syncwarp();
      if (__any_sync(~0u, own != 0)) own &= met<kWindow>(left, 0, 1);
      pump(own, met<8>(left, kWindow, (columns + 7) / 8) & below(end, tile) & work.columns, final);
      if (tile + kWindow >= last) break;
      own = 0;
    }
  }

  __device__ std::uint32_t candidates() const { return candidates_; }

 private:
  /// Bits of the columns from `tile` on that are below `end`.
  __device__ static unsigned below(std::uint32_t end, std::uint32_t tile) {
    return end <= tile ? 0 : end - tile >= 32 ? ~0u : (1u << (end - tile)) - 1;
  }

  /// The lanes next to this one with the same value, itself among them, as bits.
  __device__ unsigned lanes_of_one(std::uint32_t value) const {
    const std::uint32_t before = __shfl_up_sync(~0u, value, 1);
    const unsigned heads = __ballot_sync(~0u, lane_ == 0 || value != before), upto = (2u << lane_) - 1;
    const unsigned first = 1u << (31 - __clz(static_cast<int>(heads & upto)));
    const unsigned behind = heads & ~upto;  // its least bit is the first lane of the next value
    return ((behind & (0 - behind)) - 1) & ~(first - 1);
  }

  /// Which of the columns from `first` on the lane's box meets: so many steps of Step columns.
  template <int Step>
  __device__ unsigned met(unsigned long long left, int first, int steps) const {
    unsigned misses = 0;
    for (int step = steps - 1; step >= 0; --step) {
      const unsigned long long* right = memory_.right + first + step * Step;
#pragma unroll
      for (int k = Step - 1; k >= 0; --k) misses = miss(misses, left, right[k]);
    }
    return ~misses;
  }

  /// Returns the left side of its box; the right side is kept for all.
  __device__ unsigned long long load(const Entry& entry, int e) {
    std::uint32_t keys[3];
    const Corners<T> c = kQuestion == Question::soup && in_order_ ? corners_in_order(mesh_, entry.triangle)
                                                                  : corners_of(mesh_, entry.triangle, keys);
    if (soup())
      for (int i = 0; i < 3; ++i) keys[i] = position_key(c.at[i]);
    const int cell[3] = {static_cast<int>(entry.place & 2047), static_cast<int>(entry.place >> 11 & 2047),
                         static_cast<int>(entry.place >> 22)};
    T origin[3];  // the middle of the cell, or near it: only that it is the same for all in the cell matters
    for (int axis = 0; axis < 3; ++axis)
      origin[axis] = grid_.low[axis] + rules::product(static_cast<T>(cell[axis]) + T(0.5), grid_.width);
    memory_.triangles.set(e, c, origin, keys);
    memory_.id[e] = entry.triangle;
    const Packed p = pack(grid_, c, cell);
    memory_.right[e] = p.right;
    return p.left;
  }

  /// Takes in the columns that the lane's box meets, of the window and of the tile, as bits, and works off the queues
  /// that refer to triangles in shared memory; with `final`, the last one, too. Each step is here once: inlined more
  /// often, the kernel outgrew the instruction cache (issue slots used: 54 %).
  __device__ void pump(unsigned own, unsigned hits, bool final) {
    bool more = __any_sync(~0u, (own | hits) != 0);
    for (;;) {
      if (more && boxed_ < 32) {
        more = take(own, hits);
      } else if (open_ >= 32 || (final && boxed_ + doubted_ == 0 && open_ > 0)) {
        try_all();
      } else if (doubted_ >= 32 || (boxed_ == 0 && doubted_ > 0)) {
        try_column_plane();
      } else if (boxed_ > 0) {
        try_row_plane();
      } else {
        break;
      }
    }
    __syncwarp();
  }

  /// Columns of each lane into the queue, which has less than 32. True if some are left.
  __device__ bool take(unsigned& own, unsigned& hits) {
    const int all = __popc(own) + __popc(hits);
    int count = min(all, kMostTaken), end = ends(count);
    if (__shfl_sync(~0u, end, 31) > kRoom) {
      count = min(all, kSomeTaken);
      end = ends(count);
    }
    __syncwarp();
    std::uint16_t* at = memory_.boxed + boxed_ + end - count;
    const int of_own = min(count, __popc(own));
    const auto move = [&](unsigned& bits, int n, int item) {
      for (; n > 0; --n) {
        const int column = 31 - __clz(static_cast<int>(bits));
        bits ^= 1u << column;
        *at++ = static_cast<std::uint16_t>(item + column);
      }
    };
    move(own, of_own, lane_ << 8);
    move(hits, count - of_own, lane_ << 8 | kWindow);
    boxed_ += __shfl_sync(~0u, end, 31);
    return __any_sync(~0u, (own | hits) != 0);
  }
  /// Sums of the lanes up to this one.
  __device__ int ends(int count) const {
    for (int step = 1; step < 32; step *= 2) {
      const int before = __shfl_up_sync(~0u, count, step);
      if (lane_ >= step) count += before;
    }
    return count;
  }

  __device__ bool soup() const { return kQuestion == Question::soup || (kQuestion == Question::objects && mesh_.soup); }

  /// Whether the pair is to be reported, and whether both triangles are of one object.
  __device__ bool wanted(int r, int k, bool& one_object) const {
    one_object = true;
    if (kQuestion != Question::objects) return true;
    const std::uint32_t object_r = mesh_.object[memory_.id[r]], object_k = mesh_.object[memory_.id[k]];
    one_object = object_r == object_k;
    return mesh_.wanted(object_r, object_k);
  }

  /// True if p's plane separates them. In a soup equal keys are no proof of equal positions: the positions are
  /// compared.
  __device__ bool parted(int p, int q, bool one_object) const {
    unsigned common = 0;
    if (!memory_.triangles.parted(p, q, one_object, common)) return false;
    if (!soup() || common == 0) return true;
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

  /// Decides the last 32 pairs that no plane separates, from the corners as given.
  __device__ void try_all() {
    __syncwarp();
    const int count = min(32, open_);
    open_ -= count;
    Finding finding = Finding::clear;
    Pair pair{0, 0};
    if (lane_ < count) {
      pair = memory_.open[open_ + lane_];
      const bool one_object = kQuestion != Question::objects || mesh_.object[pair.a] == mesh_.object[pair.b];
      finding = decide(corners_of(mesh_, pair.a), corners_of(mesh_, pair.b), one_object);
    }
    if (finding == Finding::open) output_.add_survivor(pair, state_);
    if (finding == Finding::crossing) output_.add_contact(mesh_, pair, Kind::crossing, state_);
  }

  const DeviceMesh<T>& mesh_;
  State<T>* state_;
  const BinBuffers& bins_;
  const PairOutput& output_;
  WarpMemory<T>& memory_;
  const Grid<T>& grid_;
  const std::uint32_t count_, most_tiles_;
  const int lane_;
  const bool in_order_;  ///< a triangle's number determines its vertices: half of the memory need not be read
  int boxed_ = 0, doubted_ = 0, open_ = 0;
  std::uint32_t candidates_ = 0;
};

/// The work of all warps: first the groups of tiles of windows with many, since what is taken last decides when the
/// kernel ends; then the windows, in 1 << shift parts where there are few.
struct Plan {
  std::uint32_t windows, groups, most_tiles = 4;
  int shift = 0;

  /// `listed`: how many groups there are; more than there is room for, and each window is one warp's.
  __device__ Plan(std::uint32_t entries, unsigned long long listed, const BinBuffers& bins, std::uint32_t warps)
      : windows((entries + kWindow - 1) / kWindow), groups(static_cast<std::uint32_t>(listed)) {
    if (windows <= warps) most_tiles = 2;
    if (2 * windows <= warps) most_tiles = shift = 1;
    if (3 * windows <= warps) shift = 2;
    if (listed > bins.most_groups) groups = 0, most_tiles = windows;
  }
  __device__ std::uint32_t units() const { return groups + (windows << shift); }
  __device__ Work unit(const BinBuffers& bins, std::uint32_t unit) const {
    if (unit < groups) {
      const Group group = bins.groups[unit];
      return {group.window, group.tile, ~0u};
    }
    constexpr unsigned kEvery[] = {~0u, 0x55555555u, 0x11111111u};  // column, second, fourth
    const std::uint32_t part = unit - groups;
    return {part >> shift, 1, kEvery[shift] << (part & ((1u << shift) - 1))};
  }
};

/// Lists the tiles of each window beyond the first ones, in groups.
template <typename T>
__global__ void plan_kernel(BinBuffers bins, std::uint32_t warps, State<T>* state) {
  if (state->entries > bins.most_entries) return;
  const Plan plan(state->entries, 0, bins, warps);
  const std::uint32_t window = blockIdx.x * blockDim.x + threadIdx.x;
  if (window >= plan.windows) return;
  const std::uint32_t place = bins.entries[min(window * kWindow + kWindow, state->entries) - 1].place;
  const int* size = state->grid.size;
  const std::uint32_t end = bins.end[((place >> 22) * size[1] + (place >> 11 & 2047)) * size[0] + (place & 2047)];
  const std::uint32_t begin = (window + 1) * kWindow, more = end > begin ? (end - begin - 1) / kWindow : 0;
  const std::uint32_t groups = more / plan.most_tiles;
  if (groups == 0) return;
  const unsigned long long at = atomicAdd(&state->groups, static_cast<unsigned long long>(groups));
  for (std::uint32_t i = 0; i < groups && at + i < bins.most_groups; ++i)
    bins.groups[at + i] = {window, 1 + plan.most_tiles * (i + 1)};
}

template <typename T, Question kQuestion>
__global__ void __launch_bounds__(kWarps * 32, sizeof(T) == sizeof(float) ? 4 : 2)
    pair_kernel(DeviceMesh<T> mesh, BinBuffers bins, PairOutput output, State<T>* state) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Grid<T> grid;
  const std::uint32_t count = state->entries;
  if (count > bins.most_entries) return;  // grown and repeated by the host
  if (threadIdx.x == 0) grid = state->grid;
  __syncthreads();
  const std::uint32_t warps = gridDim.x * kWarps;
  const Plan plan(count, state->groups, bins, warps);
  PairWarp<T, kQuestion> warp(mesh, state, bins, output, grid, plan.most_tiles,
                              reinterpret_cast<WarpMemory<T>*>(shared)[threadIdx.x / 32]);
  std::uint32_t unit = threadIdx.x / 32 * gridDim.x + blockIdx.x;  // the first one, on all processors
  for (bool final = false; !final;) {
    final = unit >= plan.units();
    warp.run(final ? Work{0, 0, 0} : plan.unit(bins, unit), final);
    if ((threadIdx.x & 31) == 0) unit = warps + atomicAdd(&state->next_unit, 1u);
    unit = __shfl_sync(~0u, unit, 0);
  }
  if ((threadIdx.x & 31) == 0 && warp.candidates() > 0)
    atomicAdd(&state->candidates, static_cast<unsigned long long>(warp.candidates()));
}

template <typename T, Question kQuestion>
void launch(const DeviceMesh<T>& mesh, const BinBuffers& bins, const PairOutput& output, State<T>* state,
            cudaStream_t stream) {
  constexpr int kThreads = kWarps * 32, kBytes = kWarps * sizeof(WarpMemory<T>);
  // Once for each device, however many there are of them in one process.
  static std::array<std::atomic<int>, 64> known{};
  int device = 0;
  SIGHTLINE_CUDA(cudaGetDevice(&device));
  std::atomic<int>& blocks_here = known[static_cast<std::size_t>(device) % known.size()];
  if (blocks_here == 0 || device >= static_cast<int>(known.size())) {
    int processors = 0, each = 0;
    SIGHTLINE_CUDA(
        cudaFuncSetAttribute(pair_kernel<T, kQuestion>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
    SIGHTLINE_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    SIGHTLINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, pair_kernel<T, kQuestion>, kThreads, kBytes));
    blocks_here = processors * (each > 0 ? each : 1);
  }
  const int blocks = blocks_here;
  cuda::launch(plan_kernel<T>, blocks_for(bins.most_entries / kWindow + 1, kThreads), kThreads, stream, bins,
               static_cast<std::uint32_t>(blocks * kWarps), state);
  pair_kernel<T, kQuestion><<<blocks, kThreads, kBytes, stream>>>(mesh, bins, output, state);
  SIGHTLINE_CUDA(cudaGetLastError());
}

}  // namespace

template <typename T>
void find_pairs(const DeviceMesh<T>& mesh, const BinBuffers& bins, const PairOutput& output, State<T>* state,
                cudaStream_t stream) {
  if (mesh.object != nullptr)
    launch<T, Question::objects>(mesh, bins, output, state, stream);
  else if (mesh.soup)
    launch<T, Question::soup>(mesh, bins, output, state, stream);
  else
    launch<T, Question::mesh>(mesh, bins, output, state, stream);
}

template void find_pairs(const DeviceMesh<float>&, const BinBuffers&, const PairOutput&, State<float>*, cudaStream_t);
template void find_pairs(const DeviceMesh<double>&, const BinBuffers&, const PairOutput&, State<double>*, cudaStream_t);

}  // namespace sightline::cuda
