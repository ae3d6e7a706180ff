// Meshes: views into the caller's memory, transforms, an owning mesh, and facts about one mesh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "sightline/version.h"

namespace sightline {

/// Every exception of the library: bad input, an unreadable file, a missing device, a refused option. The message names
/// the file, the element and the value, and can be shown to a person unchanged.
class SIGHTLINE_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Vec3f = std::array<float, 3>;
using Vec3d = std::array<double, 3>;

/// Three vertex indices. Their order is the winding; no contact depends on it.
using Triangle = std::array<std::uint32_t, 3>;

/// An affine map. Row i holds the factors of x, y and z for coordinate i, and the translation.
struct Transform {
  std::array<std::array<double, 4>, 3> rows = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

  static Transform translation(const Vec3d& by) { return {{{{1, 0, 0, by[0]}, {0, 1, 0, by[1]}, {0, 0, 1, by[2]}}}}; }
  /// The image of a point in double: factor times coordinate, added from left to right, each operation rounded to
  /// nearest, whatever the floating-point settings and the compiler flags of the caller are.
  SIGHTLINE_API Vec3d operator()(const Vec3d& p) const;
  /// The map that applies `inner` first.
  SIGHTLINE_API Transform operator*(const Transform& inner) const;
  friend bool operator==(const Transform&, const Transform&) = default;
};

/// A container of Items that is destroyed at the end of the expression: a view of it would dangle.
template <typename Container, typename Item>
concept temporary_of =
    !std::is_lvalue_reference_v<Container> && !std::ranges::enable_borrowed_range<std::remove_cvref_t<Container>> &&
    std::is_constructible_v<std::span<const Item>, Container>;

/// Positions in the caller's memory, float32 or float64, each coordinate taken as an exact number. A temporary, such as
/// a vector returned by a function, does not compile.
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
  /// A flat array x0 y0 z0 x1 y1 z1 …; throws Error if its length is not a multiple of three.
  SIGHTLINE_API static Positions flat(std::span<const float> xyz);
  SIGHTLINE_API static Positions flat(std::span<const double> xyz);
  template <typename Numbers>
  requires(temporary_of<Numbers, float> || temporary_of<Numbers, double>) static Positions flat(Numbers&&) = delete;

  std::size_t size() const { return size_; }
  bool is_double() const { return is_double_; }
  /// The stored points.
  std::span<const Vec3f> f32() const { return {f32_, is_double_ ? 0 : size_}; }
  std::span<const Vec3d> f64() const { return {f64_, is_double_ ? size_ : 0}; }
  /// A stored point; exact, since every float is a double. MeshView::position applies the transform.
  Vec3d stored(std::size_t i) const {
    if (is_double_) return f64_[i];
    return {f32_[i][0], f32_[i][1], f32_[i][2]};
  }

 private:
  const Vec3f* f32_ = nullptr;
  const Vec3d* f64_ = nullptr;
  std::size_t size_ = 0;
  bool is_double_ = false;
};

/// A mesh in the caller's memory, which must outlive the view, in the place that `transform` gives it. Many views with
/// different transforms can share one mesh: they are its instances.
///
/// The position of a vertex is transform(stored point), computed in double and then rounded to the type of the storage.
/// Every answer is exact for these rounded positions. The identity rounds nothing.
class MeshView {
 public:
  Positions positions;
  std::span<const Triangle> triangles;

  MeshView() = default;
  MeshView(const Positions& p, std::span<const Triangle> t, const Transform& where = {})
      : positions(p), triangles(t), transform_(where), is_placed_(where != Transform{}) {}
  template <temporary_of<Triangle> Triangles>
  MeshView(const Positions&, Triangles&&, const Transform& = {}) = delete;

  const Transform& transform() const { return transform_; }
  /// The same mesh in another place.
  MeshView placed(const Transform& where) const { return {positions, triangles, where}; }
  /// True if the transform is not the identity.
  bool is_placed() const { return is_placed_; }

  Vec3d position(std::size_t vertex) const { return is_placed_ ? placed_position(vertex) : positions.stored(vertex); }
  std::array<Vec3d, 3> corners(std::size_t triangle) const {
    const Triangle& t = triangles[triangle];
    return {position(t[0]), position(t[1]), position(t[2])};
  }

 private:
  SIGHTLINE_API Vec3d placed_position(std::size_t vertex) const;

  Transform transform_;
  bool is_placed_ = false;
};

/// A mesh that owns its memory. Files with float32 coordinates stay float32; text coordinates become double.
struct Mesh {
  std::string name;  ///< object or group name, or the file's stem
  std::variant<std::vector<Vec3f>, std::vector<Vec3d>> positions;
  std::vector<Triangle> triangles;
  /// Of each triangle, the number of its face (polygon) in the file, counted from 0; empty: triangle i is face i.
  std::vector<std::uint32_t> faces = {};

  MeshView view() const& {
    return {std::visit([](const auto& points) { return Positions(points); }, positions), triangles};
  }
  MeshView view() const&& = delete;  // a view of a temporary would dangle
  operator MeshView() const& { return view(); }
  operator MeshView() const&& = delete;
};

/// Throws Error if a position is not finite or an index is out of range. The message begins with `name`. `threads`: as
/// Options::threads.
SIGHTLINE_API void validate(const MeshView& mesh, const std::string& name = "mesh", unsigned threads = 1);

/// Facts about one mesh. Positions that are equal bit for bit (with -0 = +0) are one vertex.
struct Topology {
  std::vector<std::uint32_t> vertex;      ///< of each position: the first position equal to it
  std::vector<std::uint32_t> component;   ///< of each triangle: its component; components count by first triangle
  std::uint32_t components = 0;           ///< sets of triangles joined by shared vertices
  std::uint64_t vertices = 0;             ///< distinct positions that triangles use
  std::uint64_t open_edges = 0;           ///< edges with an odd number of (non-degenerate) triangles
  std::uint64_t nonmanifold_edges = 0;    ///< edges with more than two such triangles
  std::vector<std::uint32_t> degenerate;  ///< triangles without area (decided exactly), ascending
  std::uint64_t duplicates = 0;           ///< triangles whose three corners an earlier triangle has
  /// True if the mesh has triangles with area and no open edge (docs/definitions.md).
  bool closed() const { return degenerate.size() < component.size() && open_edges == 0; }
};
/// `threads`: as Options::threads. `cancel` is called from time to time; true ends the call by an Error.
SIGHTLINE_API Topology topology(const MeshView& mesh, unsigned threads = 0, const std::function<bool()>& cancel = {});

/// Sides of a closed surface.
enum class Side : std::uint8_t { outside, inside, on };
/// The side of a closed mesh on which a point lies, decided exactly by the parity of a ray's crossings.
SIGHTLINE_API Side side_of(const MeshView& closed_mesh, const Vec3d& point);

}  // namespace sightline
