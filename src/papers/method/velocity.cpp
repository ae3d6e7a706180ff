// Back-face culling by relative velocity.
//
// Vanecek: Back-Face Culling Applied to Collision Detection of Polyhedra. Purdue CSD-TR-93-020, 1993.
//
//   paper                     here
//   s_i, s_j                  objects i, j of the scene
//   r, r', omega              Motion::center, velocity, angular_velocity
//   R_i, r_i                  Placement: the object's transform, and how it moved since its faces were made
//   f, n_f                    a face of Faces; MovingFace::normal
//   Pi(f), p_k                the corners of a triangle, or Polygon::point; MovingFace::point
//   a_ij^L, omega_ji^L        RelativeMotion: a_, w_; PairTest: line_
//   v_ij(p)                   RelativeMotion::at
//   F_i, S                    the faces of object i, those that stay (Left)
//   epsilon                   the error bound of recedes(), and the margin for the time step
//
// Steps. The first is kept from frame to frame (kept.h), the others take one pass over the faces of each object i:
//   1. Which triangles are one face, and which way is out (faces.h, winding.h). Where the outside is not known, all
//      triangles stay.
//   2. For each other object j: a_ij and omega_ji in the frame of i.
//   3. Bounding volumes (`bounding_spheres`): j is skipped if the spheres of i and j do not meet, for a face if the
//      sphere of j lies behind the face's plane, and for a block of faces if it is outside of the box of j.
//   4. A face stays if it may be hit by some j: at one of its points the relative velocity does not point inwards by
//      more than epsilon. Without rotation one dot product decides.
//
// Where we differ, and why:
// - a_ij^L. In Eq. (8) as printed, a_ij goes into the local frame without the term r_i x omega_ji, which comes from
//   p = p^L R_i + r_i in Eq. (4). With it the terms in r_i cancel: a_ij^L = (r_ij' + omega_j x (r_j - r_i)) R_i^-1.
// - Faces. The paper's polyhedra have polygons as faces. Here adjacent triangles in one plane are one face, which goes
//   or stays as a whole. Pi(f) has the face's own vertices if these are at most eight, else the corners of an octagon
//   around them; of a triangle it is the triangle.
// - epsilon is not a tolerance but a bound of the errors, so that no rounding drops a face.
// - More than two objects: the paper has pairs; here a face stays for all if one object may hit it. Pairs that are not
//   wanted (ObjectOptions::groups) are left out.
// - Orientation is checked instead of assumed. Faces of open objects stay: both their sides can be hit.
// - Bounding volumes are the paper's future work (section 5). The box of j is that of its own coordinates.
// - Blocks (`face_by_face` does without). v(p) . n = a . n + w . (n x p) is a product of two vectors of
//   six numbers, one of the pair of objects and one of the face. Step 1 stores the latter in float for the mean of the
//   face's points, with their radius around it, and for 64 faces together its bounds. So a block of 64 goes or stays
//   by one test of intervals, or each of its faces by one sum; what the margin leaves open is decided in double. The
//   margin holds the rounding of float (numbers are in units of the largest speed and of the object's reach), that of
//   positions, which moves each corner by at most d and so tilts a triangle of least height h by at most 3 d/h,
//   and what the transform lacks of a rotation: if A/s = Q and |Q^T Q - 1| <= e in each entry, the normal Q^-T n
//   differs from Q n by at most 6 e and Q^T (Q p x w) from p x Q^T w by at most 6 e |p| |w|; 16 e is used. A transform
//   with e > 1e-6 is not a rigid placement; then each triangle is tested by its own corners.
// - `time_step` h. The test holds at this instant; a rotating body turns, and a face that receded may advance. Let
//   g(t) = v_ij(p(t)) . n(t) be the normal velocity of a point of the face, C its distance from the centre of i, D that
//   from the centre of j now, and S = |r_ij'| + |omega_i| C, which bounds its speed as seen from the centre of j. Then
//     |v'| <= |omega_i|^2 C + |omega_j| S,  |n'| <= |omega_i|,  |v| <= S + |omega_j| (D + h S) until h,
//   so |g'| <= K = |omega_i|^2 C + |omega_j| S + |omega_i| (S + |omega_j| (D + h S)).
//   If g(0) < -K h, g keeps its sign until h. Let p meet a point q of j at some time t <= h, for the first time.
//   Before, q was outside of i, above the face near p; so q came down on the face: g(t) >= 0. Hence a face with g < 0
//   until h is not the first to be hit. Without rotation K = 0: it never is. The spheres of step 3 are moved apart by
//   what the bodies can move until h.
// - A hit in a corner or on an edge is one of all faces there. At least one of them advances (else the point would
//   not), so the contact is found; its receding neighbours are not listed.
#include "method/velocity.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/vector.h"

