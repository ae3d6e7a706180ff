#include "solid/contain.h"

#include <algorithm>

namespace sightline::solid {

ContainQuestions::Rays ContainQuestions::ask(std::uint32_t inner, std::uint32_t outer) {
  const Body &in = *bodies_[inner], &out = *bodies_[outer];
  std::vector<Vec3d>& points = asked_[outer];
  Rays rays{outer, points.size(), points.size()};
  if (!out.closed || !out.box.meets(in.box)) return rays;
  for (const Body::Component& component : in.components)
    if (out.box.holds(component.box)) points.push_back(in.mesh.corners(component.triangle)[0]);
  rays.end = points.size();
  return rays;
}

void ContainQuestions::plan(Containment way, std::span<const std::uint8_t> has_tree) {
  image_.assign(bodies_.size(), way == Containment::image);
  if (way != Containment::automatic) return;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    image_[i] = !asked_[i].empty() && image_pays(*bodies_[i], asked_[i], has_tree[i] != 0);
}

std::uint64_t ContainQuestions::count(bool by_image, const ForEach& for_each) {
  std::vector<std::size_t> parts;
  std::uint64_t rays = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (!asked_[i].empty() && (image_[i] != 0) == by_image) {
      parts.push_back(i);
      rays += asked_[i].size();
    }
  for_each(parts.size(), [&](std::size_t at) {
    const std::size_t i = parts[at];
    answers_[i] = by_image ? inside_by_image(*bodies_[i], asked_[i]) : inside_by_tree(*bodies_[i], asked_[i]);
  });
  return rays;
}

std::size_t ContainQuestions::inside(const Rays& rays) const {
  const std::uint8_t* answers = answers_[rays.outer].data();
  return static_cast<std::size_t>(std::count(answers + rays.begin, answers + rays.end, 1));
}

}  // namespace sightline::solid
