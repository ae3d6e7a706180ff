// Raster in compute programs. Calls are collected; when a result is needed, or the buffers are changed, all of them are
// run as one batch:
//   1. setup: corners to primitives, once for a view;
//   2. count: the entries (a primitive of a call each), and the tiles that each touches;
//   3. place: where each tile's list begins, and which tiles have one;
//   4. fill: the lists;
//   5. tile: a work group takes a tile and draws its list in the order of the calls (programs/tiles.cpp).
// So "test, draw, test, draw, …" with a dependency from each to the next needs no wait between them, and a pixel's
// depth never leaves its thread. The rules are those of raster/raster.h to the last bit. CULLIDE's sweeps have a
// shorter way (sweep.h), unless something has to be clipped or their lists are too long.
//
// Batches go to the device one after the other, without a wait. A clear ends a batch. All batches under way are kept
// here until it is known that their lists fitted into their buffer. The first batch whose lists did not fit stores its
// number, and neither it nor those after it draw anything; they are run again with more room.
//
// Why not by the graphics pipeline? Fragments of one pixel run in any order unless the driver has
// fragment_shader_interlock (llvmpipe does not); early depth tests keep the order, but take the hardware's interpolated
// depth, which is not ours. And an H200 has two of its 66 TPCs for graphics, while compute has all of them.
#include <algorithm>
#include <functional>

#include "gl/batch.h"
#include "gl/peel.h"
#include "gl/rasters.h"
#include "gl/shaders.h"
#include "gl/sweep.h"

namespace sightline::papers::gl {
namespace {

using namespace raster;
using Pair = std::array<std::uint32_t, 2>;

class TileRaster final : public GlRaster {
 public:
  /// After an error: the next query writes to the same buffers.
  ~TileRaster() override {
    if (under_way_ > 0) glFinish();
  }

  void pool(std::span<const std::uint32_t> triangles) override {
    flush();
    pool_ = triangles;
    pool_there_ = false;
  }

  /// Nothing is written: from now on, a tile whose epoch is not this one has the key in all its pixels.
  void clear_depth(std::uint32_t key) override {
    run_batch();
    ++epoch_;
    clear_key_ = key;
  }
  void clear_stencil(std::uint8_t value) override {
    flush();
    if (target_.stencil) context_.fill(context_.buffer(Context::kStencil), 4 * pixels(), value);
  }
  void clear_color(const Color& color) override {
    flush();
    if (!target_.color) return;
    context_.fill(context_.buffer(Context::kColor), 8 * pixels(), color[0] | std::uint32_t{color[1]} << 16,
                  color[2] | std::uint32_t{color[3]} << 16);
  }

  void sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
             std::span<std::uint8_t> passed) override;

  void peel(std::span<const PeelRegion> regions, std::span<const std::uint32_t> ids, Peeled& result) override {
    check_peel(regions, target_);
    finish();
    if (!peeler_.run(geometry_, target_.format, regions, ids, result, counters_)) Raster::peel(regions, ids, result);
  }

  std::vector<std::uint32_t> read_depth() override {
    flush();
    write_clear();
    return read<std::uint32_t>(Context::kDepth);
  }
  std::vector<std::uint8_t> read_stencil() override {
    if (!target_.stencil) return {};
    flush();
    const auto words = read<std::uint32_t>(Context::kStencil);
    return {words.begin(), words.end()};
  }
  std::vector<Color> read_color() override {
    if (!target_.color) return {};
    flush();
    return read<Color>(Context::kColor);
  }
  std::vector<ColorAt> read_color_compact(std::uint8_t mask) override;

 private:
  /// Everything collected is run, its memory can be used again, and its results are here.
  void flush() override {
    run_batch();
    settle();
  }
  void enter_target() override {
    context_.buffer(Context::kEpochs).reserve(context_, 4 * tiles(), "tiles");
    context_.fill(context_.buffer(Context::kEpochs), 4 * tiles(), 0);
    context_.buffer(Context::kTiles).reserve(context_, 8 * tiles(), "tiles");
    context_.buffer(Context::kBusy).reserve(context_, 4 * tiles(), "tiles");
    empty_tiles();
    epoch_ = 0;
    if (target_.stencil) context_.buffer(Context::kStencil).reserve(context_, 4 * pixels(), "a stencil buffer");
    if (target_.color) context_.buffer(Context::kColor).reserve(context_, 8 * pixels(), "a colour buffer");
    clear_depth(far_key(target_.format));
    clear_stencil(0);
    clear_color({});
  }
  void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) override {
    constexpr std::size_t kMostTriangles = kMostEntries / Projection::kMost;  // of a piece of a call
    while (!triangles.empty()) {
      const std::span piece = triangles.first(std::min(triangles.size(), kMostTriangles));
      record(state, piece, query);
      triangles = triangles.subspan(piece.size());
    }
  }
  std::vector<Inside> find_inside(const InsideQuery& query, std::uint64_t& samples) override {
    pool_there_ = false;  // its buffer is used
    return GlRaster::find_inside(query, samples);
  }
  void store_depth(Image to) override {
    write_clear();
    glCopyNamedBufferSubData(context_.buffer(Context::kDepth).id(), context_.image(to).id(), 0, 0,
                             static_cast<GLsizeiptr>(4 * pixels()));
  }