namespace sightline::papers::method {
namespace {

/// Where an object's own coordinates are in the world. Without a transform: where they are.
class Placement {
 public:
  Placement(const TriangleTable::Object& object, const Faces& faces) {
    const RigidPose& pose = faces.pose();
    rows_ = object.transform == nullptr ? pose.transform.rows : (*object.transform * pose.transform).rows;
    Vec3d squares = {0, 0, 0};  // of the columns
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) squares[k] += rows_[i][k] * rows_[i][k];
    scale_ = std::sqrt((squares[0] + squares[1] + squares[2]) / 3);
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l) {
        double product = 0;
        for (int i = 0; i < 3; ++i) product += rows_[i][k] / scale_ * (rows_[i][l] / scale_);
        skew_ = std::max(skew_, std::abs(product - (k == l ? 1 : 0)));
      }
    const double determinant = dot(cross(column(0), column(1)), column(2));
    turns_over_ = determinant < 0;
    is_regular_ = std::abs(determinant) > 1e-9 && std::isfinite(determinant);
    center_ = point(faces.center());
    radius_ = (is_similar() ? (1 + 2 * skew_) : std::sqrt(3.0)) * scale_ * faces.reach();
    if (object.transform != nullptr) {
      // The sums of a transform, and the last rounding to the type of the storage.
      const double largest =
          2 * scale_ * (length(faces.center()) + faces.reach()) + length({rows_[0][3], rows_[1][3], rows_[2][3]});
      rounding_ = 2 * ((object.f32 != nullptr ? 0x1p-24 + 1e-14 : 1e-14) * largest +
                       (object.f32 != nullptr ? 1e-44 : 0));  // and where floats are subnormal
    }
    rounding_ += (1 + 1e-6) * scale_ * pose.deviation;
    radius_ = (1 + kRelativeError) * (radius_ + rounding_);
  }

  /// A rotation or reflection with one scale, up to `skew`.
  bool is_similar() const { return skew_ < 1e-6 && is_regular_; }
  bool is_regular() const { return is_regular_; }
  bool turns_over() const { return turns_over_; }
  double scale() const { return scale_; }
  double skew() const { return 16 * skew_; }  ///< bounds the errors of directions
  double rounding() const { return rounding_; }

  Vec3d point(const Vec3d& p) const {
    return {rows_[0][0] * p[0] + rows_[0][1] * p[1] + rows_[0][2] * p[2] + rows_[0][3],
            rows_[1][0] * p[0] + rows_[1][1] * p[1] + rows_[1][2] * p[2] + rows_[1][3],
            rows_[2][0] * p[0] + rows_[2][1] * p[1] + rows_[2][2] * p[2] + rows_[2][3]};
  }
  /// Directions, without the scale.
  Vec3d to_world(const Vec3d& d) const { return d[0] * column(0) + d[1] * column(1) + d[2] * column(2); }
  Vec3d to_own(const Vec3d& d) const { return {dot(column(0), d), dot(column(1), d), dot(column(2), d)}; }

