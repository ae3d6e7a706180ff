// Faces of an object, in three steps:
//
// 1. Topology: weld, components, and what lies across each edge. It is kept where only positions change, if the same
//    positions are equal as before and all triangles have area.
// 2. Outside: the winding (winding.h).
// 3. Faces: two triangles belong together if exactly these two meet in an edge, the outside of both is known, the
//    fourth corner lies in the plane of the first triangle (decided exactly), and the normals do not oppose each other.
//    Both then lie in one plane exactly, so this holds for all triangles that are joined in steps.
//
// A body that has only moved keeps its faces. Three of its vertices, far apart, give the motion; how far it leads all
// other vertices away from where they are is part of every later error bound.
#include "method/faces.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/box.h"
#include "base/image_of.h"
#include "base/union_find.h"
#include "exact/points.h"
#include "mesh/topology.h"
#include "mesh/weld.h"
#include "method/winding.h"

namespace sightline::papers::method {
namespace {

constexpr std::uint32_t kNone = FaceTopology::kNone;
constexpr std::size_t kTriangles = 4096;  ///< of a task

std::size_t side_of(std::uint32_t triangle, std::uint32_t k) { return 3 * std::size_t{triangle} + k; }

// ---- 1. topology

/// The edges at their lower vertex.
struct EdgeLists {
  struct Edge {
    std::uint32_t high;      ///< the other vertex
    std::int32_t direction;  ///< 1 from the lower vertex to the higher one
    std::uint64_t side;      ///< 3t + k
  };
  std::vector<std::uint64_t> begin;
  std::vector<Edge> edges;
};

EdgeLists edges_of(const MeshView& mesh, const Topology& topology) {
  EdgeLists lists;
  lists.begin.assign(mesh.positions.size() + 1, 0);
  const auto each = [&](const auto& visit) {
    std::size_t next_degenerate = 0;
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
      if (next_degenerate < topology.degenerate.size() && topology.degenerate[next_degenerate] == t) {
        ++next_degenerate;
        continue;
      }
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t a = topology.vertex[mesh.triangles[t][k]];
        const std::uint32_t b = topology.vertex[mesh.triangles[t][(k + 1) % 3]];
        visit(std::min(a, b), EdgeLists::Edge{std::max(a, b), a < b ? 1 : -1, side_of(t, k)});
      }
    }
  };
  each([&](std::uint32_t low, const EdgeLists::Edge&) { ++lists.begin[low + 1]; });
  for (std::size_t i = 1; i < lists.begin.size(); ++i) lists.begin[i] += lists.begin[i - 1];
  lists.edges.resize(lists.begin.back());
  std::vector<std::uint64_t> next(lists.begin.begin(), lists.begin.end() - 1);
  each([&](std::uint32_t low, const EdgeLists::Edge& edge) { lists.edges[next[low]++] = edge; });
  return lists;
}

}  // namespace

FaceTopology::FaceTopology(const MeshView& mesh, Workers& workers) : topology(sightline::topology(mesh, workers)) {
  across.assign(3 * mesh.triangles.size(), kNone);
  balanced.assign(topology.components, 0);
  EdgeLists lists = edges_of(mesh, topology);
  for (const EdgeLists::Edge& edge : lists.edges) balanced[topology.component[edge.side / 3]] = 1;  // has edges
  for (std::size_t v = 0; v + 1 < lists.begin.size(); ++v) {
    const std::span edges = std::span(lists.edges).subspan(lists.begin[v], lists.begin[v + 1] - lists.begin[v]);
    std::sort(edges.begin(), edges.end(), [](const EdgeLists::Edge& e, const EdgeLists::Edge& f) {
      return std::pair(e.high, e.side) < std::pair(f.high, f.side);
    });
    for (std::size_t first = 0, last; first < edges.size(); first = last) {
      int sum = 0;
      for (last = first; last < edges.size() && edges[last].high == edges[first].high; ++last)
        sum += edges[last].direction;
      if (sum != 0) balanced[topology.component[edges[first].side / 3]] = 0;
      if (sum == 0 && last - first == 2) {
        across[edges[first].side] = static_cast<std::uint32_t>(edges[first + 1].side / 3);
        across[edges[first + 1].side] = static_cast<std::uint32_t>(edges[first].side / 3);
      }
    }
  }
}

