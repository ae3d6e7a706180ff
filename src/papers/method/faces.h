// The faces of an object for the method `velocity`: what does not change while the object moves rigidly.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/vector.h"
#include "moving/pair_test.h"
#include "sightline/mesh.h"

namespace sightline::papers::method {

using moving::FaceBlock;
using moving::FaceRange;
using moving::kRelativeError;
using moving::length;
using moving::Normal;
using moving::normal_of;
using moving::Polygon;

/// Topology of an object. It depends on the triangles and on which positions are equal.
struct FaceTopology {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  FaceTopology(const MeshView& mesh, Workers& workers);

  Topology topology;
  std::vector<std::uint8_t> balanced;  ///< per component (winding.h)
  /// Entry 3t + k: the triangle that meets triangle t in the edge of its corners k and k + 1, if it is the only one and
  /// runs through the edge the other way; else kNone.
  std::vector<std::uint32_t> across;
};

/// `vertices` lie in the plane of `normal`. They are the points if there are at most eight, else the corners of the
/// least polygon around them whose sides have eight directions, 45 degrees apart, the first along `side`.
Polygon bounding_polygon(std::span<const Vec3d> vertices, const Normal& normal, const Vec3d& side);

/// Where the stored points of an object are, as seen from the points with which its faces were made.
struct RigidPose {
  Transform transform = {};  ///< a rotation and a translation
  double deviation = 0;      ///< no stored point is farther from the image of the first one
};

/// Adjacent triangles in one plane with the same outside are one face. Everything is in the object's own coordinates,
/// those of its stored points when the faces were made.
class Faces {
 public:
  /// `mesh` has no transform. `kept`: the topology of the same triangles with other positions, or null.
  Faces(const MeshView& mesh, std::unique_ptr<FaceTopology> kept, Workers& workers);

  /// True if the body has only moved: a rotation and a translation lead to all points of `mesh`, up to rounding, and
  /// positions that were equal are equal. Then pose() leads there, and all else stays.
  bool follow(const MeshView& mesh, Workers& workers);
  const RigidPose& pose() const { return pose_; }
  /// A vertex in the object's own coordinates.
  Vec3d own(std::uint32_t vertex) const {
    if (!f64_.empty()) return f64_[vertex];
    const Vec3f& p = f32_[vertex];
    return {p[0], p[1], p[2]};
  }

  std::uint32_t count() const { return count_; }  ///< faces
  std::uint32_t triangle_count() const { return static_cast<std::uint32_t>(outward_.size()); }
  /// Where the normal of a triangle points by the right-hand rule: 1 out, -1 in, 0 not known, and the face stays.
  std::int8_t outward(std::uint32_t triangle) const { return outward_[triangle]; }
  bool any_outward() const { return any_outward_; }

  /// True if some face has several triangles. If not, triangle t is face t.
  bool merged() const { return !face_of_.empty(); }
  std::uint32_t face_of(std::uint32_t triangle) const { return merged() ? face_of_[triangle] : triangle; }
  /// Null for a face of one triangle.
  const Polygon* polygon(std::uint32_t face) const {
    return merged() && polygon_of_[face] != FaceTopology::kNone ? &polygons_[polygon_of_[face]] : nullptr;
  }
  std::uint32_t first_triangle(std::uint32_t face) const { return merged() ? triangles_[begin_[face]] : face; }
  std::span<const std::uint32_t> triangles(std::uint32_t face) const {  ///< if merged
    return std::span(triangles_).subspan(begin_[face], begin_[face + 1] - begin_[face]);
  }

  /// A box around all vertices of triangles, and a sphere with the same centre.
  const Vec3d& center() const { return center_; }
  const Vec3d& half() const { return half_; }  ///< sizes of the box
  double reach() const { return reach_; }

  /// The arrays behind all this; they stay as they are as long as the faces.
  moving::FaceArrays arrays() const;
  /// No other faces of this process have the same number: a device finds its copy again by it.
  std::uint64_t number() const { return number_; }

  bool topology_was_kept() const { return topology_was_kept_; }
  std::unique_ptr<FaceTopology> take_topology() { return std::move(topology_); }

 private:
  void merge(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers);
  Polygon polygon_of(const MeshView& mesh, const std::vector<Normal>& normals, std::uint32_t face) const;
  void enclose(const MeshView& mesh, Workers& workers);
  void pack(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers);
  void fill_cells(const MeshView& mesh, Workers& workers);
  void choose_marks();

  std::uint64_t number_;
  std::unique_ptr<FaceTopology> topology_;
  bool topology_was_kept_ = false;
  std::vector<std::int8_t> outward_;
  bool any_outward_ = false;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> face_of_, polygon_of_, begin_, triangles_;  ///< empty unless merged
  std::vector<Polygon> polygons_;
  Vec3d center_ = {0, 0, 0}, half_ = {0, 0, 0};
  double reach_ = 0;
  std::vector<Vec3f> f32_;  ///< own coordinates: one of the two is empty
  std::vector<Vec3d> f64_;
  std::array<std::uint32_t, 3> marks_ = {};  ///< vertices far apart, whose places give the pose
  RigidPose pose_;
  Buffer<FaceBlock> blocks_;
  std::vector<FaceRange> ranges_;
  std::vector<std::uint32_t> cells_;  ///< by rows (moving/cells.h); empty for few triangles and without an extent
};

}  // namespace sightline::papers::method