  /// A sphere around the object.
  const Vec3d& center() const { return center_; }
  double radius() const { return radius_; }

 private:
  Vec3d column(int k) const { return {rows_[0][k] / scale_, rows_[1][k] / scale_, rows_[2][k] / scale_}; }

  std::array<std::array<double, 4>, 3> rows_ = Transform{}.rows;
  double scale_ = 1, skew_ = 0, rounding_ = 0;
  bool turns_over_ = false, is_regular_ = true;
  Vec3d center_ = {0, 0, 0};
  double radius_ = 0;
};

struct Body {
  Body(const TriangleTable::Object& o, const Faces& f, const Motion& m)
      : object(o),
        faces(f),
        motion(m),
        placement(o, f),
        reach(length(placement.center() - m.center) + placement.radius()) {}

  const TriangleTable::Object& object;
  const Faces& faces;
  const Motion& motion;
  Placement placement;
  double reach;  ///< from the centre of motion
};

/// Step 3. How far points of i and of j can come together until the end of the time step.
double approach(const Body& i, const Body& j, double step) {
  return step * (length(i.motion.velocity - j.motion.velocity) + length(i.motion.angular_velocity) * i.reach +
                 length(j.motion.angular_velocity) * j.reach);
}

bool spheres_meet(const Body& i, const Body& j, double approach) {
  // Not `<=`: a distance that overflowed does not prove that the spheres are apart.
  return !(length(i.placement.center() - j.placement.center()) * (1 - kRelativeError) >
           i.placement.radius() + j.placement.radius() + approach);
}

/// True if no part of the sphere of j is above the plane of the face, now or until the end of the time step.
bool sphere_behind(const MovingFace& face, const Vec3d& center_i, const Body& j, double approach) {
  const Vec3d to_sphere = j.placement.center() - center_i - face.point[0];
  const double error =
      (kRelativeError + face.error) * (length(to_sphere) + length(center_i) + length(j.placement.center()));
  return dot(face.normal, face.normal) > 0 && dot(to_sphere, face.normal) + j.placement.radius() + approach + error < 0;
}

enum Verdict : std::int32_t { kGoes = 0, kStays = 1, kOpen = 2 };

/// Whether faces of i may be hit by j. Many faces at once are decided in float, with a margin for all errors; the faces
/// that this leaves open, one by one in double. Both decide alike.
class PairTest {
 public:
  /// `near`: how far points can come together until the end of the time step, for the spheres.
  PairTest(const Body& i, const Body& j, const MethodOptions& options, double near)
      : i_(i),
        j_(j),
        motion_(i.motion, j.motion),  // 2
        to_j_(j.motion.center - i.motion.center),
        step_(options.time_step),
        spheres_(options.bounding_spheres),
        near_(near) {
    if (spheres_ && i.placement.is_similar() && j.placement.is_similar()) look_at_box();
    if (!i.placement.is_similar()) return;
    face_by_face_ = options.face_by_face;
    const double distance = i.reach + length(to_j_), speed = motion_.speed(i.reach, distance);
    const double own = i.faces.reach(), unit = i.placement.scale() * own;
    if (!std::isfinite(speed) || !(unit > 0) || !std::isfinite(unit)) return;
    in_float_ = true;
    own_unit_ = 1 / own;
    const double rounding = i.placement.rounding(), skew = i.placement.skew();
    const double tilt = 4 * rounding / unit + 1e-12;  // of the normal, for a triangle of height 1
    if (speed > 0) {
      const Vec3d a = i.placement.to_own(motion_.at(i.placement.center() - i.motion.center));
      const Vec3d w = (i.placement.turns_over() ? -unit : unit) * i.placement.to_own(motion_.w());
      for (int k = 0; k < 3; ++k) {
        line_[k] = static_cast<float>(a[k] / speed);
        line_[k + 3] = static_cast<float>(w[k] / speed);
      }
      const double error = kFloatError + skew + length(motion_.w()) * rounding / speed;
      radius_ = static_cast<float>(length(w) / speed * (1 + 1e-6));
      thin_ = static_cast<float>(tilt);
      goes_below_ = static_cast<float>(
          -(error + 2 * kRelativeError + (step_ > 0 ? step_ * motion_.change(i.reach, distance, step_) / speed : 0)) *
          (1 + 1e-6));
      stays_above_ = static_cast<float>(error);
    } else {  // no point moves
      goes_below_ = -std::numeric_limits<float>::infinity();
      stays_above_ = -1;
    }
    if (!spheres_) return;
    const Vec3d to_sphere = (1 / unit) * i.placement.to_own(j.placement.center() - i.placement.center());
    const double sphere = (j.placement.radius() + near_) / unit;
    const double far = (length(i.motion.center) + length(j.placement.center())) / unit + length(to_sphere) + 1;
    in_float_ = far < 1e30 && sphere < 1e30;  // in the range of float
    for (int k = 0; k < 3; ++k) to_sphere_[k] = static_cast<float>(to_sphere[k]);
    sphere_ = static_cast<float>(sphere);
    thin_sphere_ = static_cast<float>(2 * far * tilt);
    margin_sphere_ =
        static_cast<float>((kFloatError + skew) * (length(to_sphere) + 1 + sphere) + 1e-12 * far + 2 * rounding / unit);
  }

