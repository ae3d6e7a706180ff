#include "mesh/weld.h"
#include "picture/shade.h"

namespace sightline::picture {
namespace {

constexpr double kCrease = 0.82;           // cosine of about 35 degrees
constexpr std::uint32_t kMostAround = 64;  // the hub of a larger fan is shaded flat

Vec3f narrow(const Vec3d& n) { return {static_cast<float>(n[0]), static_cast<float>(n[1]), static_cast<float>(n[2])}; }

Vec3d area_vector(const Model& model, std::uint32_t triangle) {
  const Triangle& t = model.triangles[triangle];
  const Vec3d& p = model.positions[t[0]];
  return cross(model.positions[t[1]] - p, model.positions[t[2]] - p);
}

}  // namespace

Normals::Normals(const Model& model)
    : model_(model), vertex_(model.positions.size()), slot_(model.triangles.size(), kNothing) {
  // Positions of one part stand together, and parts are not smoothed into each other.
  std::size_t first = 0, triangle = 0;
  while (triangle < model.triangles.size()) {
    std::size_t end = triangle;
    std::uint32_t high = 0;
    while (end < model.triangles.size() && model.part[end] == model.part[triangle]) {
      for (const std::uint32_t v : model.triangles[end]) high = std::max(high, v);
      ++end;
    }
    const std::span<const Vec3d> points = std::span(model.positions).subspan(first, high + 1 - first);
    const std::vector<std::uint32_t> same = weld(points);
    for (std::size_t i = 0; i < same.size(); ++i) vertex_[first + i] = static_cast<std::uint32_t>(first) + same[i];
    first = high + 1;
    triangle = end;
  }
  start_.assign(model.positions.size() + 1, 0);
  for (const Triangle& t : model.triangles)
    for (const std::uint32_t v : t) ++start_[vertex_[v]];
  std::uint32_t sum = 0;
  for (std::uint32_t& s : start_) sum += std::exchange(s, sum);
  around_.resize(sum);
  std::vector<std::uint32_t> next = start_;
  for (std::uint32_t i = 0; i < model.triangles.size(); ++i)
    for (const std::uint32_t v : model.triangles[i]) around_[next[vertex_[v]]++] = i;
}

Vec3d Normals::face(std::uint32_t triangle) const { return normalized(area_vector(model_, triangle)); }

std::array<Vec3f, 3> Normals::smooth(std::uint32_t triangle) const {
  const Vec3d mine = face(triangle);
  std::array<Vec3f, 3> corners;
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t v = vertex_[model_.triangles[triangle][k]];
    Vec3d sum = {};
    if (start_[v + 1] - start_[v] <= kMostAround)
      for (std::uint32_t i = start_[v]; i < start_[v + 1]; ++i) {
        const Vec3d area = area_vector(model_, around_[i]);
        const double along = dot(normalized(area), mine);
        if (along > kCrease) sum = sum + area;
        if (along < -kCrease) sum = sum - area;  // wound the other way
      }
    corners[k] = narrow(dot(sum, sum) > 0 ? normalized(sum) : mine);
  }
  return corners;
}

void Normals::prepare(const std::vector<std::uint32_t>& ids, Workers& workers) {
  std::vector<std::uint32_t> fresh;
  for (const std::uint32_t id : ids)
    if (id != kNothing && slot_[id] == kNothing) {
      slot_[id] = static_cast<std::uint32_t>(corners_.size() + fresh.size());
      fresh.push_back(id);
    }
  const std::size_t before = corners_.size();
  corners_.resize(before + fresh.size());
  constexpr std::size_t kBlock = 1024;
  workers.for_each((fresh.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min(fresh.size(), (block + 1) * kBlock); ++i)
      corners_[before + i] = smooth(fresh[i]);
  });
}

}  // namespace sightline::picture
