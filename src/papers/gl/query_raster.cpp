// Raster by the graphics pipeline, as the papers had it: a draw for each call, hardware depth and stencil tests, an
// occlusion query for each call with a query. It is the reference that the batches of tile_raster.cpp are measured
// against.
//
// Coverage and depth are computed in the fragment program by the rules of raster/raster.h (programs/pipeline.cpp,
// kVertex, has the reason why no pixel is missed); everything after that is the hardware's. What it cannot do:
// - depth of 32 fixed bits, since a fragment's depth is a float: refused;
// - `equal` in conservative coverage, where a key is compared with an interval: the program reads the stored key. If
//   the same draw also writes depth, or writes the colours that `differ` reads, primitives are drawn one at a time.

#include <algorithm>
#include <bit>
#include <vector>

#include "base/format.h"
#include "gl/batch.h"
#include "gl/rasters.h"
#include "gl/shaders.h"

namespace sightline::papers::gl {
namespace {

using namespace raster;

GLenum function_of(Compare compare) {
  constexpr GLenum kFunctions[] = {GL_NEVER,  GL_LESS,    GL_LEQUAL,   GL_EQUAL,
                                   GL_GEQUAL, GL_GREATER, GL_NOTEQUAL, GL_ALWAYS};
  return kFunctions[static_cast<int>(compare)];
}
GLenum operation_of(StencilOp op) {
  constexpr GLenum kOperations[] = {GL_KEEP, GL_REPLACE, GL_INCR, GL_DECR};
  return kOperations[static_cast<int>(op)];
}

class QueryRaster final : public GlRaster {
 public:
  QueryRaster() { glCreateVertexArrays(1, &vertices_); }
  ~QueryRaster() override {
    free_target();
    glDeleteQueries(static_cast<GLsizei>(objects_.size()), objects_.data());
    glDeleteVertexArrays(1, &vertices_);
  }

