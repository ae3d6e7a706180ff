#include "raster/cpu/parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sightline::papers::raster::cpu {
namespace {

constexpr double kLevel = 0x1p30;  ///< a level edge is passed at once or never

PartBox box_of(const Primitive& p, const Target& target, std::int32_t reach) {
  const PixelBox box = pixel_box(p, target, reach);
  const auto narrow = [](std::int32_t at) { return static_cast<std::int16_t>(at); };
  return {narrow(box.x0), narrow(box.y0), narrow(box.x1), narrow(box.y1)};
}

struct Edge {
  std::int64_t side;
  std::int32_t dx, dy;  ///< of `side`, per pixel
};

Edge edge_of(const Primitive& p, int i, bool conservative) {
  const int j = (i + 1) % 3;
  const std::int64_t dx = p.x[j] - p.x[i], dy = p.y[j] - p.y[i];
  std::int64_t side = dx * (kHalf - p.y[i]) - dy * (kHalf - p.x[i]);
  if (conservative) {
    side += (std::abs(dx) + std::abs(dy)) * kReach;
  } else if (!(dy < 0 || (dy == 0 && dx < 0))) {
    side -= 1;  // neither left nor top
  }
  return {side >> 8, static_cast<std::int32_t>(-dy), static_cast<std::int32_t>(dx)};
}

/// A filled primitive; false if it draws nothing.
bool make_part(const Primitive& primitive, std::uint32_t triangle, const Target& target, Part& part, PartBox& box) {
  const bool conservative = target.coverage == Coverage::conservative;
  box = box_of(primitive, target, conservative ? kReach : 0);
  box.facing = primitive.area > 0 ? 1 : primitive.area < 0 ? -1 : 0;
  if (box.x0 >= box.x1 || box.y0 >= box.y1 || (primitive.area == 0 && !conservative)) {
    box.x1 = box.x0;
    return false;
  }
  Primitive p = primitive;
  make_front(p);
  const DepthPlane plane(p, target.coverage);
  part.z = plane.z, part.zx = plane.zx, part.zy = plane.zy;
  part.low = plane.low, part.high = plane.high, part.half = plane.half;
  part.x0 = static_cast<std::int16_t>(plane.x0), part.y0 = static_cast<std::int16_t>(plane.y0);
  part.triangle = triangle;
  Edge edges[3] = {edge_of(p, 0, conservative), edge_of(p, 1, conservative), edge_of(p, 2, conservative)};
  // Largest dx (a left edge) to place 0, smallest (a right one) to place 1.
  if (edges[0].dx < edges[1].dx) std::swap(edges[0], edges[1]);
  if (edges[0].dx < edges[2].dx) std::swap(edges[0], edges[2]);
  if (edges[2].dx < edges[1].dx) std::swap(edges[2], edges[1]);
  for (int i = 0; i < 3; ++i) {
    part.edge[i] = static_cast<double>(edges[i].side) + 0.5;
    part.dx[i] = edges[i].dx, part.dy[i] = edges[i].dy;
    part.cross[i] = edges[i].dx != 0 ? -1.0 / edges[i].dx : i == 0 ? -kLevel : kLevel;
  }
  return true;
}

}  // namespace

void Parts::reset(const Geometry& geometry, const Camera& camera, const Target& target) {
  projection_ = Projection(camera, target);
  geometry_ = geometry;
  target_ = target;
  first_.assign(geometry.triangles.size(), kNone);
  parts_.clear();
  boxes_.clear();
  filled_ = 0;
}

void Parts::project(std::uint32_t triangle, std::uint32_t slot, std::vector<std::pair<Part, PartBox>>& more) {
  const Triangle& t = geometry_.triangles[triangle];
  const auto& at = geometry_.positions;
  Primitive primitives[Projection::kMost];
  const int count = projection_.triangle(at[t[0]], at[t[1]], at[t[2]], primitives);
  boxes_[slot] = PartBox{};
  bool used = false;
  for (int i = 0; i < count; ++i) {
    Part part;
    PartBox box;
    if (!make_part(primitives[i], triangle, target_, part, box)) continue;
    if (used) {
      box.next = slot;  // until the parts are linked: the first part of the triangle
      more.emplace_back(part, box);
    } else {
      parts_[slot] = part;
      boxes_[slot] = box;
      used = true;
    }
  }
}

void Parts::prepare(Workers& workers, std::span<const std::uint32_t> triangles) {
  fresh_.clear();
  for (const std::uint32_t t : triangles)
    if (first_[t] == kNone) {
      first_[t] = static_cast<std::uint32_t>(filled_ + fresh_.size());
      fresh_.push_back(t);
    }
  if (fresh_.empty()) return;
  parts_.resize(filled_ + fresh_.size());
  boxes_.resize(filled_ + fresh_.size());
  constexpr std::size_t kBlock = 512;
  std::vector<std::vector<std::pair<Part, PartBox>>> more((fresh_.size() + kBlock - 1) / kBlock);
  workers.for_each(more.size(), [&](std::size_t block) {
    const std::size_t end = std::min(fresh_.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i)
      project(fresh_[i], static_cast<std::uint32_t>(filled_ + i), more[block]);
  });
  for (const auto& block : more)
    for (const auto& [part, box] : block) {
      std::uint32_t last = box.next;
      while (boxes_[last].next != kNone) last = boxes_[last].next;
      boxes_[last].next = static_cast<std::uint32_t>(parts_.size());
      parts_.push_back(part);
      boxes_.push_back(box);
      boxes_.back().next = kNone;
    }
  filled_ = parts_.size();
}

std::uint32_t Parts::add_lines(const State& state, std::uint32_t triangle) {
  const Triangle& t = geometry_.triangles[triangle];
  const std::array<Vec3d, 3> corner = geometry_.corners(triangle);
  Primitive primitives[Projection::kMost];
  const int count = projection_.triangle(corner[0], corner[1], corner[2], primitives);
  if (count > 0 && culled(state.cull, primitives[0].area)) return kNone;
  std::uint32_t first = kNone;
  for (int i = 0; i < 3; ++i) {
    const auto [a, b] = edge_ends(t, i);
    Primitive line;
    if (projection_.line(corner[a], corner[b], &line) == 0) continue;
    Part part = {};
    PartBox box;
    if (target_.coverage == Coverage::conservative) {
      if (!make_part(line, triangle, target_, part, box)) continue;
    } else {
      box = box_of(line, target_, kReach);
      const Segment ends = raster::segment(line);
      part.edge[0] = ends.x0, part.edge[1] = ends.y0, part.edge[2] = ends.z0;
      part.cross[0] = ends.x1, part.cross[1] = ends.y1, part.cross[2] = ends.z1;
      part.triangle = triangle;
    }
    const std::uint32_t slot = static_cast<std::uint32_t>(parts_.size());
    (first == kNone ? first : boxes_.back().next) = slot;
    parts_.push_back(part);
    boxes_.push_back(box);
  }
  return first;
}

void Parts::drop_lines() {
  parts_.resize(filled_);
  boxes_.resize(filled_);
}

}  // namespace sightline::papers::raster::cpu
