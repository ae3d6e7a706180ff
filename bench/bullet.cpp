// Bullet: GImpact, its method for meshes that move. A quantised box hierarchy per object, pairs of boxes from
// btGImpactBoxSet, and its triangle test with margin 0, in single precision: missed and invented pairs are counted.
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <BulletCollision/Gimpact/btTriangleShapeEx.h>
#include <btBulletCollisionCommon.h>

#include "bench/bench.h"
#include "bench/object_pairs.h"

namespace sightline::bench {
namespace {

/// A GImpact shape and the arrays that it refers to.
class Shape {
 public:
  explicit Shape(const MeshView& view) {
    for (std::size_t i = 0; i < view.positions.size(); ++i) {
      const Vec3d p = view.position(i);
      points_.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
    }
    for (const Triangle& t : view.triangles)
      indices_.push_back({static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])});
    btIndexedMesh mesh;
    mesh.m_numTriangles = static_cast<int>(indices_.size());
    mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(indices_.data());
    mesh.m_triangleIndexStride = sizeof indices_[0];
    mesh.m_numVertices = static_cast<int>(points_.size());
    mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(points_.data());
    mesh.m_vertexStride = sizeof points_[0];
    mesh.m_vertexType = PHY_FLOAT;
    array_.addIndexedMesh(mesh);
    shape_ = std::make_unique<btGImpactMeshShape>(&array_);
    shape_->setMargin(0);
    shape_->updateBound();
    part().lockChildShapes();
  }
  ~Shape() { part().unlockChildShapes(); }

  btGImpactMeshShapePart& part() { return *shape_->getMeshPart(0); }

 private:
  static_assert(sizeof(btScalar) == sizeof(float));
  std::vector<Vec3f> points_;
  std::vector<std::array<int, 3>> indices_;
  btTriangleIndexVertexArray array_;
  std::unique_ptr<btGImpactMeshShape> shape_;
};

void collide(std::uint32_t object_a, std::uint32_t object_b, btGImpactMeshShapePart& a, btGImpactMeshShapePart& b,
             Collector& contacts) {
  const btTransform identity = btTransform::getIdentity();
  btPairSet pairs;
  btGImpactBoxSet::find_collision(a.getBoxSet(), identity, b.getBoxSet(), identity, pairs);
  btPrimitiveTriangle triangle_a, triangle_b;
  for (int i = 0; i < pairs.size(); ++i) {
    const auto [index_a, index_b] = std::pair(pairs[i].m_index1, pairs[i].m_index2);
    a.getPrimitiveTriangle(index_a, triangle_a);
    b.getPrimitiveTriangle(index_b, triangle_b);
    triangle_a.m_margin = triangle_b.m_margin = 0;
    triangle_a.buildTriPlane();
    triangle_b.buildTriPlane();
    if (!triangle_a.overlap_test_conservative(triangle_b)) continue;
    GIM_TRIANGLE_CONTACT contact;
    if (triangle_a.find_triangle_collision_clip_method(triangle_b, contact))
      contacts.local().push_back({object_a, object_b, static_cast<std::uint32_t>(index_a),
                                  static_cast<std::uint32_t>(index_b), Kind::touching});
  }
}

class BulletPeer : public Peer {
 public:
  std::string name() const override { return "bullet"; }
  bool takes(const BenchScene& scene) const override { return !scene.relations && !scene.self; }
  bool exact() const override { return false; }

  Report run(const BenchScene& scene) override {
    std::vector<std::unique_ptr<Shape>> shapes(scene.objects.size());
    return collide_pairs(
        shapes.size(), [&](std::size_t i) { shapes[i] = std::make_unique<Shape>(scene.objects[i]); },
        [&] { return boxes_of(scene.objects); },
        [&](std::uint32_t a, std::uint32_t b, Collector& contacts) {
          collide(a, b, shapes[a]->part(), shapes[b]->part(), contacts);
        });
  }
};

}  // namespace

PeerPtr make_bullet() { return std::make_unique<BulletPeer>(); }

}  // namespace sightline::bench
