// Places where a mesh is not a clean surface: open and non-manifold edges as chains, and triangles without area.
#pragma once

#include <span>
#include <vector>

#include "page/bytes.h"
#include "report/document.h"

namespace sightline::report {

struct Flaw {
  enum class Kind : std::uint8_t { open, nonmanifold, degenerate };
  Kind kind = Kind::open;
  std::uint32_t part = 0;
  /// A chain of edges; a closed one ends where it begins. Of a triangle without area its corners.
  std::vector<Vec3d> points;
};

/// The first `most` flaws, part by part: chains of open edges, chains of non-manifold edges, degenerate triangles.
/// Parts whose facts have none are not searched. An edge is open if an odd number of triangles with area has it, and
/// non-manifold if more than two have it; edges at the same positions are one.
std::vector<Flaw> find_flaws(std::span<const Part> parts, std::size_t most);

/// Their bytes (viewer/src/frame.js reads them).
void append_flaws(PageBytes& bytes, std::span<const Flaw> flaws);

}  // namespace sightline::report
