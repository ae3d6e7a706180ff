// Tolerance, depths, volumes and separations of the pairs of an assembly.

#include <algorithm>
#include <memory>

#include "base/float_environment.h"
#include "base/format.h"
#include "input/object.h"
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

bool is_closed(const Boundary& boundary) { return boundary.has_area && boundary.open_edges == 0; }

bool is_deep(const PartPair& pair) {
  return pair.relation == Relation::clash || pair.relation == Relation::contains || pair.tolerated;
}

class Measurer {
 public:
  Measurer(std::span<const MeshView> parts, const Report* contacts, const ClashOptions& options, std::size_t pairs)
      : parts_(parts),
        options_(options),
        run_({.threads = options.query.threads, .cancel = options.query.cancel}, pairs * 1000),
        shells_(parts.size()) {
    if (contacts != nullptr) by_pair_.emplace(*contacts);
  }

  void run(std::span<PartPair> pairs) {
    if (options_.depths || options_.volumes || options_.separations) make_shells(pairs);
    run_.workers.for_each(pairs.size(), [&](std::size_t i) {
      if (is_deep(pairs[i])) measure(pairs[i]);
    });
  }

 private:
  void make_shells(std::span<const PartPair> pairs) {
    std::vector<std::uint8_t> needed(parts_.size(), 0);
    for (const PartPair& pair : pairs)
      if (is_deep(pair)) needed[pair.a] = needed[pair.b] = 1;
    run_.workers.for_each(parts_.size(), [&](std::size_t i) {
      if (!needed[i]) return;
      validate(parts_[i], formatted("part {}", i), run_.workers);
      shells_[i] = std::make_unique<measure::Shell>(parts_[i], run_.workers, run_.poll);
    });
  }

  void measure(PartPair& pair) const {
    const std::optional<int> scale = measure::common_scale(parts_[pair.a], parts_[pair.b]);
    if (options_.depths || options_.volumes || options_.separations) measure_insides(pair, scale);
    const double least = pair.depth ? pair.depth->depth.low : 0;
    if (!options_.depths) pair.depth.reset();
    const bool may_be_tolerated = pair.relation == Relation::clash && least < options_.tolerance;
    if (!scale || (!options_.separations && !may_be_tolerated)) return;
    pair.separation = measure::separation(parts_[pair.a], parts_[pair.b], least, one_thread());
    if (may_be_tolerated && pair.separation->length < options_.tolerance) {
      pair.relation = Relation::touch;
      pair.tolerated = true;
    } else if (!options_.separations) {
      pair.separation.reset();
    }
  }

  void measure_insides(PartPair& pair, const std::optional<int>& scale) const {
    const measure::Shell &a = *shells_[pair.a], &b = *shells_[pair.b];
    const bool deep =
        (options_.depths || options_.separations) && scale && is_closed(a.boundary) && is_closed(b.boundary);
    const bool common = options_.volumes && a.boundary.encloses() && b.boundary.encloses();
    if (!deep && !common) return;
    std::vector<Contact> own;
    if (!by_pair_) own = measure::contacts_of(a.mesh, b.mesh, one_thread());
    const std::span<const Contact> contacts = by_pair_ ? by_pair_->of(pair.a, pair.b) : std::span<const Contact>(own);
    if (deep)
      pair.depth = pair_depth(*scale == 0 ? measure::protrusions(a, b, contacts, run_.workers, run_.poll)
                                          : protrusions(a.mesh, b.mesh, contacts, one_thread()));
    if (!common) return;
    pair.overlap = measure::ordered_overlap(a, b, contacts, run_.workers, run_.poll);
    pair.volume = pair.overlap->volume;
  }

  MeasureOptions one_thread() const { return {.threads = 1, .cancel = options_.query.cancel}; }

  const std::span<const MeshView> parts_;
  const ClashOptions& options_;
  mutable measure::Run run_;
  std::optional<measure::ContactsByPair> by_pair_;  // absent: each pair is searched for its contacts
  std::vector<std::unique_ptr<const measure::Shell>> shells_;
};

void measure_pairs(std::span<const MeshView> parts, const Report* contacts, Clashes& clashes,
                   const ClashOptions& options) {
  if (!(options.tolerance > 0) && !options.depths && !options.volumes && !options.separations) return;
  const FloatEnvironment environment;
  const double before = clashes.stats.milliseconds;
  StageClock clock(clashes.stats);
  const auto measured = std::count_if(clashes.pairs.begin(), clashes.pairs.end(), is_deep);
  Measurer(parts, contacts, options, clashes.pairs.size()).run(clashes.pairs);
  clock.stage("depth", static_cast<std::uint64_t>(measured), "pairs");
  clashes.stats.milliseconds += before;  // the clock counts from its own start
}

}  // namespace

void measure_pairs(std::span<const MeshView> parts, Clashes& clashes, const ClashOptions& options) {
  measure_pairs(parts, nullptr, clashes, options);
}
void measure_pairs(std::span<const MeshView> parts, const Report& contacts, Clashes& clashes,
                   const ClashOptions& options) {
  measure_pairs(parts, &contacts, clashes, options);
}

}  // namespace sightline
