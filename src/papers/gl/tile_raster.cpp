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
// Batches go to the device one after the other, without a wait. A clear ends a batch, and so does a call that depends
// on a query of the same batch (draw_if): the next batch then looks up the result on the device. All batches under way
// are kept here until it is known that their lists fitted into their buffer. The first batch whose lists did not fit
// stores its number, and neither it nor those after it draw anything; they are run again with more room.
//
// Why not by the graphics pipeline? Fragments of one pixel run in any order unless the driver has
// fragment_shader_interlock (llvmpipe does not); early depth tests keep the order, but take the hardware's interpolated
// depth, which is not ours. And an H200 has two of its 66 TPCs for graphics, while compute has all of them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "gl/batch.h"
#include "gl/lists.h"
#include "gl/peel.h"
#include "gl/primitives.h"
#include "gl/rasters.h"
#include "gl/record.h"
#include "gl/shaders.h"
#include "gl/sweep.h"
#include "raster/cover.h"

namespace sightline::papers::gl {
namespace {

using namespace raster;
using Pair = std::array<std::uint32_t, 2>;

class TileRaster final : public Raster {
 public:
  TileRaster() = default;
  /// After an error: the next query writes to the same buffers.
  ~TileRaster() override {
    if (!under_way_.empty()) glFinish();
  }

  void geometry(const Geometry& geometry) override {
    flush();
    geometry_ = geometry;
    primitives_.geometry(geometry);
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

  void finish() override {
    run_batch();
    fetch();
  }

  void fence() override { run_batch(); }
  void draw_if(Query only_if, const State& state, std::span<const std::uint32_t> triangles) override;

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
    return read<std::uint32_t>(context_.buffer(Context::kDepth), pixels());
  }
  std::vector<std::uint8_t> read_stencil() override {
    if (!target_.stencil) return {};
    const auto words = read<std::uint32_t>(context_.buffer(Context::kStencil), pixels());
    return {words.begin(), words.end()};
  }
  std::vector<Color> read_color() override {
    if (!target_.color) return {};
    return read<Color>(context_.buffer(Context::kColor), pixels());
  }
  std::vector<ColorAt> read_color_compact(std::uint8_t mask) override;

 private:
  void leave_target(const Target&) override {
    finish();
    now_.clear();
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
    enter_camera();
  }
  void leave_camera() override { flush(); }
  void enter_camera() override { primitives_.view(camera_, target_); }
  void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) override {
    // The recorded calls depend on what passed before them, and not on what this call adds.
    if (query != kNoQuery && depended_on_.has(query)) finish();
    record_pieces(state, triangles, query, kNoQuery);
  }
  void add_image() override {
    flush();
    context_.empty_image(images_, pixels());
  }
  void store_depth(Image to) override {
    flush();
    write_clear();
    glCopyNamedBufferSubData(context_.buffer(Context::kDepth).id(), context_.image(to).id(), 0, 0,
                             static_cast<GLsizeiptr>(4 * pixels()));
  }
  void store_keys(Image to, std::span<const std::uint32_t> keys) override {
    flush();
    glFinish();
    glNamedBufferSubData(context_.image(to).id(), 0, static_cast<GLsizeiptr>(keys.size_bytes()), keys.data());
  }

  /// A call that is counted only if its query passed.
  struct Conditional {
    Query only_if;
    std::size_t triangles;
  };
  static constexpr std::size_t kFront = 2;  ///< pairs before the queries' results: fragments; what did not fit
  static constexpr std::size_t kMostTriangles = kMostEntries / Projection::kMost;  ///< of a piece of a call