  /// True if `of` decides about faces.
  bool in_float() const { return in_float_; }
  bool face_by_face() const { return face_by_face_; }

  /// Step 3. False if the faces of a block are outside of the box of j, now and until the end of the time step.
  bool may_meet(const FaceRange& range) const {
    if (!has_box_) return true;
    for (int k = 0; k < 3; ++k) {
      const double x = to_box_[k][0] * range.center[0] + to_box_[k][1] * range.center[1] +
                       to_box_[k][2] * range.center[2] + to_box_[k][3];
      if (std::abs(x) > box_[k] + block_unit_ * range.reach) return false;
    }
    return true;
  }

  /// The verdict on all faces of a block, or kOpen.
  Verdict of(const FaceRange& range) const {
    float low = -range.thin * thin_, high = range.radius * radius_ + range.thin * thin_;
    for (int k = 0; k < 6; ++k) {
      const float x = line_[k] * range.low[k], y = line_[k] * range.high[k];
      low += std::min(x, y);
      high += std::max(x, y);
    }
    float below = sphere_ - range.high[6] - range.thin * thin_sphere_,
          above = sphere_ - range.low[6] + range.thin * thin_sphere_;
    for (int k = 0; k < 3; ++k) {
      const float x = to_sphere_[k] * range.low[k], y = to_sphere_[k] * range.high[k];
      below += std::min(x, y);
      above += std::max(x, y);
    }
    if (high < goes_below_ || above < -margin_sphere_) return kGoes;
    return low > stays_above_ && below > margin_sphere_ ? kStays : kOpen;
  }

  /// The verdicts on the faces of a block. A loop without branches, which compilers turn into vector instructions.
  void of(const FaceBlock& block, std::int32_t* verdict) const {
    for (std::uint32_t f = 0; f < FaceBlock::kFaces; ++f) {
      const float velocity = line_[0] * block.line[0][f] + line_[1] * block.line[1][f] + line_[2] * block.line[2][f] +
                             line_[3] * block.line[3][f] + line_[4] * block.line[4][f] + line_[5] * block.line[5][f];
      const float sphere = to_sphere_[0] * block.line[0][f] + to_sphere_[1] * block.line[1][f] +
                           to_sphere_[2] * block.line[2][f] - block.line[6][f] + sphere_;
      const float tilt = block.thin[f] * thin_, tilt_sphere = block.thin[f] * thin_sphere_;
      const std::int32_t goes =
          (velocity + block.radius[f] * radius_ + tilt < goes_below_) | (sphere + tilt_sphere < -margin_sphere_);
      const std::int32_t stays = (velocity - tilt > stays_above_) & (sphere - tilt_sphere > margin_sphere_);
      verdict[f] = (1 - goes) * (kOpen - stays);  // neither: kOpen
    }
  }