  static constexpr std::size_t kFront = 2;  ///< pairs before the queries' results: fragments; what did not fit

  std::size_t most_bytes() const { return static_cast<std::size_t>(context_.info.most_bytes); }
  /// To begin with: four tiles an entry.
  std::size_t list_bytes(std::uint32_t entries) const {
    return std::min<std::size_t>(16 * std::size_t{entries}, most_bytes());
  }
  Buffer& buffer(const Batch& batch, Context::BatchSlot slot) { return context_.buffer(batch.place, slot); }
  std::size_t tiles() const { return tiles_of(target_); }
  void empty_tiles() { context_.fill(context_.buffer(Context::kTiles), 8 * tiles(), 0); }
  /// Reserved only where it is needed: a sweep has no depth buffer, and so is not limited by the size of a buffer.
  void reserve_depth() { context_.buffer(Context::kDepth).reserve(context_, 4 * pixels(), "a depth buffer"); }
  void write_clear();

  void record(const State& state, std::span<const std::uint32_t> triangles, Query query);
  void run_batch();
  bool writes_shared(const Batch& batch);
  void upload(const Batch& batch);
  void upload_pool();
  void run(const Batch& batch, std::uint32_t first, std::uint32_t count, bool look);
  bool make_room(const Batch& batch, std::uint32_t first, std::uint32_t count);
  void draw_tiles(const Batch& batch, const Lists& lists);
  void settle();

  Sweeper sweeper_{context_, primitives_};
  RegionPeeler peeler_{context_};
  /// The first under_way_ were run and are not yet known to have fitted; the one behind them is being collected.
  std::array<Batch, Context::kBatches + 1> batches_;
  std::size_t under_way_ = 0;
  std::span<const std::uint32_t> pool_;
  bool pool_there_ = false;

  std::uint32_t epoch_ = 0, clear_key_ = 0;
  std::size_t counted_ = 0;  ///< queries that the buffer of results has room for
};

void TileRaster::sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
                       std::span<std::uint8_t> passed) {
  check(camera_);
  flush();
  const bool all_there =
      primitives_.on_device() && triangles.data() == pool_.data() && triangles.size() <= pool_.size();
  if (all_there) upload_pool();
  if (!all_there || !sweeper_.run(target_, elements, passed, counters_)) Raster::sweep(triangles, elements, passed);
}

void TileRaster::upload_pool() {
  if (!pool_there_) context_.buffer(Context::kPool).assign(context_, pool_.data(), pool_.size_bytes(), "triangles");
  pool_there_ = true;
}

void TileRaster::record(const State& state, std::span<const std::uint32_t> triangles, Query query) {
  if (triangles.size() * Projection::kMost > kMostEntries - batches_[under_way_].total) run_batch();
  if (!batches_[under_way_].takes(state)) flush();
  Batch& batch = batches_[under_way_];
  const std::uint32_t index = batch.index_of(state);
  const bool solid = state.fill == Fill::solid;
  // "Test, then draw" of one triangle: one entry does both.
  if (solid && query == kNoQuery && triangles.size() == 1 && triangles[0] == batch.single) {
    batch.commands.back().second = index;
    batch.single = kNone;
    return;
  }
  GpuCommand command{index, query, kNone, batch.total, 0, 0};
  std::size_t count = triangles.size();
  const std::less_equal<> before;
  if (solid && primitives_.on_device() && !pool_.empty() && before(pool_.data(), triangles.data()) &&
      before(triangles.data() + triangles.size(), pool_.data() + pool_.size())) {
    command.first = static_cast<std::uint32_t>(triangles.data() - pool_.data());
    command.from_pool = 1;
  } else {
    command.first = static_cast<std::uint32_t>(batch.own.size());
    primitives_.append(state.fill, triangles, batch.own);
    count = batch.own.size() - command.first;
    if (count == 0) return;
  }
  batch.total += static_cast<std::uint32_t>(count);
  batch.commands.push_back(command);
  batch.single = solid && query != kNoQuery && triangles.size() == 1 && count == 1 ? triangles[0] : kNone;
}