  std::size_t most_bytes() const { return static_cast<std::size_t>(context_.info.most_bytes); }
  /// To begin with: four tiles an entry.
  std::size_t list_bytes(std::uint32_t entries) const {
    return std::min<std::size_t>(16 * std::size_t{entries}, most_bytes());
  }
  std::uint32_t capacity() {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(context_.buffer(Context::kLists).capacity() / 4, 0xFFFFFFFFu));
  }
  /// Lists of this length, low and high word, fit into their buffer.
  bool fits(const Pair& lists) { return lists[1] == 0 && lists[0] <= capacity(); }
  Buffer& buffer(const Batch& batch, Context::BatchSlot slot) { return context_.buffer(batch.place, slot); }
  Pair list_length(const Batch& batch) {
    Pair lists{};
    context_.read(buffer(batch, Context::kHeader), 0, sizeof lists, lists.data(), "the lists of tiles");
    return lists;
  }
  std::size_t tiles() const { return tiles_of(target_); }
  void write_clear();
  bool make_room(const Batch& batch, std::uint32_t first, std::uint32_t count);

  template <typename T>
  std::vector<T> read(const Buffer& buffer, std::size_t count) {
    finish();
    std::vector<T> values(count);
    context_.read(buffer, 0, count * sizeof(T), values.data(), "a read-back");
    return values;
  }

  void record_pieces(const State& state, std::span<const std::uint32_t> triangles, Query query, Query only_if);
  void record(const State& state, std::span<const std::uint32_t> triangles, Query query, Query only_if);
  /// Everything collected is run, and its memory can be used again.
  void flush() {
    run_batch();
    settle();
  }
  void run_batch();
  /// Checks whether the lists of all batches under way fitted into their buffer; those that did not are run again.
  void settle();
  void settle(std::uint32_t failed);
  void fetch();
  void run(const Batch& batch, std::uint32_t first, std::uint32_t count, bool look);
  void bin(const Batch& batch, const char* name, std::string (*shader)(), std::uint32_t first, std::uint32_t count,
           bool large);
  void draw_tiles(const Batch& batch, std::uint32_t first, std::uint32_t count);
  void bind(GLuint binding, const Buffer& buffer) { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer.id()); }
  void bind(GLuint binding, Context::Slot slot) { bind(binding, context_.buffer(slot)); }
  GLuint use(const Batch& batch, GLuint program, std::uint32_t first, std::uint32_t count);
  void upload(const Batch& batch);
  void upload_pool();
  /// Reserved only where it is needed: a sweep has no depth buffer, and so is not limited by the size of a buffer.
  void reserve_depth() { context_.buffer(Context::kDepth).reserve(context_, 4 * pixels(), "a depth buffer"); }
  bool writes_shared(const Batch& batch);
  void empty_tiles() { context_.fill(context_.buffer(Context::kTiles), 8 * tiles(), 0); }

  Session session_;
  Context& context_ = *session_;
  Primitives primitives_{context_};
  Sweeper sweeper_{context_, primitives_};
  RegionPeeler peeler_{context_};
  Geometry geometry_;

  Batch now_;                     ///< being collected
  std::vector<Batch> under_way_;  ///< run, and not yet known to have fitted
  std::vector<Batch> spare_;      ///< kept for their memory
  std::vector<Conditional> conditional_;
  QueryRange depended_on_;                              ///< by those
  std::map<GLuint, std::array<std::uint32_t, 8>> set_;  ///< what this raster set a program's uniforms to
  std::span<const std::uint32_t> pool_;
  bool pool_there_ = false;

  std::uint32_t epoch_ = 0, clear_key_ = 0;
  bool counting_ = false;    ///< the device has counts that were not fetched
  std::size_t counted_ = 0;  ///< queries that the buffer has room for
};

void TileRaster::draw_if(Query only_if, const State& state, std::span<const std::uint32_t> triangles) {
  check_query(only_if, results_.size());
  if (results_[only_if] > 0) return draw(state, triangles, kNoQuery);
  // Its fragments are counted on the device, if anywhere. The results of this batch are not available when its lists
  // are made, so a call that depends on them belongs to the next batch.
  if (now_.pending.has(only_if)) run_batch();
  if (results_[only_if] > 0) return draw(state, triangles, kNoQuery);  // it was fetched on the way
  if (!counting_) return;
  check(state, kNoQuery);
  conditional_.push_back({only_if, triangles.size()});
  depended_on_.add(only_if);
  record_pieces(state, triangles, kNoQuery, only_if);
}

