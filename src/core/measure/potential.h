// Winding numbers of the corners of a part, from the steps along its edges.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sightline::measure {

/// Disjoint sets of numbers with known differences of a value within each set. Number 0 has the value 0.
class Potentials {
 public:
  explicit Potentials(std::size_t count) : link_(count) {
    for (std::size_t i = 0; i < count; ++i) link_[i].parent = static_cast<std::uint32_t>(i);
  }

  /// The root of x, and the value of x less that of the root.
  std::pair<std::uint32_t, int> find(std::uint32_t x) {
    int sum = 0;
    while (link_[x].parent != x) {
      Link& link = link_[x];
      const Link& next = link_[link.parent];
      link = {next.parent, link.step + next.step};  // the step of a root is 0
      sum += link.step;
      x = link.parent;
    }
    return {x, sum};
  }
  /// States that the value of y is that of x plus `step`. The lesser root stays, so 0 is a root.
  void join(std::uint32_t x, std::uint32_t y, int step) {
    if (link_[x].parent == link_[y].parent && link_[x].parent != x && link_[y].parent != y) return;
    auto [root_x, of_x] = find(x);
    auto [root_y, of_y] = find(y);
    if (root_x == root_y) return;
    const int between = of_x + step - of_y;  // value of root y less value of root x
    if (root_x < root_y)
      link_[root_y] = {root_x, between};
    else
      link_[root_x] = {root_y, -between};
  }

 private:
  struct Link {
    std::uint32_t parent = 0;
    int step = 0;  // the value less that of the parent
  };
  std::vector<Link> link_;
};

}  // namespace sightline::measure
