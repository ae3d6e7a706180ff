// Boxes instead of images: sweep-and-prune, and the triangles of an object that can touch another object, by boxes
// alone.
//
// Touching counts everywhere: boxes that share a face, an edge or a corner meet. Comparisons of the input's own numbers
// are exact, so a triangle that is removed by a box touches nothing, in either precision.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

struct ElementBox : Box {
  std::uint32_t element = 0, group = 0;
};

/// The axis along which the most boxes would fit one behind the other.
int longest_axis(const std::vector<ElementBox>& boxes);

/// By their low ends.
void sort_along(int axis, std::vector<ElementBox>& boxes);

/// Calls found(a, b) for boxes of different groups that meet, unless known(a, b). Sorts them. False if it ended early:
/// by stop(), or because it would cost more than `most`, where a pair that is found costs as much as kFoundCost pairs
/// that are looked at.
inline constexpr std::uint64_t kFoundCost = 32;
template <typename Known, typename Found>
bool sweep(std::vector<ElementBox>& boxes, const std::function<bool()>& stop, std::uint64_t most, const Known& known,
           const Found& found) {
  if (boxes.empty()) return true;
  const int axis = longest_axis(boxes);
  sort_along(axis, boxes);
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    constexpr std::size_t kPollInterval = 1024;
    if (cost > most || (i % kPollInterval == 0 && stop && stop())) return false;
    const ElementBox& a = boxes[i];
    std::size_t j = i + 1;
    for (; j < boxes.size() && boxes[j].low[axis] <= a.high[axis]; ++j)
      if (a.group != boxes[j].group && !known(a, boxes[j]) && a.meets(boxes[j])) {
        found(a, boxes[j]);
        cost += kFoundCost;
      }
    cost += j - i;
  }
  return true;
}

/// The triangles of the scene, ascending, that can touch another object by their boxes, and all triangles of objects
/// with `self`. A pass "boxes" of the report, unless no triangle could leave anyway.
///
/// A triangle stays if its box comes near a part of its object's box in which some other object's box lies; then again
/// with the boxes of the triangles that are left. A grid over these parts, of about a cell for each of the object's
/// triangles, marks where the other objects lie: a triangle costs the same with two other objects as with a hundred,
/// and stays if it shares a cell with one. Where so many objects overlap that their pairs would cost more than their
/// triangles, all stay.
std::vector<std::uint32_t> near_others(Context& context);

}  // namespace sightline::papers::method
