// Embree 3: rtcCollide over user geometry with the boxes of the triangles, our exact test in the callback.
//
// rtcCollide(s, s) reports each pair of boxes in both orders and rtcCollide(s, t) in one; each order comes once,
// because without spatial splits a primitive is in one leaf. Hence the test id_a < id_b leaves each pair once.
#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <cmath>

#include "bench/bench.h"
#include "bench/exact_test.h"
#include "bench/object_pairs.h"
#include "bench/timer.h"

namespace sightline::bench {
namespace {

// The list of a thread is looked up only for a contact: the lookup hashes the thread's id.
using Collector = tbb::enumerable_thread_specific<std::vector<Contact>>;

float round_down(double x) {
  const float f = static_cast<float>(x);
  return f <= x ? f : std::nextafter(f, -INFINITY);
}
float round_up(double x) {
  const float f = static_cast<float>(x);
  return f >= x ? f : std::nextafter(f, INFINITY);
}

template <class Point>
void triangle_bounds(const Point& p, const Point& q, const Point& r, RTCBounds& bounds) {
  bounds.lower_x = round_down(std::min({p[0], q[0], r[0]}));
  bounds.lower_y = round_down(std::min({p[1], q[1], r[1]}));
  bounds.lower_z = round_down(std::min({p[2], q[2], r[2]}));
  bounds.upper_x = round_up(std::max({p[0], q[0], r[0]}));
  bounds.upper_y = round_up(std::max({p[1], q[1], r[1]}));
  bounds.upper_z = round_up(std::max({p[2], q[2], r[2]}));
}

void bounds_callback(const RTCBoundsFunctionArguments* arguments) {
  const MeshView& mesh = *static_cast<const MeshView*>(arguments->geometryUserPtr);
  const Triangle& t = mesh.triangles[arguments->primID];
  if (mesh.positions.is_double()) {
    const auto points = mesh.positions.f64();
    triangle_bounds(points[t[0]], points[t[1]], points[t[2]], *arguments->bounds_o);
  } else {
    const auto points = mesh.positions.f32();
    triangle_bounds(points[t[0]], points[t[1]], points[t[2]], *arguments->bounds_o);
  }
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

/// One mesh against itself.
struct SelfQuery {
  const MeshView& mesh;
  Collector contacts;

  static void callback(void* user, RTCCollision* collisions, unsigned count) {
    SelfQuery& query = *static_cast<SelfQuery*>(user);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned a = collisions[i].primID0, b = collisions[i].primID1;
      if (a >= b) continue;
      if (const auto kind = exact_test(query.mesh, a, query.mesh, b, true))
        query.contacts.local().push_back({0, 0, a, b, *kind});
    }
  }
};

/// Object a against object b, one scene each.
struct PairQuery {
  const std::vector<MeshView>& views;
  std::uint32_t a, b;
  Collector& contacts;

  static void callback(void* user, RTCCollision* collisions, unsigned count) {
    PairQuery& query = *static_cast<PairQuery*>(user);
    const MeshView& mesh_a = query.views[query.a];
    const MeshView& mesh_b = query.views[query.b];
    for (unsigned i = 0; i < count; ++i) {
      const unsigned a = collisions[i].primID0, b = collisions[i].primID1;
      if (const auto kind = exact_test(mesh_a, a, mesh_b, b, false))
        query.contacts.local().push_back({query.a, query.b, a, b, *kind});
    }
  }
};

/// All objects in one scene.
struct AllQuery {
  const std::vector<MeshView>& views;
  Collector contacts;

  static void callback(void* user, RTCCollision* collisions, unsigned count) {
    AllQuery& query = *static_cast<AllQuery*>(user);
    for (unsigned i = 0; i < count; ++i) {
      const RTCCollision& c = collisions[i];
      if (c.geomID0 >= c.geomID1) continue;
      if (const auto kind = exact_test(query.views[c.geomID0], c.primID0, query.views[c.geomID1], c.primID1, false))
        query.contacts.local().push_back({c.geomID0, c.geomID1, c.primID0, c.primID1, *kind});
    }
  }
};

void gather(const Collector& collected, Answer& answer) {
  std::size_t count = 0;
  for (const auto& contacts : collected) count += contacts.size();
  answer.contacts.reserve(count);
  for (const auto& contacts : collected)
    answer.contacts.insert(answer.contacts.end(), contacts.begin(), contacts.end());
}

class EmbreePeer : public Peer {
 public:
  EmbreePeer(unsigned threads, bool scene_per_object)
      : device_(rtcNewDevice(fmt::format("threads={}", threads).c_str())), scene_per_object_(scene_per_object) {}
  ~EmbreePeer() override { rtcReleaseDevice(device_); }

  std::string name() const override { return scene_per_object_ ? kEmbree : kEmbreeOneScene; }
  bool takes(const BenchScene& scene) const override { return scene_per_object_ || !scene.self; }
  bool reports_kind() const override { return true; }

  Answer run(const BenchScene& scene) override {
    std::vector<MeshView> views;
    for (const Mesh& mesh : scene.objects) views.push_back(mesh);
    Answer answer;
    if (scene.self)
      run_self(views, answer);
    else if (scene_per_object_)
      run_pairs(views, answer);
    else
      run_all(views, answer);
    return answer;
  }

 private:
  void run_self(const std::vector<MeshView>& views, Answer& answer) {
    StageClock clock(answer);
    EmbreeScene scene(device_);
    scene.attach(views[0]);
    scene.commit();
    clock.stage("build");
    SelfQuery query{views[0], {}};
    rtcCollide(scene.get(), scene.get(), SelfQuery::callback, &query);
    gather(query.contacts, answer);
    clock.stage("collide");
  }

  void run_pairs(const std::vector<MeshView>& views, Answer& answer) {
    StageClock clock(answer);
    std::vector<std::unique_ptr<EmbreeScene>> scenes(views.size());
    std::vector<Box> boxes(views.size());
    tbb::parallel_for(std::size_t{0}, views.size(), [&](std::size_t i) {
      scenes[i] = std::make_unique<EmbreeScene>(device_);
      scenes[i]->attach(views[i]);
      scenes[i]->commit();
      boxes[i] = scenes[i]->box();
    });
    clock.stage("build");
    const std::vector<ObjectPair> pairs = overlapping(boxes);
    Collector contacts;
    tbb::parallel_for(std::size_t{0}, pairs.size(), [&](std::size_t i) {
      PairQuery query{views, pairs[i].first, pairs[i].second, contacts};
      rtcCollide(scenes[query.a]->get(), scenes[query.b]->get(), PairQuery::callback, &query);
    });
    gather(contacts, answer);
    clock.stage("collide");
  }

  void run_all(const std::vector<MeshView>& views, Answer& answer) {
    StageClock clock(answer);
    EmbreeScene scene(device_);
    for (const MeshView& view : views) scene.attach(view);
    scene.commit();
    clock.stage("build");
    AllQuery query{views, {}};
    rtcCollide(scene.get(), scene.get(), AllQuery::callback, &query);
    gather(query.contacts, answer);
    clock.stage("collide");
  }

  RTCDevice device_;
  bool scene_per_object_;
};

}  // namespace

PeerPtr make_embree(unsigned threads, bool scene_per_object) {
  return std::make_unique<EmbreePeer>(threads, scene_per_object);
}

}  // namespace sightline::bench