  void clear_depth(std::uint32_t key) override {
    flush();
    glDepthMask(GL_TRUE);
    const float depth = encode(key);
    glClearNamedFramebufferfv(frame_, GL_DEPTH, 0, &depth);
  }
  void clear_stencil(std::uint8_t value) override {
    flush();
    if (!target_.stencil) return;
    const GLint all = value;
    glStencilMask(0xFF);
    glClearNamedFramebufferiv(frame_, GL_STENCIL, 0, &all);
  }
  void clear_color(const Color& color) override {
    flush();
    if (!target_.color) return;
    for (GLuint i = 0; i < 2; ++i) {
      const GLuint both[4] = {color[2 * i], color[2 * i + 1], 0, 0};
      glColorMaski(i, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
      glClearNamedFramebufferuiv(frame_, GL_COLOR, static_cast<GLint>(i), both);
    }
  }

  void finish() override {
    flush();
    collect();
    fetch_fragments();
  }
  std::vector<std::uint32_t> read_depth() override;
  std::vector<std::uint8_t> read_stencil() override;
  std::vector<Color> read_color() override;

 private:
  void flush() override;
  void leave_target(const Target& next) override;
  void enter_target() override;
  void submit(const State& state, std::span<const std::uint32_t> triangles, Query query) override;
  void store_depth(Image to) override { keys_to(context_.image(to)); }

  struct Command {
    State state;
    std::uint32_t first, count;  ///< of the list of primitives
    Query query;
  };
  static constexpr std::size_t kSlots = 256;

  /// As `encode` of the programs.
  float encode(std::uint32_t key) const {
    if (target_.format != DepthFormat::float32) return static_cast<float>(key) * 0x1p-24f;
    return std::bit_cast<float>(key == 1 ? 0x00800000u : key == 0x3F800000u ? 0x3F7FFFFFu : key);
  }
  bool compares_interval(const State& s) const {
    return target_.coverage == Coverage::conservative && s.depth_test && s.depth == Compare::equal;
  }
  /// True if a fragment reads what another of the same draw may have written.
  bool reads_own(const State& s) const {
    return (compares_interval(s) && s.depth_write) || (s.differ && (s.color_mask & (kRed | kGreen)) != 0);
  }

  void free_target();
  GLuint texture(GLenum format);
  void run(const Command& command);
  void set(const State& state);
  void collect();
  void begin_fragments();
  void fetch_fragments();
  void keys_to(const Buffer& buffer);
  GLuint next_object();

  GLuint vertices_ = 0, frame_ = 0, depth_ = 0, color_[2] = {0, 0};

  std::vector<Command> commands_;
  std::vector<std::uint32_t> list_;
  const Color* colors_ = nullptr;
  std::vector<GLuint> objects_;  ///< occlusion queries
  std::vector<Query> waiting_;   ///< which query each of the first objects is for; to be collected
  bool fragments_there_ = false;
  std::uint64_t most_in_slot_ = 0;  ///< of what was drawn since they began
};

void QueryRaster::free_target() {
  if (frame_ != 0) glDeleteFramebuffers(1, &frame_);
  for (const GLuint texture : {depth_, color_[0], color_[1]})
    if (texture != 0) glDeleteTextures(1, &texture);
  frame_ = depth_ = color_[0] = color_[1] = 0;
}

GLuint QueryRaster::texture(GLenum format) {
  GLuint made = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &made);
  glTextureStorage2D(made, 1, format, static_cast<GLsizei>(target_.width), static_cast<GLsizei>(target_.height));
  glTextureParameteri(made, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTextureParameteri(made, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return made;
}

void QueryRaster::leave_target(const Target& next) {
  if (next.format == DepthFormat::fixed32)
    throw Error("gl: one query at a time has depths of 16, 24 and float bits; 32 fixed bits need batched queries");
  if (std::max<std::int64_t>(next.width, next.height) > context_.info.most_pixels)
    throw Error(formatted("gl: an image of {} x {} pixels; {} has at most {} a side", next.width, next.height,
                          context_.info.renderer, context_.info.most_pixels));
  collect();
  colors_ = nullptr;
  commands_.clear();
  list_.clear();
  free_target();
}

void QueryRaster::enter_target() {
  depth_ = texture(target_.stencil ? GL_DEPTH32F_STENCIL8 : GL_DEPTH_COMPONENT32F);
  glCreateFramebuffers(1, &frame_);
  glNamedFramebufferTexture(frame_, target_.stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, depth_, 0);
  GLenum buffers[2] = {GL_NONE, GL_NONE};
  for (GLuint i = 0; target_.color && i < 2; ++i) {
    color_[i] = texture(GL_RG16UI);
    buffers[i] = GL_COLOR_ATTACHMENT0 + i;
    glNamedFramebufferTexture(frame_, buffers[i], color_[i], 0);
  }
  glNamedFramebufferDrawBuffers(frame_, 2, buffers);
  context_.check("an image");
  if (glCheckNamedFramebufferStatus(frame_, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Error(formatted("gl: {} cannot draw into an image of {} x {} pixels", context_.info.renderer, target_.width,
                          target_.height));
  clear_depth(far_key(target_.format));
  clear_stencil(0);
  clear_color({});
}

void QueryRaster::submit(const State& state, std::span<const std::uint32_t> triangles, Query query) {
  if (state.triangle_colors != nullptr && colors_ != nullptr && colors_ != state.triangle_colors) flush();
  if (state.triangle_colors != nullptr) colors_ = state.triangle_colors;
  const auto first = static_cast<std::uint32_t>(list_.size());
  primitives_.append(state.fill, triangles, list_);
  const auto count = static_cast<std::uint32_t>(list_.size() - first);
  if (count > 0) commands_.push_back({state, first, count, query});
}

/// All state that a draw depends on is set here, whatever was there before.
void QueryRaster::set(const State& state) {
  const auto enable = [&](GLenum what, bool on) { on ? glEnable(what) : glDisable(what); };
  enable(GL_DEPTH_TEST, state.depth_test);
  Compare depth = state.depth;
  if (target_.coverage == Coverage::conservative && depth == Compare::equal) depth = Compare::lequal;
  // The ends of a conservative fragment are never equal (raster/setup.h: low_key, high_key), so both cannot be the
  // stored key.
  if (target_.coverage == Coverage::conservative && depth == Compare::notequal) depth = Compare::always;
  glDepthFunc(function_of(depth));
  glDepthMask(state.depth_test && state.depth_write ? GL_TRUE : GL_FALSE);
  enable(GL_STENCIL_TEST, state.stencil_test);
  glStencilFunc(function_of(state.stencil), state.stencil_reference, state.stencil_mask);
  glStencilOp(operation_of(state.stencil_fail), operation_of(state.depth_fail), operation_of(state.depth_pass));
  glStencilMask(0xFF);
  const auto writes = [&](std::uint8_t channel) -> GLboolean { return (state.color_mask & channel) != 0 ? 1 : 0; };
  glColorMaski(0, writes(kRed), writes(kGreen), GL_FALSE, GL_FALSE);
  glColorMaski(1, writes(kBlue), writes(kAlpha), GL_FALSE, GL_FALSE);
  const Words words = pack(state);
  context_.set("flags", words[0]);
  context_.set("color_rg", words[2]);
  context_.set("color_ba", words[3]);
  context_.set("cull", static_cast<GLuint>(state.cull));
  context_.bind(3, state.floor == kNoImage ? primitives_.buffer() : context_.image(state.floor));
  context_.bind(4, state.ceiling == kNoImage ? primitives_.buffer() : context_.image(state.ceiling));
  glBindTextureUnit(0, compares_interval(state) ? depth_ : 0);
  glBindTextureUnit(1, state.differ ? color_[0] : 0);
}

GLuint QueryRaster::next_object() {
  if (waiting_.size() == objects_.size()) {
    const std::size_t more = std::max<std::size_t>(64, objects_.size());
    objects_.resize(objects_.size() + more);
    glCreateQueries(GL_SAMPLES_PASSED, static_cast<GLsizei>(more), objects_.data() + objects_.size() - more);
  }
  return objects_[waiting_.size()];
}

void QueryRaster::run(const Command& command) {
  const bool counted = command.query != kNoQuery;
  if (counted) glBeginQuery(GL_SAMPLES_PASSED, next_object());
  const auto first = static_cast<GLint>(command.first), count = static_cast<GLint>(command.count);
  const bool reads = compares_interval(command.state) || command.state.differ;
  if (reads && reads_own(command.state)) {
    for (GLint i = 0; i < count; ++i) {
      glTextureBarrier();
      glDrawArrays(GL_TRIANGLES, 6 * (first + i), 6);
    }
  } else {
    if (reads) glTextureBarrier();
    glDrawArrays(GL_TRIANGLES, 6 * first, 6 * count);
  }
  if (!counted) return;
  glEndQuery(GL_SAMPLES_PASSED);
  waiting_.push_back(command.query);
}

void QueryRaster::flush() {
  if (commands_.empty()) return;
  primitives_.upload();
  context_.buffer(Context::kEntries).assign(context_, list_.data(), list_.size() * 4, "a list of primitives");
  if (colors_ != nullptr) upload_colors(colors_);
  begin_fragments();
  context_.graphics("graphics", vertex_shader, fragment_shader);
  glBindVertexArray(vertices_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  const auto side = static_cast<GLsizei>(std::bit_ceil(std::max({2u, target_.width, target_.height})));
  glViewport(0, 0, side, side);
  context_.set("half_side", side / 2);
  for (const GLenum off : {GL_SCISSOR_TEST, GL_CULL_FACE, GL_BLEND, GL_POLYGON_OFFSET_FILL, GL_DITHER}) glDisable(off);
  set_target(context_, target_);
  context_.bind(0, primitives_.buffer());
  context_.bind(1, Context::kEntries);
  context_.bind(2, Context::kResults);
  context_.bind(5, colors_ != nullptr ? context_.buffer(Context::kColors) : primitives_.buffer());
  const State* last = nullptr;
  for (const Command& command : commands_) {
    if (last == nullptr || !(*last == command.state)) set(command.state);
    last = &command.state;
    // A slot counts the fragments of every 256th pixel, in 32 bits.
    const std::uint64_t most = command.count * (std::uint64_t{pixels()} / kSlots + target_.width + target_.height);
    if (most_in_slot_ + most > 0xFFFFFFFFu) {
      fetch_fragments();
      begin_fragments();
    }
    most_in_slot_ += most;
    run(command);
  }
  context_.check("draws");
  // The buffers may be written next. OpenGL puts that in order by itself, but llvmpipe (Mesa 22.3) does not see that a
  // fragment program still reads a storage buffer, and drew with the next view's primitives.
  glFinish();
  commands_.clear();
  list_.clear();
  colors_ = nullptr;
}

/// Waits for each query in turn, as the papers' programs did.
void QueryRaster::collect() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    GLuint64 passed = 0;
    glGetQueryObjectui64v(objects_[i], GL_QUERY_RESULT, &passed);
    if (waiting_[i] < results_.size()) results_[waiting_[i]] += passed;
  }
  if (!waiting_.empty()) context_.check("occlusion queries");
  waiting_.clear();
}

void QueryRaster::begin_fragments() {
  if (fragments_there_) return;
  const std::vector<std::uint32_t> zero(kSlots, 0);
  context_.buffer(Context::kResults).assign(context_, zero.data(), 4 * kSlots, "counts");
  fragments_there_ = true;
  most_in_slot_ = 0;
}

void QueryRaster::fetch_fragments() {
  if (!fragments_there_) return;
  fragments_there_ = false;
  std::uint32_t counts[kSlots];
  glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  context_.read(context_.buffer(Context::kResults), 0, sizeof counts, counts, "counts");
  for (const std::uint32_t count : counts) counters_.fragments += count;
}

void QueryRaster::keys_to(const Buffer& buffer) {
  context_.compute("keys", keys_shader);
  set_target(context_, target_);
  glBindTextureUnit(0, depth_);
  context_.bind(0, buffer);
  glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_FRAMEBUFFER_BARRIER_BIT);
  glDispatchCompute((target_.width + 15) / 16, (target_.height + 15) / 16, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

std::vector<std::uint32_t> QueryRaster::read_depth() {
  finish();
  Buffer& scratch = context_.buffer(Context::kScratch);
  scratch.reserve(context_, 4 * pixels(), "a copy of the depths");
  keys_to(scratch);
  return read<std::uint32_t>(Context::kScratch);
}

std::vector<std::uint8_t> QueryRaster::read_stencil() {
  if (!target_.stencil) return {};
  finish();
  struct Both {
    float depth;
    std::uint32_t stencil;
  };
  constexpr std::uint32_t kRows = 1024;  // all of the largest image is more bytes than OpenGL counts
  std::vector<std::uint8_t> values;
  values.reserve(pixels());
  for (std::uint32_t y = 0; y < target_.height; y += kRows) {
    const std::uint32_t rows = std::min(kRows, target_.height - y);
    std::vector<Both> both(std::size_t{target_.width} * rows);
    glGetTextureSubImage(depth_, 0, 0, static_cast<GLint>(y), 0, static_cast<GLsizei>(target_.width),
                         static_cast<GLsizei>(rows), 1, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
                         static_cast<GLsizei>(both.size() * sizeof(Both)), both.data());
    context_.check("a read-back");
    for (const Both& b : both) values.push_back(static_cast<std::uint8_t>(b.stencil));
  }
  return values;
}

std::vector<Color> QueryRaster::read_color() {
  if (!target_.color) return {};
  finish();
  std::vector<Color> colors(pixels());
  std::vector<std::array<std::uint16_t, 2>> half(pixels());
  for (int i = 0; i < 2; ++i) {
    glGetTextureImage(color_[i], 0, GL_RG_INTEGER, GL_UNSIGNED_SHORT, static_cast<GLsizei>(half.size() * 4),
                      half.data());
    for (std::size_t p = 0; p < half.size(); ++p) colors[p][2 * i] = half[p][0], colors[p][2 * i + 1] = half[p][1];
  }
  context_.check("a read-back");
  return colors;
}

}  // namespace

std::unique_ptr<raster::Raster> make_query_raster() { return std::make_unique<QueryRaster>(); }

}  // namespace sightline::papers::gl
