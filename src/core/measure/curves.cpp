// Contacts as curves.
//
// 1. The intersection of each contact: a point, a segment or a polygon, with exact corners rounded to double.
// 2. Nodes. Equal points round to equal doubles. So corners are sorted by their doubles, and only corners with equal
//    doubles are compared: by their features (one edge and one triangle have one common point), else as exact
//    quotients.
// 3. Links: pairs of nodes, from segments and from sides of polygons. Several contacts can have one link, such as the
// two
//    triangles at an edge that lies in a face. Two surfaces that coincide in a region divide it into polygons. A link
//    with an even number of them is inside the region, and all contacts there are one area; with an odd number it is on
//    its boundary.
// 4. Chains of links. A curve goes on through a node with two links. The boundary of an area goes on through a node
// with
//    two links of that boundary.
//
// Nodes are numbered in the order of their positions, and chains start at the least node that they can start at. So the
// curves do not depend on the order of triangles.

#include "sightline/curves.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/float_environment.h"
#include "base/format.h"
#include "base/union_find.h"
#include "base/vector.h"
#include "measure/common_area.h"
#include "measure/grid.h"
#include "mesh/weld.h"

namespace sightline {
namespace {

using Index = std::uint32_t;
using measure::Corners;
constexpr Index kNone = Curve::kNone;

/// A corner of the intersection of a contact. Corners with equal keys are one point.
struct Corner {
  Vec3d at;
  Index contact = 0;
  std::uint8_t number = 0;
  std::array<Index, 6> key{};
};
struct Entry {
  Index low = 0, high = 0, contact = 0;
  bool of_polygon = false;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
struct Link {
  Index low = 0, high = 0, contact = 0;
  Index area = kNone;
  bool crossing = false;
  Index other(Index node) const { return node == low ? high : low; }
};

/// Off by a few units in the last place of the larger coordinates, which are themselves rounded.
Interval length_of(const Vec3d& p, const Vec3d& q) {
  double most = 0, place = 0;
  Vec3d d = q - p;
  for (int k = 0; k < 3; ++k) {
    most = std::max(most, std::abs(d[k]));
    place = std::max({place, std::abs(p[k]), std::abs(q[k])});
  }
  const int exponent = most > 0 ? std::ilogb(most) : 0;
  for (double& x : d) x = std::ldexp(x, -exponent);
  const double length = std::ldexp(std::sqrt(dot(d, d)), exponent);
  const double error = length * 0x1p-49 + place * 0x1p-50;
  return {std::max(0.0, length - error), length + error};
}
void add(Interval& sum, const Interval& x) {
  sum.low = std::max(0.0, std::nextafter(sum.low + x.low, -Box::kInfinity));
  sum.high = std::nextafter(sum.high + x.high, Box::kInfinity);
}

using Barycentric = std::array<double, 3>;

/// In double, for a triangle with an angle of 2^-10 or more at corner 0: the normal is certain to 2^-40.
bool barycentric(const Corners& t, const Vec3d& p, Barycentric& result) {
  const Vec3d d = t[1] - t[0], e = t[2] - t[0], w = p - t[0], n = cross(d, e);
  const double nn = dot(n, n);
  if (!(nn > 0x1p-20 * dot(d, d) * dot(e, e)) || !(nn > 0x1p-400) || !(nn < 0x1p400)) return false;
  const double s = dot(cross(w, e), n) / nn, r = dot(cross(d, w), n) / nn;
  result = {1 - s - r, s, r};
  return true;
}

/// Exact, and then rounded; of a degenerate triangle, between its ends.
Barycentric barycentric(const Corners& t, const exact::ExactPoint& p) {
  using exact::BigInt;
  int unit = p.unit;
  for (const Vec3d& corner : t) unit = measure::exponent_of(corner, unit);
  measure::FinePoint corner[3], to_corner[3];  // the latter times w
  for (int i = 0; i < 3; ++i) {
    corner[i] = measure::integers(t[static_cast<std::size_t>(i)], unit);
    for (std::size_t k = 0; k < 3; ++k) to_corner[i][k] = corner[i][k] * p.w - (p.x[k] << (p.unit - unit));
  }
  const auto quotient = [](const BigInt& x, const BigInt& y) {
    return y.sign() < 0 ? exact::rounded_quotient(-x, -y, 0) : exact::rounded_quotient(x, y, 0);
  };
  Barycentric result{1, 0, 0};
  for (std::size_t u = 0; u < 3; ++u) {
    const std::size_t v = (u + 1) % 3;
    const auto minor = [&](const auto& x, const auto& y) { return x[u] * y[v] - x[v] * y[u]; };
    const BigInt twice = minor(corner[0], corner[1]) + minor(corner[1], corner[2]) + minor(corner[2], corner[0]);
    if (twice.sign() == 0) continue;
    for (int i = 0; i < 3; ++i)
      result[static_cast<std::size_t>(i)] =
          quotient(minor(to_corner[(i + 1) % 3], to_corner[(i + 2) % 3]), twice * p.w * p.w);
    return result;
  }
  const auto [low, high] = std::minmax_element(t.begin(), t.end());
  const auto i = static_cast<std::size_t>(low - t.begin()), j = static_cast<std::size_t>(high - t.begin());
  for (std::size_t k = 0; k < 3; ++k) {
    if (t[i][k] == t[j][k]) continue;
    const BigInt all = (corner[j][k] - corner[i][k]) * p.w;
    result = {};
    result[i] = quotient(to_corner[j][k], all);
    result[j] = quotient(-to_corner[i][k], all);
    break;
  }
  return result;
}

class CurveBuilder {
 public:
  CurveBuilder(const MeshView& a, const MeshView& b, std::span<const Contact> contacts, bool one_mesh)
      : mesh_{a, b}, contacts_(contacts), one_mesh_(one_mesh), vertex_(6 * contacts.size()), areas_(contacts.size()) {
    for (Index i = 0; i < contacts.size(); ++i) {
      const Contact& c = contacts[i];
      if (c.a >= a.triangles.size() || c.b >= b.triangles.size())
        throw Error(formatted("curves: contact {} is of triangles {} and {}; the meshes have {} and {} triangles", i,
                              c.a, c.b, a.triangles.size(), b.triangles.size()));
    }
    const auto corner = [&](std::uint32_t i) {
      const bool in_a = i % 6 < 3;
      const MeshView& mesh = in_a ? a : b;
      const Contact& c = contacts[i / 6];
      return mesh.position(mesh.triangles[in_a ? c.a : c.b][i % 3]);
    };
    weld(corner, vertex_.size(), vertex_.data(), Workers::none());
  }

