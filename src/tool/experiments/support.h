// What the experiments have in common.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/experiment.h"
#include "scenes/papers/papers.h"

namespace sightline::experiments {

struct Average {
  double sum = 0, least = 1e300, most = -1e300;
  std::size_t count = 0;
  void add(double x) {
    sum += x;
    least = std::min(least, x);
    most = std::max(most, x);
    ++count;
  }
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

inline std::string ms(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }
inline std::string percent(double share) { return fmt::format("{:.{}f} %", share * 100, share < 0.1 ? 2 : 1); }
inline std::string whole(double value) { return fmt::format("{:.0f}", value); }

/// A frame of an animation as a scene. `with_self`: objects that have `self` are checked against themselves.
inline Scene scene_of(const scenes::AnimationFrame& frame, bool with_self) {
  Scene scene;
  for (const scenes::AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = with_self && object.self});
  return scene;
}
inline std::vector<std::optional<papers::Motion>> motions_of(const scenes::AnimationFrame& frame) {
  std::vector<std::optional<papers::Motion>> motions;
  for (const scenes::AnimatedObject& object : frame.objects) motions.push_back(object.motion);
  return motions;
}

inline MethodSettings options_of(const Settings& settings, MethodName method, Precision precision) {
  MethodSettings options;
  options.threads = settings.threads;
  options.cancel = settings.cancel;
  options.method = method;
  if (method == MethodName::exact) return options;
  options.paper.precision = precision;
  if (method == MethodName::velocity) return options;  // draws nothing; the exact method decides the rest
  options.renderer = settings.renderer;
  return options;
}

/// Contacts of `all` that `found` lacks; both sorted.
inline std::size_t missing(const std::vector<Contact>& all, const std::vector<Contact>& found) {
  std::vector<Contact> lost;
  std::set_difference(all.begin(), all.end(), found.begin(), found.end(), std::back_inserter(lost));
  return lost.size();
}

/// Milliseconds of a stage of the report.
inline double stage_ms(const Report& report, std::string_view name) {
  double sum = 0;
  for (const Stage& stage : report.stats.stages)
    if (stage.name == name) sum += stage.milliseconds;
  return sum;
}

struct PassTotals {
  std::uint64_t renders = 0, queries = 0, triangles = 0, fragments = 0;
  double milliseconds = 0;
};
inline PassTotals totals(const MethodReport& how) {
  PassTotals sum;
  for (const Pass& pass : how.passes) {
    sum.renders += pass.renders;
    sum.queries += pass.queries;
    sum.triangles += pass.triangles;
    sum.fragments += pass.fragments;
    sum.milliseconds += pass.milliseconds;
  }
  return sum;
}

}  // namespace sightline::experiments
