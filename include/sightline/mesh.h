// Meshes: views into the caller's memory, and an owning mesh that the readers fill.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sightline/error.h"

namespace sightline {

using Vec3f = std::array<float, 3>;
using Vec3d = std::array<double, 3>;

/// Three vertex indices. The order gives the winding; no answer about contacts depends on it.
using Triangle = std::array<std::uint32_t, 3>;

/// A container of Items that ends with the expression in which it was made: a view of it would dangle.
template <typename Container, typename Item>
concept temporary_of =
    !std::is_lvalue_reference_v<Container> && !std::ranges::enable_borrowed_range<std::remove_cvref_t<Container>> &&
    std::is_constructible_v<std::span<const Item>, Container>;

/// Positions in the caller's memory, float32 or float64, taken as the exact numbers they are. They must stay there: a
/// temporary, such as the vector that a function returns, does not compile.
class Positions {
 public:
  Positions() = default;
  Positions(std::span<const Vec3f> points) : f32_(points.data()), size_(points.size()) {}
  Positions(std::span<const Vec3d> points) : f64_(points.data()), size_(points.size()), is_double_(true) {}
  Positions(const std::vector<Vec3f>& points) : Positions(std::span<const Vec3f>(points)) {}
  Positions(const std::vector<Vec3d>& points) : Positions(std::span<const Vec3d>(points)) {}
  template <typename Points>
  requires(temporary_of<Points, Vec3f> || temporary_of<Points, Vec3d>) Positions(Points&&)
  = delete;
  /// A flat array x0 y0 z0 x1 y1 z1 …; throws if its length is not a multiple of three.
  static Positions flat(std::span<const float> xyz);
  static Positions flat(std::span<const double> xyz);
  template <typename Numbers>
  requires(temporary_of<Numbers, float> || temporary_of<Numbers, double>) static Positions flat(Numbers&&) = delete;

  std::size_t size() const { return size_; }
  bool is_double() const { return is_double_; }
  std::span<const Vec3f> f32() const { return {f32_, is_double_ ? 0 : size_}; }
  std::span<const Vec3d> f64() const { return {f64_, is_double_ ? size_ : 0}; }
  /// Exact whatever the storage: every float is a double.
  Vec3d operator[](std::size_t i) const {
    if (is_double_) return f64_[i];
    return {f32_[i][0], f32_[i][1], f32_[i][2]};
  }

 private:
  const Vec3f* f32_ = nullptr;
  const Vec3d* f64_ = nullptr;
  std::size_t size_ = 0;
  bool is_double_ = false;
};

/// A mesh in the caller's memory; what it points to must outlive its use.
struct MeshView {
  Positions positions;
  std::span<const Triangle> triangles;

  MeshView() = default;
  MeshView(const Positions& p, std::span<const Triangle> t) : positions(p), triangles(t) {}
  template <temporary_of<Triangle> Triangles>
  MeshView(const Positions&, Triangles&&) = delete;

  std::array<Vec3d, 3> corners(std::size_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {positions[t[0]], positions[t[1]], positions[t[2]]};
  }
};

/// A mesh that owns its memory. Files with float32 coordinates stay float32; text coordinates become double.
struct Mesh {
  std::string name;  ///< object or group name, or the file's stem
  std::variant<std::vector<Vec3f>, std::vector<Vec3d>> positions;
  std::vector<Triangle> triangles;

  MeshView view() const {
    return {std::visit([](const auto& points) { return Positions(points); }, positions), triangles};
  }
  operator MeshView() const& { return view(); }
  operator MeshView() const&& = delete;  // a view of a temporary would dangle
};

/// Throws Error if a coordinate is not finite or an index is out of range; `name` opens the message.
void validate(const MeshView& mesh, const std::string& name = "mesh");

}  // namespace sightline