void TileRaster::sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
                       std::span<std::uint8_t> passed) {
  check_camera(camera_, target_);
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

void TileRaster::record_pieces(const State& state, std::span<const std::uint32_t> triangles, Query query,
                               Query only_if) {
  do {
    const std::span piece = triangles.first(std::min(triangles.size(), kMostTriangles));
    record(state, piece, query, only_if);
    triangles = triangles.subspan(piece.size());
  } while (!triangles.empty());
}

void TileRaster::record(const State& state, std::span<const std::uint32_t> triangles, Query query, Query only_if) {
  if (triangles.size() * Projection::kMost > kMostEntries - now_.total) run_batch();
  // A batch has one array of colours and one image of each kind.
  const bool other_colors =
      state.triangle_colors != nullptr && now_.colors != nullptr && now_.colors != state.triangle_colors;
  const bool other_floor = state.floor != kNoImage && now_.floor != kNoImage && now_.floor != state.floor;
  const bool other_ceiling = state.ceiling != kNoImage && now_.ceiling != kNoImage && now_.ceiling != state.ceiling;
  if (other_colors || other_floor || other_ceiling) flush();
  if (only_if != kNoQuery && results_[only_if] > 0) only_if = kNoQuery;  // fetched by then: the device counts anew
  if (state.triangle_colors != nullptr) now_.colors = state.triangle_colors;
  if (state.floor != kNoImage) now_.floor = state.floor;
  if (state.ceiling != kNoImage) now_.ceiling = state.ceiling;

  const std::uint32_t index = now_.index_of(state);
  const bool solid = state.fill == Fill::solid;
  // "Test, then draw" of one triangle: one entry does both.
  if (solid && query == kNoQuery && triangles.size() == 1 && triangles[0] == now_.single) {
    now_.commands.back().second = index;
    now_.commands.back().only_if = only_if;
    now_.single = kNone;
    return;
  }
  if (triangles.empty()) return;
  GpuCommand command{index, query == kNoQuery ? kNone : query, kNone, now_.total, 0, 0, only_if, 0};
  std::size_t count = triangles.size();
  const std::less_equal<> before;
  if (solid && primitives_.on_device() && !pool_.empty() && before(pool_.data(), triangles.data()) &&
      before(triangles.data() + triangles.size(), pool_.data() + pool_.size())) {
    command.first = static_cast<std::uint32_t>(triangles.data() - pool_.data());
    command.from_pool = 1;
  } else {
    command.first = static_cast<std::uint32_t>(now_.own.size());
    for (const std::uint32_t t : triangles)
      if (solid)
        primitives_.solid(t, now_.own);
      else
        primitives_.lines(t, now_.own);
    count = now_.own.size() - command.first;
    if (count == 0) return;
  }
  now_.total += static_cast<std::uint32_t>(count);
  now_.commands.push_back(command);
  now_.pending.add(query);
  now_.single = solid && query != kNoQuery && triangles.size() == 1 && count == 1 ? triangles[0] : kNone;
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
  if (batch.colors != nullptr)
    context_.buffer(Context::kColors)
        .assign(context_, batch.colors, geometry_.triangles.size() * sizeof(Color), "colours");
  context_.buffer(Context::kLarge).reserve(context_, std::size_t{4} * batch.total, "a batch");
  context_.traced("upload");
}

void TileRaster::run_batch() {
  if (now_.total == 0) return now_.clear();
  // Room for the queries of the next passes as well, so that these do not wait for a larger buffer.
  if (counting_ && counted_ < results_.size()) fetch();
  if (!counting_) {
    constexpr std::size_t kLeast = 1024;
    counted_ = std::max(kLeast, 2 * results_.size());
    const std::size_t bytes = (counted_ + kFront) * sizeof(Pair);
    Buffer& results = context_.buffer(Context::kResults);
    results.reserve(context_, bytes, "results");
    context_.fill(results, bytes, 0);
    counting_ = true;
  }
  if (under_way_.size() == Context::kBatches || (!under_way_.empty() && writes_shared(now_))) settle();
  now_.epoch = epoch_;
  now_.clear_key = clear_key_;
  now_.place = under_way_.size();
  under_way_.push_back(std::move(now_));
  now_ = Batch{};
  if (!spare_.empty()) {
    now_ = std::move(spare_.back());
    spare_.pop_back();
  }
  upload(under_way_.back());
  run(under_way_.back(), 0, under_way_.back().total, false);
}

/// Buffers that all batches share are not written or replaced while one is under way. (Primitives are: those that the
/// host makes go behind all that are there, or all into new memory.)
bool TileRaster::writes_shared(const Batch& batch) {
  const auto grows = [&](Context::Slot slot, std::size_t bytes) { return bytes > context_.buffer(slot).capacity(); };
  return batch.colors != nullptr || !pool_there_ || grows(Context::kEntries, batch.total * sizeof(Pair)) ||
         grows(Context::kLarge, std::size_t{4} * batch.total) || grows(Context::kLists, list_bytes(batch.total));
}

void TileRaster::settle() {
  if (under_way_.empty()) return;
  Pair front{};
  context_.read(context_.buffer(Context::kResults), sizeof(Pair), sizeof front, front.data(), "the lists of tiles");
  settle(front[0]);
}

/// `failed`: the number of the first batch whose lists did not fit, from 1.
void TileRaster::settle(std::uint32_t failed) {
  if (failed != 0) {
    constexpr Pair kNothing = {0, 0};
    glNamedBufferSubData(context_.buffer(Context::kResults).id(), sizeof(Pair), sizeof kNothing, kNothing.data());
    for (std::size_t i = failed - 1; i < under_way_.size(); ++i) {
      upload(under_way_[i]);
      run(under_way_[i], 0, under_way_[i].total, true);
    }
    context_.check("a batch of draws");
    glFinish();  // the buffers of its place are free from here on
  }
  for (Batch& batch : under_way_) {
    batch.clear();
    spare_.push_back(std::move(batch));
  }
  under_way_.clear();
}

/// A program keeps its uniforms, so that only those that changed are set: with two hundred small programs a query, the
/// calls are a good part of its time.
GLuint TileRaster::use(const Batch& batch, GLuint program, std::uint32_t first, std::uint32_t count) {
  glUseProgram(program);
  constexpr const char* kNames[] = {"depth_format", "conservative",  "entry_first",
                                    "entry_count",  "command_count", "list_capacity"};
  const std::array<std::uint32_t, 8> now = {static_cast<std::uint32_t>(target_.format),
                                            target_.coverage == Coverage::conservative ? 1u : 0u,
                                            first,
                                            count,
                                            static_cast<std::uint32_t>(batch.commands.size()),
                                            capacity(),
                                            target_.width,
                                            target_.height};
  const auto [at, fresh] = set_.try_emplace(program);
  std::array<std::uint32_t, 8>& before = at->second;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (!fresh && before[i] == now[i]) continue;
    if (i < 2)
      glUniform1i(context_.uniform(program, kNames[i]), static_cast<GLint>(now[i]));
    else
      glUniform1ui(context_.uniform(program, kNames[i]), now[i]);
  }
  if (fresh || before[6] != now[6] || before[7] != now[7]) {
    const auto width = static_cast<GLint>(target_.width), height = static_cast<GLint>(target_.height);
    glUniform2i(context_.uniform(program, "image_size"), width, height);
    glUniform2i(context_.uniform(program, "tile_grid"), static_cast<GLint>(tiles_along(target_.width)),
                static_cast<GLint>(tiles_along(target_.height)));
  }
  before = now;
  return program;
}

