#include "support/regimes.h"

#include <algorithm>
#include <cmath>

#include "scenes/scenes.h"

namespace testing_support {

std::size_t RegimeScene::triangles() const {
  std::size_t count = 0;
  for (const Mesh& mesh : objects) count += mesh.triangles.size();
  return count;
}

RegimeScene as_one(const RegimeScene& scene) {
  Builder all;
  for (const Mesh& mesh : scene.objects) all.append(mesh);
  return {{all.mesh()}, {true}};
}

RegimeScene dealt_out(const RegimeScene& scene, std::size_t parts) {
  RegimeScene out{dealt(as_one(scene).objects[0], parts), {}};
  for (std::size_t i = 0; i < parts; ++i) out.self.push_back(i % 2 == 0);
  return out;
}

RegimeScene permuted(const RegimeScene& scene, std::uint64_t seed) {
  Random random(seed);
  RegimeScene out = scene;
  for (Mesh& mesh : out.objects)
    for (std::size_t i = mesh.triangles.size(); i > 1; --i)
      std::swap(mesh.triangles[i - 1], mesh.triangles[random.below(static_cast<int>(i))]);
  return out;
}

RegimeScene turned(const RegimeScene& scene, int by) {
  RegimeScene out = scene;
  for (Mesh& mesh : out.objects)
    mesh = transformed(mesh, [by](const Vec3d& p) {
      Vec3d q;
      for (int k = 0; k < 3; ++k) q[(k + by) % 3] = p[k];
      return q;
    });
  return out;
}

Mesh sheet(int n, const std::function<double(double, double)>& height) {
  Builder out;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = static_cast<double>(i) / n, y = static_cast<double>(j) / n;
      out.corner({x, y, height(x, y)});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::uint32_t>(j * (n + 1) + i), up = at + static_cast<std::uint32_t>(n) + 1;
      out.indexed(at, at + 1, up + 1);
      out.indexed(at, up + 1, up);
    }
  return out.mesh();
}

RegimeScene giant_over_sheet(double s, int quads) {
  Builder giant;
  giant.triangle({-s, -s, -0.3 * s}, {s, -s, 0.3 * s}, {0, s, 0});
  return {{giant.mesh(), sheet(quads, [](double, double y) { return 0.2 * y; })}, {false, false}};
}

RegimeScene far_plane(int axis, double at, double extent, int count) {
  Random random(1);
  Builder out;
  const auto point = [&](double u, double v) {
    Vec3d p;
    p[axis] = at;
    p[(axis + 1) % 3] = u * extent;
    p[(axis + 2) % 3] = v * extent;
    return p;
  };
  out.triangle(point(0, 0), point(1, 0), point(0, 1));
  for (int i = 0; i < count; ++i) {
    const double u = random.unit(), v = random.unit();
    Vec3d p[3];
    for (Vec3d& q : p) q = point(u + 0.04 * random.in(-1, 1), v + 0.04 * random.in(-1, 1));
    out.triangle(p[0], p[1], p[2]);
  }
  return {{out.mesh()}, {true}};
}

RegimeScene sheet_over_ground(int n, double ground, bool touching) {
  const auto wave = [](double x, double y) { return 0.05 * std::sin(20 * x) + 0.05 * std::cos(17 * y); };
  Mesh mesh = sheet(n, wave);
  auto& points = std::get<1>(mesh.positions);
  const auto base = static_cast<std::uint32_t>(points.size());
  const double low = -ground / 3, high = ground, at = touching ? 0 : -1;
  for (const auto& [x, y] : {std::pair(low, low), {high, low}, {high, high}, {low, high}})
    points.push_back({x, y, at + 0.3 * x});
  const std::size_t step = std::max<std::size_t>(1, (mesh.triangles.size() + 2) / 4096);
  mesh.triangles.insert(mesh.triangles.begin() + static_cast<std::ptrdiff_t>(step / 2), {base, base + 1, base + 2});
  mesh.triangles.push_back({base, base + 2, base + 3});
  return {{mesh}, {true}};
}

RegimeScene walls(int n, int k) {
  Random random(5);
  std::vector<std::array<Vec3d, 3>> all;
  for (int i = 0; i < n; ++i) {
    const Vec3d c{random.unit(), random.unit(), 0.05 * random.unit()};
    std::array<Vec3d, 3> t;
    for (Vec3d& p : t)
      for (int a = 0; a < 3; ++a) p[a] = c[a] + 1e-5 * random.in(-0.5, 0.5);
    all.push_back(t);
  }
  for (int i = 0; i < k; ++i) {
    const double z = 0.06 + 0.1 * i / k;
    all.insert(all.begin() + random.below(static_cast<int>(all.size())),
               {{{-0.5, -0.5, z}, {1.5, -0.5, z}, {0.5, 1.8, z}}});
  }
  Builder out;
  for (const auto& t : all) out.triangle(t[0], t[1], t[2]);
  return {{as_float(out.mesh())}, {true}};
}

RegimeScene boxes_in_a_row(int n, int axis, bool touching) {
  RegimeScene out;
  for (int i = 0; i < n; ++i) {
    Vec3d low{i * 7919 % 97 / 97.0, i * 104729LL % 89 / 89.0, i * 1299709LL % 83 / 166.0}, high;
    low[axis] = 2.0 * i;
    for (int k = 0; k < 3; ++k) high[k] = low[k] + (k == axis && touching ? 2.0 : 0.9);
    out.objects.push_back(as_double(sightline::scenes::box(low, high)));
    out.self.push_back(false);
  }
  return out;
}

}  // namespace testing_support