void TileRaster::upload(const Batch& batch) {
  context_.traced("host");
  reserve_depth();
  primitives_.upload();
  context_.buffer(Context::kEntries).reserve(context_, batch.total * sizeof(Pair), "a batch");
  buffer(batch, Context::kCommands)
      .assign(context_, batch.commands.data(), batch.commands.size() * sizeof(GpuCommand), "a batch");
  if (!batch.own.empty())
    buffer(batch, Context::kOwn).assign(context_, batch.own.data(), batch.own.size() * 4, "a batch");
  upload_pool();
  buffer(batch, Context::kStates).assign(context_, batch.packed.data(), batch.packed.size() * sizeof(Words), "a batch");
  if (batch.colors != nullptr) upload_colors(batch.colors);
  context_.buffer(Context::kLarge).reserve(context_, std::size_t{4} * batch.total, "a batch");
  context_.traced("upload");
}

void TileRaster::run_batch() {
  if (batches_[under_way_].total == 0) return batches_[under_way_].clear();
  if (under_way_ > 0 &&
      (under_way_ == Context::kBatches || counted_ < results_.size() || writes_shared(batches_[under_way_])))
    settle();
  if (under_way_ == 0) {
    // Room for the queries of the next passes as well, so that these do not wait for a larger buffer.
    constexpr std::size_t kLeast = 1024;
    counted_ = std::max(kLeast, 2 * results_.size());
    const std::size_t bytes = (counted_ + kFront) * sizeof(Pair);
    Buffer& results = context_.buffer(Context::kResults);
    results.reserve(context_, bytes, "results");
    context_.fill(results, bytes, 0);
  }
  Batch& batch = batches_[under_way_];
  batch.epoch = epoch_;
  batch.clear_key = clear_key_;
  batch.place = under_way_++;
  upload(batch);
  run(batch, 0, batch.total, false);
}

/// Buffers that all batches share are not written or replaced while one is under way. (Primitives are: those that the
/// host makes go behind all that are there, or all into new memory.)
bool TileRaster::writes_shared(const Batch& batch) {
  const auto grows = [&](Context::Slot slot, std::size_t bytes) { return bytes > context_.buffer(slot).capacity(); };
  return batch.colors != nullptr || !pool_there_ || grows(Context::kEntries, batch.total * sizeof(Pair)) ||
         grows(Context::kLarge, std::size_t{4} * batch.total) || grows(Context::kLists, list_bytes(batch.total));
}

/// Waits, and adds up the results of all batches under way. Those whose lists did not fit are run again before.
void TileRaster::settle() {
  if (under_way_ == 0) return;
  std::vector<Pair> counts(std::min(results_.size(), counted_) + kFront);
  const auto read = [&] {
    context_.read(context_.buffer(Context::kResults), 0, counts.size() * sizeof(Pair), counts.data(),
                  "the results of queries");
  };
  read();
  if (const std::uint32_t failed = counts[1][0]; failed != 0) {  // the number of the first such batch, from 1
    constexpr Pair kNothing = {0, 0};
    glNamedBufferSubData(context_.buffer(Context::kResults).id(), sizeof(Pair), sizeof kNothing, kNothing.data());
    for (std::size_t i = failed - 1; i < under_way_; ++i) {
      upload(batches_[i]);
      run(batches_[i], 0, batches_[i].total, true);
    }
    context_.check("a batch of draws");
    glFinish();  // the buffers of its place are free from here on
    read();
  }
  const auto value = [](const Pair& words) { return std::uint64_t{words[1]} << 32 | words[0]; };
  counters_.fragments += value(counts[0]);
  for (std::size_t i = kFront; i < counts.size(); ++i) results_[i - kFront] += value(counts[i]);
  for (std::size_t i = 0; i < under_way_; ++i) batches_[i].clear();
  std::swap(batches_[0], batches_[under_way_]);
  under_way_ = 0;
}

/// `look`: waits for the lengths of the lists, makes room for them, and draws a batch that no buffer can hold in two
/// halves, one after the other.
void TileRaster::run(const Batch& batch, std::uint32_t first, std::uint32_t count, bool look) {
  const ListHeader start;
  Buffer& header = buffer(batch, Context::kHeader);
  if (look) glFinish();  // a part of the same batch may be under way
  header.assign(context_, &start, sizeof start, "a batch");
  if (look) empty_tiles();  // drawing leaves them so
  context_.buffer(Context::kLists).reserve(context_, list_bytes(count), "lists");
  const auto commands = static_cast<std::uint32_t>(batch.commands.size());
  const Lists lists{context_, primitives_, target_, header, false, first, count, commands};
  context_.bind(2, buffer(batch, Context::kCommands));
  context_.bind(3, buffer(batch, Context::kStates));
  context_.bind(11, batch.own.empty() ? context_.buffer(Context::kPool) : buffer(batch, Context::kOwn));
  lists.measure();
  if (look && !make_room(batch, first, count)) return;
  lists.fill();
  draw_tiles(batch, lists);
}

