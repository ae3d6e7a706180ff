// The contacts of a frame: clusters, what each contact joins, and where it is.
//
// Bytes of one meaning lie together (viewer/src/contacts.js reads them):
//   1. clusters: count; the contacts of each; of those that are not listed whole, how many are, how many are new, and
//      the kinds of all; the diagonals of their boxes, as shares of the frame's half extent
//   2. contacts: both parts, both triangles (each as the difference from the contact before), kind and number of points
//   3. the corners of the triangles in contact, finer than the mesh has them
//   4. the points of the contacts, each as a place on one of its two triangles
// Corners and points refer to data that the page has already, since for loose triangles they would take most of the
// bytes: a corner is the mesh's own 16 bits a coordinate and some more, a point is an edge and a share of it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/vector.h"
#include "page/frame.h"

namespace sightline::report {
namespace {

// A corner is stored to within 2^-bits of the longest edge of the smallest triangle that its triangle meets, and to
// within 2^-(bits - kFewerOfShortest) of its shortest edge: the camera of the page comes as near as 0.6 of that edge,
// and no point may jump there.
constexpr int kFewerOfShortest = 5;
constexpr int kMostExtra = 36;  // with the mesh's 16 bits: a double of the page has them all
constexpr double kAlong = 65535;

double largest(const Vec3d& v) { return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])}); }

using Corners = std::array<Vec3d, 3>;

// All of the frame in a cube of 0 to 2, so that no square of a length overflows.
class FrameCube {
 public:
  explicit FrameCube(std::span<const Part> parts) {
    for (const Part& part : parts) box_.add(box_of(part.mesh));
    box_ = finite(box_);
    for (int axis = 0; axis < 3; ++axis) half_ = std::max(half_, box_.half(axis));
  }
  const Box& box() const { return box_; }
  double half() const { return half_; }
  Vec3d inside(const Vec3d& p) const {
    Vec3d q = {0, 0, 0};
    // Halves, as the extent of two finite doubles can be infinite.
    for (int axis = 0; axis < 3 && half_ > 0; ++axis) q[axis] = (p[axis] / 2 - box_.low[axis] / 2) / half_ * 2;
    return q;
  }
  Corners corners(const MeshView& mesh, std::uint32_t triangle) const {
    const auto raw = mesh.corners(triangle);
    return {inside(raw[0]), inside(raw[1]), inside(raw[2])};
  }

 private:
  Box box_;
  double half_ = 0;
};

// The largest error allowed for a point of a triangle of this size; 0 where the triangle is a point.
double fineness(const Corners& t, int bits) {
  double longest = 0, shortest = 0;
  for (int k = 0; k < 3; ++k) {
    const double edge = largest(t[(k + 1) % 3] - t[k]);
    longest = std::max(longest, edge);
    if (edge > 0) shortest = shortest > 0 ? std::min(shortest, edge) : edge;
  }
  return std::min(std::ldexp(longest, -bits), std::ldexp(shortest, kFewerOfShortest - bits));
}

