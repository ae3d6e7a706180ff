// Which faces of a moving body may be hit by another one: steps 3 and 4 of the method `velocity`, with the error bounds
// that its page argues (method/velocity.cpp). Host and device code, as face.h.
#pragma once

#include "base/image_of.h"
#include "moving/cells.h"
#include "moving/face.h"

namespace sightline::papers::moving {

/// Where an object's own coordinates are in the world.
struct Placement {
  Transform where = {};
  double scale = 1;
  double lack = 0;      ///< what the transform, without its scale, lacks of a rotation, or of a reflection
  double rounding = 0;  ///< of positions
  bool turns_over = false, is_regular = true;
  Vec3d center = {0, 0, 0};  ///< of a sphere around the object
  double radius = 0;

  /// A rotation or reflection with one scale, up to `lack`.
  SIGHTLINE_HD bool is_similar() const { return lack < 1e-6 && is_regular; }
  SIGHTLINE_HD double skew() const { return 16 * lack; }  ///< bounds the errors of directions
  SIGHTLINE_HD Vec3d point(const Vec3d& p) const { return image_of(p, where); }
  /// Directions, without the scale.
  SIGHTLINE_HD Vec3d to_world(const Vec3d& d) const { return d[0] * column(0) + d[1] * column(1) + d[2] * column(2); }
  SIGHTLINE_HD Vec3d to_own(const Vec3d& d) const { return {dot(column(0), d), dot(column(1), d), dot(column(2), d)}; }
  SIGHTLINE_HD Vec3d column(std::size_t k) const {
    return {where.rows[0][k] / scale, where.rows[1][k] / scale, where.rows[2][k] / scale};
  }
};

/// A body without its faces.
struct Body {
  Placement placement;
  Motion motion;
  // Of the faces, in the body's own coordinates: a box, and a sphere with the same centre.
  Vec3d center = {0, 0, 0}, half = {0, 0, 0};
  double own_reach = 0;
  double reach = 0;  ///< of all points from the centre of motion, in the world
};

/// The faces of a body and its stored points, in host or in device memory.
struct FaceView {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  const FaceBlock* blocks = nullptr;
  const FaceRange* ranges = nullptr;
  const std::uint32_t* cells = nullptr;  ///< by rows (cells.h); null if it has none
  const Triangle* triangles = nullptr;
  const std::int8_t* outward = nullptr;  ///< per triangle: 1 out, -1 in, 0 not known
  // Null unless some face has several triangles; else, per face, the number of its polygon (kNone: it is one triangle)
  // and where its triangles begin in `members`.
  const std::uint32_t* polygon_of = nullptr;
  const std::uint32_t* begin = nullptr;
  const std::uint32_t* members = nullptr;
  const Polygon* polygons = nullptr;
  // Of vertices, one of each two is null: own coordinates, and the stored points.
  const Vec3f* own_f32 = nullptr;
  const Vec3d* own_f64 = nullptr;
  const Vec3f* f32 = nullptr;
  const Vec3d* f64 = nullptr;
  Transform transform = {};  ///< of the stored points, if `is_placed`
  bool is_placed = false;

  SIGHTLINE_HD const Polygon* polygon(std::uint32_t face) const {
    return polygon_of != nullptr && polygon_of[face] != kNone ? polygons + polygon_of[face] : nullptr;
  }
  SIGHTLINE_HD std::uint32_t first_triangle(std::uint32_t face) const {
    return begin != nullptr ? members[begin[face]] : face;
  }
  SIGHTLINE_HD Vec3d own(std::uint32_t vertex) const {
    return own_f64 != nullptr ? own_f64[vertex] : widened(own_f32[vertex]);
  }
  /// In the world, as the engine places it: rounded to the type of the storage.
  SIGHTLINE_HD Vec3d position(std::uint32_t vertex) const {
    const Vec3d stored = f64 != nullptr ? f64[vertex] : widened(f32[vertex]);
    if (!is_placed) return stored;
    const Vec3d image = image_of(stored, transform);
    return f64 != nullptr ? image : Vec3d{rounded(image[0]), rounded(image[1]), rounded(image[2])};
  }

