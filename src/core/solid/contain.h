// Which components of one part lie inside another part, for many pairs of parts together.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sightline/assembly.h"
#include "solid/classify.h"
#include "solid/parity.h"

namespace sightline::solid {

/// Containment of parts without contact: a component is inside the other part or outside it, as any of its points is.
/// So there is one ray for each component that could be inside. First all rays are added, then all of them are counted,
/// part by part.
class ContainQuestions {
 public:
  using Bodies = std::span<const std::unique_ptr<const Body>>;
  explicit ContainQuestions(Bodies bodies) : bodies_(bodies), points_(bodies.size()), answers_(bodies.size()) {}

  /// The rays of the components of `inner` that the box of `outer` holds; none if `outer` is not closed.
  struct Rays {
    std::uint32_t outer = 0;
    std::size_t begin = 0, end = 0;  ///< places among the rays of this outer part, in the order of the calls of add
  };
  Rays add(std::uint32_t inner, std::uint32_t outer, Poll& poll);

  /// Decides for each part how its rays are counted. `has_tree[i]`: part i gets a tree in any case.
  void plan(Containment way, std::span<const std::uint8_t> has_tree, Poll& poll);
  using ForEach = std::function<void(std::size_t, const std::function<void(std::size_t)>&)>;
  /// Counts the crossings of the rays that are counted by image (or by tree), parts in parallel. Returns the number of
  /// these rays.
  std::uint64_t count(bool by_image, const ForEach& for_each, const Poll& poll);

  /// How many components lie inside, and how many of these have a closed piece.
  struct Count {
    std::size_t components = 0, closed = 0;
  };
  Count inside(std::uint32_t inner, const Rays& rays, Poll& poll) const;

 private:
  /// Calls visit(component) for each component that could be inside, in the order of its rays.
  template <typename Visit>
  void each_candidate(std::uint32_t inner, std::uint32_t outer, Poll& poll, const Visit& visit) const;

  Bodies bodies_;
  std::vector<std::vector<Vec3d>> points_;  // per part: points that may be inside it
  std::vector<std::vector<std::uint8_t>> answers_;
  std::vector<std::uint8_t> image_;  // per part: its rays are counted in an image
};

}  // namespace sightline::solid