// ---- 3. faces

Polygon bounding_polygon(std::span<const Vec3d> vertices, const Normal& normal, const Vec3d& side) {
  Polygon polygon;
  polygon.normal = normal.unit;
  polygon.error = normal.error;
  polygon.thin = normal.thin;
  if (vertices.size() <= Polygon::kMostPoints) {
    std::copy(vertices.begin(), vertices.end(), polygon.point.begin());
    polygon.count = static_cast<std::uint32_t>(vertices.size());
    return polygon;
  }
  // Directions d_k, 45 degrees apart, and how far the vertices reach along each.
  const Vec3d u = (1 / length(side)) * side, v = cross(normal.unit, u), origin = vertices[0];
  const double h = std::sqrt(0.5);
  const double turn[8][2] = {{1, 0}, {h, h}, {0, 1}, {-h, h}, {-1, 0}, {-h, -h}, {0, -1}, {h, -h}};
  double reach[8], size = 0;
  std::fill(std::begin(reach), std::end(reach), -std::numeric_limits<double>::infinity());
  for (const Vec3d& p : vertices) {
    const double x = dot(p - origin, u), y = dot(p - origin, v);
    for (int k = 0; k < 8; ++k) reach[k] = std::max(reach[k], turn[k][0] * x + turn[k][1] * y);
    size = std::max(size, length(p - origin));
  }
  // Every line touches the vertices, so neighbouring lines meet in corners. The margin is larger than all errors.
  for (double& r : reach) r += 100 * kRelativeError * size;
  for (int k = 0; k < 8; ++k) {
    const int l = (k + 1) % 8;
    const double along = (reach[l] - h * reach[k]) / h;  // from the foot of line k, turned by 90 degrees
    const double x = reach[k] * turn[k][0] - along * turn[k][1], y = reach[k] * turn[k][1] + along * turn[k][0];
    polygon.point[k] = origin + x * u + y * v;
  }
  polygon.count = 8;
  return polygon;
}

