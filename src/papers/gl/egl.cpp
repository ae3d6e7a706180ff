#include "gl/egl.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::papers::gl {
namespace {

/// libEGL's functions; loaded once and kept, since drivers do not like to be unloaded.
struct Egl {
  PFNEGLGETPROCADDRESSPROC get = nullptr;
  PFNEGLQUERYSTRINGPROC query_string = nullptr;
  PFNEGLINITIALIZEPROC initialize = nullptr;
  PFNEGLBINDAPIPROC bind_api = nullptr;
  PFNEGLQUERYAPIPROC query_api = nullptr;
  PFNEGLCHOOSECONFIGPROC choose_config = nullptr;
  PFNEGLCREATECONTEXTPROC create_context = nullptr;
  PFNEGLDESTROYCONTEXTPROC destroy_context = nullptr;
  PFNEGLMAKECURRENTPROC make_current = nullptr;
  PFNEGLGETCURRENTCONTEXTPROC current_context = nullptr;
  PFNEGLGETCURRENTDISPLAYPROC current_display = nullptr;
  PFNEGLGETCURRENTSURFACEPROC current_surface = nullptr;
  PFNEGLGETDISPLAYPROC get_display = nullptr;
  PFNEGLGETERRORPROC error = nullptr;
  // Null where the extension is missing.
  PFNEGLGETPLATFORMDISPLAYEXTPROC platform_display = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
  PFNEGLQUERYDEVICESTRINGEXTPROC device_string = nullptr;
  std::string missing;  ///< what went wrong, or nothing

  Egl() {
    void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      missing = fmt::format("libEGL.so.1 cannot be loaded: {}", dlerror());
      return;
    }
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr && missing.empty()) missing = fmt::format("libEGL.so.1 has no function {}", name);
    };
    load(get, "eglGetProcAddress");
    load(query_string, "eglQueryString");
    load(initialize, "eglInitialize");
    load(bind_api, "eglBindAPI");
    load(query_api, "eglQueryAPI");
    load(choose_config, "eglChooseConfig");
    load(create_context, "eglCreateContext");
    load(destroy_context, "eglDestroyContext");
    load(make_current, "eglMakeCurrent");
    load(current_context, "eglGetCurrentContext");
    load(current_display, "eglGetCurrentDisplay");
    load(current_surface, "eglGetCurrentSurface");
    load(get_display, "eglGetDisplay");
    load(error, "eglGetError");
    if (!missing.empty()) return;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(get(name));
    };
    find(platform_display, "eglGetPlatformDisplayEXT");
    find(query_devices, "eglQueryDevicesEXT");
    find(device_string, "eglQueryDeviceStringEXT");
  }
};

const Egl& egl() {
  static const Egl loaded;
  return loaded;
}

bool has(const char* list, std::string_view name) {
  const std::string_view all = list == nullptr ? "" : list;
  for (std::size_t at = all.find(name); at != std::string_view::npos; at = all.find(name, at + 1)) {
    const bool begins = at == 0 || all[at - 1] == ' ';
    if (begins && (at + name.size() == all.size() || all[at + name.size()] == ' ')) return true;
  }
  return false;
}

struct Candidate {
  EGLDisplay display;
  std::string platform;
};

/// Devices with hardware first, then those of software, then displays that need no device.
std::vector<Candidate> candidates() {
  const Egl& e = egl();
  const char* client = e.query_string(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  std::vector<Candidate> found, software;
  if (e.platform_display != nullptr && e.query_devices != nullptr && has(client, "EGL_EXT_platform_device")) {
    EGLDeviceEXT devices[32];
    EGLint count = 0;
    if (e.query_devices(32, devices, &count) == 0) count = 0;
    for (EGLint i = 0; i < count; ++i) {
      const EGLDisplay display = e.platform_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr);
      if (display == EGL_NO_DISPLAY) continue;
      const bool soft =
          e.device_string != nullptr && has(e.device_string(devices[i], EGL_EXTENSIONS), "EGL_MESA_device_software");
      (soft ? software : found).push_back({display, fmt::format("device {}", i)});
    }
  }
  found.insert(found.end(), software.begin(), software.end());
  if (e.platform_display != nullptr && has(client, "EGL_MESA_platform_surfaceless")) {
    const EGLDisplay display = e.platform_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY) found.push_back({display, "surfaceless"});
  }
  const EGLDisplay display = e.get_display(EGL_DEFAULT_DISPLAY);
  if (display != EGL_NO_DISPLAY) found.push_back({display, "default display"});
  return found;
}

}  // namespace

