// EGL: an OpenGL context without a window or a display server. libepoxy opens libEGL and OpenGL at run time, so a
// program starts on a machine without them.
#pragma once

#include <string>

namespace sightline::papers::gl {

/// A context of OpenGL 4.5 core. Throws Error with what is missing: libEGL, a display, OpenGL 4.5.
class EglContext {
 public:
  EglContext();
  ~EglContext();
  EglContext(const EglContext&) = delete;
  EglContext& operator=(const EglContext&) = delete;

  /// Makes this the calling thread's context; leave(), or the end of this, restores the thread's earlier one.
  void enter();
  void leave();

  const std::string& platform() const { return platform_; }  ///< how the display was found
  bool reports_resets() const { return reports_resets_; }

 private:
  bool try_display(void* display, const std::string& platform, std::string& why);

  void* display_ = nullptr;
  void* context_ = nullptr;
  std::string platform_;
  bool reports_resets_ = false, current_ = false;
  unsigned old_api_ = 0;
  void *old_display_ = nullptr, *old_draw_ = nullptr, *old_read_ = nullptr, *old_context_ = nullptr;
};

}  // namespace sightline::papers::gl