  Curves run() {
    for (Index i = 0; i < contacts_.size(); ++i) collect(i);
    find_nodes();
    find_links();
    name_areas();
    chain();
    add_points();
    return std::move(result_);
  }

 private:
  Corners triangle(int side, Index contact) const {
    const Index t = side == 0 ? contacts_[contact].a : contacts_[contact].b;
    return mesh_[side].corners(t);
  }
  Index vertex(Index contact, int corner) const { return vertex_[6 * contact + static_cast<Index>(corner)]; }
  Index side_of(int corner) const { return corner < 3 || one_mesh_ ? 0 : 1; }

  std::array<Index, 6> key_of(Index contact, const exact::CornerFeature& f) const {
    const auto edge = [&](int p, int q) { return std::minmax({vertex(contact, p), vertex(contact, q)}); };
    if (f.q < 0) return {0, 0, 0, 0, 0, 0};  // corners are doubles: where these are equal, the points are
    const auto [low, high] = edge(f.p, f.q);
    if (f.u < 0) return {1, side_of(f.p), low, high, f.p < 3 ? contacts_[contact].b : contacts_[contact].a, 0};
    const auto [low_2, high_2] = edge(f.u, f.v);
    return {2, side_of(f.p), low, high, low_2, high_2};
  }

  void collect(Index contact) {
    std::array<exact::CornerFeature, 6> features;
    const Intersection common = exact::intersection(triangle(0, contact), triangle(1, contact), features);
    first_.push_back(static_cast<Index>(corners_.size()));
    for (std::uint8_t i = 0; i < common.size; ++i)
      corners_.push_back({common.storage[i], contact, i, key_of(contact, features[i])});
  }

