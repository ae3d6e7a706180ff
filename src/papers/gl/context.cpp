#include "gl/context.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/format.h"
#include "gl/arithmetic.h"
#include "gl/shaders.h"
#include "sightline/mesh.h"

namespace sightline::papers::gl {
namespace {

/// Contexts that no query uses at the moment. Never destroyed: at the end of the process the driver may be unloaded
/// first.
struct Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Context>> idle;
};
Pool& pool() {
  static Pool* const all = new Pool;
  return *all;
}

constexpr std::size_t kTicket = sizeof(std::uint64_t);

std::string text_of(const GLubyte* text) { return text == nullptr ? "?" : reinterpret_cast<const char*>(text); }

const char* name_of(GLenum error) {
  return error == GL_INVALID_ENUM                    ? "invalid enum"
         : error == GL_INVALID_VALUE                 ? "invalid value"
         : error == GL_INVALID_OPERATION             ? "invalid operation"
         : error == GL_INVALID_FRAMEBUFFER_OPERATION ? "invalid framebuffer operation"
                                                     : "unknown error";
}

}  // namespace

void Buffer::reserve(Context& context, std::size_t bytes, const char* what, GLenum usage) {
  if (bytes <= capacity_) return;
  const auto most = static_cast<std::size_t>(context.info.most_bytes);
  if (bytes > most)
    throw Error(
        formatted("gl: {} of {} bytes; {} takes buffers of at most {}", what, bytes, context.info.renderer, most));
  if (id_ == 0) glCreateBuffers(1, &id_);
  // Some room to grow, so that a list that grows a little each time does not need a new buffer each time.
  const std::size_t room = std::min(most, std::max<std::size_t>(bytes + bytes / 4, 256));
  capacity_ = 0;
  glNamedBufferData(id_, static_cast<GLsizeiptr>(room), nullptr, usage);
  context.check(what);
  // NVIDIA's driver accepts any size and allocates the memory on first use.
  constexpr std::uint32_t kWord = 0;
  constexpr std::size_t kSmall = 1 << 20;
  if (room > kSmall) glNamedBufferSubData(id_, static_cast<GLintptr>(room & ~std::size_t{3}) - 4, 4, &kWord);
  context.check(what);
  capacity_ = room;
}

void Buffer::assign(Context& context, const void* data, std::size_t bytes, const char* what) {
  reserve(context, std::max<std::size_t>(bytes, 16), what, GL_DYNAMIC_DRAW);
  if (bytes > 0) glNamedBufferSubData(id_, 0, static_cast<GLsizeiptr>(bytes), data);
}

Context::Context() {
  egl_.enter();
  read_info();
  GLint blocks = 0;
  glGetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &blocks);
  constexpr GLint kBlocks = 16;
  if (blocks < kBlocks)
    throw Error(
        formatted("gl: {}: {} storage blocks in a compute shader; {} are needed", info.renderer, blocks, kBlocks));
  egl_.leave();
}

void Context::read_info() {
  info.vendor = text_of(glGetString(GL_VENDOR));
  info.renderer = text_of(glGetString(GL_RENDERER));
  info.version = text_of(glGetString(GL_VERSION));
  info.platform = egl_.platform();
  constexpr std::string_view kMatter[] = {"GL_NV_conservative_raster", "GL_INTEL_conservative_rasterization",
                                          "GL_ARB_fragment_shader_interlock", "GL_NV_fragment_shader_interlock",
                                          "GL_KHR_robustness"};
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const std::string name = text_of(glGetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)));
    if (std::find(std::begin(kMatter), std::end(kMatter), name) != std::end(kMatter)) info.extensions.push_back(name);
  }
  std::sort(info.extensions.begin(), info.extensions.end());
  GLint texture = 0, viewport[2] = {0, 0};
  GLint64 bytes = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &texture);
  glGetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
  glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &bytes);
  info.most_pixels = std::min({texture, viewport[0], viewport[1]});
  info.most_bytes = bytes;
}

void Context::fill(const Buffer& buffer, std::size_t bytes, std::uint32_t even, std::uint32_t odd) {
  // Not glClearNamedBufferSubData: on an H200 that took about 2.7 ms for 64 MB.
  const auto count = static_cast<GLuint>(bytes / 4);
  compute("fill words", words_shader);
  set("count", count);
  set("even", even);
  set("odd", odd);
  bind(0, buffer);
  glDispatchCompute(std::clamp<GLuint>((count + 255) / 256, 1, 4096), 1, 1);
  glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
}

