// EGL: an OpenGL context without a window or a display server. libEGL is opened at run time.
#pragma once

#include <string>

namespace sightline::papers::gl {

/// A context of OpenGL 4.5 core. Throws Error that says what is missing: libEGL, a display, OpenGL 4.5.
class EglContext {
 public:
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  /// Makes it the calling thread's context, and gives the thread back the one that it had.
  void enter();
  void leave();
  static void* function(const char* name);

  const std::string& platform() const { return platform_; }  ///< how the display was found
  bool tells_resets() const { return tells_resets_; }

 private:
  bool try_display(void* display, const std::string& platform, std::string& why);

  void* display_ = nullptr;
  void* context_ = nullptr;
  std::string platform_;
  bool tells_resets_ = false;
  unsigned old_api_ = 0;
  void *old_display_ = nullptr, *old_draw_ = nullptr, *old_read_ = nullptr, *old_context_ = nullptr;
};

}  // namespace sightline::papers::gl
