// Validation of the caller's meshes: every position finite, every index in range.
#include "sightline/mesh.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/float_environment.h"
#include "base/format.h"
#include "base/image_of.h"
#include "base/parallel.h"
#include "input/object.h"

namespace sightline {
namespace {

template <typename Scalar>
std::span<const std::array<Scalar, 3>> as_points(std::span<const Scalar> xyz) {
  if (xyz.size() % 3 != 0)
    throw Error(formatted("positions: {} numbers, which is not a multiple of three", xyz.size()));
  static_assert(sizeof(std::array<Scalar, 3>) == 3 * sizeof(Scalar));
  return {reinterpret_cast<const std::array<Scalar, 3>*>(xyz.data()), xyz.size() / 3};
}

/// Calls work(first, last) for pieces of [0, n) and returns true if any call did.
template <typename Work>
bool any_piece(std::size_t n, Workers& workers, const Work& work) {
  std::atomic<bool> any{false};
  workers.for_blocks(n, 1 << 16, [&](std::size_t first, std::size_t last) {
    if (work(first, last)) any = true;
  });
  return any;
}

// Pieces are scanned without branches; the bad element is searched for only after a piece has failed.

/// Calls report(vertex, axis, coordinate), which throws, for the first coordinate of at(0) … at(count - 1) that is not
/// finite.
template <typename At, typename Report>
void require_finite(std::size_t count, Workers& workers, const At& at, const Report& report) {
  const bool bad = any_piece(count, workers, [&at](std::size_t first, std::size_t last) {
    typename std::remove_cvref_t<decltype(at(first))>::value_type sum = 0;  // x - x is 0 for finite x and NaN otherwise
    for (std::size_t i = first; i < last; ++i) {
      const auto& p = at(i);
      sum += (p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]);
    }
    return sum != 0;
  });
  if (!bad) return;
  for (std::size_t i = 0; i < count; ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (const auto x = at(i)[axis]; !std::isfinite(x)) report(i, axis, x);
}

template <typename Point>
void validate_points(std::span<const Point> points, const std::string& name, Workers& workers) {
  require_finite(
      points.size(), workers, [points](std::size_t i) -> const Point& { return points[i]; },
      [&name](std::size_t i, int axis, auto x) {
        throw Error(formatted("{}: vertex {}: {} is {}, not a finite number", name, i, "xyz"[axis], x));
      });
}

/// Transformed positions, whose stored points are finite.
void validate_placed(const MeshView& mesh, const std::string& name, Workers& workers) {
  for (const auto& row : mesh.transform().rows)
    for (const double x : row)
      if (!std::isfinite(x)) throw Error(formatted("{}: the transform has the entry {}, not a finite number", name, x));
  const auto report = [&](std::size_t i, int, double) {
    throw Error(formatted("{}: vertex {}: the transform takes it out of the range of {}", name, i,
                          mesh.positions.is_double() ? "double" : "float32"));
  };
  const auto require = [&](const auto& points) {
    require_finite(
        points.size(), workers, [&](std::size_t i) { return image_of(points[i], mesh.transform()); }, report);
  };
  if (mesh.positions.is_double())
    require(mesh.positions.f64());
  else
    require(mesh.positions.f32());
}

void validate_triangles(std::span<const Triangle> triangles, std::size_t vertices, const std::string& name,
                        Workers& workers) {
  const bool bad = any_piece(triangles.size(), workers, [&](std::size_t first, std::size_t last) {
    std::uint32_t largest = 0;
    for (const Triangle& t : triangles.subspan(first, last - first)) largest = std::max({largest, t[0], t[1], t[2]});
    return largest >= vertices;
  });
  if (!bad) return;
  for (std::size_t i = 0; i < triangles.size(); ++i)
    for (const std::uint32_t index : triangles[i])
      if (index >= vertices)
        throw Error(formatted("{}: triangle {}: vertex index {} is out of range; there are {} vertices", name, i, index,
                              vertices));
}

}  // namespace

Positions Positions::flat(std::span<const float> xyz) { return as_points(xyz); }
Positions Positions::flat(std::span<const double> xyz) { return as_points(xyz); }

void validate(const MeshView& mesh, const std::string& name, Workers& workers) {
  constexpr std::size_t kMost = 0xFFFFFFFFu;
  if (mesh.triangles.size() > kMost)
    throw Error(formatted("{}: {} triangles; at most {} can be numbered", name, mesh.triangles.size(), kMost));
  if (mesh.positions.size() > kMost)
    throw Error(formatted("{}: {} vertices; at most {} can be numbered", name, mesh.positions.size(), kMost));
  if (mesh.positions.is_double())
    validate_points(mesh.positions.f64(), name, workers);
  else
    validate_points(mesh.positions.f32(), name, workers);
  if (mesh.is_placed()) validate_placed(mesh, name, workers);
  validate_triangles(mesh.triangles, mesh.positions.size(), name, workers);
}

void validate(const MeshView& mesh, const std::string& name, unsigned threads) {
  const FloatEnvironment environment;
  Workers workers(threads, mesh.triangles.size() + mesh.positions.size());
  validate(mesh, name, workers);
}

}  // namespace sightline
