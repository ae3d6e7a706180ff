// OpenGL on Mesa's llvmpipe, without a window: the passes of raster_passes.h as a paper's program would make them.
#pragma once

#include <memory>
#include <string>

#include "bench/raster_passes.h"

namespace sightline::bench {

enum class Counting {
  samples,  ///< GL_SAMPLES_PASSED, as the papers
  any,      ///< GL_ANY_SAMPLES_PASSED
  none,     ///< the same draws without queries, all answers 0: what would be left if queries cost nothing
};

class OpenGl {
 public:
  /// Throws std::runtime_error where there is no OpenGL 3.3 or no image of this size.
  explicit OpenGl(std::uint32_t side);
  ~OpenGl();
  OpenGl(const OpenGl&) = delete;
  OpenGl& operator=(const OpenGl&) = delete;

  std::string renderer() const;
  void scene(const PassScene& scene);
  PassResult run_iteration(const PassScene& scene, const Iteration& iteration, Counting counting);
  /// Rendering alone, without queries: all of the set in one call.
  void render(const PassScene& scene, const Iteration& iteration);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace sightline::bench
