// What the public functions of this room share.
#pragma once

#include "base/parallel.h"
#include "base/poll.h"
#include "input/watch.h"
#include "measure/shell.h"
#include "sightline/depth.h"

namespace sightline::measure {

/// Threads and polls of one call.
struct Run {
  Run(const MeasureOptions& options, std::uint64_t triangles)
      : settings(shielded({Options{.cancel = options.cancel}})),
        workers(options.threads, triangles),
        poll(settings.cancel) {}
  Settings settings;
  Workers workers;
  Poll poll;
};

/// Throws Error if a triangle of the contact does not exist.
void check(const Contact& contact, const MeshView& a, const MeshView& b);
std::vector<Contact> contacts_of(const MeshView& a, const MeshView& b, const MeasureOptions& options);

/// The contacts of each pair of parts in a list in canonical order.
class ContactsByPair {
 public:
  /// Throws Error if the list is not complete.
  explicit ContactsByPair(const Report& report);
  std::span<const Contact> of(std::uint32_t a, std::uint32_t b) const;

 private:
  std::span<const Contact> all_;
};

/// protrusions() and overlap() of parts with shells; both are closed, or enclose volumes. The parts of the first have
/// the scale 0 (measure/scale.h).
Protrusions protrusions(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                        const Poll& poll);
Extent ordered_overlap(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                       const Poll& poll);

}  // namespace sightline::measure
