// The public measures: validation, the order of the two parts, and pairs of many parts.

#include "sightline/measure.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/box_tree.h"
#include "base/float_environment.h"
#include "base/format.h"
#include "input/object.h"
#include "input/watch.h"
#include "measure/overlap.h"
#include "measure/run.h"
#include "measure/shell.h"

namespace sightline {

namespace measure {

void check(const Contact& c, const MeshView& a, const MeshView& b) {
  if (c.a >= a.triangles.size() || c.b >= b.triangles.size())
    throw Error(formatted("overlap: contact of triangle {} of part {} with triangle {} of part {}: no such triangle",
                          c.a, c.object_a, c.b, c.object_b));
}

std::vector<Contact> contacts_of(const MeshView& a, const MeshView& b, const MeasureOptions& options) {
  Scene scene;
  scene.add(a);
  scene.add(b);
  Report report = scene.collide({.threads = options.threads, .cancel = options.cancel});
  if (report.cancelled) throw Error("cancelled");
  return std::move(report.contacts);
}

ContactsByPair::ContactsByPair(const Report& report) : all_(report.contacts) {
  if (report.cancelled || !report.complete)
    throw Error("overlaps: the list of contacts is not complete; a volume needs all contacts");
}
std::span<const Contact> ContactsByPair::of(std::uint32_t a, std::uint32_t b) const {
  const auto pair = [](const Contact& c) { return std::pair(c.object_a, c.object_b); };
  // clang 14 takes no subranges of libstdc++ 12.
  const auto first = std::ranges::lower_bound(all_, std::pair(a, b), {}, pair);
  const auto last = std::ranges::upper_bound(all_, std::pair(a, b), {}, pair);
  return {first, last};
}

/// The part that moves (measure/shift.h) does not depend on the order in which the parts are given.
Extent ordered_overlap(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                       const Poll& poll) {
  for (const Contact& contact : contacts) check(contact, a.mesh, b.mesh);
  if (!a.box.meets(b.box) || !precedes(b, a)) return overlap(a, b, contacts, workers, poll);
  std::vector<Contact> swapped(contacts.begin(), contacts.end());
  for (Contact& contact : swapped) std::swap(contact.a, contact.b);
  return overlap(b, a, swapped, workers, poll);
}

}  // namespace measure

namespace {

using measure::contacts_of, measure::ContactsByPair, measure::ordered_overlap, measure::Run, measure::Shell;

}  // namespace

Boundary boundary(const MeshView& mesh) {
  const FloatEnvironment environment;
  validate(mesh);
  return Shell(mesh).boundary;
}

Extent extent(const MeshView& part, const MeasureOptions& options) {
  const FloatEnvironment environment;
  Run run(options, part.triangles.size());
  validate(part, "part", run.workers);
  const Shell shell(part, run.workers, run.poll);
  shell.require_volume("extent", "the part");
  return measure::extent(shell, run.workers, run.poll);
}

Extent overlap(const MeshView& a, const MeshView& b, const MeasureOptions& options) {
  return overlap(a, b, contacts_of(a, b, options), options);
}

Extent overlap(const MeshView& a, const MeshView& b, std::span<const Contact> contacts, const MeasureOptions& options) {
  const FloatEnvironment environment;
  Run run(options, a.triangles.size() + b.triangles.size());
  validate(a, "part a", run.workers);
  validate(b, "part b", run.workers);
  std::unique_ptr<Shell> shells[2];
  run.workers.for_each(
      2, [&](std::size_t i) { shells[i] = std::make_unique<Shell>(i == 0 ? a : b, run.workers, run.poll); });
  shells[0]->require_volume("overlap", "part a");
  shells[1]->require_volume("overlap", "part b");
  return ordered_overlap(*shells[0], *shells[1], contacts, run.workers, run.poll);
}

Extent self_overlap(const MeshView& part, const MeasureOptions& options) {
  const FloatEnvironment environment;
  Run run(options, part.triangles.size());
  validate(part, "mesh", run.workers);
  const Shell shell(part, run.workers, run.poll);
  shell.require_volume("self_overlap", "the part");
  const std::vector<Contact> with_itself = contacts_of(part, part, options);
  const Report report = self_intersections(part, {.threads = options.threads, .cancel = options.cancel});
  if (report.cancelled) throw Error("cancelled");
  return measure::self_overlap(shell, with_itself, report.contacts, run.workers, run.poll);
}

Overlaps overlaps(std::span<const MeshView> parts, const Report& contacts, const MeasureOptions& options) {
  const FloatEnvironment environment;
  std::uint64_t triangles = 0;
  for (const MeshView& part : parts) triangles += part.triangles.size();
  Run run(options, triangles);
  const ContactsByPair by_pair(contacts);
  Overlaps result;
  StageClock clock(result.stats);
  std::vector<std::unique_ptr<Shell>> shells(parts.size());
  std::vector<Box> boxes(parts.size());
  run.workers.for_each(parts.size(), [&](std::size_t i) {
    validate(parts[i], formatted("part {}", i), run.workers);
    shells[i] = std::make_unique<Shell>(parts[i], run.workers, run.poll);
    if (shells[i]->boundary.encloses()) boxes[i] = shells[i]->box;
  });
  for (const auto& shell : shells) result.boundaries.push_back(shell->boundary);
  clock.stage("shells", parts.size(), "parts");
  const auto meet = [](const Box& a, const Box& b) { return a.meets(b); };
  const auto pairs = pairs_of_boxes(std::span<const Box>(boxes), meet, run.workers, run.poll);
  result.pairs.resize(pairs.size());
  run.workers.for_each(pairs.size(), [&](std::size_t i) {
    const auto [a, b] = pairs[i];
    result.pairs[i] = {a, b, ordered_overlap(*shells[a], *shells[b], by_pair.of(a, b), run.workers, run.poll)};
  });
  std::erase_if(result.pairs, [](const Overlaps::Pair& pair) { return pair.extent.low[0] > pair.extent.high[0]; });
  clock.stage("overlaps", result.pairs.size(), "pairs");
  result.stats.triangles = triangles;
  result.stats.threads = run.workers.count();
  return result;
}

}  // namespace sightline