  /// The verdict on one face by each of its points.
  Verdict of(std::uint32_t face) const {
    const FaceBlock& block = i_.faces.block(face / FaceBlock::kFaces);
    const std::uint32_t at = face % FaceBlock::kFaces;
    const Vec3d n = {block.line[0][at], block.line[1][at], block.line[2][at]};
    const Vec3d a = {line_[0], line_[1], line_[2]}, w = {line_[3], line_[4], line_[5]};
    const double tilt = static_cast<double>(block.thin[at]) * thin_;
    double largest = -std::numeric_limits<double>::infinity();
    const Vec3d center = i_.faces.center(), turn = own_unit_ * cross(w, n);  // (p x w) . n = p . (w x n)
    const double at_center = dot(a, n);
    const auto look = [&](const Vec3d& p) { largest = std::max(largest, at_center + dot(p - center, turn)); };
    if (!motion_.rotates()) {
      largest = at_center;
    } else if (const Polygon* const polygon = i_.faces.polygon(face); polygon != nullptr) {
      for (const Vec3d& p : polygon->points()) look(p);
    } else {
      for (const std::uint32_t v : i_.object.triangles[i_.faces.first_triangle(face)]) look(i_.faces.own(v));
    }
    double above = 0, below = 0;  // the sphere of j over the plane of the face
    if (spheres_) {
      const double tilt_sphere = static_cast<double>(block.thin[at]) * thin_sphere_;
      const double sphere = dot({to_sphere_[0], to_sphere_[1], to_sphere_[2]}, n) - block.line[6][at] + sphere_;
      above = sphere + tilt_sphere + margin_sphere_;
      below = sphere - tilt_sphere - margin_sphere_;
    }
    if (largest + tilt < goes_below_ || above < 0) return kGoes;
    return largest - tilt > stays_above_ && (!spheres_ || below > 0) ? kStays : kOpen;
  }

  /// One face, in double.
  bool stays(std::uint32_t face) const {
    const Polygon* const polygon = i_.faces.polygon(face);
    if (polygon == nullptr) return triangle_stays(i_.faces.first_triangle(face));
    if (i_.placement.is_similar()) return stays(moving(*polygon));
    const auto triangles = i_.faces.triangles(face);
    return std::any_of(triangles.begin(), triangles.end(), [&](std::uint32_t t) { return triangle_stays(t); });
  }

 private:
  static constexpr double kFloatError = 1e-5;  ///< more than the error of a sum of a few products of numbers below 1

