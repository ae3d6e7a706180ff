#include "tool/pruning.h"

#include <algorithm>

namespace sightline::tool {
namespace {

std::string pass_label(const Pass& pass) {
  std::string view;
  for (int axis = 0; axis < 3; ++axis)
    if (pass.direction[axis] != 0) view += fmt::format("{}{}", pass.direction[axis] < 0 ? "-" : "+", "xyz"[axis]);
  return view.empty() ? std::string(pass.level) : fmt::format("{}, view {}", pass.level, view);
}

}  // namespace

report::PagePruning pruning_of(const MethodReport& how, std::span<const report::Part> parts) {
  report::PagePruning pruning;
  pruning.method = std::string(to_string(how.method));
  constexpr std::size_t kMostPasses = 60'000;
  const std::size_t passes = std::min(how.passes.size(), kMostPasses);
  for (std::size_t i = 0; i < passes; ++i)
    pruning.passes.push_back({.label = pass_label(how.passes[i]),
                              .before = how.passes[i].pcs_before,
                              .after = how.passes[i].pcs_after,
                              .milliseconds = how.passes[i].milliseconds});
  if (passes == 0) return pruning;
  const auto last = static_cast<std::uint16_t>(passes - 1);
  for (const report::Part& part : parts) pruning.dropped_by.emplace_back(part.mesh.triangles.size(), last);
  for (const Dropped& dropped : how.dropped)
    pruning.dropped_by[dropped.triangle.object][dropped.triangle.triangle] =
        static_cast<std::uint16_t>(std::min<std::size_t>(dropped.pass, last));
  for (const TriangleRef& left : how.pcs) pruning.dropped_by[left.object][left.triangle] = report::PagePruning::kStays;
  return pruning;
}

}  // namespace sightline::tool
