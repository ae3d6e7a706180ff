#include "method/facing.h"

#include <algorithm>
#include <cmath>

#include "base/vector.h"

namespace sightline::papers::method {
namespace {

Vec3d unit(const Vec3d& v) {
  const double length = std::sqrt(dot(v, v));
  return length > 0 ? Vec3d{v[0] / length, v[1] / length, v[2] / length} : v;
}

}  // namespace

Facing::Facing(const Scene& scene) : triangles(scene.triangles.size()) {
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const auto corner = scene.corners(t);
    double longest = 0;
    for (int i = 0; i < 3; ++i) {
      const Vec3d edge = corner[(i + 1) % 3] - corner[i];
      longest = std::max(longest, dot(edge, edge));
    }
    const Vec3d n = cross(corner[1] - corner[0], corner[2] - corner[1]);
    const double length = std::sqrt(dot(n, n));
    const Of of = {{}, static_cast<float>(length / 2), static_cast<float>(std::sqrt(longest))};
    if (!(of.area > 0) || !std::isfinite(of.area) || !std::isfinite(of.longest)) continue;
    triangles[t] = of;
    for (int k = 0; k < 3; ++k) triangles[t].normal[k] = static_cast<float>(n[k] / length);
  }
}

double Directions::towards(const Bin& bin, const Vec3d& direction) {
  return std::max(0.0, -dot(unit(bin.normal), direction));
}

Vec3d Directions::next() {
  Vec3d best = {0, 0, -1};
  double most = -1;
  for (int i = 0; i < 27; ++i) {
    const Vec3d direction = unit({double(i % 3 - 1), double(i / 3 % 3 - 1), double(i / 9 - 1)});
    double faces = 0;
    for (const Bin& bin : bins_) faces += bin.weight * towards(bin, direction);
    if (i != 13 && faces > most) most = faces, best = direction;
  }
  for (Bin& bin : bins_) bin.weight *= 1 - towards(bin, best);
  return best;
}

void Directions::add(const Facing::Of& triangle) {
  const Vec3f& n = triangle.normal;
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(n[k]) > std::abs(n[axis])) axis = k;
  if (n[axis] == 0) return;
  const auto cell = [&](int k) {
    return std::min(kSide - 1, static_cast<int>((n[k] / std::abs(n[axis]) + 1) * (kSide / 2.0f)));
  };
  const int face = 2 * axis + (n[axis] < 0 ? 1 : 0);
  Bin& bin = bins_[(face * kSide + cell((axis + 1) % 3)) * kSide + cell((axis + 2) % 3)];
  for (int k = 0; k < 3; ++k) bin.normal[k] += triangle.area * n[k];
  bin.weight += triangle.area;
}

std::vector<View> views_of_pass(const Context& context, Directions& directions) {
  if (!context.views.empty()) return {context.views.begin(), context.views.end()};
  constexpr int kDirections = 6;
  std::vector<View> views;
  for (int i = 0; i < kDirections; ++i) {
    Vec3d along_axis = {0, 0, 0};
    along_axis[i % 3] = i < 3 ? -1 : 1;
    views.push_back({context.options.choose_views ? directions.next() : along_axis});
  }
  return views;
}

}  // namespace sightline::papers::method
