// The engine on a CUDA device: from positions on the device to the sorted exact list on the device.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <vector>

#include "input/settings.h"
#include "sightline/contact.h"

namespace sightline::cuda {

/// Triangles in device memory. Positions are float or double.
struct Input {
  const float* f32 = nullptr;
  const double* f64 = nullptr;  ///< exactly one of f32 and f64 is given
  std::uint64_t vertex_count = 0;
  const std::uint32_t* triangles = nullptr;
  std::uint32_t triangle_count = 0;
  /// Several objects: per triangle, twice the object's place plus 1 for `self`; and per object its first triangle and
  /// id.
  const std::uint32_t* object = nullptr;
  const std::uint32_t* first_triangle = nullptr;
  const std::uint32_t* object_id = nullptr;
  const std::uint64_t* groups = nullptr;  ///< per object, groups | collides_with << 32; null: all pairs are wanted
  std::uint32_t object_ids = 1;           ///< ids are below this
  std::uint32_t most_triangles = 0;       ///< of one object
};

struct Output {
  const Contact* contacts = nullptr;  ///< on the device, in canonical order; valid until the next query
  std::uint32_t count = 0;
  std::uint64_t candidates = 0, survivors = 0, entries = 0, large = 0, giants = 0;
  /// The visibility cull: triangles that it removed, or why it did not run.
  std::uint64_t culled = 0;
  enum class Cull { pointless, off, skipped, done } cull = Cull::pointless;
  unsigned last_yield = 0;  ///< per cent, if the cull was skipped
  std::size_t peak_bytes = 0;
  int repeats = 0;            ///< steps run again because a buffer had to grow
  std::vector<Stage> stages;  ///< only if `timed`
};

class Engine {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// `timed`: stage times by events. Working memory is kept for the next query.
  Output run(const Input& input, cudaStream_t stream, bool timed = false);
  /// Cell size in triangle extents.
  double cell = 3;
  /// At most this many cells for each triangle.
  double cells = 1;
  /// `automatic`: the cull runs while it removes enough triangles; from time to time it is tried again, along another
  /// axis.
  VisibilityCull visibility = VisibilityCull::automatic;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::cuda