  bool same(const Corner& x, const Corner& y) const {
    if (x.key == y.key) return true;
    return exact_point(x) == exact_point(y);
  }
  exact::ExactPoint exact_point(const Corner& c) const {
    return exact::intersection_corner(triangle(0, c.contact), triangle(1, c.contact), c.number);
  }

  void find_nodes() {
    first_.push_back(static_cast<Index>(corners_.size()));
    node_.resize(corners_.size());
    std::vector<Index> order(corners_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](Index x, Index y) {
      return std::tie(corners_[x].at, corners_[x].key, x) < std::tie(corners_[y].at, corners_[y].key, y);
    });
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
      const std::size_t first_node = at_.size();
      std::vector<Index> representative;
      for (end = begin; end < order.size() && corners_[order[end]].at == corners_[order[begin]].at; ++end) {
        const Corner& mine = corners_[order[end]];
        std::size_t k = 0;
        while (k < representative.size() && !same(mine, corners_[representative[k]])) ++k;
        if (k == representative.size()) {
          representative.push_back(order[end]);
          at_.push_back(mine.at);
          corner_.push_back(order[end]);
        }
        node_[order[end]] = static_cast<Index>(first_node + k);
      }
    }
  }

  void find_links() {
    std::vector<Entry> entries;
    for (Index c = 0; c < contacts_.size(); ++c) {
      const Index size = first_[c + 1] - first_[c];
      for (Index i = 0; i < (size == 2 ? 1 : size > 2 ? size : 0); ++i) {
        const auto [low, high] = std::minmax(node_[first_[c] + i], node_[first_[c] + (i + 1) % size]);
        entries.push_back({low, high, c, size > 2});
      }
    }
    std::sort(entries.begin(), entries.end());
    linked_.assign(at_.size(), 0);
    for (std::size_t begin = 0, end; begin < entries.size(); begin = end) {
      Link link{entries[begin].low, entries[begin].high, kNone, kNone, false};
      linked_[link.low] = linked_[link.high] = 1;
      std::size_t polygons = 0;
      Index polygon = kNone;
      for (end = begin; end < entries.size() && entries[end].low == link.low && entries[end].high == link.high; ++end) {
        const Index c = entries[end].contact;
        const bool crossing = contacts_[c].kind == Kind::crossing;
        if (link.contact == kNone || (crossing && !link.crossing)) link.contact = c;
        link.crossing |= crossing;
        if (!entries[end].of_polygon) continue;
        ++polygons;
        if (polygon != kNone) areas_.join(polygon, c);
        polygon = c;
      }
      if (polygons > 0 && polygons % 2 == 0) continue;
      if (polygons > 0) link.area = link.contact = polygon;  // a contact of it; name_areas() numbers areas
      links_.push_back(link);
    }
  }

  void name_areas() {
    std::map<Index, Index> number;  // of the root of the contacts
    for (Index c = 0; c < contacts_.size(); ++c) {
      if (first_[c + 1] - first_[c] < 3) continue;
      const auto [it, is_new] = number.try_emplace(areas_.root(c), static_cast<Index>(result_.areas.size()));
      if (is_new) result_.areas.emplace_back();
      ContactArea& area = result_.areas[it->second];
      area.contacts.push_back(c);
      const Corners a = triangle(0, c), b = triangle(1, c);
      const double size = std::min(box_of(a).longest(), box_of(b).longest());
      const int unit = std::ilogb(size);
      const measure::TwiceArea twice = measure::common_area(a, b, unit);
      const double error = twice.error + twice.value * 0x1p-49;
      add(area.area, {std::max(0.0, std::ldexp(twice.value - error, 2 * unit - 1)),
                      std::ldexp(twice.value + error, 2 * unit - 1)});
    }
    for (Link& link : links_)
      if (link.area != kNone) link.area = number.at(areas_.root(link.area));
  }

