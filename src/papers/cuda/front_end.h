// Velocity culling on a GPU, before the exact engine there. No CUDA header is needed to include this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "input/settings.h"
#include "input/triangle_table.h"
#include "moving/pair_test.h"

namespace sightline::papers::cuda {

/// An object of the table, and what decides about its faces.
struct MovingObject {
  const moving::Body* body = nullptr;
  std::span<const moving::PairTest> tests;
  bool two_sided = false;
  moving::FaceArrays faces;
  std::uint32_t face_count = 0;
  // The device copies again only where these change: the number of the faces, and the version of the stored points.
  std::uint64_t faces_number = 0, stored_version = 0;
};

/// Faces, triangles and stored points stay on the device from frame to frame. A frame sends transforms and tests, and
/// gets back how many triangles are left of each object. Positions are placed, triangles are culled and gathered, and
/// contacts get the numbers of whole objects on the device.
class FrontEnd {
 public:
  explicit FrontEnd(const Device& device);  ///< throws Error if this build or this machine has no CUDA
  ~FrontEnd();
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;

  /// Culls; returns the number of triangles that are left. `objects`: per object of the table.
  std::uint64_t cull(const TriangleTable& table, std::span<const MovingObject> objects);
  /// After `cull`: 1 for each face that stays, as Left::stays (method/left.h). `to` has a place for each triangle.
  void fetch_stays(std::uint8_t* to);
  /// After `cull`: the contacts of the triangles that are left, by their numbers in the whole objects.
  void find(const Settings& options, Report& report);

  /// Bytes that have been copied to the device for faces, triangles and stored points, over all frames.
  std::uint64_t bytes_kept() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::papers::cuda
