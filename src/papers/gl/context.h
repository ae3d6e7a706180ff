// A context with its programs and buffers. Contexts are kept from query to query, since making one and compiling its
// programs takes longer than most queries; a query uses one context alone (Session).
#pragma once

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gl/egl.h"

namespace sightline::papers::gl {

class Context;

/// Memory on the device. It grows and never shrinks; growing loses the contents.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Throws Error if the driver lacks the memory; `what` names the buffer in the message.
  void reserve(Context& context, std::size_t bytes, const char* what, GLenum usage = GL_DYNAMIC_COPY);
  /// reserve(), then a copy of the data to the beginning.
  void assign(Context& context, const void* data, std::size_t bytes, const char* what);
  GLuint id() const { return id_; }
  std::size_t capacity() const { return capacity_; }

 private:
  GLuint id_ = 0;
  std::size_t capacity_ = 0;
};

/// Facts for `sightline devices` and for messages.
struct Info {
  std::string vendor, renderer, version, platform;
  std::vector<std::string> extensions;  ///< those that are used here
  std::int64_t most_pixels = 0;         ///< on a side of an image
  std::int64_t most_bytes = 0;          ///< of a buffer
};

class Context {
 public:
  Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  Info info;

  enum Slot {
    kPositions,
    kTriangles,
    kEntries,
    kTiles,
    kLists,
    kLarge,
    kEpochs,
    kBusy,
    kElements,
    kSorted,
    kSweep,
    kPool,
    kDepth,
    kResults,
    kStencil,
    kColor,
    kColors,
    kScratch,
    kTickets,
    kPeelPrimitives,
    kPeelEntries,
    kPeelTiles,
    kPeelFound,
    kInsidePrimitives,
    kInsideEdges,
    kInsideSolids,
    kInsideFound,
    kSlots
  };
  Buffer& buffer(Slot slot) { return buffers_[slot]; }
  /// Data that the host writes for a batch. Each batch under way has its own: NVIDIA's driver (580.159) does not wait
  /// until a compute program has read a buffer before it writes a few new bytes to it.
  enum BatchSlot { kCommands, kStates, kOwn, kHeader, kBatchSlots };
  static constexpr std::size_t kBatches = 4;
  Buffer& buffer(std::size_t batch, BatchSlot slot) { return batch_buffers_[batch][slot]; }
  /// Primitives of a view.
  static constexpr std::size_t kViews = 4;
  Buffer& primitives(std::size_t view) { return primitives_[view]; }
  /// The i-th image of keys.
  Buffer& image(std::size_t i);

  /// Makes the program of this name the current one; it is compiled on first use.
  template <typename Text>
  void compute(const char* name, const Text& text) {
    use(name, [&] { return Shaders{{GL_COMPUTE_SHADER, text()}}; });
  }
  template <typename Vertex, typename Fragment>
  void graphics(const char* name, const Vertex& vertex, const Fragment& fragment) {
    use(name, [&] { return Shaders{{GL_VERTEX_SHADER, vertex()}, {GL_FRAGMENT_SHADER, fragment()}}; });
  }

  /// The location in the current program of a uniform by its name (a literal); looked up once. -1 where it has none.
  GLint uniform(const char* name);
  /// Sets a uniform of the current program, if the program has it. A program keeps its uniforms, so only a value that
  /// changed is sent: with two hundred small programs a query, the calls are a good part of its time.
  void set(const char* name, GLint value) {
    if (const GLint at = changed(name, {value, 0}); at >= 0) glUniform1i(at, value);
  }
  void set(const char* name, GLuint value) {
    if (const GLint at = changed(name, {static_cast<GLint>(value), 0}); at >= 0) glUniform1ui(at, value);
  }
  void set(const char* name, GLuint x, GLuint y) {  ///< an ivec2
    const std::array both = {static_cast<GLint>(x), static_cast<GLint>(y)};
    if (const GLint at = changed(name, both); at >= 0) glUniform2i(at, both[0], both[1]);
  }
  void bind(GLuint binding, const Buffer& buffer) { glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffer.id()); }
  void bind(GLuint binding, Slot slot) { bind(binding, buffers_[slot]); }

  /// For the benchmark: called with a step's name after the device has finished the step. Costs a wait for each.
  std::function<void(const char* step)> trace;
  void traced(const char* step) {
    if (!trace) return;
    glFinish();
    trace(step);
  }

  /// Runs the current program with a work group for each 64 items, in rows, so that no dimension exceeds its limit.
  void dispatch(std::size_t items, std::size_t size = 64) {
    const auto groups = static_cast<GLuint>((items + size - 1) / size), wide = std::min<GLuint>(groups, 32768);
    if (groups > 0) glDispatchCompute(wide, (groups + wide - 1) / wide, 1);
  }
  /// Fills a buffer with one word, from the beginning; the second form alternates between two words.
  void fill(const Buffer& buffer, std::size_t bytes, std::uint32_t word) { fill(buffer, bytes, word, word); }
  void fill(const Buffer& buffer, std::size_t bytes, std::uint32_t even, std::uint32_t odd);
  /// Waits. Reads by way of a mapped buffer for this purpose: a driver may move a buffer that is read directly to the
  /// host's memory for good.
  void read(const Buffer& buffer, std::size_t offset, std::size_t bytes, void* to, const char* what);

  /// Throws Error if the driver reported an error since the last call, or lost the context.
  void check(const char* what);
  /// True once a context was lost or ran out of memory: it is not used again.
  bool broken() const { return broken_; }
  void set_broken() { broken_ = true; }

  void enter() { egl_.enter(); }
  void leave() { egl_.leave(); }

 private:
  using Shaders = std::vector<std::pair<GLenum, std::string>>;
  struct Program {
    GLuint id;
    std::vector<std::pair<const char*, GLint>> uniforms;  ///< locations by the literals that name them
    std::map<GLint, std::array<GLint, 2>> values;         ///< by location
  };
  template <typename Make>
  void use(const char* name, const Make& shaders) {
    auto at = programs_.find(name);
    if (at == programs_.end()) at = programs_.emplace(name, Program{link(name, shaders()), {}, {}}).first;
    current_ = &at->second;
    glUseProgram(current_->id);
  }
  GLint changed(const char* name, const std::array<GLint, 2>& value);
  GLuint link(const char* name, const Shaders& shaders);
  void read_info();

  EglContext egl_;
  std::array<Buffer, kSlots> buffers_;
  std::array<std::array<Buffer, kBatchSlots>, kBatches> batch_buffers_;
  std::array<Buffer, kViews> primitives_;
  GLuint read_back_ = 0;  ///< mapped as long as it lives
  std::size_t read_back_bytes_ = 0;
  const char* read_back_at_ = nullptr;
  std::uint64_t ticket_ = 0;  ///< number of the last read-back
  std::vector<std::unique_ptr<Buffer>> images_;
  std::map<std::string, Program> programs_;
  Program* current_ = nullptr;
  bool broken_ = false;
};

/// Holds a context for as long as it lives; must be made and ended on one thread. At its end, it restores the context
/// that was current on this thread before.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  Context& operator*() { return *context_; }
  Context* operator->() { return context_.get(); }

 private:
  std::unique_ptr<Context> context_;
};

}  // namespace sightline::papers::gl
