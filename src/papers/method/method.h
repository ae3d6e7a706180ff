// The input and the result of a paper's method. One method a file; each is written over Raster only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "input/triangle_table.h"
#include "method/memory.h"
#include "method/run.h"
#include "raster/raster.h"

namespace sightline::papers::method {

/// All objects under one numbering: triangle and vertex i of the scene are those of TriangleTable.
struct Scene {
  Scene(const TriangleTable& table, Workers& workers);

  const TriangleTable& table;
  UninitializedArray<Vec3d> positions;
  UninitializedArray<Triangle> triangles;
  UninitializedArray<std::uint32_t> object_of;  ///< per triangle, index into table.objects
  std::vector<Box> boxes;                       ///< per object, of all its vertices
  Box box;                                      ///< of everything

  raster::Geometry geometry() const { return {positions, triangles, box}; }
  std::array<Vec3d, 3> corners(std::uint32_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {positions[t[0]], positions[t[1]], positions[t[2]]};
  }
};

/// What a method leaves to the exact test.
struct Candidates {
  std::vector<std::uint32_t> triangles;  ///< ascending: pairs among these whose boxes meet …
  /// … unless both are in the same collision-free set. One for each of `triangles`, 0 is none; or empty.
  std::vector<std::uint8_t> free_set;
  /// Instead: these pairs only (each a < b, sorted, no repeats), for a method that finds pairs.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  bool has_pairs = false;
};

/// Some triangles of the scene, each with corners of its own, for the raster to draw instead of all.
struct Extract {
  UninitializedArray<Vec3d> positions;
  UninitializedArray<Triangle> triangles;

  raster::Geometry geometry(const Box& box) const { return {positions, triangles, box}; }
};

/// A running method: its input, its image, and what it reports.
struct Context {
  const Scene& scene;
  const MethodOptions& options;
  Precision precision;              ///< resolved
  std::uint32_t resolution;         ///< resolved
  std::span<const View> views;      ///< resolved; empty: chosen by the method
  std::span<const Motion> motions;  ///< per object of the table; empty unless all were given
  raster::Raster& raster;
  Workers& workers;
  std::function<bool()> stop;  ///< true: the caller cancelled; return the results so far
  MethodReport& report;
  std::vector<raster::Camera> cameras = {};  ///< per view; empty until look_at_all
  Extract extract = {};                      ///< what the raster was given, if not the scene's geometry
  std::uint64_t enough = 0;  ///< cullide, quick-cullide: pruning ends at so many triangles (Kept::Pruned)

  /// Cameras that see the whole scene along the views.
  void look_at_all();

  /// Records, if the report lists them, that a triangle of the scene leaves the set in the current pass.
  void drop(std::uint32_t triangle) const {
    if (!options.record_dropped) return;
    const TriangleTable::Object& object = scene.table.objects[scene.object_of[triangle]];
    report.dropped.push_back(
        {static_cast<std::uint32_t>(report.passes.size()), {object.id, triangle - object.first_triangle}});
  }

  raster::Target target() const;  ///< a square one of this resolution, depth and precision; no stencil, no colour
};

/// Times one pass and takes the difference of the raster's counters. The pass is added to the report by end().
class PassClock {
 public:
  PassClock(Context& context, std::string_view level, const Vec3d& direction, std::uint32_t iteration = 0);
  Pass& pass() { return pass_; }
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  Context& context_;
  Pass pass_;
  raster::Counters before_;
  Clock::time_point start_;
};

// The methods (one file each). The caller has checked the options; a method checks only what its caller cannot.
Candidates cullide(Context& context);
Candidates quick_cullide(Context& context);
Candidates self_cullide(Context& context);
Candidates peel(Context& context);
Candidates cinder(Context& context);

/// Sweep-and-prune on the boxes of the candidates, and the exact test: contacts as pairs of scene triangles.
std::vector<Contact> exact_contacts(Context& context, const Candidates& candidates);

}  // namespace sightline::papers::method