  /// The map from the units of a block of i to the own coordinates of j, relative to the centre of its box.
  void look_at_box() {
    const Placement &i = i_.placement, &j = j_.placement;
    block_unit_ = i.scale() / j.scale() * i_.faces.reach();
    const Vec3d between = (1 / j.scale()) * j.to_own(i.center() - j.center());
    for (int l = 0; l < 3; ++l) {
      Vec3d axis = {0, 0, 0};
      axis[l] = 1;
      const Vec3d column = block_unit_ * j.to_own(i.to_world(axis));
      for (int k = 0; k < 3; ++k) to_box_[k][l] = column[k];
    }
    const double far = length(i.center()) + length(j.center()) + i.radius() + j.radius();
    const double margin = (near_ + i.rounding() + j.rounding() + (1e-6 + i.skew() + j.skew()) * far) / j.scale();
    has_box_ = std::isfinite(margin) && std::isfinite(block_unit_);
    for (int k = 0; k < 3; ++k) {
      to_box_[k][3] = between[k];
      box_[k] = j_.faces.half()[k] + margin;
      has_box_ = has_box_ && std::isfinite(box_[k]) && std::isfinite(between[k]);
    }
  }
  bool stays(const MovingFace& face) const {
    if (spheres_ && sphere_behind(face, i_.motion.center, j_, near_)) return false;  // 3
    return !recedes(face, motion_, to_j_, step_);                                    // 4
  }
  bool triangle_stays(std::uint32_t t) const {
    const int outward = i_.placement.turns_over() ? -i_.faces.outward(t) : i_.faces.outward(t);
    if (outward == 0 || !i_.placement.is_regular()) return true;
    std::array<Vec3d, 3> corners;
    for (int k = 0; k < 3; ++k) corners[k] = i_.object.position(i_.object.triangles[t][k]);
    const Normal normal = normal_of(corners);
    MovingFace face;
    for (int k = 0; k < 3; ++k) face.point[k] = corners[k] - i_.motion.center;
    face.normal = static_cast<double>(outward) * normal.unit;
    face.error = normal.error;
    return stays(face);
  }
  MovingFace moving(const Polygon& polygon) const {
    MovingFace face;
    face.count = polygon.count;
    for (std::uint32_t k = 0; k < polygon.count; ++k)
      face.point[k] = i_.placement.point(polygon.point[k]) - i_.motion.center;
    face.normal = i_.placement.to_world(polygon.normal);
    // The triangles of the face, whose corners are rounded, are tilted against each other.
    face.error =
        polygon.error + i_.placement.skew() + 4 * polygon.thin * i_.placement.rounding() / i_.placement.scale();
    return face;
  }

  const Body &i_, &j_;
  RelativeMotion motion_;
  Vec3d to_j_;
  double step_;
  bool spheres_;
  double near_;
  // In float, in units of the largest speed and of the object's reach. Velocity: line_ is a and w of Eq. (8). Of the
  // points of a face none differs from that at their mean by more than radius times |w|.
  bool in_float_ = false, face_by_face_ = false;
  double own_unit_ = 0;
  float line_[6] = {}, radius_ = 0, thin_ = 1e-12f, goes_below_ = 0, stays_above_ = 0;
  // Sphere of j above the plane of the face: by default there always is one.
  float to_sphere_[3] = {}, sphere_ = 4, thin_sphere_ = 0, margin_sphere_ = 1;
  // The box of j, seen from the blocks of i.
  bool has_box_ = false;
  double to_box_[3][4] = {}, box_[3] = {}, block_unit_ = 0;
};

/// Step 4 for the faces [first, last) of an object: 1 if a test leaves the face.
class Marker {
 public:
  /// `two_sided`: all faces can be hit from both sides.
  Marker(const Faces& faces, std::span<const PairTest> tests, bool two_sided)
      : faces_(faces), tests_(tests), two_sided_(two_sided) {}

  void mark(std::uint32_t first, std::uint32_t last, std::uint8_t* stays) const {
    for (std::uint32_t block = first; block < last; block += FaceBlock::kFaces)
      mark_block(block, std::min(FaceBlock::kFaces, last - block), stays + block);
  }

 private:
  void mark_block(std::uint32_t first, std::uint32_t size, std::uint8_t* stays) const {
    std::memset(stays, 0, size);
    const FaceRange& range = faces_.range(first / FaceBlock::kFaces);
    std::int32_t verdict[FaceBlock::kFaces];
    for (const PairTest& test : tests_) {
      if (!test.may_meet(range)) continue;  // 3
      Verdict all = kOpen;
      if (two_sided_)
        all = kStays;
      else if (test.in_float() && !test.face_by_face())
        all = test.of(range);
      if (all == kGoes) continue;
      if (all == kStays) {
        std::memset(stays, 1, size);
        return;
      }
      if (!test.in_float())
        std::fill(verdict, verdict + size, static_cast<std::int32_t>(kOpen));
      else if (test.face_by_face())
        for (std::uint32_t f = 0; f < size; ++f) verdict[f] = stays[f] != 0 ? kStays : test.of(first + f);
      else
        test.of(faces_.block(first / FaceBlock::kFaces), verdict);
      std::int32_t open = 0, staying = 0;
      for (std::uint32_t f = 0; f < size; ++f) {
        open |= verdict[f] & kOpen;
        stays[f] |= static_cast<std::uint8_t>(verdict[f] & kStays);
        staying += stays[f];
      }
      for (std::uint32_t f = 0; f < size && open != 0; ++f)
        if (verdict[f] == kOpen && stays[f] == 0 && test.stays(first + f)) {
          stays[f] = 1;
          ++staying;
        }
      if (staying == static_cast<std::int32_t>(size)) return;
    }
  }

