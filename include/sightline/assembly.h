// Assemblies: named parts, and what each pair of parts is to each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/query.h"

namespace sightline {

/// Named parts, as files hold them.
struct Assembly {
  std::vector<Mesh> parts;
  const std::string& name(std::size_t part) const { return parts[part].name; }
};

/// What two parts are to each other (docs/definitions.md).
enum class Relation : std::uint8_t {
  clear,     ///< no common point, neither inside the other, and the gap is at least the clearance
  near,      ///< as clear, but the gap is below the clearance that was asked for
  touch,     ///< they share points, but no volume and no crossing
  contains,  ///< no surface contact; one lies wholly inside the other, which is closed
  clash,     ///< surfaces cross, the volumes of two closed parts overlap, or a closed piece reaches into a closed part
};
std::string_view to_string(Relation relation);

struct Clash {
  std::uint32_t a = 0;  ///< part, the smaller index
  std::uint32_t b = 0;
  Relation relation = Relation::clear;
  std::uint32_t inner = 0;  ///< for contains: the part (a or b) that lies inside the other
  /// Smallest distance between the surfaces, exact and rounded to the nearest double; 0 if they meet. Known for near,
  /// and for contains if a clearance was given; else infinity.
  double gap = 0;
  std::uint64_t contacts[kKindCount] = {};  ///< by Kind

  friend bool operator==(const Clash&, const Clash&) = default;
};

/// How containment is counted: many points in an image, after CInDeR, or one by one in a tree. `automatic` lets an
/// estimate decide for each part.
enum class Containment : std::uint8_t { automatic, image, tree };

struct ClashOptions {
  double clearance = 0;  ///< parts closer than this are `near`: decided exactly
  /// Of these, the classification uses `threads` and `cancel`; when that returns true, it throws Error.
  Options query = {};
  /// The stages of the classification are added to it; in `contain` they say how containment was counted.
  Stats* stats = nullptr;
  /// The answer does not depend on it; for measuring and for tests.
  Containment containment = Containment::automatic;
};

/// All pairs of parts that are not clear, sorted by (a, b).
std::vector<Clash> clashes(const Assembly& assembly, const ClashOptions& options = {});

/// The same from parts in the caller's memory and contacts already found (`Scene::collide` over the same parts in the
/// same order, complete). For callers who want both lists from one query.
std::vector<Clash> classify(std::span<const MeshView> parts, const Report& contacts, const ClashOptions& options = {});

}  // namespace sightline