/// True if the lists that were counted now fit; false if everything was done otherwise.
bool TileRaster::make_room(const Batch& batch, std::uint32_t first, std::uint32_t count) {
  Pair length{};  // low and high word
  context_.read(buffer(batch, Context::kHeader), 0, sizeof length, length.data(), "the lists of tiles");
  if (length[1] == 0 && length[0] <= list_capacity(context_, false)) return true;
  if ((length[1] != 0 || length[0] > most_bytes() / 4) && count > 1) {
    run(batch, first, count / 2, true);
    run(batch, first + count / 2, count - count / 2, true);
  } else {
    context_.buffer(Context::kLists).reserve(context_, std::size_t{4} * length[0], "lists");
    run(batch, first, count, true);
  }
  return false;
}

void TileRaster::draw_tiles(const Batch& batch, const Lists& lists) {
  lists.use(batch.more ? "tile with more" : "tile", [&] { return tile_shader(batch.more); });
  context_.set("epoch", batch.epoch);
  context_.set("clear_key", batch.clear_key);
  context_.set("batch", static_cast<GLuint>(batch.place + 1));
  context_.bind(7, Context::kEpochs);
  context_.bind(8, Context::kTiles);
  context_.bind(10, Context::kDepth);
  context_.bind(11, Context::kResults);
  if (batch.more) {
    context_.set("has_stencil", target_.stencil ? 1 : 0);
    context_.set("has_color", target_.color ? 1 : 0);
    const Buffer& depth = context_.buffer(Context::kDepth);  // in place of what is not there, and as large
    context_.bind(4, target_.color ? context_.buffer(Context::kColor) : depth);
    context_.bind(12, target_.stencil ? context_.buffer(Context::kStencil) : depth);
    context_.bind(13, batch.floor != kNoImage ? context_.image(batch.floor) : depth);
    context_.bind(14, batch.ceiling != kNoImage ? context_.image(batch.ceiling) : depth);
    context_.bind(15, batch.colors != nullptr ? context_.buffer(Context::kColors) : depth);
  }
  lists.dispatch_tiles();
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("tile");
}

void TileRaster::write_clear() {
  reserve_depth();
  context_.compute("settle", settle_shader);
  set_target(context_, target_);
  context_.set("epoch", epoch_);
  context_.set("clear_key", clear_key_);
  context_.bind(7, Context::kEpochs);
  context_.bind(10, Context::kDepth);
  glDispatchCompute(tiles_along(target_.width), tiles_along(target_.height), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

std::vector<ColorAt> TileRaster::read_color_compact(std::uint8_t mask) {
  if (!target_.color) return {};
  flush();
  struct Found {
    std::uint32_t at, rg, ba, unused;
  };
  Buffer& buffer = context_.buffer(Context::kScratch);
  const auto half = [](std::uint32_t two) {
    return ((two & 1) != 0 ? 0xFFFFu : 0u) | ((two & 2) != 0 ? 0xFFFF0000u : 0u);
  };
  std::uint32_t count = 4096;
  for (std::uint32_t room = 0; room < count;) {
    room = count;
    buffer.reserve(context_, 16 + sizeof(Found) * room, "coloured pixels");
    context_.fill(buffer, 16, 0);
    context_.compute("compact", compact_shader);
    context_.set("pixel_count", static_cast<GLuint>(pixels()));
    context_.set("capacity", room);
    context_.set("mask_rg", half(mask & 3u));
    context_.set("mask_ba", half(mask >> 2 & 3u));
    context_.bind(4, Context::kColor);
    context_.bind(5, buffer);
    context_.dispatch(pixels(), 256);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    context_.read(buffer, 0, 4, &count, "coloured pixels");
  }
  std::vector<Found> found(count);
  context_.read(buffer, 16, sizeof(Found) * count, found.data(), "coloured pixels");
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.at < b.at; });
  std::vector<ColorAt> list;
  list.reserve(count);
  for (const Found& f : found)
    list.push_back({f.at % target_.width,
                    f.at / target_.width,
                    {static_cast<std::uint16_t>(f.rg), static_cast<std::uint16_t>(f.rg >> 16),
                     static_cast<std::uint16_t>(f.ba), static_cast<std::uint16_t>(f.ba >> 16)}});
  return list;
}

}  // namespace

std::unique_ptr<raster::Raster> make_tile_raster() { return std::make_unique<TileRaster>(); }

}  // namespace sightline::papers::gl
