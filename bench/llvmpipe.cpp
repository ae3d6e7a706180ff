#include "bench/llvmpipe.h"

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#include <array>
#include <stdexcept>

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

}  // namespace

struct OpenGl::Context {
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

OpenGl::OpenGl(std::uint32_t side) : context_(std::make_unique<Context>()) {
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
  context_->program = make_program();
  glUseProgram(context_->program);
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glGenBuffers(1, &context_->vertices);
  glGenBuffers(1, &context_->indices);
}

OpenGl::~OpenGl() = default;

std::string OpenGl::renderer() const { return reinterpret_cast<const char*>(glGetString(GL_RENDERER)); }

void OpenGl::scene(const PassScene& scene) {
  std::vector<float> positions;
  for (const Vec3d& p : scene.positions)
    for (const double x : p) positions.push_back(static_cast<float>(x));
  glBindBuffer(GL_ARRAY_BUFFER, context_->vertices);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(positions.size() * sizeof(float)), positions.data(),
               GL_STATIC_DRAW);
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, nullptr);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, context_->indices);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(scene.triangles.size() * sizeof(Triangle)),
               scene.triangles.data(), GL_STATIC_DRAW);
  for (std::vector<GLuint>& queries : context_->queries) {
    queries.resize(2 * scene.triangles.size());
    glGenQueries(static_cast<GLsizei>(queries.size()), queries.data());
  }
}

PassResult OpenGl::run_iteration(const PassScene& scene, const Iteration& iteration, Counting counting) {
  const GLenum kind = counting == Counting::samples ? GL_SAMPLES_PASSED : GL_ANY_SAMPLES_PASSED;
  const std::size_t count = iteration.set.size();
  glUniformMatrix4fv(glGetUniformLocation(context_->program, "matrix"), 1, GL_FALSE,
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
  const GLuint* queries = context_->queries[counting == Counting::any ? 1 : 0].data();
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

void OpenGl::render(const PassScene& scene, const Iteration& iteration) {
  glUniformMatrix4fv(glGetUniformLocation(context_->program, "matrix"), 1, GL_FALSE,
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

}  // namespace sightline::bench
