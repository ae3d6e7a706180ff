// FCL: a hierarchy of OBBRSS boxes per object, collide() on each pair of objects, pairs in parallel. Its triangle test
// is in floating point: missed and invented pairs are counted, not forbidden.
#include <fcl/fcl.h>

#include <limits>

#include "base/box_tree.h"
#include "bench/bench.h"
#include "bench/object_pairs.h"

namespace sightline::bench {
namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

std::shared_ptr<Model> build(const MeshView& view) {
  std::vector<fcl::Vector3d> points;
  points.reserve(view.positions.size());
  for (std::size_t i = 0; i < view.positions.size(); ++i) {
    const Vec3d p = view.position(i);
    points.emplace_back(p[0], p[1], p[2]);
  }
  std::vector<fcl::Triangle> triangles;
  triangles.reserve(view.triangles.size());
  for (const Triangle& t : view.triangles) triangles.emplace_back(t[0], t[1], t[2]);
  auto model = std::make_shared<Model>();
  model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
  model->addSubModel(points, triangles);
  model->endModel();
  model->computeLocalAABB();  // endModel does not: without it aabb_local is the whole space
  return model;
}

class FclPeer : public Peer {
 public:
  std::string name() const override { return "fcl"; }
  bool takes(const BenchScene& scene) const override { return !scene.relations && !scene.self; }
  bool exact() const override { return false; }

  Report run(const BenchScene& scene) override {
    std::vector<std::shared_ptr<Model>> models(scene.objects.size());
    return collide_pairs(
        models.size(), [&](std::size_t i) { models[i] = build(scene.objects[i]); },
        [&] { return boxes_of(scene.objects); },
        [&](std::uint32_t a, std::uint32_t b, Collector& contacts) {
          const fcl::CollisionRequestd request(std::numeric_limits<std::size_t>::max(), false);
          fcl::CollisionResultd result;
          const fcl::Transform3d identity = fcl::Transform3d::Identity();
          fcl::collide(models[a].get(), identity, models[b].get(), identity, request, result);
          for (std::size_t k = 0; k < result.numContacts(); ++k) {
            const fcl::Contactd& c = result.getContact(k);
            contacts.local().push_back(
                {a, b, static_cast<std::uint32_t>(c.b1), static_cast<std::uint32_t>(c.b2), Kind::touching});
          }
        });
  }
};

fcl::Transform3d placed(const Transform& transform) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) result.matrix()(i, k) = transform.rows[i][k];
  return result;
}

/// One hierarchy for each mesh: instances share it. Pairs of boxes by our tree, the rest by FCL.
class FclYesNoPeer : public Peer {
 public:
  std::string name() const override { return kFclYesNo; }
  bool takes(const BenchScene& scene) const override { return scene.relations; }
  bool exact() const override { return false; }

  Report run(const BenchScene& scene) override {
    const Assembly& assembly = scene.assembly;
    Report report;
    StageClock clock(report.stats);
    std::vector<std::shared_ptr<Model>> models(assembly.meshes.size());
    tbb::parallel_for(std::size_t{0}, models.size(), [&](std::size_t i) { models[i] = build(assembly.meshes[i]); });
    clock.stage("build", models.size(), "meshes");
    std::vector<Box> boxes(assembly.size());
    std::vector<fcl::Transform3d> places(assembly.size());
    tbb::parallel_for(std::size_t{0}, boxes.size(), [&](std::size_t i) {
      places[i] = placed(assembly.parts[i].transform);
      const Model& model = *models[assembly.parts[i].mesh];
      for (int corner = 0; corner < 8; ++corner) {
        fcl::Vector3d p = model.aabb_local.min_;
        for (int k = 0; k < 3; ++k)
          if ((corner >> k & 1) != 0) p[k] = model.aabb_local.max_[k];
        const fcl::Vector3d q = places[i] * p;
        boxes[i].add(Vec3d{q[0], q[1], q[2]});
      }
    });
    Workers workers(0);
    const auto pairs = pairs_of_boxes(
        std::span<const Box>(boxes), [](const Box& a, const Box& b) { return a.meets(b); }, workers);
    clock.stage("pairs", pairs.size(), "pairs");
    Collector contacts;
    tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t i) {
      const auto [a, b] = pairs[i];
      const fcl::CollisionRequestd request(1, false);
      fcl::CollisionResultd result;
      if (fcl::collide(models[assembly.parts[a].mesh].get(), places[a], models[assembly.parts[b].mesh].get(), places[b],
                       request, result) > 0)
        contacts.local().push_back({a, b, 0, 0, Kind::touching});
    });
    gather(contacts, report);
    clock.stage("collide", 0, {});
    return report;
  }
};

}  // namespace

PeerPtr make_fcl_yes_no() { return std::make_unique<FclYesNoPeer>(); }

PeerPtr make_fcl() { return std::make_unique<FclPeer>(); }

}  // namespace sightline::bench