 private:
  SIGHTLINE_HD static Vec3d widened(const Vec3f& p) { return {p[0], p[1], p[2]}; }
  SIGHTLINE_HD static double rounded(double x) {
#ifdef __CUDA_ARCH__
    return static_cast<float>(x);
#else
    return nearest_float(x);
#endif
  }
};

/// How the method culls (Velocity in sightline/papers.h).
struct Culling {
  bool spheres = true, face_by_face = false;
  double time_step = 0;
};

enum Verdict : std::int32_t { kGoes = 0, kStays = 1, kOpen = 2 };

/// Whether faces of i may be hit by j. Many faces at once are decided in float, with a margin for all errors; the faces
/// that this leaves open, one by one in double. Both decide alike. The test is made on the host; it holds numbers only.
class PairTest {
 public:
  /// `number_j`: of body j among all. `near`: how far points can come together until the end of the time step, for the
  /// bounding volumes.
  PairTest(const Body& i, const Body& j, std::uint32_t number_j, const Culling& how, double near)
      : motion_(i.motion, j.motion),  // 2
        to_j_(j.motion.center - i.motion.center),
        step_(how.time_step),
        spheres_(how.spheres),
        near_(near),
        other_(number_j),
        center_j_(j.placement.center),
        radius_j_(j.placement.radius) {
    if (spheres_ && i.placement.is_similar() && j.placement.is_similar()) look_at_box(i, j);
    if (!i.placement.is_similar()) return;
    face_by_face_ = how.face_by_face;
    const double distance = i.reach + length(to_j_), speed = motion_.speed(i.reach, distance);
    const double own = i.own_reach, unit = i.placement.scale * own;
    if (!std::isfinite(speed) || !(unit > 0) || !std::isfinite(unit)) return;
    in_float_ = true;
    own_unit_ = 1 / own;
    const double rounding = i.placement.rounding, skew = i.placement.skew();
    const double tilt = 4 * rounding / unit + 1e-12;  // of the normal, for a triangle of height 1
    if (speed > 0) {
      const Vec3d a = i.placement.to_own(motion_.at(i.placement.center - i.motion.center));
      const Vec3d w = (i.placement.turns_over ? -unit : unit) * i.placement.to_own(motion_.w());
      for (std::size_t k = 0; k < 3; ++k) {
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
    const Vec3d to_sphere = (1 / unit) * i.placement.to_own(j.placement.center - i.placement.center);
    const double sphere = (j.placement.radius + near_) / unit;
    const double far = (length(i.motion.center) + length(j.placement.center)) / unit + length(to_sphere) + 1;
    in_float_ = far < 1e30 && sphere < 1e30;  // in the range of float
    for (std::size_t k = 0; k < 3; ++k) to_sphere_[k] = static_cast<float>(to_sphere[k]);
    sphere_ = static_cast<float>(sphere);
    thin_sphere_ = static_cast<float>(2 * far * tilt);
    margin_sphere_ =
        static_cast<float>((kFloatError + skew) * (length(to_sphere) + 1 + sphere) + 1e-12 * far + 2 * rounding / unit);
  }

  SIGHTLINE_HD std::uint32_t other() const { return other_; }

  /// Step 3. False if some faces of i, in a sphere, are outside of the box of j or away from all faces of j, now and
  /// until the end of the time step. `cells`: of j, by rows; null if j has none.
  SIGHTLINE_HD bool may_meet(const FaceRange::Sphere& sphere, const std::uint32_t* cells) const {
    if (!has_box_) return true;
    int first[3], last[3];
    for (int k = 0; k < 3; ++k) {
      const float at = to_cells_[k][0] * sphere.center[0] + to_cells_[k][1] * sphere.center[1] +
                       to_cells_[k][2] * sphere.center[2] + to_cells_[k][3];
      const float reach = cells_a_unit_[k] * sphere.reach + margin_cells_[k];
      if (at + reach < 0 || at - reach > CellMap::kAcross) return false;
      first[k] = CellMap::cell(at - reach);
      last[k] = CellMap::cell(at + reach);
    }
    if (cells == nullptr || last[1] - first[1] > kMostRows || last[2] - first[2] > kMostRows) return true;
    const std::uint32_t bits = CellMap::bits(first[0], last[0]);
    for (int z = first[2]; z <= last[2]; ++z)
      for (int y = first[1]; y <= last[1]; ++y)
        if ((cells[z * CellMap::kAcross + y] & bits) != 0) return true;
    return false;
  }

  /// True if a sphere of several faces is so large beside a cell of j that its faces are worth a test each.
  SIGHTLINE_HD bool is_coarse(const FaceRange::Sphere& sphere) const {
    return cells_a_unit_[0] * sphere.reach > 1 || cells_a_unit_[1] * sphere.reach > 1 ||
           cells_a_unit_[2] * sphere.reach > 1;
  }
  /// The same as for a sphere, for face f of a block.
  SIGHTLINE_HD bool may_meet(const FaceBlock& block, std::uint32_t f, const std::uint32_t* cells) const {
    if (!has_box_ || !(block.thin[f] < std::numeric_limits<float>::infinity())) return true;
    const float n[3] = {block.line[0][f], block.line[1][f], block.line[2][f]};
    const float m[3] = {block.line[3][f], block.line[4][f], block.line[5][f]}, d = block.line[6][f];
    // The mean of its points: p = (n . p) n + (n x p) x n.
    FaceRange::Sphere sphere = {{n[0] * d + (m[1] * n[2] - m[2] * n[1]), n[1] * d + (m[2] * n[0] - m[0] * n[2]),
                                 n[2] * d + (m[0] * n[1] - m[1] * n[0])},
                                0};
    sphere.reach = block.radius[f] + static_cast<float>(kFloatError);
    return may_meet(sphere, cells);
  }

  /// Step 4. The verdict on all faces of a block, or kOpen. `two_sided`: all faces of i can be hit from both sides.
  SIGHTLINE_HD Verdict of(const FaceRange& range, bool two_sided) const {
    if (two_sided) return kStays;
    if (!in_float_ || face_by_face_) return kOpen;
    float low = -range.thin * thin_, high = range.radius * radius_ + range.thin * thin_;
    for (int k = 0; k < 6; ++k) {
      const float x = line_[k] * range.low[k], y = line_[k] * range.high[k];
      low += lesser(x, y);
      high += greater(x, y);
    }
    float below = sphere_ - range.high[6] - range.thin * thin_sphere_,
          above = sphere_ - range.low[6] + range.thin * thin_sphere_;
    for (int k = 0; k < 3; ++k) {
      const float x = to_sphere_[k] * range.low[k], y = to_sphere_[k] * range.high[k];
      below += lesser(x, y);
      above += greater(x, y);
    }
    if (high < goes_below_ || above < -margin_sphere_) return kGoes;
    return low > stays_above_ && below > margin_sphere_ ? kStays : kOpen;
  }

  /// True if `in_block` decides about single faces; if not, `of(i, faces, face)` does or all are open.
  SIGHTLINE_HD bool decides_in_blocks() const { return in_float_ && !face_by_face_; }
  /// The verdict on face f of a block. Without branches: compilers turn a loop over f into vector instructions.
  SIGHTLINE_HD std::int32_t in_block(const FaceBlock& block, std::uint32_t f) const {
    const float velocity = line_[0] * block.line[0][f] + line_[1] * block.line[1][f] + line_[2] * block.line[2][f] +
                           line_[3] * block.line[3][f] + line_[4] * block.line[4][f] + line_[5] * block.line[5][f];
    const float sphere = to_sphere_[0] * block.line[0][f] + to_sphere_[1] * block.line[1][f] +
                         to_sphere_[2] * block.line[2][f] - block.line[6][f] + sphere_;
    const float tilt = block.thin[f] * thin_, tilt_sphere = block.thin[f] * thin_sphere_;
    const std::int32_t goes =
        (velocity + block.radius[f] * radius_ + tilt < goes_below_) | (sphere + tilt_sphere < -margin_sphere_);
    const std::int32_t stays = (velocity - tilt > stays_above_) & (sphere - tilt_sphere > margin_sphere_);
    return (1 - goes) * (kOpen - stays);  // neither: kOpen
  }

  /// The verdict on one face by each of its points.
  SIGHTLINE_HD Verdict of(const Body& i, const FaceView& faces, std::uint32_t face) const {
    if (!in_float_) return kOpen;
    const FaceBlock& block = faces.blocks[face / FaceBlock::kFaces];
    const std::uint32_t at = face % FaceBlock::kFaces;
    const Vec3d n = {block.line[0][at], block.line[1][at], block.line[2][at]};
    const Vec3d a = {line_[0], line_[1], line_[2]}, w = {line_[3], line_[4], line_[5]};
    const double tilt = static_cast<double>(block.thin[at]) * thin_;
    double largest = -std::numeric_limits<double>::infinity();
    const Vec3d turn = own_unit_ * cross(w, n);  // (p x w) . n = p . (w x n)
    const double at_center = dot(a, n);
    const auto look = [&](const Vec3d& p) {
      const double here = at_center + dot(p - i.center, turn);
      largest = largest < here ? here : largest;
    };
    if (!motion_.rotates()) {
      largest = at_center;
    } else if (const Polygon* const polygon = faces.polygon(face); polygon != nullptr) {
      for (std::uint32_t k = 0; k < polygon->count; ++k) look(polygon->point[k]);
    } else {
      const Triangle& triangle = faces.triangles[faces.first_triangle(face)];
      for (std::size_t k = 0; k < 3; ++k) look(faces.own(triangle[k]));
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
  SIGHTLINE_HD bool stays(const Body& i, const FaceView& faces, std::uint32_t face) const {
    const Polygon* const polygon = faces.polygon(face);
    if (polygon == nullptr) return triangle_stays(i, faces, faces.first_triangle(face));
    if (i.placement.is_similar()) return stays(i, face_of(i, *polygon));
    for (std::uint32_t k = faces.begin[face]; k < faces.begin[face + 1]; ++k)
      if (triangle_stays(i, faces, faces.members[k])) return true;
    return false;
  }

 private:
  static constexpr double kFloatError = 1e-5;  ///< more than the error of a sum of a few products of numbers below 1
  static constexpr int kMostRows = 8;          ///< a sphere over more rows of cells, along an axis, is not looked up

  SIGHTLINE_HD static float lesser(float x, float y) { return y < x ? y : x; }
  SIGHTLINE_HD static float greater(float x, float y) { return x < y ? y : x; }

  /// The map from the units of a block of i to the cells of j, in float. Its margin holds all errors: those of
  /// positions and transforms, and the rounding of a few sums of numbers that are at most as large as those in the last
  /// line.
  void look_at_box(const Body& of_i, const Body& of_j) {
    const Placement &i = of_i.placement, &j = of_j.placement;
    const CellMap map(of_j.half);
    const double unit = i.scale / j.scale * of_i.own_reach;
    const Vec3d between = (1 / j.scale) * j.to_own(i.center - j.center);
    const double far = length(i.center) + length(j.center) + i.radius + j.radius;
    const double margin = (near_ + i.rounding + j.rounding + (1e-6 + i.skew() + j.skew()) * far) / j.scale;
    double sizes[3];
    for (std::size_t k = 0; k < 3; ++k) sizes[k] = CellMap::kAcross + std::abs(between[k] * map.scale(k));
    for (std::size_t l = 0; l < 3; ++l) {
      Vec3d axis = {0, 0, 0};
      axis[l] = 1;
      const Vec3d column = unit * j.to_own(i.to_world(axis));
      for (std::size_t k = 0; k < 3; ++k) {
        to_cells_[k][l] = static_cast<float>(column[k] * map.scale(k));
        sizes[k] += std::abs(column[k] * map.scale(k));
      }
    }
    has_box_ = map.usable();
    for (std::size_t k = 0; k < 3; ++k) {
      to_cells_[k][3] = static_cast<float>(between[k] * map.scale(k) + CellMap::kAcross / 2);
      cells_a_unit_[k] = static_cast<float>(unit * map.scale(k) * (1 + 1e-6));
      margin_cells_[k] = static_cast<float>(margin * map.scale(k) * (1 + 1e-6) + kFloatError * sizes[k]);
      has_box_ = has_box_ && cells_a_unit_[k] > 1e-30f && margin_cells_[k] < 1e30f;  // false for NaN
    }
  }
  /// Step 3. True if no part of the sphere of j is above the plane of the face, now or until the end of the time step.
  SIGHTLINE_HD bool sphere_behind(const Body& i, const MovingFace& face) const {
    const Vec3d to_sphere = center_j_ - i.motion.center - face.point[0];
    const double error =
        (kRelativeError + face.error) * (length(to_sphere) + length(i.motion.center) + length(center_j_));
    return dot(face.normal, face.normal) > 0 && dot(to_sphere, face.normal) + radius_j_ + near_ + error < 0;
  }
  SIGHTLINE_HD bool stays(const Body& i, const MovingFace& face) const {
    if (spheres_ && sphere_behind(i, face)) return false;  // 3
    return !recedes(face, motion_, to_j_, step_);          // 4
  }
  SIGHTLINE_HD bool triangle_stays(const Body& i, const FaceView& faces, std::uint32_t t) const {
    const int outward = i.placement.turns_over ? -faces.outward[t] : faces.outward[t];
    if (outward == 0 || !i.placement.is_regular) return true;
    std::array<Vec3d, 3> corners = {};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = faces.position(faces.triangles[t][k]);
    const Normal normal = normal_of(corners);
    MovingFace face;
    for (std::size_t k = 0; k < 3; ++k) face.point[k] = corners[k] - i.motion.center;
    face.normal = static_cast<double>(outward) * normal.unit;
    face.error = normal.error;
    return stays(i, face);
  }
  SIGHTLINE_HD static MovingFace face_of(const Body& i, const Polygon& polygon) {
    const Placement& placement = i.placement;
    MovingFace face;
    face.count = polygon.count;
    for (std::uint32_t k = 0; k < polygon.count; ++k)
      face.point[k] = placement.point(polygon.point[k]) - i.motion.center;
    face.normal = placement.to_world(polygon.normal);
    // The triangles of the face, whose corners are rounded, are tilted against each other.
    face.error = polygon.error + placement.skew() + 4 * polygon.thin * placement.rounding / placement.scale;
    return face;
  }

  RelativeMotion motion_;
  Vec3d to_j_;
  double step_;
  bool spheres_;
  double near_;
  std::uint32_t other_;
  Vec3d center_j_;  ///< of the sphere of j
  double radius_j_;
  // In float, in units of the largest speed and of the object's reach. Velocity: line_ is a and w of Eq. (8). Of the
  // points of a face none differs from that at their mean by more than radius times |w|.
  bool in_float_ = false, face_by_face_ = false;
  double own_unit_ = 0;
  float line_[6] = {}, radius_ = 0, thin_ = 1e-12f, goes_below_ = 0, stays_above_ = 0;
  // Sphere of j above the plane of the face: by default there always is one.
  float to_sphere_[3] = {}, sphere_ = 4, thin_sphere_ = 0, margin_sphere_ = 1;
  // The box of j and its cells, seen from the blocks of i, in cells.
  bool has_box_ = false;
  float to_cells_[3][4] = {}, cells_a_unit_[3] = {}, margin_cells_[3] = {};
};

/// Steps 3 and 4 for one face: true if a test leaves it. `Marker` (method/velocity.cpp) takes the same steps block by
/// block. `cells`: per body.
SIGHTLINE_HD inline bool stays(const Body& i, const FaceView& faces, bool two_sided, const PairTest* tests,
                               std::uint32_t count, const std::uint32_t* const* cells, std::uint32_t face) {
  const std::uint32_t block = face / FaceBlock::kFaces, at = face % FaceBlock::kFaces;
  const FaceRange& range = faces.ranges[block];
  const FaceRange::Sphere& part = range.part[at / FaceRange::kInPart];
  for (std::uint32_t k = 0; k < count; ++k) {
    const PairTest& test = tests[k];
    const std::uint32_t* const other = cells[test.other()];
    if (!test.may_meet(range.all, other)) continue;
    const Verdict all = test.of(range, two_sided);
    if (all == kGoes || !test.may_meet(part, other)) continue;
    const std::int32_t verdict = all == kStays              ? kStays
                                 : test.decides_in_blocks() ? test.in_block(faces.blocks[block], at)
                                                            : test.of(i, faces, face);
    if (verdict == kGoes || (test.is_coarse(part) && !test.may_meet(faces.blocks[block], at, other))) continue;
    if (verdict == kStays || test.stays(i, faces, face)) return true;
  }
  return false;
}

/// The arrays behind a FaceView, of which a device has copies. Those of merged faces are empty unless some face has
/// several triangles.
struct FaceArrays {
  std::span<const FaceBlock> blocks;
  std::span<const FaceRange> ranges;
  std::span<const std::uint32_t> cells;  ///< by rows; empty if there are none
  std::span<const std::int8_t> outward;
  std::span<const std::uint32_t> face_of;  ///< per triangle
  std::span<const std::uint32_t> polygon_of, begin, members;
  std::span<const Polygon> polygons;
  std::span<const Vec3f> own_f32;
  std::span<const Vec3d> own_f64;
};

}  // namespace sightline::papers::moving
