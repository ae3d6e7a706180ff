#include "parts/leaf.h"

#include <algorithm>
#include <cstring>

#include "base/pages.h"
#include "input/object.h"
#include "input/watch.h"
#include "mesh/topology.h"
#include "mesh/weld.h"
#include "query/query.h"

namespace sightline::scale {
namespace {

/// The triangles of a leaf as a mesh whose positions are distinct.
template <typename Scalar>
struct LeafMesh {
  std::vector<std::array<Scalar, 3>> points;
  std::vector<Triangle> triangles;
  MeshView view() const { return {Positions(points), triangles}; }
};

template <typename Scalar>
LeafMesh<Scalar> welded_mesh(const std::vector<Corners<Scalar>>& corners, Workers& workers, const Poll& poll) {
  const std::size_t count = 3 * corners.size();
  const std::array<Scalar, 3>* const soup = corners.empty() ? nullptr : corners.front().data();
  LeafMesh<Scalar> mesh;
  mesh.triangles = large_vector<Triangle>(corners.size());
  std::uint32_t* const index = mesh.triangles.empty() ? nullptr : mesh.triangles.front().data();
  const auto at = [soup](std::uint32_t i) -> const std::array<Scalar, 3>& { return soup[i]; };
  weld(at, count, index, workers, poll);
  std::uint32_t distinct = 0;
  for (std::size_t i = 0; i < count; ++i) distinct += index[i] == i;
  mesh.points = large_vector<std::array<Scalar, 3>>(distinct);
  std::uint32_t next = 0;
  // The first of equal positions comes before the others, so its entry is its number already.
  for (std::size_t i = 0; i < count; ++i)
    if (index[i] == i)
      mesh.points[next] = soup[i], index[i] = next++;
    else
      index[i] = index[index[i]];
  return mesh;
}

template <typename Scalar>
std::vector<std::uint8_t> owned_points(const LeafMesh<Scalar>& mesh, const Region& region, Workers& workers) {
  if (region.is_everything()) return {};
  std::vector<std::uint8_t> owned(mesh.points.size());
  workers.for_blocks(owned.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) owned[i] = region.holds(as_double(mesh.points[i]));
  });
  return owned;
}

/// Components of the leaf that have a triangle of several leaves get a number, and a link for each such triangle.
template <typename Scalar>
void add_components(const Triangles<Scalar>& triangles, const Topology& topology, Totals& totals, Runs& links) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::vector<std::uint64_t> node(topology.components, kNone);
  std::uint64_t linked = 0;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (!triangles.tags[i].shared()) continue;
    std::uint64_t& mine = node[topology.component[i]];
    if (mine == kNone) mine = totals.nodes++, ++linked;
    links.add({triangles.tags[i].number(), mine});
  }
  totals.facts.components += topology.components - linked;
}

/// A triangle counts where the low corner of its box is.
template <typename Scalar>
bool owns_triangle(const Triangles<Scalar>& triangles, std::size_t i, const Region& region) {
  return !triangles.tags[i].shared() || region.holds(box_of_corners(triangles.corners[i]).low);
}

template <typename Scalar>
void add_facts(const Triangles<Scalar>& triangles, const LeafMesh<Scalar>& mesh, const Region& region, Workers& workers,
               const Poll& poll, Totals& totals, HugeReport::Lists& lists) {
  const Topology topology = topology_of_part(mesh.view(), owned_points(mesh, region, workers), workers, poll);
  totals.facts.vertices += topology.vertices;
  totals.facts.open_edges += topology.open_edges;
  totals.facts.nonmanifold_edges += topology.nonmanifold_edges;
  totals.facts.duplicates += topology.duplicates;
  for (const std::uint32_t i : topology.degenerate)
    if (owns_triangle(triangles, i, region)) {
      lists.degenerate.add({triangles.tags[i].number(), 0});
      ++totals.facts.degenerate;
    }
  add_components(triangles, topology, totals, lists.links);
}

template <typename Scalar>
CornersD exact_corners(const Corners<Scalar>& corners) {
  return {as_double(corners[0]), as_double(corners[1]), as_double(corners[2])};
}

/// The kind, and the points of the intersection: the payload of a contact.
struct Payload {
  std::array<std::byte, 1 + sizeof(Intersection::storage)> bytes;
  std::uint8_t size = 0;  ///< 0: another leaf reports the contact

