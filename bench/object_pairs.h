// What the peers share: lists of contacts by thread, and models of objects that are compared in pairs.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <utility>
#include <vector>

#include "base/box.h"
#include "input/watch.h"
#include "sightline/query.h"

namespace sightline::bench {

/// A thread's list is looked up only for a contact: the lookup hashes the thread's id.
using Collector = tbb::enumerable_thread_specific<std::vector<Contact>>;

inline void gather(const Collector& collected, Report& report) {
  std::size_t count = 0;
  for (const auto& contacts : collected) count += contacts.size();
  report.contacts.reserve(count);
  for (const auto& contacts : collected)
    report.contacts.insert(report.contacts.end(), contacts.begin(), contacts.end());
}

inline std::vector<Box> boxes_of(const std::vector<Mesh>& objects) {
  std::vector<Box> boxes(objects.size());
  tbb::parallel_for(std::size_t{0}, objects.size(), [&](std::size_t i) {
    const Positions positions = objects[i].view().positions;
    for (std::size_t k = 0; k < positions.size(); ++k) boxes[i].add(positions.stored(k));
  });
  return boxes;
}

/// Calls build(i) for each object, then collide(a, b, contacts) for the pairs a < b whose boxes overlap, both in
/// parallel. All pairs of boxes are tried: a millisecond for a thousand objects.
template <typename Build, typename Boxes, typename Collide>
Report collide_pairs(std::size_t objects, const Build& build, const Boxes& make_boxes, const Collide& collide) {
  Report report;
  StageClock clock(report.stats);
  tbb::parallel_for(std::size_t{0}, objects, build);
  clock.stage("build", 0, {});
  const std::vector<Box>& boxes = make_boxes();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b)
      if (boxes[a].meets(boxes[b])) pairs.push_back({a, b});
  Collector contacts;
  tbb::parallel_for(std::size_t{0}, pairs.size(),
                    [&](std::size_t i) { collide(pairs[i].first, pairs[i].second, contacts); });
  gather(contacts, report);
  clock.stage("collide", 0, {});
  return report;
}

}  // namespace sightline::bench
