// Embree 3: rtcCollide over user geometry with the boxes of the triangles, our exact test in the callback.
//
// rtcCollide(s, s) reports each pair of boxes in both orders and rtcCollide(s, t) in one; each order comes once,
// because without spatial splits a primitive is in one leaf. Hence the test id_a < id_b leaves each pair once.
#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <cmath>

#include "bench/bench.h"
#include "bench/object_pairs.h"
#include "exact/tri_tri.h"

namespace sightline::bench {
namespace {

float round_down(double x) {
  const float f = static_cast<float>(x);
  return f <= x ? f : std::nextafter(f, -INFINITY);
}
float round_up(double x) {
  const float f = static_cast<float>(x);
  return f >= x ? f : std::nextafter(f, INFINITY);
}

void bounds_callback(const RTCBoundsFunctionArguments* arguments) {
  const MeshView& mesh = *static_cast<const MeshView*>(arguments->geometryUserPtr);
  const Triangle& t = mesh.triangles[arguments->primID];
  const auto set = [&](const auto& p, const auto& q, const auto& r) {
    const auto low = [&](std::size_t axis) { return round_down(std::min({p[axis], q[axis], r[axis]})); };
    const auto high = [&](std::size_t axis) { return round_up(std::max({p[axis], q[axis], r[axis]})); };
    *arguments->bounds_o = {low(0), low(1), low(2), 0, high(0), high(1), high(2), 0};
  };
  const auto from = [&](const auto& points) { set(points[t[0]], points[t[1]], points[t[2]]); };
  mesh.positions.is_double() ? from(mesh.positions.f64()) : from(mesh.positions.f32());
}

/// Owns an RTCScene.
class EmbreeScene {
 public:
  explicit EmbreeScene(RTCDevice device) : device_(device), scene_(rtcNewScene(device)) {
    rtcSetSceneBuildQuality(scene_, RTC_BUILD_QUALITY_LOW);
  }
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;
  ~EmbreeScene() { rtcReleaseScene(scene_); }

  /// The geometry's id is the number of attached geometries before it. The view must stay in place.
  void attach(const MeshView& view) {
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(view.triangles.size()));
    rtcSetGeometryUserData(geometry, const_cast<MeshView*>(&view));
    rtcSetGeometryBoundsFunction(geometry, bounds_callback, nullptr);
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_LOW);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
  }
  void commit() { rtcCommitScene(scene_); }
  RTCScene get() const { return scene_; }
  Box box() const {
    RTCBounds b;
    rtcGetSceneBounds(scene_, &b);
    return {{b.lower_x, b.lower_y, b.lower_z}, {b.upper_x, b.upper_y, b.upper_z}};
  }

 private:
  RTCDevice device_;
  RTCScene scene_;
};

/// The pairs of one scene with itself, or of two scenes.
struct Query {
  const std::vector<MeshView>& views;
  bool self;  ///< within an object; else between objects
  Collector& contacts;
  std::uint32_t first_a = 0, first_b = 0;  ///< objects of the scenes' first geometries

  static void callback(void* user, RTCCollision* collisions, unsigned count) {
    Query& query = *static_cast<Query*>(user);
    for (unsigned i = 0; i < count; ++i) {
      const RTCCollision& c = collisions[i];
      const std::uint32_t a = query.first_a + c.geomID0, b = query.first_b + c.geomID1;
      if (query.self ? c.primID0 >= c.primID1 : a >= b) continue;
      if (const auto kind =
              exact::decide(query.views[a].corners(c.primID0), query.views[b].corners(c.primID1), query.self))
        query.contacts.local().push_back({a, b, c.primID0, c.primID1, *kind});
    }
  }
  void collide(const EmbreeScene& a, const EmbreeScene& b) { rtcCollide(a.get(), b.get(), callback, this); }
};

class EmbreePeer : public Peer {
 public:
  EmbreePeer(unsigned threads, bool scene_per_object)
      : device_(rtcNewDevice(fmt::format("threads={}", threads).c_str())), scene_per_object_(scene_per_object) {}
  ~EmbreePeer() override { rtcReleaseDevice(device_); }

  std::string name() const override { return scene_per_object_ ? kEmbree : kEmbreeOneScene; }
  bool takes(const BenchScene& scene) const override { return !scene.relations && (scene_per_object_ || !scene.self); }
  bool reports_kind() const override { return true; }

  Report run(const BenchScene& scene) override {
    std::vector<MeshView> views;
    for (const Mesh& mesh : scene.objects) views.push_back(mesh);
    return scene.self || !scene_per_object_ ? run_one(views, scene.self) : run_pairs(views);
  }

 private:
  Report run_one(const std::vector<MeshView>& views, bool self) {
    Report report;
    StageClock clock(report.stats);
    EmbreeScene scene(device_);
    for (const MeshView& view : views) scene.attach(view);
    scene.commit();
    clock.stage("build", 0, {});
    Collector contacts;
    Query{views, self, contacts}.collide(scene, scene);
    gather(contacts, report);
    clock.stage("collide", 0, {});
    return report;
  }

  Report run_pairs(const std::vector<MeshView>& views) {
    std::vector<std::unique_ptr<EmbreeScene>> scenes(views.size());
    std::vector<Box> boxes(views.size());
    const auto build = [&](std::size_t i) {
      scenes[i] = std::make_unique<EmbreeScene>(device_);
      scenes[i]->attach(views[i]);
      scenes[i]->commit();
      boxes[i] = scenes[i]->box();
    };
    return collide_pairs(
        views.size(), build, [&]() -> const auto& { return boxes; },
        [&](std::uint32_t a, std::uint32_t b, Collector& contacts) {
          Query{views, false, contacts, a, b}.collide(*scenes[a], *scenes[b]);
        });
  }

  RTCDevice device_;
  bool scene_per_object_;
};

}  // namespace

PeerPtr make_embree(unsigned threads, bool scene_per_object) {
  return std::make_unique<EmbreePeer>(threads, scene_per_object);
}

}  // namespace sightline::bench
