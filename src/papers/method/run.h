// A query answered by one of the papers' methods, with all options in one record.
#pragma once

#include <span>

#include "input/object.h"
#include "input/settings.h"
#include "sightline/papers.h"

namespace sightline::papers::method {

class Kept;

/// The options of all methods together; each method reads its own (sightline/papers.h).
struct MethodOptions : Images, Pruning {
  bool hand_over = true;
  bool pixel_leaves = true;
  bool protect_steep = true;
  bool choose_views = true;
  std::optional<double> epsilon = {};
  bool unique_ids = false;
  bool greedy_ids = true;
  bool from_both = true;
  std::vector<ObjectId> rigid = {};
  unsigned mip_levels = 0;
  bool filter_self = false;
  bool one_per_pixel = false;
  double edge_offset = 0;
  std::vector<std::int64_t> payloads = {};  ///< by object id
  MethodName then = MethodName::exact;
  bool bounding_spheres = true;
  bool face_by_face = false;
  double time_step = 0;
  std::vector<std::optional<Motion>> motions = {};  ///< by object id
};

struct MethodSettings : Settings {
  MethodName method = MethodName::exact;
  MethodOptions paper = {};
  Renderer renderer = Renderer::cpu();
};

/// The record of a public method.
MethodSettings settings_of(const Method& method);
/// The options of the method's preset (`as_published()` in sightline/papers.h); those of `exact` are its defaults.
SIGHTLINE_API MethodOptions as_published(MethodName method);

/// Throws Error for options that the method cannot honour. `exact` runs the engine, on the device of the scene.
SIGHTLINE_API Report run(std::span<const QueryObject> objects, const MethodSettings& settings);
SIGHTLINE_API Report run(sightline::Scene& scene, const MethodSettings& settings);
/// The same answer, with what is kept from frame to frame (method/kept.h).
SIGHTLINE_API Report run(sightline::Scene& scene, const MethodSettings& settings, Kept& kept);
/// One mesh against itself.
SIGHTLINE_API Report run(const MeshView& mesh, const MethodSettings& settings);

}  // namespace sightline::papers::method
