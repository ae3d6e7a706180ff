// What the public functions of this room share.
#pragma once

#include "base/parallel.h"
#include "base/poll.h"
#include "input/watch.h"
#include "sightline/measure.h"

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

}  // namespace sightline::measure
