#include "scenes/papers/tearing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/papers/placing.h"

namespace sightline::scenes {

TearableCloth::TearableCloth(std::uint32_t cells, double side) {
  for (std::uint32_t row = 0; row <= cells; ++row)
    for (std::uint32_t column = 0; column <= cells; ++column) {
      const bool border = row == 0 || column == 0 || row == cells || column == cells;
      place_.push_back({side * column / cells - side / 2, side * row / cells - side / 2});
      particles_.add({place_.back()[0], 0, place_.back()[1]}, border ? 0 : 1);
    }
  for (std::uint32_t row = 0; row < cells; ++row)
    for (std::uint32_t column = 0; column < cells; ++column) {
      const std::uint32_t at = row * (cells + 1) + column, next = at + cells + 1;
      triangles_.push_back({at, next + 1, at + 1});
      triangles_.push_back({at, next, next + 1});
    }
}

const std::vector<Link>& TearableCloth::links() {
  if (!std::exchange(changed_, false)) return links_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Triangle& t : triangles_)
    for (std::size_t i = 0; i < 3; ++i) edges.push_back(std::minmax(t[i], t[(i + 1) % 3]));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  links_.clear();
  for (const auto& [a, b] : edges) {
    const double x = place_[a][0] - place_[b][0], y = place_[a][1] - place_[b][1];
    links_.push_back({a, b, 1.03 * std::sqrt(x * x + y * y), 0.8});  // a little slack: it sags
  }
  return links_;
}

void TearableCloth::split(std::uint32_t triangle, double least) {
  const Triangle t = triangles_[triangle];
  double longest = least * least;
  std::uint32_t a = 0, b = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint32_t p = t[i], q = t[(i + 1) % 3];
    const double x = place_[p][0] - place_[q][0], y = place_[p][1] - place_[q][1];
    if (x * x + y * y > longest) longest = x * x + y * y, a = p, b = q;
  }
  if (a == b) return;
  changed_ = true;
  const auto middle = static_cast<std::uint32_t>(particles_.size());
  const bool pinned = particles_.mobility[a] == 0 && particles_.mobility[b] == 0;
  particles_.add(times(0.5, add(particles_.position[a], particles_.position[b])), pinned ? 0 : 1);
  particles_.last[middle] = times(0.5, add(particles_.last[a], particles_.last[b]));
  place_.push_back({(place_[a][0] + place_[b][0]) / 2, (place_[a][1] + place_[b][1]) / 2});
  for (std::size_t i = 0, count = triangles_.size(); i < count; ++i) {
    Triangle first = triangles_[i], second = first;
    const auto at_a = std::find(first.begin(), first.end(), a), at_b = std::find(first.begin(), first.end(), b);
    if (at_a == first.end() || at_b == first.end()) continue;
    *at_a = middle;
    second[static_cast<std::size_t>(at_b - first.begin())] = middle;
    triangles_[i] = first;
    triangles_.push_back(second);
  }
}

bool TearableCloth::tear(std::uint32_t vertex, const std::array<double, 2>& line) {
  if (particles_.mobility[vertex] == 0) return false;
  std::vector<std::pair<std::uint32_t, std::size_t>> beyond;  // triangle and corner
  std::size_t around = 0;
  for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
    const Triangle& t = triangles_[i];
    const auto corner = std::find(t.begin(), t.end(), vertex);
    if (corner == t.end()) continue;
    ++around;
    double side = 0;
    for (const std::uint32_t v : t)
      side += line[0] * (place_[v][1] - place_[vertex][1]) - line[1] * (place_[v][0] - place_[vertex][0]);
    if (side > 0) beyond.emplace_back(i, static_cast<std::size_t>(corner - t.begin()));
  }
  if (beyond.empty() || beyond.size() == around) return false;
  changed_ = true;
  const auto twin = static_cast<std::uint32_t>(particles_.size());
  particles_.add(particles_.position[vertex]);
  particles_.last[twin] = particles_.last[vertex];
  place_.push_back(place_[vertex]);
  for (const auto& [triangle, corner] : beyond) triangles_[triangle][corner] = twin;
  return true;
}

}  // namespace sightline::scenes
