// Our raster beside OpenGL on Mesa's llvmpipe, without a window: the same image, and the passes of raster_passes.h as a
// paper's program would make them.
// Usage: sightline_llvmpipe_bench [side] [triangles] [repeats]
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

#include "base/parallel.h"
#include "bench/raster_passes.h"
#include "bench/timer.h"

namespace sightline::bench {
namespace {

void check(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("OpenGL: ") + what);
}

GLuint compile(GLenum kind, const char* text) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  check(good != 0, "a shader does not compile");
  return shader;
}

GLuint make_program() {
  const GLuint program = glCreateProgram();
  glAttachShader(program, compile(GL_VERTEX_SHADER,
                                  "#version 330\n"
                                  "layout(location = 0) in vec3 position;\n"
                                  "uniform mat4 matrix;\n"
                                  "void main() { gl_Position = matrix * vec4(position, 1.0); }\n"));
  glAttachShader(program, compile(GL_FRAGMENT_SHADER, "#version 330\nvoid main() {}\n"));
  glLinkProgram(program);
  GLint good = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  check(good != 0, "the program does not link");
  return program;
}

/// Column by column: the camera's window to [-1, 1] on all axes.
std::array<float, 16> matrix_of(const raster::Camera& c) {
  const Vec3d axes[3] = {c.right, c.up, c.forward};
  const double low[3] = {c.left, c.bottom, c.near}, high[3] = {c.right_edge, c.top, c.far};
  std::array<float, 16> m{};
  for (int row = 0; row < 3; ++row) {
    const double scale = 2 / (high[row] - low[row]);
    double offset = -(high[row] + low[row]) / (high[row] - low[row]);
    for (int column = 0; column < 3; ++column) {
      m[static_cast<std::size_t>(4 * column + row)] = static_cast<float>(axes[row][column] * scale);
      offset -= axes[row][column] * scale * c.origin[column];
    }
    m[static_cast<std::size_t>(12 + row)] = static_cast<float>(offset);
  }
  m[15] = 1;
  return m;
}

enum class Counting {
  samples,  ///< GL_SAMPLES_PASSED, as the papers
  any,      ///< GL_ANY_SAMPLES_PASSED
  none,     ///< the same draws without queries, all answers 0: what would be left if queries cost nothing
};

struct Context {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  GLuint program = 0, vertices = 0, indices = 0;
  std::vector<GLuint> queries[2];  ///< samples and any: a query keeps its kind

  Context() {
    display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    check(display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) != 0, "no display without a window");
    check(eglBindAPI(EGL_OPENGL_API) != 0, "no desktop OpenGL");
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    check(eglChooseConfig(display, wanted, &config, 1, &count) != 0 && count > 0, "no configuration");
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    check(context != EGL_NO_CONTEXT, "no OpenGL 3.3");
    check(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != 0, "the context cannot be used");
  }
  ~Context() {
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    eglTerminate(display);
  }
};

class OpenGl {
 public:
  /// Throws std::runtime_error where there is no OpenGL 3.3 or no image of this size.
  explicit OpenGl(std::uint32_t side) {
    const auto size = static_cast<GLsizei>(side);
    GLuint frame = 0, depth = 0, array = 0;
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, size, size);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    glDrawBuffer(GL_NONE);
    check(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "no depth image of this size");
    glViewport(0, 0, size, size);
    glEnable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    context_.program = make_program();
    glUseProgram(context_.program);
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &context_.vertices);
    glGenBuffers(1, &context_.indices);
  }

  std::string renderer() const { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }

  void scene(const PassScene& scene) {
    std::vector<float> positions;
    for (const Vec3d& p : scene.positions)
      for (const double x : p) positions.push_back(static_cast<float>(x));
    glBindBuffer(GL_ARRAY_BUFFER, context_.vertices);
    glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(positions.size() * sizeof(float)), positions.data(),
                 GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, context_.indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(scene.triangles.size() * sizeof(Triangle)),
                 scene.triangles.data(), GL_STATIC_DRAW);
    for (std::vector<GLuint>& queries : context_.queries) {
      queries.resize(2 * scene.triangles.size());
      glGenQueries(static_cast<GLsizei>(queries.size()), queries.data());
    }
  }

  PassResult run_iteration(const PassScene& scene, const Iteration& iteration, Counting counting) {
    const GLenum kind = counting == Counting::samples ? GL_SAMPLES_PASSED : GL_ANY_SAMPLES_PASSED;
    const std::size_t count = iteration.set.size();
    glUniformMatrix4fv(glGetUniformLocation(context_.program, "matrix"), 1, GL_FALSE,
                       matrix_of(scene.cameras[iteration.view]).data());
    const auto one = [&](std::uint32_t triangle, GLuint query) {
      const void* at = reinterpret_cast<const void*>(std::size_t{triangle} * sizeof(Triangle));
      glDepthFunc(GL_GEQUAL);
      glDepthMask(GL_FALSE);
      if (counting != Counting::none) glBeginQuery(kind, query);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, at);
      if (counting != Counting::none) glEndQuery(kind);
      glDepthFunc(GL_LESS);
      glDepthMask(GL_TRUE);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_INT, at);
    };
    const GLuint* queries = context_.queries[counting == Counting::any ? 1 : 0].data();
    glDepthMask(GL_TRUE);
    glClear(GL_DEPTH_BUFFER_BIT);
    for (std::size_t i = 0; i < count; ++i) one(iteration.set[i], queries[i]);
    glClear(GL_DEPTH_BUFFER_BIT);
    for (std::size_t i = count; i-- > 0;) one(iteration.set[i], queries[count + i]);
    glFlush();
    PassResult result{std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)};
    if (counting == Counting::none) {
      glFinish();
      return result;
    }
    for (std::size_t i = 0; i < 2 * count; ++i) {
      GLuint passed = 0;
      glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &passed);
      (i < count ? result.forward[i] : result.reverse[i - count]) = passed;
    }
    check(glGetError() == GL_NO_ERROR, "an error in a pass");
    return result;
  }

  /// Rendering alone, without queries: all of the set in one call.
  void render(const PassScene& scene, const Iteration& iteration) {
    glUniformMatrix4fv(glGetUniformLocation(context_.program, "matrix"), 1, GL_FALSE,
                       matrix_of(scene.cameras[iteration.view]).data());
    std::vector<GLsizei> counts(iteration.set.size(), 3);
    std::vector<const void*> starts;
    for (const std::uint32_t t : iteration.set)
      starts.push_back(reinterpret_cast<const void*>(std::size_t{t} * sizeof(Triangle)));
    glDepthFunc(GL_LESS);
    glDepthMask(GL_TRUE);
    for (int direction = 0; direction < 2; ++direction) {
      glClear(GL_DEPTH_BUFFER_BIT);
      glMultiDrawElements(GL_TRIANGLES, counts.data(), GL_UNSIGNED_INT, starts.data(),
                          static_cast<GLsizei>(counts.size()));
    }
    glFinish();
  }

 private:
  Context context_;
};

