#include "page/contacts.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace sightline::report {
namespace {

// Points as float32 shares of the half extent of their box about a place near its middle: full precision wherever the
// box lies, and no overflow however large or small it is. The place is told in 32 bits over the frame's box, the half
// extent as a share of the frame's; the shares of the points are kept for the end.
class LocalPoints {
 public:
  explicit LocalPoints(std::span<const Part> parts) {
    bool any = false;
    for (const Part& part : parts)
      for (std::size_t i = 0; i < part.mesh.positions.size(); ++i, any = true) extend(part.mesh.positions[i], any);
    for (int axis = 0; axis < 3; ++axis) half_ = std::max(half_, high_[axis] / 2 - low_[axis] / 2);
  }

  void write_box(PageBytes& bytes) const {
    for (const double x : low_) bytes.f64(x);
    bytes.f64(half_);
  }

  void add(PageBytes& bytes, std::span<const Vec3d> points) {
    Vec3d low = points.empty() ? low_ : points[0], high = low;
    for (const Vec3d& p : points)
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], p[axis]);
        high[axis] = std::max(high[axis], p[axis]);
      }
    Vec3d origin;
    double reach = 0;
    for (int axis = 0; axis < 3; ++axis) {
      // Halves, as the extent of two finite doubles can be infinite.
      const double share = half_ > 0 ? (low[axis] / 4 + high[axis] / 4 - low_[axis] / 2) / half_ : 0;
      const auto step = static_cast<std::uint32_t>(std::clamp(share, 0.0, 1.0) * kSteps);
      for (int i = 0; i < 4; ++i) bytes.byte(static_cast<std::uint8_t>(step >> (8 * i)));
      origin[axis] = low_[axis] + half_ * (step / kSteps * 2);
      reach = std::max({reach, origin[axis] - low[axis], high[axis] - origin[axis]});
    }
    const float scale = half_ > 0 ? static_cast<float>(reach / half_) : 0.0f;
    bytes.planes(std::span(&scale, 1));
    const double unit = scale * half_;
    for (const Vec3d& p : points)
      for (int axis = 0; axis < 3; ++axis)
        shares_.push_back(unit > 0 ? static_cast<float>((p[axis] - origin[axis]) / unit) : 0.0f);
  }
  void write(PageBytes& bytes) const { bytes.planes(shares_); }

 private:
  static constexpr double kSteps = 4294967295.0;
  void extend(const Vec3d& p, bool any) {
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = any ? std::min(low_[axis], p[axis]) : p[axis];
      high_[axis] = any ? std::max(high_[axis], p[axis]) : p[axis];
    }
  }

  Vec3d low_ = {0, 0, 0}, high_ = {0, 0, 0};
  double half_ = 0;
  std::vector<float> shares_;
};

// The triangles of a cluster that no earlier cluster had.
class NewTriangles {
 public:
  explicit NewTriangles(const Contacts& contacts) : contacts_(contacts) {}

  std::vector<TriangleRef> of(std::span<const std::uint32_t> numbers, std::size_t most) {
    std::vector<TriangleRef> fresh;
    for (const std::uint32_t number : numbers) {
      const Contact& contact = contacts_.list[number];
      for (const TriangleRef side :
           {TriangleRef{contact.object_a, contact.a}, TriangleRef{contact.object_b, contact.b}})
        if (fresh.size() < most && seen_.insert(std::uint64_t{side.object} << 32 | side.triangle).second)
          fresh.push_back(side);
    }
    std::sort(fresh.begin(), fresh.end());
    return fresh;
  }

 private:
  const Contacts& contacts_;
  std::unordered_set<std::uint64_t> seen_;
};

// Corners by number in the order of first use, as PageBytes tells vertices of a mesh.
void append_triangles(PageBytes& bytes, const Contacts& contacts, std::span<const TriangleRef> triangles,
                      LocalPoints& points) {
  bytes.varint(triangles.size());
  std::vector<Vec3d> corners;
  std::map<Vec3d, std::size_t> number;
  TriangleRef before;
  for (const TriangleRef& ref : triangles) {
    bytes.difference(ref.object, before.object);
    bytes.difference(ref.triangle, before.triangle);
    before = ref;
    for (const Vec3d& corner : contacts.parts[ref.object].mesh.corners(ref.triangle)) {
      const auto [found, is_new] = number.try_emplace(corner, corners.size());
      if (is_new) corners.push_back(corner);
      bytes.varint(is_new ? 0 : corners.size() - found->second);
    }
  }
  points.add(bytes, corners);
}

}  // namespace

ListedContacts append_contacts(PageBytes& bytes, const Contacts& contacts, const Outlines& outlines,
                               const Clusters& clusters, std::size_t most_contacts, std::size_t most_triangles) {
  ListedContacts listed;
  NewTriangles new_triangles(contacts);
  LocalPoints points(contacts.parts), corners = points;
  std::size_t count = 0;
  for (std::size_t room = most_contacts; count < clusters.list.size() && room > 0; ++count)
    room -= std::min<std::size_t>(room, clusters.list[count].count);
  bytes.varint(count);
  points.write_box(bytes);

  Contact before;
  for (const Cluster& cluster : std::span(clusters.list).first(count)) {
    const std::span<const std::uint32_t> all = clusters.of(cluster);
    const auto here = all.first(std::min<std::size_t>(all.size(), most_contacts - listed.contacts));
    bytes.varint(cluster.count);
    bytes.varint(here.size());
    std::vector<Vec3d> outline;
    for (const std::uint32_t number : here) {
      const Contact& contact = contacts.list[number];
      bytes.difference(contact.object_a, before.object_a);
      bytes.difference(contact.object_b, before.object_b);
      bytes.difference(contact.a, before.a);
      bytes.difference(contact.b, before.b);
      bytes.byte(static_cast<std::uint8_t>(static_cast<int>(contact.kind) | outlines.size(number) << 2));
      before = contact;
      const auto own = std::span(outlines.points).subspan(outlines.start[number], outlines.size(number));
      outline.insert(outline.end(), own.begin(), own.end());
    }
    points.add(bytes, outline);
    const std::vector<TriangleRef> fresh = new_triangles.of(here, most_triangles - listed.exact_triangles);
    append_triangles(bytes, contacts, fresh, corners);
    listed.contacts += here.size();
    listed.exact_triangles += fresh.size();
  }
  points.write(bytes);
  corners.write(bytes);
  return listed;
}

}  // namespace sightline::report
