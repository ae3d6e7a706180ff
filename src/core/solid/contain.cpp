#include "solid/contain.h"

#include <algorithm>

namespace sightline::solid {

template <typename Visit>
void ContainQuestions::each_candidate(std::uint32_t inner, std::uint32_t outer, Poll& poll, const Visit& visit) const {
  const Body &in = *bodies_[inner], &out = *bodies_[outer];
  if (!out.closed || !out.box.meets(in.box)) return;
  for (const Body::Component& component : in.components) {
    poll();
    if (out.box.holds(component.box)) visit(component);
  }
}

ContainQuestions::Rays ContainQuestions::add(std::uint32_t inner, std::uint32_t outer, Poll& poll) {
  std::vector<Vec3d>& points = points_[outer];
  Rays rays{outer, points.size(), points.size()};
  each_candidate(inner, outer, poll, [&](const Body::Component& component) {
    points.push_back(bodies_[inner]->mesh.corners(component.triangle)[0]);
  });
  rays.end = points.size();
  return rays;
}

void ContainQuestions::plan(Containment way, std::span<const std::uint8_t> has_tree, Poll& poll) {
  image_.assign(bodies_.size(), way == Containment::image);
  if (way != Containment::automatic) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    image_[i] = !points_[i].empty() && image_pays(*bodies_[i], points_[i], has_tree[i] != 0, poll);
}

std::uint64_t ContainQuestions::count(bool by_image, const ForEach& for_each, const Poll& poll) {
  std::vector<std::size_t> parts;
  std::uint64_t rays = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!points_[i].empty() && (image_[i] != 0) == by_image) {
      parts.push_back(i);
      rays += points_[i].size();
    }
  for_each(parts.size(), [&](std::size_t at) {
    const std::size_t i = parts[at];
    answers_[i] =
        by_image ? inside_by_image(*bodies_[i], points_[i], poll) : inside_by_tree(*bodies_[i], points_[i], poll);
  });
  return rays;
}

ContainQuestions::Count ContainQuestions::inside(std::uint32_t inner, const Rays& rays, Poll& poll) const {
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

}  // namespace sightline::solid