struct Times {
  double wall = 1e30, cpu = 1e30;
};

/// The best of several runs, ours and theirs in turn.
template <typename Run>
void add_run(Times& times, const Run& run) {
  const double cpu = cpu_milliseconds();
  const Timer timer;
  run();
  times.wall = std::min(times.wall, timer.milliseconds());
  times.cpu = std::min(times.cpu, cpu_milliseconds() - cpu);
}

std::size_t differing(const PassResult& a, const PassResult& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.forward.size(); ++i)
    count += (a.forward[i] != 0) != (b.forward[i] != 0) || (a.reverse[i] != 0) != (b.reverse[i] != 0) ? 1 : 0;
  return count;
}

void render_ours(raster::Raster& raster, const PassScene& scene, const Iteration& iteration) {
  raster.camera(scene.cameras[iteration.view]);
  for (int direction = 0; direction < 2; ++direction) {
    raster.clear_depth(raster::far_key(raster.target().format));
    raster.draw({}, iteration.set);
  }
  raster.finish();
}

void print(const char* what, const Times& ours, const Times& theirs) {
  fmt::print("  {:34} ours {:8.1f} ms ({:8.1f} CPU)  llvmpipe {:9.1f} ms ({:9.1f} CPU)  ratio {:6.1f} ({:.1f} CPU)\n",
             what, ours.wall, ours.cpu, theirs.wall, theirs.cpu, theirs.wall / ours.wall, theirs.cpu / ours.cpu);
}

int run(int argc, char** argv) {
  const auto argument = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const std::uint32_t side = argument(1, 4096);
  const unsigned repeats = argument(3, 2);
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
  setenv("GALLIUM_DRIVER", "llvmpipe", 1);
  OpenGl gl(side);
  Workers workers(0);
  const auto raster = raster::make_cpu_raster(workers);
  raster->target(pass_target(side));
  const PassScene scene = cloth_scene(argument(2, 20000));
  const std::vector<Iteration> frame = frame_of(*raster, scene);
  gl.scene(scene);
  fmt::print("{}: {} triangles at {}; {}\n", scene.name, scene.triangles.size(), side, gl.renderer());
  for (const Iteration& iteration : frame) {
    Times ours, samples, any, none, our_render, render;
    PassResult a, b, c;
    for (unsigned i = 0; i < repeats; ++i) {
      add_run(ours, [&] { a = run_iteration(*raster, scene, iteration); });
      add_run(samples, [&] { b = gl.run_iteration(scene, iteration, Counting::samples); });
      add_run(any, [&] { c = gl.run_iteration(scene, iteration, Counting::any); });
      add_run(none, [&] { gl.run_iteration(scene, iteration, Counting::none); });
      add_run(our_render, [&] { render_ours(*raster, scene, iteration); });
      add_run(render, [&] { gl.render(scene, iteration); });
    }
    fmt::print(" view {}, {} triangles; answers differ on {} (samples), {} (any)\n", iteration.view,
               iteration.set.size(), differing(a, b), differing(a, c));
    print("queries (samples) and renders", ours, samples);
    print("queries (any sample) and renders", ours, any);
    print("ours as above, theirs no queries", ours, none);
    print("renders only, one call", our_render, render);
  }
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) try { return sightline::bench::run(argc, argv); } catch (const std::exception& error) {
  fmt::print("{}\n", error.what());
  return 1;
}