void Faces::merge(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers) {
  const auto triangles = static_cast<std::uint32_t>(mesh.triangles.size());
  const auto surely = [&](std::uint32_t t) { return outward_[t] != 0 && normals[t].error < 0.1; };
  const auto apex = [&](std::uint32_t of, std::uint32_t beside) {  // the corner of `of` that `beside` does not have
    const std::vector<std::uint32_t>& vertex = topology_->topology.vertex;
    for (const std::uint32_t v : mesh.triangles[of]) {
      const Triangle& t = mesh.triangles[beside];
      if (vertex[v] != vertex[t[0]] && vertex[v] != vertex[t[1]] && vertex[v] != vertex[t[2]]) return v;
    }
    return kNone;  // the same three corners
  };
  std::vector<std::uint8_t> flat(3 * std::size_t{triangles}, 0);
  std::atomic<bool> any{false};
  workers.for_blocks(triangles, kTriangles, [&](std::size_t first, std::size_t last) {
    bool found = false;
    for (auto t = static_cast<std::uint32_t>(first); t < last; ++t)
      for (std::uint32_t k = 0; k < 3; ++k) {
        const std::uint32_t other = topology_->across[side_of(t, k)];
        if (other == kNone || other < t || !surely(t) || !surely(other) || outward_[t] != outward_[other]) continue;
        if (dot(normals[t].unit, normals[other].unit) < 0.5) continue;
        const std::uint32_t fourth = apex(other, t);
        if (fourth == kNone) continue;
        const auto corners = mesh.corners(t);
        if (exact::orient3d(corners[0], corners[1], corners[2], mesh.position(fourth)) != 0) continue;
        flat[side_of(t, k)] = 1;
        found = true;
      }
    if (found) any = true;
  });
  count_ = triangles;
  if (!any) return;

  UnionFind sets(triangles);
  for (std::uint32_t t = 0; t < triangles; ++t)
    for (std::uint32_t k = 0; k < 3; ++k)
      if (flat[side_of(t, k)] != 0) sets.join(t, topology_->across[side_of(t, k)]);
  face_of_.assign(triangles, kNone);
  count_ = 0;
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const std::uint32_t root = sets.root(t);  // the least, so it has a number by now
    face_of_[t] = root == t ? count_++ : face_of_[root];
  }
  begin_.assign(count_ + 1, 0);
  for (const std::uint32_t f : face_of_) ++begin_[f + 1];
  for (std::uint32_t f = 0; f < count_; ++f) begin_[f + 1] += begin_[f];
  triangles_.resize(triangles);
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t t = 0; t < triangles; ++t) triangles_[next[face_of_[t]]++] = t;
  polygon_of_.assign(count_, kNone);
  std::vector<std::uint32_t> of;
  for (std::uint32_t f = 0; f < count_; ++f)
    if (begin_[f + 1] - begin_[f] > 1) {
      polygon_of_[f] = static_cast<std::uint32_t>(of.size());
      of.push_back(f);
    }
  polygons_.resize(of.size());
  workers.for_each(of.size(), [&](std::size_t i) { polygons_[i] = polygon_of(mesh, normals, of[i]); });
}

Polygon Faces::polygon_of(const MeshView& mesh, const std::vector<Normal>& normals, std::uint32_t face) const {
  const auto own = triangles(face);
  Normal normal = normals[own[0]];
  double thin = 0;
  std::vector<std::uint32_t> vertices;
  for (const std::uint32_t t : own) {
    if (normals[t].error < normal.error) normal = normals[t];
    thin = std::max(thin, normals[t].thin);
    for (const std::uint32_t v : mesh.triangles[t]) vertices.push_back(topology_->topology.vertex[v]);
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  std::vector<Vec3d> points;
  for (const std::uint32_t v : vertices) points.push_back(mesh.position(v));
  Vec3d side = {0, 0, 0};  // the longest edge at the border of the face
  for (const std::uint32_t t : own) {
    const auto corners = mesh.corners(t);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t other = topology_->across[side_of(t, k)];
      const Vec3d edge = corners[(k + 1) % 3] - corners[k];
      if ((other == kNone || face_of_[other] != face) && length(edge) > length(side)) side = edge;
    }
  }
  if (outward_[own[0]] < 0) normal.unit = -1.0 * normal.unit;
  normal.thin = thin;
  return bounding_polygon(points, normal, side);
}

void Faces::enclose(const MeshView& mesh, Workers& workers) {
  const std::size_t blocks = mesh.triangles.size() / kTriangles + 1;
  std::vector<Box> boxes(blocks);
  std::vector<double> reaches(blocks, 0);
  const auto each_point = [&](std::size_t first, std::size_t last, const auto& visit) {
    for (std::size_t t = first; t < last; ++t)
      for (const std::uint32_t v : mesh.triangles[t]) visit(mesh.position(v));
  };
  workers.for_blocks(mesh.triangles.size(), kTriangles, [&](std::size_t first, std::size_t last) {
    each_point(first, last, [&](const Vec3d& p) { boxes[first / kTriangles].add(p); });
  });
  Box box;
  for (const Box& b : boxes) box.add(b);
  center_ = box.centre();
  for (int axis = 0; axis < 3; ++axis) half_[axis] = (1 + kRelativeError) * box.half(axis);
  workers.for_blocks(mesh.triangles.size(), kTriangles, [&](std::size_t first, std::size_t last) {
    double& reach = reaches[first / kTriangles];
    each_point(first, last, [&](const Vec3d& p) { reach = std::max(reach, length(p - center_)); });
  });
  reach_ = (1 + kRelativeError) * *std::max_element(reaches.begin(), reaches.end());
}