void TileRaster::bin(const Batch& batch, const char* name, std::string (*shader)(), std::uint32_t first,
                     std::uint32_t count, bool large) {
  use(batch, context_.compute(name, shader), first, count);
  if (large) {
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer(batch, Context::kHeader).id());
    glDispatchComputeIndirect(offsetof(ListHeader, large_groups));
  } else {
    context_.dispatch(count);
  }
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT);
  context_.traced(name);
}

/// `look`: waits for the lengths of the lists, makes room for them, and draws a batch that no buffer can hold in two
/// halves, one after the other.
void TileRaster::run(const Batch& batch, std::uint32_t first, std::uint32_t count, bool look) {
  const auto all_tiles = static_cast<GLuint>(tiles());
  const ListHeader start;
  if (look) glFinish();  // a part of the same batch may be under way
  buffer(batch, Context::kHeader).assign(context_, &start, sizeof start, "a batch");
  if (look) empty_tiles();  // drawing leaves them so
  context_.buffer(Context::kLists).reserve(context_, list_bytes(count), "lists");
  bind(0, primitives_.buffer());
  bind(1, Context::kEntries);
  bind(2, buffer(batch, Context::kCommands));
  bind(3, buffer(batch, Context::kStates));
  bind(4, Context::kTiles);
  bind(5, Context::kLists);
  bind(6, buffer(batch, Context::kHeader));
  bind(7, Context::kLarge);
  bind(9, Context::kBusy);
  bind(10, Context::kPool);
  bind(11, batch.own.empty() ? context_.buffer(Context::kPool) : buffer(batch, Context::kOwn));
  bind(12, Context::kResults);
  bin(batch, "count", count_shader, first, count, false);
  bin(batch, "count large", count_large_shader, first, count, true);
  const GLuint place = use(batch, context_.compute("place", place_shader), first, count);
  glUniform1ui(context_.uniform(place, "tile_count"), all_tiles);
  glDispatchCompute((all_tiles + 255) / 256, 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_COMMAND_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("place");
  if (look && !make_room(batch, first, count)) return;
  bin(batch, "fill", fill_shader, first, count, false);
  bin(batch, "fill large", fill_large_shader, first, count, true);
  draw_tiles(batch, first, count);
}

/// True if the lists that were counted now fit; false if everything was done otherwise.
bool TileRaster::make_room(const Batch& batch, std::uint32_t first, std::uint32_t count) {
  const Pair lists = list_length(batch);
  if (fits(lists)) return true;
  if ((lists[1] != 0 || lists[0] > most_bytes() / 4) && count > 1) {
    run(batch, first, count / 2, true);
    run(batch, first + count / 2, count - count / 2, true);
  } else {
    context_.buffer(Context::kLists).reserve(context_, std::size_t{4} * lists[0], "lists");
    run(batch, first, count, true);
  }
  return false;
}

void TileRaster::draw_tiles(const Batch& batch, std::uint32_t first, std::uint32_t count) {
  const GLuint program = use(batch,
                             batch.more ? context_.compute("tile with more", [] { return tile_shader(true); })
                                        : context_.compute("tile", [] { return tile_shader(false); }),
                             first, count);
  glUniform1ui(context_.uniform(program, "epoch"), batch.epoch);
  glUniform1ui(context_.uniform(program, "clear_key"), batch.clear_key);
  glUniform1ui(context_.uniform(program, "batch"), static_cast<GLuint>(batch.place + 1));
  bind(7, Context::kEpochs);
  bind(8, Context::kTiles);
  bind(10, Context::kDepth);
  bind(11, Context::kResults);
  if (batch.more) {
    glUniform1i(context_.uniform(program, "has_stencil"), target_.stencil ? 1 : 0);
    glUniform1i(context_.uniform(program, "has_color"), target_.color ? 1 : 0);
    const Buffer& depth = context_.buffer(Context::kDepth);  // in place of what is not there, and as large
    bind(4, target_.color ? context_.buffer(Context::kColor) : depth);
    bind(12, target_.stencil ? context_.buffer(Context::kStencil) : depth);
    bind(13, batch.floor != kNoImage ? context_.image(batch.floor) : depth);
    bind(14, batch.ceiling != kNoImage ? context_.image(batch.ceiling) : depth);
    bind(15, batch.colors != nullptr ? context_.buffer(Context::kColors) : depth);
  }
  glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer(batch, Context::kHeader).id());
  glDispatchComputeIndirect(offsetof(ListHeader, tile_groups));
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.traced("tile");
}

