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
// Steps. The first is kept from frame to frame (kept.h), the others take one pass over the faces of each object i. What
// they decide about a face is in moving/pair_test.h; the GPU runs the same code (papers/cuda):
//   1. Which triangles are one face, and which way is out (faces.h, winding.h). Where the outside is not known, all
//      triangles stay.
//   2. For each other object j: a_ij and omega_ji in the frame of i.
//   3. Bounding volumes (`bounding_spheres`): j is skipped if the spheres of i and j do not meet, for a face if the
//      sphere of j lies behind the face's plane, and for faces in a sphere, if this is outside of the box of j or
//      only in cells of it that no face of j reaches: 64 faces, then 8, then one where the sphere of 8 is large.
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
// - Bounding volumes are the paper's future work (section 5). The box of j and its cells (moving/cells.h) are those of
//   its own coordinates, so they stay while j moves.
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

#include "base/vector.h"

namespace sightline::papers::method {
namespace {

using moving::Body;
using moving::FaceView;
using moving::kGoes;
using moving::kOpen;
using moving::kStays;
using moving::PairTest;
using moving::Placement;
using moving::Verdict;

Placement placement_of(const TriangleTable::Object& object, const Faces& faces) {
  const RigidPose& pose = faces.pose();
  Placement placement;
  placement.where = object.transform == nullptr ? pose.transform : *object.transform * pose.transform;
  const auto& rows = placement.where.rows;
  Vec3d squares = {0, 0, 0};  // of the columns
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i) squares[k] += rows[i][k] * rows[i][k];
  const double scale = placement.scale = std::sqrt((squares[0] + squares[1] + squares[2]) / 3);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      double product = 0;
      for (int i = 0; i < 3; ++i) product += rows[i][k] / scale * (rows[i][l] / scale);
      placement.lack = std::max(placement.lack, std::abs(product - (k == l ? 1 : 0)));
    }
  const double determinant = dot(cross(placement.column(0), placement.column(1)), placement.column(2));
  placement.turns_over = determinant < 0;
  placement.is_regular = std::abs(determinant) > 1e-9 && std::isfinite(determinant);
  placement.center = placement.point(faces.center());
  if (object.transform != nullptr) {
    // The sums of a transform, and the last rounding to the type of the storage.
    const double largest =
        2 * scale * (length(faces.center()) + faces.reach()) + length({rows[0][3], rows[1][3], rows[2][3]});
    placement.rounding = 2 * ((object.f32 != nullptr ? 0x1p-24 + 1e-14 : 1e-14) * largest +
                              (object.f32 != nullptr ? 1e-44 : 0));  // and where floats are subnormal
  }
  placement.rounding += (1 + 1e-6) * scale * pose.deviation;
  placement.radius = (placement.is_similar() ? (1 + 2 * placement.lack) : std::sqrt(3.0)) * scale * faces.reach();
  placement.radius = (1 + kRelativeError) * (placement.radius + placement.rounding);
  return placement;
}

Body body_of(const TriangleTable::Object& object, const Faces& faces, const Motion& motion) {
  Body body{placement_of(object, faces), motion, faces.center(), faces.half(), faces.reach()};
  body.reach = length(body.placement.center - motion.center) + body.placement.radius;
  return body;
}

/// Step 3. How far points of i and of j can come together until the end of the time step.
double approach(const Body& i, const Body& j, double step) {
  return step * (length(i.motion.velocity - j.motion.velocity) + length(i.motion.angular_velocity) * i.reach +
                 length(j.motion.angular_velocity) * j.reach);
}

bool spheres_meet(const Body& i, const Body& j, double approach) {
  // Not `<=`: a distance that overflowed does not prove that the spheres are apart.
  return !(length(i.placement.center - j.placement.center) * (1 - kRelativeError) >
           i.placement.radius + j.placement.radius + approach);
}

/// Steps 3 and 4 for the faces [first, last) of an object: 1 if a test leaves the face. Block by block, and so in
/// vectors, it decides as moving::stays does face by face.
class Marker {
 public:
  /// Of the object with this place in the table.
  Marker(const FaceTests& tests, std::size_t object, const FaceView& faces)
      : body_(tests.bodies[object]),
        faces_(faces),
        tests_(tests.tests[object]),
        cells_(tests.cells),
        two_sided_(tests.two_sided[object] != 0) {}

  void mark(std::uint32_t first, std::uint32_t last, std::uint8_t* stays) const {
    for (std::uint32_t block = first; block < last; block += FaceBlock::kFaces)
      mark_block(block, std::min(FaceBlock::kFaces, last - block), stays + block);
  }

 private:
  static constexpr std::uint32_t kInPart = FaceRange::kInPart;

  void mark_block(std::uint32_t first, std::uint32_t size, std::uint8_t* stays) const {
    std::memset(stays, 0, size);
    const FaceRange& range = faces_.ranges[first / FaceBlock::kFaces];
    for (const PairTest& test : tests_) {
      const std::uint32_t* const cells = cells_[test.other()];
      if (!test.may_meet(range.all, cells)) continue;  // 3
      const Verdict all = test.of(range, two_sided_);
      if (all == kGoes) continue;
      for (std::uint32_t begin = 0; begin < size; begin += kInPart) {
        const std::uint32_t count = std::min(kInPart, size - begin);
        if (all_stay(stays + begin, count) || !test.may_meet(range.part[begin / kInPart], cells)) continue;
        mark_part(test, cells, all, first + begin, count, stays + begin);
      }
    }
  }