EglContext::EglContext() {
  if (!egl().missing.empty()) throw Error("gl: " + egl().missing);
  std::string why;
  for (const Candidate& candidate : candidates())
    if (try_display(candidate.display, candidate.platform, why)) return;
  if (why.empty())
    why = "EGL finds no device and no display: is a driver installed (on Debian: libegl1 and libgl1-mesa-dri)?";
  throw Error("gl: " + why);
}

EglContext::~EglContext() {
  if (context_ != nullptr) egl().destroy_context(display_, context_);
}

bool EglContext::try_display(void* display, const std::string& platform, std::string& why) {
  const Egl& e = egl();
  const auto refuse = [&](std::string_view what) {
    why += fmt::format("{}{}: {} (EGL error 0x{:04x})", why.empty() ? "" : "; ", platform, what, e.error());
    return false;
  };
  if (e.initialize(display, nullptr, nullptr) == 0) return refuse("cannot be initialised");
  const char* extensions = e.query_string(display, EGL_EXTENSIONS);
  if (!has(extensions, "EGL_KHR_surfaceless_context")) return refuse("no EGL_KHR_surfaceless_context");
  const EGLenum old_api = e.query_api();
  if (e.bind_api(EGL_OPENGL_API) == 0) return refuse("no desktop OpenGL");
  EGLConfig config = EGL_NO_CONFIG_KHR;
  if (!has(extensions, "EGL_KHR_no_config_context") && !has(extensions, "EGL_MESA_configless_context")) {
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE};
    EGLint count = 0;
    if (e.choose_config(display, wanted, &config, 1, &count) == 0 || count == 0) {
      e.bind_api(old_api);
      return refuse("no configuration");
    }
  }
  std::vector<EGLint> wanted = {EGL_CONTEXT_MAJOR_VERSION,       4,
                                EGL_CONTEXT_MINOR_VERSION,       5,
                                EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
  // Asked for first with a word about resets of the GPU; not all drivers give it.
  std::vector<EGLint> with_resets = wanted;
  with_resets.insert(with_resets.end(),
                     {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY, EGL_LOSE_CONTEXT_ON_RESET, EGL_NONE});
  wanted.push_back(EGL_NONE);
  EGLContext made = e.create_context(display, config, EGL_NO_CONTEXT, with_resets.data());
  tells_resets_ = made != EGL_NO_CONTEXT;
  if (made == EGL_NO_CONTEXT) made = e.create_context(display, config, EGL_NO_CONTEXT, wanted.data());
  e.bind_api(old_api);
  if (made == EGL_NO_CONTEXT) return refuse("no OpenGL 4.5");
  display_ = display;
  context_ = made;
  platform_ = platform;
  return true;
}

void EglContext::enter() {
  const Egl& e = egl();
  old_api_ = e.query_api();
  old_context_ = e.current_context();
  old_display_ = e.current_display();
  old_draw_ = e.current_surface(EGL_DRAW);
  old_read_ = e.current_surface(EGL_READ);
  if (e.bind_api(EGL_OPENGL_API) == 0 || e.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) == 0)
    throw Error(fmt::format("gl: the context cannot be made current (EGL error 0x{:04x})", e.error()));
}

void EglContext::leave() {
  const Egl& e = egl();
  e.make_current(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  e.bind_api(old_api_);  // a thread that draws with OpenGL ES goes on with it
  if (old_context_ != EGL_NO_CONTEXT) e.make_current(old_display_, old_draw_, old_read_, old_context_);
}

void* EglContext::function(const char* name) { return reinterpret_cast<void*>(egl().get(name)); }

}  // namespace sightline::papers::gl
