#include "gl/egl.h"

#include <dlfcn.h>
#include <epoxy/egl.h>

#include <string_view>
#include <vector>

#include "base/format.h"
#include "sightline/mesh.h"

namespace sightline::papers::gl {
namespace {

/// libepoxy ends the program where libEGL is missing, so this is checked first.
void require_libegl() {
  static const bool loaded = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr;  // kept: drivers stay loaded
  if (!loaded) throw Error("gl: libEGL.so.1 cannot be loaded (on Debian: libegl1 and libgl1-mesa-dri)");
}

/// Names in a list are separated by spaces.
bool has(const char* list, const std::string& name) {
  return list != nullptr && (" " + std::string(list) + " ").find(" " + name + " ") != std::string::npos;
}

struct Candidate {
  EGLDisplay display;
  std::string platform;
};

/// Devices with hardware first, then those of software, then displays that need no device.
std::vector<Candidate> candidates() {
  const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::vector<Candidate> found, software;
  // EGL_EXT_device_base stands for the two extensions that it was split into.
  const bool base = has(client, "EGL_EXT_device_base");
  const bool queries = base || has(client, "EGL_EXT_device_query");
  if ((base || has(client, "EGL_EXT_device_enumeration")) && has(client, "EGL_EXT_platform_device")) {
    EGLDeviceEXT devices[32];
    EGLint count = 0;
    if (eglQueryDevicesEXT(32, devices, &count) == 0) count = 0;
    for (EGLint i = 0; i < count; ++i) {
      const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      if (display == EGL_NO_DISPLAY) continue;
      const bool soft = queries && has(eglQueryDeviceStringEXT(devices[i], EGL_EXTENSIONS), "EGL_MESA_device_software");
      (soft ? software : found).push_back({display, formatted("device {}", i)});
    }
  }
  found.insert(found.end(), software.begin(), software.end());
  if (has(client, "EGL_MESA_platform_surfaceless")) {
    const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY) found.push_back({display, "surfaceless"});
  }
  const EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (display != EGL_NO_DISPLAY) found.push_back({display, "default display"});
  return found;
}

}  // namespace

EglContext::EglContext() {
  require_libegl();
  std::string why;
  for (const Candidate& candidate : candidates())
    if (try_display(candidate.display, candidate.platform, why)) return;
  if (why.empty())
    why = "EGL finds no device and no display: is a driver installed (on Debian: libegl1 and libgl1-mesa-dri)?";
  throw Error("gl: " + why);
}

EglContext::~EglContext() {
  if (current_) leave();
  if (context_ != nullptr) eglDestroyContext(display_, context_);
}

bool EglContext::try_display(void* display, const std::string& platform, std::string& why) {
  const auto refuse = [&](std::string_view what) {
    why += formatted("{}{}: {} (EGL error 0x{:04x})", why.empty() ? "" : "; ", platform, what, eglGetError());
    return false;
  };
  if (eglInitialize(display, nullptr, nullptr) == 0) return refuse("cannot be initialised");
  const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
  if (!has(extensions, "EGL_KHR_surfaceless_context")) return refuse("no EGL_KHR_surfaceless_context");
  const EGLenum old_api = eglQueryAPI();
  if (eglBindAPI(EGL_OPENGL_API) == 0) return refuse("no desktop OpenGL");
  EGLConfig config = EGL_NO_CONFIG_KHR;
  if (!has(extensions, "EGL_KHR_no_config_context") && !has(extensions, "EGL_MESA_configless_context")) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLint count = 0;
    if (eglChooseConfig(display, wanted, &config, 1, &count) == 0 || count == 0) {
      eglBindAPI(old_api);
      return refuse("no configuration");
    }
  }
  std::vector<EGLint> wanted = {EGL_CONTEXT_MAJOR_VERSION,       4,
                                EGL_CONTEXT_MINOR_VERSION,       5,
                                EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
  // First with notification of GPU resets, which not all drivers have.
  std::vector<EGLint> with_resets = wanted;
  with_resets.insert(with_resets.end(),
                     {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE});
  wanted.push_back(EGL_NONE);
  EGLContext made = eglCreateContext(display, config, EGL_NO_CONTEXT, with_resets.data());
  reports_resets_ = made != EGL_NO_CONTEXT;
  if (made == EGL_NO_CONTEXT) made = eglCreateContext(display, config, EGL_NO_CONTEXT, wanted.data());
  eglBindAPI(old_api);
  if (made == EGL_NO_CONTEXT) return refuse("no OpenGL 4.5");
  display_ = display;
  context_ = made;
  platform_ = platform;
  return true;
}

void EglContext::enter() {
  old_api_ = eglQueryAPI();
  old_context_ = eglGetCurrentContext();
  old_display_ = eglGetCurrentDisplay();
  old_draw_ = eglGetCurrentSurface(EGL_DRAW);
  old_read_ = eglGetCurrentSurface(EGL_READ);
  if (eglBindAPI(EGL_OPENGL_API) == 0 || eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == 0)
    throw Error(formatted("gl: the context cannot be made current (EGL error 0x{:04x})", eglGetError()));
  current_ = true;
}

void EglContext::leave() {
  current_ = false;
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglBindAPI(old_api_);  // for a thread that draws with OpenGL ES
  if (old_context_ != EGL_NO_CONTEXT) eglMakeCurrent(old_display_, old_draw_, old_read_, old_context_);
}

}  // namespace sightline::papers::gl
