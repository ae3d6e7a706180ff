// FCL: a hierarchy of OBBRSS boxes per object, collide() on each pair of objects, pairs in parallel. Its triangle test
// is in floating point: missed and invented pairs are counted, not forbidden.
#include <fcl/fcl.h>

#include <limits>

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
  return model;
}

class FclPeer : public Peer {
 public:
  std::string name() const override { return "fcl"; }
  bool takes(const BenchScene& scene) const override { return !scene.self; }
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

}  // namespace

PeerPtr make_fcl() { return std::make_unique<FclPeer>(); }

}  // namespace sightline::bench
