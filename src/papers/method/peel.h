// Shared by the two precisions of the method `peel`.
#pragma once

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "method/roi.h"

namespace sightline::papers::method {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Passes of the report in conservative precision, one for each layer, each the sum over all regions: there may be
/// thousands of those. `elements` are regions, those that were drawn and those in which something was found; `pcs` are
/// the triangles that were tested, and those that were found.
class LayerLog {
 public:
  LayerLog(Context& context, const Vec3d& direction) : context_(context), direction_(direction) { restart(); }

  /// Records the work since the last call.
  void book(std::string_view level, std::uint32_t iteration, std::uint64_t triangles, std::uint64_t found);
  /// Adds the passes to the report.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  void restart();

  Context& context_;
  Vec3d direction_;
  std::vector<Pass> passes_;
  raster::Counters before_;
  Clock::time_point start_;
};

/// A region and the image that it has.
struct RegionImage {
  Region& region;
  const raster::Camera& camera;
  std::uint32_t side;  ///< pixels
  int farther;         ///< the object farther from the viewer: 0 or 1
  double epsilon;      ///< in scene units
};

/// Conservative precision (peel_conservative.cpp): takes triangles out of the region that meet nothing of the other
/// object there. Those that are left hold every contact.
void peel_conservative(Context& context, const RegionImage& image, LayerLog& log);

}  // namespace sightline::papers::method
