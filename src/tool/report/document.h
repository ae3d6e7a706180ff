// The input of the writers: the meshes, the facts about them, and the contacts.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/names.h"
#include "sightline/sightline.h"

namespace sightline::report {

/// The part of a Topology that is shown; the arrays per triangle are not kept.
struct Facts {
  std::uint64_t triangles = 0;
  std::uint64_t vertices = 0;
  std::uint64_t components = 0;
  std::uint64_t open_edges = 0;
  std::uint64_t nonmanifold_edges = 0;
  std::uint64_t duplicates = 0;
  std::vector<std::uint32_t> degenerate;
  std::uint64_t degenerate_count = 0;  ///< the list is empty for a mesh that is not in memory
  bool closed = false;
};
/// Of a valid mesh. `threads`: as Options::threads.
Facts facts(const MeshView& mesh, unsigned threads = 0);

/// A mesh of `check`, or a part of `clash`.
struct Part {
  std::string file;
  std::string name;
  MeshView mesh;
  Facts facts;
  /// Of a mesh whose overlap with itself was requested; the extent is absent if the mesh encloses no volume.
  struct SelfOverlap {
    Boundary boundary;
    std::optional<Extent> extent;
  };
  std::optional<SelfOverlap> self_overlap = {};
  std::string label = {};  ///< unlike that of every other part of the run (labels.h)

  /// For tables and files of several parts.
  const std::string& shown_name() const { return label.empty() ? name : label; }
};

/// The triangles of some contacts, and their intersections: few enough for a cache.
struct GeometryBlock {
  static constexpr std::size_t kSize = 64;
  std::array<std::array<Vec3d, 3>, kSize> a, b;
  std::array<Intersection, kSize> result;
};

/// Contacts whose object numbers count through `parts`.
struct Contacts {
  std::span<const Part> parts;
  std::span<const Contact> list;

  const MeshView& mesh_a(const Contact& contact) const { return parts[contact.object_a].mesh; }
  const MeshView& mesh_b(const Contact& contact) const { return parts[contact.object_b].mesh; }
  Intersection geometry(const Contact& contact) const;
  /// Calls visit(i, geometry) for the contacts [begin, end), in order; the geometries are computed some at a time.
  template <typename Visit>
  void each_geometry(std::size_t begin, std::size_t end, const Visit& visit) const {
    GeometryBlock block;
    for (; begin < end; begin += GeometryBlock::kSize) {
      const std::size_t count = std::min(GeometryBlock::kSize, end - begin);
      compute(begin, count, block);
      for (std::size_t i = 0; i < count; ++i) visit(begin + i, block.result[i]);
    }
  }

 private:
  void compute(std::size_t first, std::size_t count, GeometryBlock& block) const;
};

struct KindCounts {
  std::uint64_t of[kKindCount] = {};
  std::uint64_t total() const;
  friend bool operator==(const KindCounts&, const KindCounts&) = default;
};
KindCounts count_kinds(std::span<const Contact> contacts);

/// As many digits as both ends have in common when they are rounded, at most six; "0.0019 to 0.0055" where that is not
/// two.
std::string digits(const Interval& x);

/// The order in which kinds are written, the most serious first.
inline constexpr Kind kKindsBySeverity[kKindCount] = {Kind::crossing, Kind::coplanar, Kind::duplicate, Kind::touching};

}  // namespace sightline::report