  const Faces& faces_;
  std::span<const PairTest> tests_;
  bool two_sided_;
};

}  // namespace

RelativeMotion::RelativeMotion(const Motion& i, const Motion& j)
    : a_(i.velocity - j.velocity + cross(j.angular_velocity, j.center - i.center)),
      w_(j.angular_velocity - i.angular_velocity),
      linear_(length(i.velocity - j.velocity)),
      angular_i_(length(i.angular_velocity)),
      angular_j_(length(j.angular_velocity)),
      rotates_(angular_i_ > 0 || angular_j_ > 0) {}

Vec3d RelativeMotion::at(const Vec3d& local) const { return rotates_ ? a_ + cross(local, w_) : a_; }

double RelativeMotion::speed(double reach, double distance) const {
  return linear_ + angular_i_ * reach + angular_j_ * distance;
}

double RelativeMotion::change(double reach, double distance, double step) const {
  const double s = linear_ + angular_i_ * reach;
  return angular_i_ * angular_i_ * reach + angular_j_ * s + angular_i_ * (s + angular_j_ * (distance + step * s));
}

bool recedes(const MovingFace& face, const RelativeMotion& motion, const Vec3d& to_j, double step) {
  if (!motion.rotates()) {
    const Vec3d v = motion.at({});
    return dot(v, face.normal) < -length(v) * (kRelativeError + face.error);
  }
  double reach = 0;
  for (const Vec3d& p : face.points()) reach = std::max(reach, length(p));
  const double distance = reach + length(to_j);
  const double epsilon = motion.speed(reach, distance) * (kRelativeError + face.error) +
                         (step > 0 ? step * motion.change(reach, distance, step) : 0);
  for (const Vec3d& p : face.points())
    if (!(dot(motion.at(p), face.normal) < -epsilon)) return false;
  return true;
}

void velocity(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
              const MethodOptions& options, Workers& workers, Left& left) {
  const std::size_t count = table.objects.size();
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < count; ++i) bodies.emplace_back(table.objects[i], *faces[i], motions[i]);
  std::vector<std::vector<PairTest>> tests(count);
  workers.for_each(count, [&](std::size_t i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (j == i || !wanted(table.objects[i].options, table.objects[j].options)) continue;
      const double near = options.bounding_spheres ? approach(bodies[i], bodies[j], options.time_step) : 0;
      if (options.bounding_spheres && !spheres_meet(bodies[i], bodies[j], near)) continue;  // 3
      tests[i].emplace_back(bodies[i], bodies[j], options, near);                           // 2
    }
  });
  left.stays.resize(table.triangle_count);
  const std::vector<Task> tasks = tasks_of(count, [&](std::size_t i) { return faces[i]->count(); });
  workers.for_each(tasks.size(), [&](std::size_t task) {
    const auto [object, first, last] = tasks[task];
    std::uint8_t* const stays = left.stays.data() + table.objects[object].first_triangle;
    const bool two_sided = !faces[object]->any_outward() || !bodies[object].placement.is_regular();
    Marker(*faces[object], tests[object], two_sided).mark(first, last, stays);  // 4
  });
  gather(table, faces, workers, left);
}

}  // namespace sightline::papers::method