void Faces::pack(const MeshView& mesh, const std::vector<Normal>& normals, Workers& workers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr double kUp = 1 + 1e-6;  // more than what rounding to float takes away
  const std::size_t blocks = count_ / FaceBlock::kFaces + (count_ % FaceBlock::kFaces != 0);
  blocks_.resize(blocks);
  ranges_.resize(blocks);
  const double unit = reach_ > 0 && std::isfinite(reach_) ? 1 / reach_ : 0;
  struct Sphere {
    Vec3d center;
    double radius;
  };
  // Packs a face and returns a sphere around its points.
  const auto pack_face = [&](std::uint32_t face, FaceBlock& block, std::uint32_t at) {
    const Polygon* const polygon = this->polygon(face);
    const std::uint32_t t = first_triangle(face);
    std::array<Vec3d, 3> corners;
    std::span<const Vec3d> points = corners;
    Vec3d normal = static_cast<double>(outward_[t]) * normals[t].unit;
    double thin = normals[t].thin;
    if (polygon != nullptr) {
      points = polygon->points();
      normal = polygon->normal;
      thin = polygon->thin;
    } else {
      corners = mesh.corners(t);
    }
    Vec3d mean = {0, 0, 0};
    for (const Vec3d& p : points) mean = mean + (1.0 / static_cast<double>(points.size())) * (p - center_);
    double radius = 0;
    for (const Vec3d& p : points) radius = std::max(radius, length(p - center_ - mean));
    const Vec3d p = unit * mean, moment = cross(normal, p);
    const bool open = outward_[t] == 0 || !(thin > 0) || unit == 0 || !std::isfinite(radius);
    const double line[FaceBlock::kLine] = {normal[0], normal[1], normal[2],     moment[0],
                                           moment[1], moment[2], dot(normal, p)};
    for (int i = 0; i < FaceBlock::kLine; ++i) block.line[i][at] = open ? 0 : static_cast<float>(line[i]);
    block.radius[at] = open ? 0 : static_cast<float>(kUp * unit * radius);
    block.thin[at] = open ? kInfinity : static_cast<float>(std::min(kUp * thin * reach_, 1e38));
    return Sphere{p, unit * radius};
  };
  workers.for_each(blocks, [&](std::size_t b) {
    FaceBlock& block = blocks_[b];
    FaceRange& range = ranges_[b];
    const auto first = static_cast<std::uint32_t>(b * FaceBlock::kFaces);
    const std::uint32_t size = std::min(FaceBlock::kFaces, count_ - first);
    std::array<Sphere, FaceBlock::kFaces> spheres;
    for (std::uint32_t i = 0; i < size; ++i) spheres[i] = pack_face(first + i, block, i);
    for (std::uint32_t i = size; i < FaceBlock::kFaces; ++i) {  // the rest is never read as a face
      for (auto& line : block.line) line[i] = line[size - 1];
      block.radius[i] = block.radius[size - 1];
      block.thin[i] = block.thin[size - 1];
    }
    for (int k = 0; k < FaceBlock::kLine; ++k) {
      range.low[k] = *std::min_element(block.line[k], block.line[k] + FaceBlock::kFaces);
      range.high[k] = *std::max_element(block.line[k], block.line[k] + FaceBlock::kFaces);
    }
    range.radius = *std::max_element(block.radius, block.radius + FaceBlock::kFaces);
    range.thin = *std::max_element(block.thin, block.thin + FaceBlock::kFaces);
    const auto around = [&](std::uint32_t begin, std::uint32_t end) {
      Box box;
      for (std::uint32_t i = begin; i < end; ++i) box.add(spheres[i].center);
      double reach = 0;
      bool finite = unit > 0;
      for (std::uint32_t i = begin; i < end; ++i) {
        const double here = length(spheres[i].center - box.centre()) + spheres[i].radius;
        finite &= std::isfinite(here);
        reach = std::max(reach, here);
      }
      FaceRange::Sphere sphere = {};
      for (int k = 0; k < 3; ++k) sphere.center[k] = finite ? static_cast<float>(box.middle(k)) : 0;
      sphere.reach = finite ? static_cast<float>(kUp * reach + 1e-6) : kInfinity;
      return sphere;
    };
    range.all = around(0, size);
    for (std::uint32_t p = 0; p < FaceRange::kParts; ++p) {
      const std::uint32_t begin = p * FaceRange::kInPart;
      range.part[p] = begin < size ? around(begin, std::min(size, begin + FaceRange::kInPart)) : range.all;
    }
  });
}