double finer(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

// Whole numbers of 1 to 7 bytes: all first bytes, then all second bytes, and so on.
class Planes {
 public:
  void add(std::uint64_t value, int bits) {
    for (int i = 0; 8 * i < bits; ++i) planes_[i].byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void write(PageBytes& bytes) const {
    for (const PageBytes& plane : planes_) bytes.append(plane);
  }

 private:
  std::array<PageBytes, 7> planes_;
};

// The corners of the triangles in contact. A vertex of the mesh is stored once, with the precision that its most
// demanding triangle needs: the 16 bits of the mesh, and `extra` bits more. The corners of a triangle that the page
// does not have are stored one by one over the box of the frame.
class FineCorners {
 public:
  FineCorners(const FrameCube& cube, const Contacts& contacts, const Shown& shown, std::span<const PlacedPart> placed)
      : cube_(cube), contacts_(contacts), shown_(shown), placed_(placed) {}

  void need(const TriangleRef& ref, double fine) { triangles_.push_back({ref, fine}); }

  void write(PageBytes& bytes) {
    sort();
    // First what each vertex needs, as its triangles differ.
    std::unordered_map<std::uint64_t, double> vertices;
    for (const auto& [ref, fine] : triangles_) {
      if (!is_shown(ref)) continue;
      for (const std::uint32_t vertex : contacts_.parts[ref.object].mesh.triangles[ref.triangle]) {
        double& own = vertices.try_emplace(key(ref.object, placed_[ref.object].vertex(vertex)), 0).first->second;
        own = finer(own, fine);
      }
    }
    Planes planes;
    for (const auto& [ref, fine] : triangles_) {
      const MeshView& mesh = contacts_.parts[ref.object].mesh;
      for (const std::uint32_t vertex : mesh.triangles[ref.triangle]) {
        if (!is_shown(ref)) {
          add(bytes, planes, mesh.position(vertex), cube_.box(), fine, false);
          continue;
        }
        const std::uint32_t stands = placed_[ref.object].vertex(vertex);
        const auto found = vertices.find(key(ref.object, stands));
        if (found->second < 0) continue;  // stored already
        add(bytes, planes, mesh.position(stands), placed_[ref.object].box, found->second, true);
        found->second = -1;
      }
    }
    planes.write(bytes);
  }

 private:
  static std::uint64_t key(std::uint32_t part, std::uint32_t vertex) { return std::uint64_t{part} << 32 | vertex; }

  // Each triangle once, with the precision that its most demanding contact needs.
  void sort() {
    std::ranges::sort(triangles_, {}, [](const auto& entry) { return entry.first; });
    std::size_t kept = 0;
    for (const auto& [ref, fine] : triangles_) {
      if (kept > 0 && triangles_[kept - 1].first == ref)
        triangles_[kept - 1].second = finer(triangles_[kept - 1].second, fine);
      else
        triangles_[kept++] = {ref, fine};
    }
    triangles_.resize(kept);
  }

  bool is_shown(const TriangleRef& ref) const {
    const ShownPart& part = shown_.parts[ref.object];
    return part.all || std::ranges::binary_search(part.triangles, ref.triangle);
  }

  void add(PageBytes& bytes, Planes& planes, const Vec3d& p, const Box& box, double fine, bool in_mesh) const {
    double step = 0;
    for (int axis = 0; axis < 3 && cube_.half() > 0; ++axis)
      step = std::max(step, box.half(axis) / cube_.half() * 2 / kGridSteps);
    int extra = 0;
    while (extra < kMostExtra && fine > 0 && std::ldexp(step, -extra) > fine) ++extra;
    bytes.byte(static_cast<std::uint8_t>(extra));
    for (int axis = 0; axis < 3; ++axis) {
      const double steps = share(box, p, axis) * kGridSteps;
      const auto all = static_cast<std::int64_t>(std::llround(std::ldexp(steps, extra)));
      if (in_mesh) {
        const std::int64_t more = all - (static_cast<std::int64_t>(std::llround(steps)) << extra);
        planes.add(static_cast<std::uint64_t>(more << 1) ^ static_cast<std::uint64_t>(more >> 63),
                   extra > 0 ? extra + 1 : 0);
      } else {
        planes.add(static_cast<std::uint64_t>(all), 16 + extra);
      }
    }
  }

  const FrameCube& cube_;
  const Contacts& contacts_;
  const Shown& shown_;
  std::span<const PlacedPart> placed_;
  std::vector<std::pair<TriangleRef, double>> triangles_;
};

// A point of a contact as a place on a triangle: a corner (0 to 2), a share of the edge from corner k (3 + k), or
// shares of the edges from corner 0 (6). The shortest code that is near enough is taken.
struct Place {
  int code = 0;
  std::uint16_t first = 0, second = 0;
  double error = 0;  // in the frame's cube
};

Place place_on(const Corners& t, const Vec3d& p, int bits) {
  Place best;
  const double size = std::max({largest(t[1] - t[0]), largest(t[2] - t[0]), largest(t[2] - t[1]), 1e-300});
  const double near = fineness(t, bits) / 4;
  best.error = largest(p - t[0]);
  const auto consider = [&](int code, double first, double second, const Vec3d& from, const Vec3d& a, const Vec3d& b) {
    const auto steps = [](double share) { return std::round(std::clamp(share, 0.0, 1.0) * kAlong); };
    const double s = steps(first), u = steps(second);
    const double error = largest(p - (from + s / kAlong * a + u / kAlong * b));
    if (error < best.error) best = {code, static_cast<std::uint16_t>(s), static_cast<std::uint16_t>(u), error};
  };
  for (int k = 1; k < 3; ++k) consider(k, 0, 0, t[k], {}, {});
  if (best.error <= near) return best;
  const auto scaled = [size](const Vec3d& v) { return Vec3d{v[0] / size, v[1] / size, v[2] / size}; };
  for (int k = 0; k < 3; ++k) {
    const Vec3d edge = t[(k + 1) % 3] - t[k], unit = scaled(edge);
    const double length = dot(unit, unit);
    if (length > 0) consider(3 + k, dot(scaled(p - t[k]), unit) / length, 0, t[k], edge, {});
  }
  if (best.error <= near) return best;
  const Vec3d a = t[1] - t[0], b = t[2] - t[0], ua = scaled(a), ub = scaled(b), q = scaled(p - t[0]);
  const double aa = dot(ua, ua), ab = dot(ua, ub), bb = dot(ub, ub), det = aa * bb - ab * ab;
  if (det > 0)
    consider(6, (dot(q, ua) * bb - dot(q, ub) * ab) / det, (dot(q, ub) * aa - dot(q, ua) * ab) / det, t[0], a, b);
  return best;
}

// Which contacts are listed, cluster by cluster, and what the page stores of each cluster.
struct Listed {
  struct Of {
    const Cluster* cluster;
    std::uint64_t count, fresh;  // listed, and new ones in all
  };
  std::vector<std::uint32_t> contacts;
  std::vector<Of> clusters;
};

// At most `most`, by clusters in their order. Where that cuts the list, new contacts come before old ones, since the
// reader looks for new ones.
Listed choose(const Clusters& clusters, std::size_t most, const std::vector<bool>* is_new) {
  const auto fresh = [&](std::uint32_t number) { return is_new != nullptr && (*is_new)[number]; };
  const bool cut = clusters.contacts.size() > most;
  Listed listed;
  std::vector<Listed::Of> order;
  std::uint64_t all_fresh = 0;
  for (const Cluster& cluster : clusters.list) {
    order.push_back({&cluster, 0, static_cast<std::uint64_t>(std::ranges::count_if(clusters.of(cluster), fresh))});
    all_fresh += order.back().fresh;
  }
  if (cut) std::stable_partition(order.begin(), order.end(), [](const Listed::Of& of) { return of.fresh > 0; });
  std::size_t room_fresh = std::min<std::size_t>(most, all_fresh), room_old = most - room_fresh;
  for (Listed::Of of : order) {
    const std::size_t before = listed.contacts.size();
    const auto take = [&](std::size_t& room, bool wanted) {
      for (const std::uint32_t number : clusters.of(*of.cluster)) {
        if (room == 0) break;
        if (fresh(number) == wanted) listed.contacts.push_back(number), --room;
      }
    };
    if (cut) {
      take(room_fresh, true);
      take(room_old, false);
    } else {
      const auto own = clusters.of(*of.cluster);
      listed.contacts.insert(listed.contacts.end(), own.begin(), own.end());
    }
    of.count = listed.contacts.size() - before;
    if (of.count > 0) listed.clusters.push_back(of);
  }
  return listed;
}

// Float32 without its last byte: four digits and a half.
void append_sizes(PageBytes& bytes, std::span<const float> sizes) {
  for (int i = 1; i < 4; ++i)
    for (const float size : sizes) {
      const auto bits = std::bit_cast<std::uint32_t>(size) + 0x80;
      bytes.byte(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
}

}  // namespace

std::uint64_t append_contacts(PageBytes& bytes, const Contacts& contacts, const Outlines& outlines,
                              const Clusters& clusters, const Shown& shown, std::span<const PlacedPart> placed,
                              std::size_t most, int bits, const std::vector<bool>* is_new) {
  const FrameCube cube(contacts.parts);
  const Listed listed = choose(clusters, most, is_new);
  std::vector<float> sizes;
  PageBytes counts, cuts;
  std::size_t cut = 0;
  for (std::size_t i = 0; i < listed.clusters.size(); ++i) {
    const auto& [chosen, count, fresh] = listed.clusters[i];
    const Cluster& cluster = *chosen;
    counts.varint(cluster.count);
    if (count < cluster.count) {  // otherwise the viewer counts them
      ++cut;
      for (const std::uint64_t number : {std::uint64_t{i}, count, fresh}) cuts.varint(number);
      for (const std::uint64_t number : cluster.kinds.of) cuts.varint(number);
    }
    const Vec3d side = cube.inside(cluster.box.high) - cube.inside(cluster.box.low);
    sizes.push_back(static_cast<float>(std::hypot(side[0], side[1], side[2])));
  }
  bytes.varint(sizes.size());
  for (const double x : cube.box().low) bytes.f64(x);
  for (const double x : cube.box().high) bytes.f64(x);
  bytes.append(counts);
  bytes.varint(cut);
  bytes.append(cuts);
  append_sizes(bytes, sizes);

  PageBytes part_a, part_b, a, b, kinds, codes;
  Planes along;
  FineCorners corners(cube, contacts, shown, placed);
  Contact before;
  for (const std::uint32_t number : listed.contacts) {
    const Contact& contact = contacts.list[number];
    part_a.difference(contact.object_a, before.object_a);
    part_b.difference(contact.object_b, before.object_b);
    a.difference(contact.a, before.a);
    b.difference(contact.b, before.b);
    const int mark = is_new != nullptr && (*is_new)[number] ? 0x80 : 0;
    kinds.byte(static_cast<std::uint8_t>(static_cast<int>(contact.kind) | outlines.size(number) << 2 | mark));
    before = contact;

    const Corners sides[2] = {cube.corners(contacts.parts[contact.object_a].mesh, contact.a),
                              cube.corners(contacts.parts[contact.object_b].mesh, contact.b)};
    const double fine[2] = {fineness(sides[0], bits), fineness(sides[1], bits)};
    corners.need({contact.object_a, contact.a}, finer(fine[0], fine[1]));
    corners.need({contact.object_b, contact.b}, finer(fine[0], fine[1]));
    // On the smaller triangle, as a share of its edges is less there; but one that is small only because it is thin has
    // long edges, and then the other may do better.
    const int smaller = fine[0] <= fine[1] ? 0 : 1;
    for (std::uint64_t i = outlines.start[number]; i < outlines.start[number + 1]; ++i) {
      const Vec3d point = cube.inside(outlines.points[i]);
      int side = smaller;
      Place place = place_on(sides[side], point, bits);
      if (place.error > fine[side] / 4) {
        const Place other = place_on(sides[1 - side], point, bits);
        if (other.error < place.error) place = other, side = 1 - side;
      }
      codes.byte(static_cast<std::uint8_t>(place.code | side << 3));
      if (place.code >= 3) along.add(place.first, 16);
      if (place.code == 6) along.add(place.second, 16);
    }
  }
  for (const PageBytes* column : {&part_a, &part_b, &a, &b, &kinds}) bytes.append(*column);
  corners.write(bytes);
  bytes.append(codes);
  along.write(bytes);
  return listed.contacts.size();
}

}  // namespace sightline::report
