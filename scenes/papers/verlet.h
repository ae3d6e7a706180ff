// Cloth by Verlet integration: particles that store their last position in place of a velocity, and links that are
// relaxed one after the other. The order of links is part of the result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::scenes {

struct Link {
  std::uint32_t a, b;
  double rest, stiffness;  ///< stiffness: share of the error that one relaxation takes away
};

struct VerletStep {
  Vec3d gravity{};     ///< added to the velocity in each step
  double keep = 1;     ///< share of the velocity that drag leaves
  double fastest = 1;  ///< no particle moves farther in a step
};

class Particles {
 public:
  std::vector<Vec3d> position, last;
  std::vector<double> mobility;  ///< 0 for what is pinned, else 1

  /// At rest.
  void add(Vec3d p, double mobility_of_it = 1);
  std::size_t size() const { return position.size(); }
  void integrate(const VerletStep& step);
  void relax(std::span<const Link> links);
  /// Moved without a change of velocity.
  void shift(std::uint32_t particle, const Vec3d& by);
  /// Takes away the velocity against the normal, and this share of that across it.
  void rub(std::uint32_t particle, const Vec3d& normal, double friction);
};

/// The links of a grid of rows × columns particles: neighbours, diagonals, and those two apart against bending. Links
/// that follow each other share no particle where that is possible, so that the processor can overlap them.
std::vector<Link> grid_links(std::uint32_t rows, std::uint32_t columns, double spacing, double bending);

}  // namespace sightline::scenes
