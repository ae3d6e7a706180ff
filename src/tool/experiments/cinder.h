// The parts of the section on CInDeR.
#pragma once

#include <set>

#include "experiments/support.h"

namespace sightline::experiments {

using ObjectPair = std::pair<std::uint32_t, std::uint32_t>;
using ObjectPairs = std::set<ObjectPair>;

/// The reference: pairs of solids whose insides meet.
inline ObjectPairs exact_pairs(const scenes::AnimationFrame& frame, const sightline::Report& contacts) {
  std::vector<MeshView> parts;
  for (const scenes::AnimatedObject& object : frame.objects) parts.push_back(object.mesh);
  ObjectPairs pairs;
  for (const PartPair& clash : classify(parts, contacts).pairs)
    if (clash.relation == Relation::clash || clash.relation == Relation::contains) pairs.emplace(clash.a, clash.b);
  return pairs;
}

inline ObjectPairs found_pairs(const MethodReport& how) {
  ObjectPairs pairs;
  for (const Penetration& p : how.penetrations) pairs.emplace(std::minmax(p.object_a, p.object_b));
  return pairs;
}

/// What a variant of the method found over all frames of a demo.
struct Result {
  std::size_t found = 0, missed = 0, missed_with_step = 0, wrong = 0, self = 0, lost = 0, unbalanced = 0;
  Average milliseconds = {};

  void add(const ObjectPairs& truth, const Report& report, bool (*with_step)(const ObjectPair&)) {
    const ObjectPairs pairs = found_pairs(report.method);
    for (const ObjectPair& pair : pairs) ++(truth.contains(pair) ? found : wrong);
    for (const ObjectPair& pair : truth) {
      if (pairs.contains(pair)) continue;
      ++missed;
      if (with_step(pair)) ++missed_with_step;
    }
    self += report.method.self_interferences;
    lost += report.method.lost;
    unbalanced += report.method.unbalanced;
    milliseconds.add(report.stats.milliseconds);
  }
};

inline MethodSettings published_options(const Settings& settings) {
  MethodSettings options = options_of(settings, MethodName::cinder, Precision::image);
  options.paper = papers::method::as_published(MethodName::cinder);
  if (settings.quick) options.paper.resolution = 256;
  return options;
}
inline MethodSettings improved_options(const Settings& settings) {
  MethodSettings options = options_of(settings, MethodName::cinder, Precision::image);
  if (settings.quick) options.paper.resolution = 256;
  return options;
}

inline std::string of(std::size_t count, std::size_t all) { return fmt::format("{} of {}", count, all); }
inline std::string number(std::size_t count) { return fmt::format("{}", count); }

/// Section 5.3: balls that bounce off a bunny along the normals that the method returns.
struct Bounces {
  Table table;
  struct Pairs {
    std::size_t all = 0, by_edges_of_body = 0;
  } published, improved;
};
Bounces bouncing_balls(const Settings& settings);

/// The same numbers of triangles, of edges in other solids and of faces above each other, as more and more solids.
struct ManySolids {
  Table table;
  std::size_t fewest = 0, most = 0;
  double fastest = 1e300, slowest = 0;  ///< of one pass: microseconds for each sample of an edge
};
ManySolids number_of_solids(const Settings& settings);

}  // namespace sightline::experiments