  /// The faces of a part that may meet the other body. `all`: the verdict on the block.
  void mark_part(const PairTest& test, const std::uint32_t* cells, Verdict all, std::uint32_t first,
                 std::uint32_t count, std::uint8_t* stays) const {
    const FaceBlock& block = faces_.blocks[first / FaceBlock::kFaces];
    const std::uint32_t at = first % FaceBlock::kFaces;
    const bool each = test.is_coarse(faces_.ranges[first / FaceBlock::kFaces].part[at / kInPart]);
    std::int32_t verdict[kInPart];
    if (all == kStays)
      std::fill_n(verdict, kInPart, static_cast<std::int32_t>(kStays));
    else if (test.decides_in_blocks())
      for (std::uint32_t f = 0; f < kInPart; ++f) verdict[f] = test.in_block(block, at + f);
    else
      for (std::uint32_t f = 0; f < count; ++f) verdict[f] = test.of(body_, faces_, first + f);
    for (std::uint32_t f = 0; f < count; ++f) {
      if (verdict[f] == kGoes || stays[f] != 0 || (each && !test.may_meet(block, at + f, cells))) continue;
      if (verdict[f] == kStays || test.stays(body_, faces_, first + f)) stays[f] = 1;
    }
  }

  static bool all_stay(const std::uint8_t* stays, std::uint32_t count) {
    std::uint64_t flags = 0;
    static_assert(sizeof flags == kInPart);
    std::memcpy(&flags, stays, count);
    return flags == 0x0101010101010101u;  // never of a part with fewer faces
  }

  const Body& body_;
  const FaceView& faces_;
  std::span<const PairTest> tests_;
  std::span<const std::uint32_t* const> cells_;
  bool two_sided_;
};

}  // namespace

FaceTests tests_of(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
                   const MethodOptions& options, Workers& workers) {
  const std::size_t count = table.objects.size();
  const moving::Culling how{options.bounding_spheres, options.face_by_face, options.time_step};
  FaceTests all;
  all.tests.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Body& body = all.bodies.emplace_back(body_of(table.objects[i], *faces[i], motions[i]));
    all.two_sided.push_back(!faces[i]->any_outward() || !body.placement.is_regular ? 1 : 0);
    const std::span<const std::uint32_t> cells = faces[i]->arrays().cells;
    all.cells.push_back(cells.empty() ? nullptr : cells.data());
  }
  workers.for_each(count, [&](std::size_t i) {
    const Body& body = all.bodies[i];
    for (std::uint32_t j = 0; j < count; ++j) {
      if (j == i || !wanted(table.objects[i].options, table.objects[j].options)) continue;
      const double near = how.spheres ? approach(body, all.bodies[j], how.time_step) : 0;
      if (how.spheres && !spheres_meet(body, all.bodies[j], near)) continue;  // 3
      all.tests[i].emplace_back(body, all.bodies[j], j, how, near);           // 2
    }
  });
  return all;
}

FaceView view_of(const TriangleTable::Object& object, const Faces& faces) {
  const moving::FaceArrays arrays = faces.arrays();
  FaceView view;
  view.blocks = arrays.blocks.data();
  view.ranges = arrays.ranges.data();
  view.cells = arrays.cells.empty() ? nullptr : arrays.cells.data();
  view.triangles = object.triangles;
  view.outward = arrays.outward.data();
  if (faces.merged()) {
    view.polygon_of = arrays.polygon_of.data();
    view.begin = arrays.begin.data();
    view.members = arrays.members.data();
    view.polygons = arrays.polygons.data();
  }
  view.own_f32 = arrays.own_f64.empty() ? arrays.own_f32.data() : nullptr;
  view.own_f64 = arrays.own_f64.empty() ? nullptr : arrays.own_f64.data();
  view.f32 = object.f32;
  view.f64 = object.f64;
  view.is_placed = object.transform != nullptr;
  if (view.is_placed) view.transform = *object.transform;
  return view;
}

void velocity(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
              const MethodOptions& options, Workers& workers, Left& left) {
  const std::size_t count = table.objects.size();
  const FaceTests tests = tests_of(table, faces, motions, options, workers);
  std::vector<FaceView> views;
  for (std::size_t i = 0; i < count; ++i) views.push_back(view_of(table.objects[i], *faces[i]));
  left.stays.resize(table.triangle_count);
  const std::vector<Task> tasks = tasks_of(count, [&](std::size_t i) { return faces[i]->count(); });
  workers.for_each(tasks.size(), [&](std::size_t task) {
    const auto [object, first, last] = tasks[task];
    std::uint8_t* const stays = left.stays.data() + table.objects[object].first_triangle;
    Marker(tests, object, views[object]).mark(first, last, stays);  // 3, 4
  });
  gather(table, faces, workers, left);
}

}  // namespace sightline::papers::method