  /// The other link with which a chain goes on at the node, or kNone.
  Index next_link(Index node, Index from) const {
    Index found = kNone;
    for (Index i = at_links_[node]; i < at_links_[node + 1]; ++i) {
      const Index other = links_at_[i];
      if (other == from) continue;
      if (links_[other].area != links_[from].area) {
        if (links_[from].area == kNone) return kNone;
        continue;
      }
      if (found != kNone) return kNone;
      found = other;
    }
    return found;
  }

  void chain() {
    at_links_.assign(at_.size() + 1, 0);
    for (const Link& link : links_) ++at_links_[link.low + 1], ++at_links_[link.high + 1];
    std::partial_sum(at_links_.begin(), at_links_.end(), at_links_.begin());
    links_at_.resize(2 * links_.size());
    std::vector<Index> filled(at_links_.begin(), at_links_.end() - 1);
    for (Index i = 0; i < links_.size(); ++i) {
      links_at_[filled[links_[i].low]++] = i;
      links_at_[filled[links_[i].high]++] = i;
    }
    std::vector<std::uint8_t> used(links_.size(), 0);
    for (const bool loops : {false, true})
      for (Index node = 0; node < at_.size(); ++node)
        for (Index i = at_links_[node]; i < at_links_[node + 1]; ++i) {
          const Index link = links_at_[i];
          if (!used[link] && (loops || next_link(node, link) == kNone)) follow(node, link, used);
        }
  }

  void follow(Index start, Index link, std::vector<std::uint8_t>& used) {
    Curve curve;
    curve.crossing = true;
    curve.area = links_[link].area;
    Index node = start;
    for (; link != kNone && !used[link]; link = next_link(node, link)) {
      used[link] = 1;
      curve.crossing = curve.crossing && links_[link].crossing;
      curve.points.push_back(point_at(node, links_[link].contact));
      const Index next = links_[link].other(node);
      add(curve.length, length_of(at_[node], at_[next]));
      node = next;
    }
    curve.closed = node == start;
    if (!curve.closed) curve.points.push_back(point_at(node, curve.points.back().contact));
    result_.curves.push_back(std::move(curve));
  }

  CurvePoint point_at(Index node, Index contact) const {
    CurvePoint point{at_[node], contact, {}, {}};
    for (int side = 0; side < 2; ++side) {
      Barycentric& in = side == 0 ? point.in_a : point.in_b;
      const Corners t = triangle(side, contact);
      if (!barycentric(t, at_[node], in)) in = barycentric(t, exact_point(corners_[corner_[node]]));
    }
    return point;
  }

  void add_points() {
    std::vector<std::uint8_t> seen = linked_;
    std::vector<std::pair<Index, Index>> found;
    for (Index c = 0; c < contacts_.size(); ++c)
      if (first_[c + 1] - first_[c] == 1 && !std::exchange(seen[node_[first_[c]]], std::uint8_t{1}))
        found.emplace_back(node_[first_[c]], c);
    std::sort(found.begin(), found.end());
    for (const auto& [node, contact] : found) result_.points.push_back(point_at(node, contact));
  }

  MeshView mesh_[2];
  std::span<const Contact> contacts_;
  bool one_mesh_;
  std::vector<Index> vertex_;  // of each corner of each contact, a number for its position
  std::vector<Corner> corners_;
  std::vector<Index> first_;          // of each contact, its first corner; and their number
  std::vector<Index> node_;           // of each corner
  std::vector<Vec3d> at_;             // of each node
  std::vector<Index> corner_;         // of each node, a corner there
  std::vector<std::uint8_t> linked_;  // of each node: 1 if it is on a segment or a polygon
  std::vector<Link> links_;
  std::vector<Index> at_links_, links_at_;  // of each node, its range in the second list
  UnionFind areas_;
  Curves result_;
};

}  // namespace

Curves curves(const MeshView& mesh, std::span<const Contact> contacts) {
  const FloatEnvironment environment;
  validate(mesh);
  return CurveBuilder(mesh, mesh, contacts, true).run();
}

Curves curves(const MeshView& a, const MeshView& b, std::span<const Contact> contacts) {
  const FloatEnvironment environment;
  validate(a, "object a");
  validate(b, "object b");
  return CurveBuilder(a, b, contacts, false).run();
}

}  // namespace sightline
