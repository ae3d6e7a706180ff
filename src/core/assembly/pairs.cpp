// Tolerance, depths, volumes and separations of the pairs of an assembly.

#include <algorithm>

#include "base/float_environment.h"
#include "input/watch.h"
#include "measure/run.h"
#include "measure/scale.h"
#include "measure/separation.h"
#include "measure/shell.h"
#include "sightline/depth.h"

namespace sightline {
namespace {

/// The deeper one of the two protrusions.
PairDepth pair_depth(const Protrusions& both) {
  const bool is_a = both.a.depth.low != both.b.depth.low ? both.a.depth.low > both.b.depth.low
                                                         : both.a.depth.high >= both.b.depth.high;
  const Protrusion& deeper = is_a ? both.a : both.b;
  return {{deeper.depth.low, std::max(both.a.depth.high, both.b.depth.high)}, deeper.point, deeper.nearest};
}

bool encloses(const Boundary& boundary) { return boundary.encloses(); }
bool is_closed(const Boundary& boundary) { return boundary.has_area && boundary.open_edges == 0; }

}  // namespace

void measure_pairs(std::span<const MeshView> parts, Clashes& clashes, const ClashOptions& options) {
  if (!(options.tolerance > 0) && !options.depths && !options.volumes && !options.separations) return;
  const FloatEnvironment environment;
  const MeasureOptions one{.threads = 1, .cancel = options.query.cancel};
  measure::Run run({.threads = options.query.threads, .cancel = options.query.cancel}, clashes.pairs.size() * 1000);
  const double before = clashes.stats.milliseconds;
  StageClock clock(clashes.stats);
  std::vector<std::uint8_t> needed(parts.size(), 0);
  const auto deep = [](const PartPair& pair) {
    return pair.relation == Relation::clash || pair.relation == Relation::contains || pair.tolerated;
  };
  for (const PartPair& pair : clashes.pairs)
    if (deep(pair)) needed[pair.a] = needed[pair.b] = 1;
  std::vector<Boundary> boundaries(parts.size());
  run.workers.for_each(parts.size(), [&](std::size_t i) {
    if (needed[i] && (options.depths || options.volumes || options.separations)) boundaries[i] = boundary(parts[i]);
  });
  std::uint64_t measured = 0;
  for (const PartPair& pair : clashes.pairs) measured += deep(pair);
  run.workers.for_each(clashes.pairs.size(), [&](std::size_t i) {
    PartPair& pair = clashes.pairs[i];
    if (!deep(pair)) return;
    const MeshView &a = parts[pair.a], &b = parts[pair.b];
    const Boundary &of_a = boundaries[pair.a], &of_b = boundaries[pair.b];
    const bool has_scale = measure::common_scale(a, b).has_value();
    if ((options.depths || options.separations) && has_scale && is_closed(of_a) && is_closed(of_b))
      pair.depth = pair_depth(protrusions(a, b, one));
    if (options.volumes && encloses(of_a) && encloses(of_b)) {
      pair.overlap = overlap(a, b, one);
      pair.volume = pair.overlap->volume;
    }
    const double least = pair.depth ? pair.depth->depth.low : 0;
    if (!options.depths) pair.depth.reset();
    const bool may_be_tolerated = pair.relation == Relation::clash && least < options.tolerance;
    if (!has_scale || (!options.separations && !may_be_tolerated)) return;
    pair.separation = measure::separation(a, b, least, one);
    if (may_be_tolerated && pair.separation->length < options.tolerance) {
      pair.relation = Relation::touch;
      pair.tolerated = true;
    } else if (!options.separations) {
      pair.separation.reset();
    }
  });
  clock.stage("depth", measured, "pairs");
  clashes.stats.milliseconds += before;  // the clock counts from its own start
}

}  // namespace sightline