/// All cells that the box of a triangle meets; every cell where long triangles would take long.
void Faces::fill_cells(const MeshView& mesh, Workers& workers) {
  constexpr std::size_t kFewest = 256;   // triangles: the box is as good for fewer
  constexpr std::size_t kMostRows = 64;  // of a triangle, on average
  const moving::CellMap map(half_);
  if (mesh.triangles.size() < kFewest || !map.usable()) return;
  cells_.assign(moving::CellMap::kRows, 0);
  workers.for_blocks(mesh.triangles.size(), kTriangles, [&](std::size_t first, std::size_t last) {
    std::vector<std::uint32_t> rows(moving::CellMap::kRows, 0);
    std::size_t filled = 0;
    for (std::size_t t = first; t < last; ++t) {
      const Box box = sightline::box_of(mesh.corners(t));
      int low[3], high[3];
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = map.cell(k, box.low[k] - center_[k]);
        high[k] = map.cell(k, box.high[k] - center_[k]);
      }
      filled += static_cast<std::size_t>((high[1] - low[1] + 1) * (high[2] - low[2] + 1));
      if (filled > kMostRows * (last - first)) {
        rows.assign(rows.size(), ~0u);
        break;
      }
      const std::uint32_t bits = moving::CellMap::bits(low[0], high[0]);
      for (int z = low[2]; z <= high[2]; ++z)
        for (int y = low[1]; y <= high[1]; ++y)
          rows[static_cast<std::size_t>(z * moving::CellMap::kAcross + y)] |= bits;
    }
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (rows[row] != 0) std::atomic_ref(cells_[row]).fetch_or(rows[row], std::memory_order_relaxed);
  });
}

// ---- rigid motion

namespace {

/// Three unit vectors at right angles, as columns, from three points; zero if these are on a line.
std::array<Vec3d, 3> frame_of(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d x = b - a, z = cross(x, c - a);
  const double size_x = length(x), size_z = length(z);
  if (!(size_x > 0) || !(size_z > 0) || !std::isfinite(size_x) || !std::isfinite(size_z)) return {};
  const Vec3d u = (1 / size_x) * x, w = (1 / size_z) * z;
  return {u, cross(w, u), w};
}

}  // namespace

void Faces::choose_marks() {
  const auto count = static_cast<std::uint32_t>(std::max(f32_.size(), f64_.size()));
  const auto farthest = [&](const auto& distance) {
    std::uint32_t best = 0;
    double most = -1;
    for (std::uint32_t v = 0; v < count; ++v)
      if (const double here = distance(own(v)); here > most) most = here, best = v;
    return best;
  };
  marks_[0] = farthest([&](const Vec3d& p) { return length(p - center_); });
  marks_[1] = farthest([&, a = own(marks_[0])](const Vec3d& p) { return length(p - a); });
  marks_[2] =
      farthest([&, a = own(marks_[0]), b = own(marks_[1])](const Vec3d& p) { return length(cross(p - a, b - a)); });
}

