// The answer of a query: contacts in canonical order, their intersections, and statistics.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sightline/mesh.h"

namespace sightline {

/// The kind of a contact, decided exactly (docs/definitions.md).
enum class Kind : std::uint8_t {
  touching,   ///< the triangles meet, but their interiors do not
  crossing,   ///< their interiors meet and they do not lie in one plane
  coplanar,   ///< they lie in one plane and overlap in an area
  duplicate,  ///< they have the same corners
};
inline constexpr int kKindCount = 4;
SIGHTLINE_API std::string_view to_string(Kind kind);

/// Triangle `a` of object `object_a` meets triangle `b` of object `object_b`. The smaller object comes first, and
/// within one object the smaller triangle.
struct Contact {
  std::uint32_t object_a = 0;
  std::uint32_t object_b = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Kind kind = Kind::touching;

  friend bool operator==(const Contact&, const Contact&) = default;
  /// The canonical order: object a, object b, triangle a, triangle b.
  friend std::strong_ordering operator<=>(const Contact&, const Contact&) = default;
};

/// The intersection of two closed triangles: nothing, a point, a segment or a convex polygon (at most six corners, in
/// order around it). The choice between these is exact; each coordinate is the exact one rounded to double.
struct Intersection {
  std::array<Vec3d, 6> storage{};
  std::uint8_t size = 0;  ///< 0 none, 1 point, 2 segment, 3 to 6 polygon
  std::span<const Vec3d> points() const& { return {storage.data(), size}; }
  std::span<const Vec3d> points() const&& = delete;  ///< the points lie in this object: keep it
};

SIGHTLINE_API Intersection intersection(const std::array<Vec3d, 3>& a, const std::array<Vec3d, 3>& b);
/// The intersection at a contact of one mesh with itself. Throws Error if the mesh has no such triangle.
SIGHTLINE_API Intersection intersection(const MeshView& mesh, const Contact& contact);
/// The intersection at a contact of two objects. Throws Error if an object has no such triangle.
SIGHTLINE_API Intersection intersection(const MeshView& object_a, const MeshView& object_b, const Contact& contact);

/// One named step of a query: its time, and the number of items that it produced.
struct Stage {
  std::string_view name;  ///< a string literal
  double milliseconds = 0;
  std::uint64_t count = 0;
  std::string_view unit;  ///< what `count` counts: "entries", "pairs", …
};

struct Stats {
  std::vector<Stage> stages;
  double milliseconds = 0;             ///< the whole query
  std::uint64_t triangles = 0;         ///< in the query
  std::uint64_t candidates = 0;        ///< pairs whose boxes overlap, each counted once; without those at rest (Scene)
  std::uint64_t decided_filtered = 0;  ///< candidates settled by the certified float filter
  std::uint64_t decided_exact = 0;     ///< candidates settled by the double filter or by exact arithmetic
  /// Working memory above the input and the report itself, with what a Scene keeps of objects at rest; on a GPU, all of
  /// it.
  std::uint64_t peak_bytes = 0;
  std::string_view simd;  ///< the instruction set that ran, or "cuda"
  unsigned threads = 0;
  std::string_view device = "cpu";
};

/// The answer of a query. Passing the same Report again reuses its storage; the contents are always replaced.
struct Report {
  std::vector<Contact> contacts;  ///< in canonical order
  std::uint64_t found = 0;        ///< contacts found; more than contacts.size() if max_contacts cut the list
  /// False if `first` or a cancel ended the query early, max_contacts cut the list, or the method can miss contacts.
  bool complete = true;
  bool cancelled = false;
  Stats stats;
};

}  // namespace sightline