  void set(Kind kind, const Intersection& geometry) {
    bytes[0] = static_cast<std::byte>(kind);
    std::memcpy(&bytes[1], geometry.storage.data(), geometry.size * sizeof(Vec3d));
    size = static_cast<std::uint8_t>(1 + geometry.size * sizeof(Vec3d));
  }
};

template <typename Scalar>
Payload payload_of(const Triangles<Scalar>& triangles, const Contact& contact, const Region& region,
                   bool intersections) {
  Payload payload;
  const Corners<Scalar>&a = triangles.corners[contact.a], &b = triangles.corners[contact.b];
  if (triangles.tags[contact.a].shared() && triangles.tags[contact.b].shared() &&
      !region.holds(reporting_point(box_of_corners(a), box_of_corners(b))))
    return payload;
  payload.set(contact.kind, intersections ? intersection(exact_corners(a), exact_corners(b)) : Intersection{});
  return payload;
}

template <typename Scalar>
void add_contacts(const Triangles<Scalar>& triangles, std::span<const Contact> contacts, const Region& region,
                  bool intersections, Workers& workers, const Control& control, Totals& totals, Runs& runs) {
  constexpr std::size_t kBlock = 256, kAtOnce = 64 * kBlock;
  std::vector<Payload> payloads(std::min(kAtOnce, contacts.size()));
  for (; !contacts.empty(); contacts = contacts.subspan(std::min(kAtOnce, contacts.size()))) {
    control.check();
    const std::size_t count = std::min(kAtOnce, contacts.size());
    workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        payloads[i] = payload_of(triangles, contacts[i], region, intersections);
    });
    for (std::size_t i = 0; i < count; ++i) {
      if (payloads[i].size == 0) continue;
      ++totals.counts[static_cast<std::size_t>(contacts[i].kind)];
      runs.add({triangles.tags[contacts[i].a].number(), triangles.tags[contacts[i].b].number()},
               std::span(payloads[i].bytes).first(payloads[i].size));
    }
  }
}

void add_stats(const Stats& stats, Totals& totals) {
  totals.candidates += stats.candidates;
  totals.decided_exact += stats.decided_exact;
  totals.decided_filtered += stats.decided_filtered;
  totals.peak_bytes = std::max(totals.peak_bytes, stats.peak_bytes);
  totals.simd = stats.simd;
  totals.threads = std::max(totals.threads, stats.threads);
}

Report contacts_of(const MeshView& mesh, const LeafOptions& options, const Control& control) {
  Settings settings{Options{}, options.tuning};
  settings.threads = options.threads;
  settings.max_contacts = options.most_contacts;
  settings.cancel = [&control] { return control.stop(); };
  const QueryObject object{.mesh = mesh, .options = {.self = true}};
  Report report;
  run_query({&object, 1}, shielded(settings), *make_workspace(), report);
  if (report.cancelled) throw Stopped{};
  return report;
}

}  // namespace

template <typename Scalar>
bool answer_leaf(const Triangles<Scalar>& triangles, const Region& region, const LeafOptions& options,
                 const Control& control, Totals& totals, HugeReport::Lists& lists) {
  control.check();
  Workers workers(options.threads, triangles.size());
  const std::function<bool()> cancel = [&control] { return control.stop(); };
  try {
    const LeafMesh<Scalar> mesh = welded_mesh(triangles.corners, workers, Poll(cancel));
    const Report report = contacts_of(mesh.view(), options, control);
    if (report.found > report.contacts.size()) return false;
    add_stats(report.stats, totals);
    add_contacts(triangles, report.contacts, region, options.intersections, workers, control, totals, lists.contacts);
    add_facts(triangles, mesh, region, workers, Poll(cancel), totals, lists);
  } catch (const Error&) {
    control.check();  // a poll throws Error after a cancel
    throw;
  }
  ++totals.leaves;
  totals.records += triangles.size();
  return true;
}

template bool answer_leaf<float>(const Triangles<float>&, const Region&, const LeafOptions&, const Control&, Totals&,
                                 HugeReport::Lists&);
template bool answer_leaf<double>(const Triangles<double>&, const Region&, const LeafOptions&, const Control&, Totals&,
                                  HugeReport::Lists&);

}  // namespace sightline::scale