bool Faces::follow(const MeshView& mesh, Workers& workers) {
  const std::size_t count = std::max(f32_.size(), f64_.size());
  if (mesh.positions.size() != count || count == 0) return false;
  const Vec3d a = own(marks_[0]), b = mesh.position(marks_[0]);
  const auto from = frame_of(a, own(marks_[1]), own(marks_[2]));
  const auto to = frame_of(b, mesh.position(marks_[1]), mesh.position(marks_[2]));
  if (from[0] == Vec3d{} || to[0] == Vec3d{}) return false;
  RigidPose pose;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k)
      pose.transform.rows[i][k] = to[0][i] * from[0][k] + to[1][i] * from[1][k] + to[2][i] * from[2][k];
    pose.transform.rows[i][3] = 0;
  }
  const Vec3d turned = image_of(a, pose.transform);
  for (int i = 0; i < 3; ++i) pose.transform.rows[i][3] = b[i] - turned[i];

  const double most = 1e-5 * reach_;  // more than rounding does, less than any motion that matters
  std::vector<double> deviations(count / kTriangles + 1, 0);
  std::atomic<bool> fits{true};
  const std::vector<std::uint32_t>& vertex = topology_->topology.vertex;
  workers.for_blocks(count, kTriangles, [&](std::size_t first, std::size_t last) {
    double largest = 0;
    bool equal = true;
    for (auto v = static_cast<std::uint32_t>(first); v < last; ++v) {
      const Vec3d p = mesh.position(v), d = image_of(own(v), pose.transform) - p;
      largest = std::max(largest, dot(d, d));
      equal = equal && (vertex[v] == v || mesh.position(vertex[v]) == p);
    }
    if (!equal || !(largest <= most * most)) fits = false;
    deviations[first / kTriangles] = std::sqrt(largest);
  });
  if (!fits || !(most > 1e-140)) return false;
  pose.deviation = (1 + kRelativeError) * *std::max_element(deviations.begin(), deviations.end()) +
                   kRelativeError * (reach_ + length(center_) + length(b));
  pose_ = pose;
  return true;
}

namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Faces::Faces(const MeshView& mesh, std::unique_ptr<FaceTopology> kept, Workers& workers)
    : number_(next_number()), topology_(std::move(kept)) {
  std::vector<Normal> normals(mesh.triangles.size());
  std::atomic<bool> all_have_area{true};
  workers.for_blocks(normals.size(), kTriangles, [&](std::size_t first, std::size_t last) {
    bool area = true;
    for (std::size_t t = first; t < last; ++t) {
      normals[t] = normal_of(mesh.corners(t));
      area &= normals[t].thin > 0 && normals[t].error < 0.5;
    }
    if (!area) all_have_area = false;
  });
  if (topology_ != nullptr &&
      (!all_have_area || !topology_->topology.degenerate.empty() || weld(mesh) != topology_->topology.vertex))
    topology_.reset();
  topology_was_kept_ = topology_ != nullptr;
  if (topology_ == nullptr) topology_ = std::make_unique<FaceTopology>(mesh, workers);  // 1

  outward_ = winding(mesh, topology_->topology, topology_->balanced).of_solid;  // 2
  for (std::size_t t = 0; t < outward_.size(); ++t) {
    if (!(normals[t].thin > 0)) outward_[t] = 0;
    any_outward_ |= outward_[t] != 0;
  }
  merge(mesh, normals, workers);  // 3
  enclose(mesh, workers);
  pack(mesh, normals, workers);
  fill_cells(mesh, workers);
  const Positions& points = mesh.positions;
  f32_.assign(points.f32().begin(), points.f32().end());
  f64_.assign(points.f64().begin(), points.f64().end());
  choose_marks();
}

moving::FaceArrays Faces::arrays() const {
  return {{blocks_.data(), blocks_.size()},
          ranges_,
          cells_,
          outward_,
          face_of_,
          polygon_of_,
          begin_,
          triangles_,
          polygons_,
          f32_,
          f64_};
}

}  // namespace sightline::papers::method
