// The input of the writers: the meshes, the facts about them, and the contacts.
#pragma once

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
};

/// Contacts whose object numbers count through `parts`.
struct Contacts {
  std::span<const Part> parts;
  std::span<const Contact> list;

  const MeshView& mesh_a(const Contact& contact) const { return parts[contact.object_a].mesh; }
  const MeshView& mesh_b(const Contact& contact) const { return parts[contact.object_b].mesh; }
  Intersection geometry(const Contact& contact) const;
  /// The geometry of contact i, for loops over ascending i: triangles of later contacts are fetched on the way.
  Intersection next_geometry(std::size_t i) const;
};

struct KindCounts {
  std::uint64_t of[kKindCount] = {};
  std::uint64_t total() const;
  friend bool operator==(const KindCounts&, const KindCounts&) = default;
};
KindCounts count_kinds(std::span<const Contact> contacts);

/// The order in which kinds are written, the most serious first.
inline constexpr Kind kKindsBySeverity[kKindCount] = {Kind::crossing, Kind::coplanar, Kind::duplicate, Kind::touching};

}  // namespace sightline::report
