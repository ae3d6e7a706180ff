#include "parts/leaf.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/pages.h"
#include "input/object.h"
#include "input/watch.h"
#include "mesh/topology.h"
#include "mesh/weld.h"
#include "query/query.h"

namespace sightline::scale {
namespace {

template <typename Scalar>
LeafMesh<Scalar> welded_mesh(std::span<const Corners<Scalar>> corners, Workers& workers, const Poll& poll) {
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

/// The payload of a record.
class Payload {
 public:
  void add(Kind kind, const Intersection& geometry) {
    bytes_[size_++] = static_cast<std::byte>(kind);
    add(geometry.storage.data(), geometry.size * sizeof(Vec3d));
  }
  template <typename Scalar>
  void add_home(const TriangleView<Scalar>& triangles, std::size_t i) {
    if (!triangles.homes.empty()) add(&triangles.homes[i], sizeof(Home));
  }
  std::span<const std::byte> span() const { return std::span(bytes_).first(size_); }
  bool empty() const { return size_ == 0; }

 private:
  void add(const void* from, std::size_t size) {
    std::memcpy(&bytes_[size_], from, size);
    size_ += size;
  }
  std::array<std::byte, 1 + sizeof(Intersection::storage) + sizeof(Home)> bytes_;
  std::size_t size_ = 0;
};

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
    links.add({.a = triangles.tags[i].number(), .b = mine});
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
      Payload payload;
      payload.add_home(TriangleView(triangles), i);
      lists.degenerate.add({.a = triangles.tags[i].number()}, payload.span());
      ++totals.facts.degenerate;
    }
  add_components(triangles, topology, totals, lists.links);
}

template <typename Scalar>
CornersD exact_corners(const Corners<Scalar>& corners) {
  return {as_double(corners[0]), as_double(corners[1]), as_double(corners[2])};
}

/// The triangles of each object, by its number in contacts.
template <typename Scalar>
using ObjectTriangles = std::vector<TriangleView<Scalar>>;

/// Empty if another leaf reports the contact.
template <typename Scalar>
Payload payload_of(const ObjectTriangles<Scalar>& objects, const Contact& contact, const Region& region,
                   bool intersections) {
  Payload payload;
  const TriangleView<Scalar>&of_a = objects[contact.object_a], &of_b = objects[contact.object_b];
  const Corners<Scalar>&a = of_a.corners[contact.a], &b = of_b.corners[contact.b];
  if (of_a.tags[contact.a].shared() && of_b.tags[contact.b].shared() &&
      !region.holds(reporting_point(box_of_corners(a), box_of_corners(b))))
    return payload;
  payload.add(contact.kind, intersections ? intersection(exact_corners(a), exact_corners(b)) : Intersection{});
  payload.add_home(of_a, contact.a);
  return payload;
}

template <typename Scalar>
void add_contacts(const ObjectTriangles<Scalar>& objects, std::span<const Contact> contacts, const Region& region,
                  bool intersections, Workers& workers, const Control& control, Totals& totals, Runs& runs) {
  constexpr std::size_t kBlock = 256, kAtOnce = 64 * kBlock;
  std::vector<Payload> payloads(std::min(kAtOnce, contacts.size()));
  for (; !contacts.empty(); contacts = contacts.subspan(std::min(kAtOnce, contacts.size()))) {
    control.check();
    const std::size_t count = std::min(kAtOnce, contacts.size());
    workers.for_blocks(count, kBlock, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) payloads[i] = payload_of(objects, contacts[i], region, intersections);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const Contact& contact = contacts[i];
      if (payloads[i].empty()) continue;
      ++totals.counts[static_cast<std::size_t>(contact.kind)];
      runs.add({.objects = std::uint64_t{contact.object_a} << 32 | contact.object_b,
                .a = objects[contact.object_a].number(contact.a),
                .b = objects[contact.object_b].number(contact.b)},
               payloads[i].span());
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

Settings settings_of(const LeafOptions& options, const Control& control) {
  Settings settings{Options{}, options.tuning};
  settings.threads = options.threads;
  settings.max_contacts = options.most_contacts;
  settings.cancel = [&control] { return control.stop(); };
  return settings;
}

/// By the GPU, if there is an engine.
Report contacts_of(std::span<const QueryObject> objects, const LeafOptions& options, const Control& control) {
  const Settings settings = settings_of(options, control);
  Report report;
  if (options.engine == nullptr) {
    run_query(objects, shielded(settings), *make_workspace(), report);
  } else {
    Scene& engine = *options.engine;
    for (const QueryObject& object : objects) {
      while (engine.size() <= object.id) engine.add(MeshView{});
      engine.set_options(object.id, object.options);
      engine.replace(object.id, object.mesh, options.threads);
    }
    collide(engine, report, settings);
    for (const QueryObject& object : objects) engine.replace(object.id, MeshView{});  // the meshes end with the leaf
  }
  if (report.cancelled) throw Stopped{};
  return report;
}

/// A poll throws Error after a cancel.
template <typename Work>
bool stoppable(const Control& control, const Work& work) {
  control.check();
  try {
    return work();
  } catch (const Error&) {
    control.check();
    throw;
  }
}

}  // namespace

std::unique_ptr<Scene> leaf_engine(const Device& device) {
  return device.type() == Device::Type::cpu ? nullptr : std::make_unique<Scene>(device);
}

template <typename Scalar>
bool answer_leaf(const Triangles<Scalar>& triangles, const Region& region, const LeafOptions& options,
                 const Control& control, Totals& totals, HugeReport::Lists& lists) {
  return stoppable(control, [&] {
    Workers workers(options.threads, triangles.size());
    const std::function<bool()> cancel = [&control] { return control.stop(); };
    const LeafMesh<Scalar> mesh =
        welded_mesh(std::span<const Corners<Scalar>>(triangles.corners), workers, Poll(cancel));
    const QueryObject object{.mesh = mesh.view(), .options = {.self = true}};
    const Report report = contacts_of({&object, 1}, options, control);
    if (report.found > report.contacts.size()) return false;
    add_stats(report.stats, totals);
    add_contacts<Scalar>({triangles}, report.contacts, region, options.intersections, workers, control, totals,
                         lists.contacts);
    add_facts(triangles, mesh, region, workers, Poll(cancel), totals, lists);
    ++totals.leaves;
    totals.records += triangles.size();
    return true;
  });
}

template <typename Scalar>
bool answer_leaf(const Triangles<Scalar>& triangles, const Objects& objects, const Region& region,
                 const LeafOptions& options, const Control& control, Totals& totals, Runs& contacts) {
  return stoppable(control, [&] {
    Workers workers(options.threads, triangles.size());
    const std::function<bool()> cancel = [&control] { return control.stop(); };
    ObjectTriangles<Scalar> views;
    std::deque<LeafMesh<Scalar>> meshes;
    std::vector<QueryObject> present;
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < objects.ends.size(); first = objects.ends[i++]) {
      const TriangleView<Scalar>& view = views.emplace_back(triangles, first, objects.ends[i]);
      if (view.size() == 0) continue;
      meshes.push_back(welded_mesh(view.corners, workers, Poll(cancel)));
      present.push_back(
          {.mesh = meshes.back().view(), .options = objects.options[i], .id = static_cast<std::uint32_t>(i)});
    }
    const Report report = contacts_of(present, options, control);
    if (report.found > report.contacts.size()) return false;
    add_stats(report.stats, totals);
    add_contacts(views, report.contacts, region, options.intersections, workers, control, totals, contacts);
    ++totals.leaves;
    totals.records += triangles.size();
    return true;
  });
}

template bool answer_leaf<float>(const Triangles<float>&, const Region&, const LeafOptions&, const Control&, Totals&,
                                 HugeReport::Lists&);
template bool answer_leaf<double>(const Triangles<double>&, const Region&, const LeafOptions&, const Control&, Totals&,
                                  HugeReport::Lists&);
template bool answer_leaf<float>(const Triangles<float>&, const Objects&, const Region&, const LeafOptions&,
                                 const Control&, Totals&, Runs&);
template bool answer_leaf<double>(const Triangles<double>&, const Objects&, const Region&, const LeafOptions&,
                                  const Control&, Totals&, Runs&);

template <typename Scalar>
void LeafScene<Scalar>::add(const ObjectOptions& options) {
  scene_.add(MeshView{}, options);
  objects_.emplace_back();
}

template <typename Scalar>
void LeafScene<Scalar>::set_options(std::size_t object, const ObjectOptions& options) {
  const auto id = static_cast<ObjectId>(object);
  if (scene_.options(id) != options) scene_.set_options(id, options);
}

template <typename Scalar>
void LeafScene<Scalar>::replace(std::size_t object, Triangles<Scalar>&& triangles, unsigned threads) {
  Object& mine = objects_[object];
  if (mine.triangles.size() == 0 && triangles.size() == 0) return;
  Workers workers(threads, triangles.size());
  mine.triangles = std::move(triangles);
  mine.mesh = welded_mesh(std::span<const Corners<Scalar>>(mine.triangles.corners), workers, Poll());
  scene_.replace(static_cast<ObjectId>(object), mine.mesh.view(), threads);
}

template <typename Scalar>
void LeafScene<Scalar>::answer(const Region& region, const LeafOptions& options, const Control& control, Totals& totals,
                               Runs& contacts) {
  ObjectTriangles<Scalar> objects;
  std::uint64_t records = 0;
  for (const Object& object : objects_) objects.emplace_back(object.triangles), records += object.triangles.size();
  if (records == 0) return;
  collide(scene_, report_, settings_of(options, control));
  if (report_.cancelled) throw Stopped{};
  Workers workers(options.threads, records);
  add_stats(report_.stats, totals);
  add_contacts(objects, report_.contacts, region, options.intersections, workers, control, totals, contacts);
  ++totals.leaves;
  totals.records += records;
}

template class LeafScene<float>;
template class LeafScene<double>;

}  // namespace sightline::scale
