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
#include "measure/scale.h"
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

Protrusion scaled(Protrusion p, int by) {
  p.depth = {measure::scaled_down(p.depth.low, by), measure::scaled_up(p.depth.high, by)};
  p.point = measure::scaled(p.point, by);
  p.nearest = measure::scaled(p.nearest, by);
  return p;
}

}  // namespace

// Where no contact is a crossing, it is decided exactly whether a surface has a point inside the other part: faces in
// contact have the depth 0.
Protrusions measure::protrusions(const Shell& a, const Shell& b, std::span<const Contact> contacts, Workers& workers,
                                 const Poll& poll) {
  bool reach_a = a.box.meets(b.box), reach_b = reach_a;
  const auto crosses = [&](const Contact& contact) {
    return contact.kind == Kind::crossing && !a.flat[contact.a] && !b.flat[contact.b];
  };
  if (reach_a && !contacts.empty() && std::none_of(contacts.begin(), contacts.end(), crosses)) {
    Poll own = poll;
    const solid::Body body_a(a.mesh, workers, poll), body_b(b.mesh, workers, poll);
    reach_a = solid::reaches_into(body_a, body_b, contacts, own);
    reach_b = solid::is_reached_by(body_a, body_b, contacts, own);
  }
  Protrusions result;
  workers.for_each(2, [&](std::size_t i) {
    if (i == 0 && reach_a) result.a = measure::protrusion(a, b, contacts, true, workers, poll);
    if (i == 1 && reach_b) result.b = measure::protrusion(b, a, contacts, false, workers, poll);
  });
  return result;
}

Protrusions protrusions(const MeshView& a, const MeshView& b, const MeasureOptions& options) {
  return protrusions(a, b, measure::contacts_of(a, b, options), options);
}

Protrusions protrusions(const MeshView& a, const MeshView& b, std::span<const Contact> contacts,
                        const MeasureOptions& options) {
  const FloatEnvironment environment;
  Run run(options, a.triangles.size() + b.triangles.size());
  validate(a, "part a", run.workers);
  validate(b, "part b", run.workers);
  for (const Contact& contact : contacts) measure::check(contact, a, b);
  if (const int by = measure::require_scale(a, b, "protrusions"); by != 0) {
    const std::vector<Vec3d> points[2] = {measure::scaled_points(a, by), measure::scaled_points(b, by)};
    const Protrusions both =
        protrusions(MeshView{points[0], a.triangles}, MeshView{points[1], b.triangles}, contacts, options);
    return {scaled(both.a, -by), scaled(both.b, -by)};
  }
  std::unique_ptr<Shell> shells[2];
  run.workers.for_each(
      2, [&](std::size_t i) { shells[i] = std::make_unique<Shell>(i == 0 ? a : b, run.workers, run.poll); });
  require_closed(*shells[0], "part a");
  require_closed(*shells[1], "part b");
  return measure::protrusions(*shells[0], *shells[1], contacts, run.workers, run.poll);
}

}  // namespace sightline
