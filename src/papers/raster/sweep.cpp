// The sweep in single calls: the default of every implementation without a faster way.
#include <algorithm>

#include "raster/raster.h"

namespace sightline::papers::raster {
namespace {

constexpr State kDraw = {.depth = Compare::less, .depth_write = true};
constexpr State kTest = {.depth = Compare::gequal, .depth_write = false};
constexpr State kTestStrictly = {.depth = Compare::greater, .depth_write = false};

}  // namespace

void Raster::sweep(std::span<const std::uint32_t> triangles, std::span<const SweepElement> elements,
                   std::span<std::uint8_t> passed) {
  const std::size_t count = elements.size();
  const Query forward = queries(count), reverse = queries(count);
  const auto of = [&](std::size_t i) { return triangles.subspan(elements[i].first, elements[i].count); };
  const auto one_way = [&](Query query, std::uint8_t test, std::uint8_t draw, const auto& at) {
    clear_depth(far_key(target().format));
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      const std::uint32_t group = elements[at(begin)].group;
      for (end = begin; end < count && elements[at(end)].group == group; ++end) {
        const std::size_t i = at(end);
        if ((elements[i].use & test) != 0)
          this->draw((elements[i].use & kStrictly) != 0 ? kTestStrictly : kTest, of(i), query + static_cast<Query>(i));
      }
      for (std::size_t j = begin; j < end; ++j) {
        const std::size_t i = at(j);
        if ((elements[i].use & draw) == 0) continue;
        if (draw == kDrawReverse && (elements[i].use & kIfPassed) != 0)
          draw_if(forward + static_cast<Query>(i), kDraw, of(i));
        else
          this->draw(kDraw, of(i));
      }
    }
  };
  one_way(forward, kTestForward, kDrawForward, [](std::size_t i) { return i; });
  // A fence may cost a wait or a second walk over the tiles: only where something depends on the first pass.
  if (std::any_of(elements.begin(), elements.end(), [](const SweepElement& e) { return (e.use & kIfPassed) != 0; }))
    fence();
  one_way(reverse, kTestReverse, kDrawReverse, [&](std::size_t i) { return count - 1 - i; });
  for (std::size_t i = 0; i < count; ++i) {
    const auto query = static_cast<Query>(i);
    passed[i] = static_cast<std::uint8_t>((result(forward + query) > 0 ? kPassedForward : 0) |
                                          (result(reverse + query) > 0 ? kPassedReverse : 0));
  }
}

}  // namespace sightline::papers::raster
