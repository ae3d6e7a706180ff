// The faces of an object for the method `velocity`: what does not change while the object moves rigidly.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/parallel.h"
#include "base/vector.h"
#include "sightline/mesh.h"

namespace sightline::papers::method {

inline constexpr double kRelativeError =
    1e-13;  ///< bounds the error of a few operations in double, with a large margin

/// Without overflow and underflow; one square root where neither can happen.
inline double length(const Vec3d& a) {
  const double square = dot(a, a);
  return square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(a[0], a[1], a[2]);
}

/// The normal of a triangle by the right-hand rule.
struct Normal {
  Vec3d unit = {0, 0, 0};  ///< zero if the triangle has no normal in double
  double error = 0;        ///< bounds that of `unit`
  double thin = 0;         ///< one over the least height of the triangle
};
Normal normal_of(const std::array<Vec3d, 3>& corners);

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

/// Π(f) of a face of several triangles: points in its plane whose convex hull contains the face.
struct Polygon {
  static constexpr std::uint32_t kMostPoints = 8;
  std::array<Vec3d, kMostPoints> point;
  std::uint32_t count = 0;
  Vec3d normal = {0, 0, 0};  ///< unit length, out of the object
  double error = 0;          ///< of the normal
  double thin = 0;           ///< the largest of its triangles (Normal::thin)

  std::span<const Vec3d> points() const { return {point.data(), count}; }
};
/// `vertices` lie in the plane of `normal`. They are the points if there are at most eight, else the corners of the
/// least polygon around them whose sides have eight directions, 45 degrees apart, the first along `side`.
Polygon bounding_polygon(std::span<const Vec3d> vertices, const Normal& normal, const Vec3d& side);

/// Some faces, in float and relative to Faces::center in units of Faces::reach: for a test of many faces at once.
struct FaceBlock {
  static constexpr std::uint32_t kFaces = 64;
  static constexpr int kLine = 7;
  /// With the unit normal n and the mean p of the face's points: n (0 to 2), n x p (3 to 5), n . p (6).
  float line[kLine][kFaces];
  float radius[kFaces];  ///< of the face's points around p
  float thin[kFaces];    ///< Normal::thin; infinite: this test cannot decide about the face
};
/// Bounds of a block.
struct FaceRange {
  float low[FaceBlock::kLine], high[FaceBlock::kLine];
  float radius, thin;  ///< the largest
  /// A sphere around all points of the faces, in the units of the block.
  float center[3];
  float reach;
};

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

  const FaceBlock& block(std::size_t i) const { return blocks_[i]; }
  const FaceRange& range(std::size_t i) const { return ranges_[i]; }
  std::size_t block_count() const { return ranges_.size(); }

  bool topology_was_kept() const { return topology_was_kept_; }
  std::unique_ptr<FaceTopology> take_topology() { return std::move(topology_); }

 private:
  void merge(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers);
  Polygon polygon_of(const MeshView& mesh, const std::vector<Normal>& normals, std::uint32_t face) const;
  void enclose(const MeshView& mesh, Workers& workers);
  void pack(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers);
  void choose_marks();

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
};

}  // namespace sightline::papers::method
