// Which components of one part lie inside another part, for many pairs of parts together.
#pragma once

#include <memory>
#include <span>
#include <vector>

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
  Rays add(std::uint32_t inner, std::uint32_t outer, Poll& poll) {
    std::vector<Vec3d>& points = points_[outer];
    const std::size_t begin = points.size();
    each_candidate(inner, outer, poll, [&](const Body::Component& component) {
      points.push_back(bodies_[inner]->mesh.corners(component.triangle)[0]);
    });
    return {outer, begin, points.size()};
  }

  /// Decides for each part how its rays are counted. `has_tree[i]`: part i gets a tree in any case.
  void plan(Containment way, std::span<const std::uint8_t> has_tree, Poll& poll) {
    image_.assign(bodies_.size(), way == Containment::image);
    if (way != Containment::automatic) return;
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      image_[i] = !points_[i].empty() && image_pays(*bodies_[i], points_[i], has_tree[i] != 0, poll);
  }

  /// Counts the crossings of the rays that are counted by image (or by tree), parts in parallel. Returns the number of
  /// these rays.
  std::uint64_t count(bool by_image, Workers& workers, const Poll& poll) {
    std::vector<std::size_t> parts;
    std::uint64_t rays = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (!points_[i].empty() && (image_[i] != 0) == by_image) {
        parts.push_back(i);
        rays += points_[i].size();
      }
    workers.for_each(parts.size(), [&](std::size_t at) {
      const std::size_t i = parts[at];
      answers_[i] = (by_image ? inside_by_image : inside_by_tree)(*bodies_[i], points_[i], poll);
    });
    return rays;
  }

  /// How many components lie inside, and how many of these have a closed piece.
  struct Count {
    std::size_t components = 0, closed = 0;
  };
  Count inside(std::uint32_t inner, const Rays& rays, Poll& poll) const {
    Count count;
    if (rays.begin == rays.end) return count;
    const std::uint8_t* answer = answers_[rays.outer].data() + rays.begin;
    each_candidate(inner, rays.outer, poll, [&](const Body::Component& component) {
      if (*answer++ == 0) return;
      ++count.components;
      count.closed += component.closed;
    });
    return count;
  }

 private:
  /// Calls visit(component) for each component that could be inside, in the order of its rays.
  template <typename Visit>
  void each_candidate(std::uint32_t inner, std::uint32_t outer, Poll& poll, const Visit& visit) const {
    const Body &in = *bodies_[inner], &out = *bodies_[outer];
    if (!out.closed || !out.box.meets(in.box)) return;
    for (const Body::Component& component : in.components) {
      poll();
      if (out.box.holds(component.box)) visit(component);
    }
  }

  Bodies bodies_;
  std::vector<std::vector<Vec3d>> points_;  // per part: points that may be inside it
  std::vector<std::vector<std::uint8_t>> answers_;
  std::vector<std::uint8_t> image_;  // per part: its rays are counted in an image
};

}  // namespace sightline::solid