void TileRaster::write_clear() {
  reserve_depth();
  const GLuint program = context_.compute("settle", settle_shader);
  glUseProgram(program);
  glUniform2i(context_.uniform(program, "image_size"), static_cast<GLint>(target_.width),
              static_cast<GLint>(target_.height));
  glUniform1ui(context_.uniform(program, "epoch"), epoch_);
  glUniform1ui(context_.uniform(program, "clear_key"), clear_key_);
  bind(7, Context::kEpochs);
  bind(10, Context::kDepth);
  glDispatchCompute(tiles_along(target_.width), tiles_along(target_.height), 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void TileRaster::fetch() {
  if (!counting_) return;
  std::vector<Pair> counts(results_.size() + kFront);
  counts.resize(std::min(counts.size(), counted_ + kFront));
  const auto read = [&] {
    context_.read(context_.buffer(Context::kResults), 0, counts.size() * sizeof(Pair), counts.data(),
                  "the results of queries");
  };
  read();
  const std::uint32_t failed = counts[1][0];
  settle(failed);
  if (failed != 0) read();
  counting_ = false;
  const auto value = [](const Pair& words) { return std::uint64_t{words[1]} << 32 | words[0]; };
  counters_.fragments += value(counts[0]);
  for (std::size_t i = kFront; i < counts.size(); ++i) results_[i - kFront] += value(counts[i]);
  for (const Conditional& call : conditional_)
    if (results_[call.only_if] > 0) {
      ++counters_.renders;
      counters_.triangles += call.triangles;
    }
  conditional_.clear();
  depended_on_ = {};
  // Calls that are not run yet will find the counts of the device at 0.
  for (GpuCommand& command : now_.commands)
    if (command.only_if != kNone && results_[command.only_if] > 0) command.only_if = kNone;
}

std::vector<ColorAt> TileRaster::read_color_compact(std::uint8_t mask) {
  if (!target_.color) return {};
  flush();
  struct Found {
    std::uint32_t at, rg, ba, unused;
  };
  Buffer& buffer = context_.buffer(Context::kScratch);
  const GLuint program = context_.compute("compact", compact_shader);
  const auto half = [](std::uint32_t two) {
    return ((two & 1) != 0 ? 0xFFFFu : 0u) | ((two & 2) != 0 ? 0xFFFF0000u : 0u);
  };
  std::uint32_t count = 4096;
  for (std::uint32_t room = 0; room < count;) {
    room = count;
    buffer.reserve(context_, 16 + sizeof(Found) * room, "coloured pixels");
    context_.fill(buffer, 16, 0);
    glUseProgram(program);
    const auto uniform = [&](const char* name, std::uint32_t value) {
      glUniform1ui(context_.uniform(program, name), value);
    };
    uniform("pixel_count", static_cast<std::uint32_t>(pixels()));
    uniform("capacity", room);
    uniform("mask_rg", half(mask & 3u));
    uniform("mask_ba", half(mask >> 2 & 3u));
    bind(4, Context::kColor);
    bind(5, buffer);
    const auto groups = static_cast<GLuint>((pixels() + 255) / 256), wide = std::min<GLuint>(groups, 32768);
    glDispatchCompute(wide, (groups + wide - 1) / wide, 1);
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