void Context::read(const Buffer& from, std::size_t offset, std::size_t bytes, void* to, const char* what) {
  if (bytes == 0) return;
  if (bytes > read_back_bytes_) {
    if (read_back_ != 0) glDeleteBuffers(1, &read_back_);
    read_back_ = 0;
    read_back_bytes_ = 0;
    constexpr GLbitfield kMapped = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    const auto room = static_cast<GLsizeiptr>((bytes + bytes / 2 + kTicket) & ~(kTicket - 1));
    glCreateBuffers(1, &read_back_);
    glNamedBufferStorage(read_back_, room + GLsizeiptr{kTicket}, nullptr, kMapped | GL_CLIENT_STORAGE_BIT);
    check(what);
    read_back_at_ = static_cast<const char*>(glMapNamedBufferRange(read_back_, 0, room + GLsizeiptr{kTicket}, kMapped));
    check(what);
    read_back_bytes_ = static_cast<std::size_t>(room);
  }
  glCopyNamedBufferSubData(from.id(), read_back_, static_cast<GLintptr>(offset), 0, static_cast<GLsizeiptr>(bytes));
  // A new number is copied with the data: a lost context that reports no error leaves the old number in place.
  ++ticket_;
  buffers_[kTickets].assign(*this, &ticket_, kTicket, what);
  glCopyNamedBufferSubData(buffers_[kTickets].id(), read_back_, 0, static_cast<GLintptr>(read_back_bytes_), kTicket);
  glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
  const GLsync done = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  constexpr GLuint64 kSecond = 1'000'000'000;
  GLenum status = GL_TIMEOUT_EXPIRED;
  while (status == GL_TIMEOUT_EXPIRED) status = glClientWaitSync(done, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond);
  glDeleteSync(done);
  check(what);
  if (status == GL_WAIT_FAILED) throw Error(formatted("gl: {}: waiting failed ({})", info.renderer, what));
  std::uint64_t ticket = 0;
  std::memcpy(&ticket, read_back_at_ + read_back_bytes_, kTicket);
  if (ticket != ticket_) {
    broken_ = true;
    throw Error(
        formatted("gl: {}: the driver signalled a copy that it did not do ({}); the context is lost, repeat the query",
                  info.renderer, what));
  }
  std::memcpy(to, read_back_at_, bytes);
}

Buffer& Context::image(std::size_t i) {
  while (images_.size() <= i) images_.push_back(std::make_unique<Buffer>());
  return *images_[i];
}

GLuint Context::link(const char* name, const Shaders& shaders) {
  const GLuint program = glCreateProgram();
  const auto fail = [&](auto* get_log, GLuint of) {
    std::string log(2000, '\0');
    GLsizei length = 0;
    get_log(of, static_cast<GLsizei>(log.size()), &length, log.data());
    log.resize(static_cast<std::size_t>(length));
    glDeleteProgram(program);
    throw Error(formatted("gl: {}: the program '{}' cannot be made: {}", info.renderer, name, log));
  };
  for (const auto& [kind, text] : shaders) {
    const GLuint shader = glCreateShader(kind);
    const char* const source = text.c_str();
    glShaderSource(shader, 1, &source, nullptr);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    glAttachShader(program, shader);
    glDeleteShader(shader);  // lives as long as the program
    if (good == 0) fail(glGetShaderInfoLog, shader);
  }
  glLinkProgram(program);
  GLint good = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (good == 0) fail(glGetProgramInfoLog, program);
  check(name);
  return program;
}

GLint Context::uniform(const char* name) {
  for (const auto& [known, location] : current_->uniforms)
    if (known == name) return location;
  return current_->uniforms.emplace_back(name, glGetUniformLocation(current_->id, name)).second;
}

GLint Context::changed(const char* name, const std::array<GLint, 2>& value) {
  const GLint location = uniform(name);
  const auto [at, added] = current_->values.try_emplace(location, value);
  if (!added && at->second == value) return -1;
  at->second = value;
  return location;
}

// A lost context gives an error, too; glGetGraphicsResetStatus is called only then, since it is slow.
void Context::check(const char* what) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  const bool lost = error == GL_CONTEXT_LOST || (egl_.reports_resets() && glGetGraphicsResetStatus() != GL_NO_ERROR);
  if (lost) {
    broken_ = true;
    throw Error(
        formatted("gl: {}: the driver was reset and the context is lost ({}); repeat the query", info.renderer, what));
  }
  broken_ = true;  // also if out of memory: the contents of the context are then undefined, and large
  if (error == GL_OUT_OF_MEMORY) throw Error(formatted("gl: {}: out of video memory ({})", info.renderer, what));
  throw Error(formatted("gl: {}: {} ({})", info.renderer, name_of(error), what));
}

Session::Session() {
  {
    const std::lock_guard lock(pool().mutex);
    if (!pool().idle.empty()) {
      context_ = std::move(pool().idle.back());
      pool().idle.pop_back();
    }
  }
  const bool fresh = context_ == nullptr;
  if (fresh) context_ = std::make_unique<Context>();
  context_->enter();
  if (!fresh) return;
  const std::string flaw = arithmetic_flaw(*context_, kTrustTriangles);
  if (!flaw.empty())
    throw Error(formatted("gl: {} ({}) does not compute as it must: {}", context_->info.renderer,
                          context_->info.version, flaw));
}

Session::~Session() {
  context_->leave();
  if (context_->broken()) return;
  const std::lock_guard lock(pool().mutex);
  pool().idle.push_back(std::move(context_));
}

}  // namespace sightline::papers::gl
