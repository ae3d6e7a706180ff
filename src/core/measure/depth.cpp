// The public functions of depth.h about a pair of parts.

#include "sightline/depth.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/float_environment.h"
#include "base/format.h"
#include "input/object.h"
#include "measure/protrusion.h"
#include "measure/run.h"
#include "solid/relate.h"

namespace sightline {
namespace {

using measure::Run, measure::Shell;

void require_closed(const Shell& shell, std::string_view name) {
  if (!shell.boundary.has_area)
    throw Error(formatted("protrusions: {} has no triangle with area; it has no inside", name));
  if (shell.boundary.open_edges > 0)
    throw Error(formatted("protrusions: {} is open: {} of its edges have an odd number of triangles; it has no inside",
                          name, shell.boundary.open_edges));
}

/// Squares of lengths must neither overflow nor lose their last bits.
void require_range(const MeshView& mesh, std::string_view name) {
  constexpr double kLargest = 0x1p500, kLeast = 0x1p-400;
  Box box;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) box.add(box_of(mesh.corners(i)));
  const double extent = box.longest();
  for (int k = 0; k < 3; ++k)
    if (std::max(std::abs(box.low[k]), std::abs(box.high[k])) > kLargest || !(extent > kLeast))
      throw Error(
          formatted("protrusions: {} has an extent of {} at {}; depths need coordinates below 2^500 and "
                    "extents above 2^-400",
                    name, extent, box.high[k]));
}

}  // namespace

Protrusions protrusions(const MeshView& a, const MeshView& b, const MeasureOptions& options) {
  return protrusions(a, b, measure::contacts_of(a, b, options), options);
}

// Where no contact is a crossing, it is decided exactly whether a surface has a point inside the other part: faces in
// contact have the depth 0.
Protrusions protrusions(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                        const MeasureOptions& options) {
  const FloatEnvironment environment;
  Run run(options, a.triangles.size() + b.triangles.size());
  validate(a, "part a", run.workers);
  validate(b, "part b", run.workers);
  for (const Contact& contact : contacts) measure::check(contact, a, b);
  std::unique_ptr<Shell> shells[2];
  run.workers.for_each(
      2, [&](std::size_t i) { shells[i] = std::make_unique<Shell>(i == 0 ? a : b, run.workers, run.poll); });
  require_closed(*shells[0], "part a");
  require_closed(*shells[1], "part b");
  require_range(a, "part a");
  require_range(b, "part b");
  bool reach_a = shells[0]->box.meets(shells[1]->box), reach_b = reach_a;
  const auto crosses = [&](const Contact& contact) {
    return contact.kind == Kind::crossing && !shells[0]->flat[contact.a] && !shells[1]->flat[contact.b];
  };
  if (reach_a && !contacts.empty() && std::none_of(contacts.begin(), contacts.end(), crosses)) {
    const solid::Body body_a(a, run.workers, run.poll), body_b(b, run.workers, run.poll);
    reach_a = solid::reaches_into(body_a, body_b, contacts, run.poll);
    reach_b = solid::is_reached_by(body_a, body_b, contacts, run.poll);
  }
  Protrusions result;
  if (reach_a) result.a = measure::protrusion(*shells[0], *shells[1], contacts, true, run.workers, run.poll);
  if (reach_b) result.b = measure::protrusion(*shells[1], *shells[0], contacts, false, run.workers, run.poll);
  return result;
}

}  // namespace sightline
