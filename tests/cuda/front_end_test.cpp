// Velocity culling on the GPU: the same faces, triangles and contacts as on the CPU, and nothing stale or copied twice.
#include "cuda/front_end.h"

#include "cuda/gpu.h"
#include "method/kept.h"
#include "method/run.h"
#include "scenes/scenes.h"
#include "sightline/papers.h"
#include "support/moving.h"

namespace testing_support::front_end {
namespace {

using sightline::Device;
using sightline::MeshView;
using sightline::ObjectId;
using sightline::Scene;
using sightline::papers::MethodName;
using sightline::papers::Motion;
using sightline::papers::Report;
using sightline::papers::method::Kept;
using sightline::papers::method::MethodSettings;
namespace scenes = sightline::scenes;

using CudaFrontEnd = OnGpu;

/// Both devices through the same calls, each with what it keeps from frame to frame.
struct Twins {
  Scene cpu{Device::cpu()}, gpu{Device::cuda()};
  Kept kept_on_cpu, kept_on_gpu;
  std::size_t contacts = 0, dropped = 0, all = 0;  ///< over all frames

  template <typename Call>
  void both(const Call& call) {
    for (Scene* scene : {&cpu, &gpu}) call(*scene);
  }
  ObjectId add(const MeshView& mesh, const sightline::ObjectOptions& options = {}) {
    gpu.add(mesh, options);
    return cpu.add(mesh, options);
  }
  Report expect_same(const MethodSettings& settings) {
    const Report on_cpu = run(cpu, settings, kept_on_cpu), on_gpu = run(gpu, settings, kept_on_gpu);
    EXPECT_EQ(on_gpu.contacts, on_cpu.contacts);
    EXPECT_EQ(on_gpu.method.culled, on_cpu.method.culled);
    EXPECT_EQ(on_gpu.method.dropped, on_cpu.method.dropped);
    EXPECT_EQ(on_gpu.method.dropped.size(), settings.paper.record_dropped ? on_gpu.method.culled : 0);
    EXPECT_EQ(on_gpu.found, on_cpu.found);
    EXPECT_EQ(on_gpu.complete, on_cpu.complete);
    EXPECT_EQ(on_gpu.method.can_miss, on_cpu.method.can_miss);
    EXPECT_EQ(on_gpu.stats.triangles, on_cpu.stats.triangles);
    EXPECT_EQ(on_gpu.stats.device, "cuda");
    contacts += on_gpu.contacts.size();
    dropped += on_gpu.method.culled;
    all += on_gpu.stats.triangles;
    return on_gpu;
  }
};

MethodSettings culling(bool spheres = true, double time_step = 0, bool face_by_face = false) {
  MethodSettings settings;
  settings.method = MethodName::velocity;
  settings.paper.record_dropped = true;
  settings.paper.bounding_spheres = spheres;
  settings.paper.time_step = time_step;
  settings.paper.face_by_face = face_by_face;
  return settings;
}
std::vector<std::optional<Motion>> random_motions(Random& random, std::size_t count, double spin) {
  std::vector<std::optional<Motion>> motions;
  for (std::size_t i = 0; i < count; ++i)
    motions.push_back(Motion{random_vector(random, 1), random_vector(random, 1), random_vector(random, spin)});
  return motions;
}

std::vector<Mesh> bodies() {
  std::vector<Mesh> list = {scenes::bumpy_body(500),
                            scenes::torus(700),
                            grid_box(4, {-1, -1, -1}, {1, 1, 1}),
                            scenes::sphere(320),
                            scenes::to_double(scenes::bumpy_body(720, {0.3, 0.2, 0}, 0.8, 3)),
                            scenes::to_soup(scenes::bumpy_body(320)),
                            as_float(grid_box(9, {-0.7, -0.8, -0.9}, {0.9, 0.8, 0.7}))};
  list[3].triangles.pop_back();                                 // open: it stays
  for (Triangle& t : list[1].triangles) std::swap(t[0], t[1]);  // inside out
  std::swap(list[5].triangles[7][0], list[5].triangles[7][1]);  // its outside is not known
  return list;
}

TEST_F(CudaFrontEnd, CullsAsTheCpuDoes) {
  Random random(51);
  const std::vector<Mesh> meshes = bodies();
  std::size_t contacts = 0, dropped = 0, all = 0;
  for (int round = 0; round < repeats(240); ++round) {
    SCOPED_TRACE(round);
    Twins twins;
    const std::size_t count = 2 + static_cast<std::size_t>(random.below(4));
    for (std::size_t i = 0; i < count; ++i) {
      const Mesh& mesh = meshes[static_cast<std::size_t>(random.below(static_cast<int>(meshes.size())))];
      if (round % 2 == 0 && mesh.view().positions.is_double()) continue;  // all in float
      const MeshView placed = mesh.view().placed(random_transform(random, round % 3 == 0 ? random.below(4) : 0));
      twins.add(round % 5 == 0 ? mesh.view() : placed);
    }
    MethodSettings settings = culling(round % 2 != 0, round % 3 == 0 ? 0.05 : 0, round % 6 == 5);
    settings.paper.motions = random_motions(random, twins.cpu.size(), round % 4 == 1 ? 0 : 1);
    if (round % 11 == 0) settings.paper.motions.assign(twins.cpu.size(), Motion{});  // nothing moves
    twins.expect_same(settings);
    contacts += twins.contacts, dropped += twins.dropped, all += twins.all;
  }
  EXPECT_GT(contacts, 1000u / (fewer() ? 20 : 1));
  EXPECT_GT(dropped, all / 10);
  EXPECT_LT(dropped, all);
}

/// A copy of the stored points.
Mesh points_of(const MeshView& mesh) {
  const auto f32 = mesh.positions.f32();
  const auto f64 = mesh.positions.f64();
  Mesh copy;
  if (mesh.positions.is_double())
    copy.positions = std::vector<Vec3d>(f64.begin(), f64.end());
  else
    copy.positions = std::vector<Vec3f>(f32.begin(), f32.end());
  return copy;
}

TEST_F(CudaFrontEnd, FramesOfOneSceneFollowEachOther) {
  Random random(52);
  const std::vector<Mesh> meshes = bodies();
  Twins twins;
  std::vector<ObjectId> living;
  std::vector<Mesh> held(1000);  // by object: what the scenes refer to
  for (int frame = 0; frame < repeats(200); ++frame) {
    SCOPED_TRACE(frame);
    const double what = random.unit();
    const auto pick = [&] { return living[static_cast<std::size_t>(random.below(static_cast<int>(living.size())))]; };
    const Mesh& mesh = meshes[static_cast<std::size_t>(random.below(static_cast<int>(meshes.size())))];
    if (living.size() < 3 || what < 0.1) {
      const bool other = frame % 7 == 0;  // these do not meet each other
      living.push_back(twins.add(mesh, {.groups = other ? 2u : 1u, .collides_with = other ? 1u : 3u}));
    } else if (what < 0.2) {
      const ObjectId gone = pick();
      twins.both([&](Scene& scene) { scene.remove(gone); });
      std::erase(living, gone);
    } else if (what < 0.3) {
      const ObjectId id = pick();
      twins.both([&](Scene& scene) { scene.replace(id, mesh); });
    } else if (what < 0.5) {  // positions after a rigid motion, or of a deformed body
      const ObjectId id = pick();
      const sightline::Transform where = random_transform(random, frame % 2);
      Mesh moved = transformed(points_of(twins.cpu.mesh(id)), [&](const Vec3d& p) { return where(p); });
      twins.both([&](Scene& scene) { scene.move(id, moved.view().positions); });
      held[id] = std::move(moved);  // a vector's elements stay in place
    } else {
      const ObjectId id = pick();
      const sightline::Transform where = random_transform(random, frame % 4);
      twins.both([&](Scene& scene) { scene.place(id, where); });
    }
    MethodSettings settings = culling(frame % 2 == 0, frame % 3 == 0 ? 0.02 : 0, frame % 8 == 7);
    settings.paper.motions = random_motions(random, twins.cpu.size(), frame % 2);
    settings.threads = 1 + frame % 2;
    twins.expect_same(settings);
  }
  EXPECT_GT(twins.contacts, 1000u / (fewer() ? 20 : 1));
  EXPECT_GT(twins.dropped, twins.all / 10);
}

TEST_F(CudaFrontEnd, KeepsFacesOnTheDevice) {
  const Mesh torus = scenes::torus(2000), box = grid_box(3, {-1, -1, -1}, {1, 1, 1});
  Twins twins;
  twins.add(torus);
  twins.add(box);
  Random random(53);
  MethodSettings settings = culling();
  settings.paper.motions = random_motions(random, 2, 1);
  const auto copied = [&] {
    sightline::papers::cuda::FrontEnd& front_end = twins.kept_on_gpu.front_end(twins.gpu.device());
    const std::uint64_t before = front_end.bytes_kept();
    twins.expect_same(settings);
    return front_end.bytes_kept() - before;
  };
  EXPECT_GT(copied(), torus.triangles.size() * sizeof(Triangle));
  EXPECT_EQ(copied(), 0u);
  for (int frame = 0; frame < 4; ++frame) {
    twins.both([where = random_transform(random, 0)](Scene& scene) { scene.place(0, where); });
    EXPECT_EQ(copied(), 0u);
  }
  const Mesh moved = scenes::moved(torus, {0.25, 0, 0});
  twins.both([&](Scene& scene) { scene.move(0, moved.view().positions); });
  EXPECT_EQ(copied(), torus.view().positions.size() * sizeof(Vec3f));
  twins.both([&](Scene& scene) { scene.replace(1, torus); });
  EXPECT_GT(copied(), torus.triangles.size() * sizeof(Triangle));
}

TEST_F(CudaFrontEnd, ManyBodiesAndLargeOnes) {
  Random random(54);
  Twins twins;
  std::vector<Mesh> balls = scenes::spheres(fewer() ? 20 : 100, 500);
  for (const Mesh& ball : balls) twins.add(ball);
  MethodSettings settings = culling();
  settings.paper.motions = random_motions(random, balls.size(), 0.1);
  twins.expect_same(settings);
  settings.paper.bounding_spheres = false;
  twins.expect_same(settings);
  EXPECT_GT(twins.contacts, 100u);
  Twins large;
  const Mesh a = scenes::bumpy_body(fewer() ? 5000 : 300'000),
             b = scenes::bumpy_body(fewer() ? 5000 : 300'000, {}, 1, 2);
  large.add(a);
  large.add(b.view().placed(sightline::Transform::translation({1.3, 0.1, 0})));
  settings = culling();
  settings.paper.motions = {Motion{{0, 0, 0}, {1, 0, 0}, {0, 0.3, 0}},
                            Motion{{1.3, 0.1, 0}, {-1, 0, 0}, {0.1, 0, 0.2}}};
  large.expect_same(settings);
  EXPECT_GT(large.contacts, 100u);
  EXPECT_GT(large.dropped, large.all / 3);
}

TEST_F(CudaFrontEnd, EmptyScenesAndScenesOfWhichNothingIsLeft) {
  Twins twins;
  MethodSettings settings = culling();
  twins.expect_same(settings);
  const Mesh nothing, one = corpus_item("one_triangle").make(), ball = scenes::sphere(320);
  twins.add(nothing);
  twins.add(one);
  settings.paper.motions.assign(4, Motion{});
  twins.expect_same(settings);
  twins.add(ball);
  twins.expect_same(settings);
  Twins apart;
  apart.add(ball);
  apart.add(ball.view().placed(sightline::Transform::translation({9, 0, 0})));  // spheres do not meet
  apart.expect_same(settings);
  EXPECT_EQ(apart.dropped, apart.all);
}

TEST_F(CudaFrontEnd, OptionsReachItOrAreRefused) {
  const Mesh a = scenes::bumpy_body(720), b = scenes::bumpy_body(720, {0.5, 0, 0}, 1, 3);
  Twins twins;
  twins.add(a);
  twins.add(b);
  MethodSettings settings = culling();
  settings.paper.motions = {Motion{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}, Motion{{0.5, 0, 0}, {-1, 0, 0}, {0, 0, 0}}};
  const std::size_t all = twins.expect_same(settings).contacts.size();
  ASSERT_GT(all, 10u);
  settings.max_contacts = 7;
  EXPECT_EQ(twins.expect_same(settings).contacts.size(), 7u);
  settings.max_contacts = all;
  settings.first = true;
  const Report first = run(twins.gpu, settings, twins.kept_on_gpu);
  EXPECT_EQ(first.contacts.size(), 1u);
  EXPECT_EQ(first.found, 1u);
  settings.first = false;
  settings.cancel = [] { return true; };
  EXPECT_TRUE(run(twins.gpu, settings, twins.kept_on_gpu).cancelled);
  settings.cancel = {};
  settings.stages = true;
  twins.expect_same(settings);
  const auto error = [&](MethodSettings refused) {
    return error_of([&] { run(twins.gpu, refused, twins.kept_on_gpu); });
  };
  MethodSettings refused = settings;
  refused.simd = sightline::Simd::scalar;
  EXPECT_EQ(error(refused), "cuda: simd scalar is an option of the cpu device");
  refused = settings;
  refused.cell = 2;
  EXPECT_NE(error(refused), "");
  refused = settings;
  refused.paper.then = MethodName::cullide;
  EXPECT_NE(error(refused).find("only velocity before the exact engine runs there"), std::string::npos);
  refused = settings;
  refused.paper.motions.pop_back();
  EXPECT_NE(error(refused).find("object 1 has no motion"), std::string::npos);
  Scene small(Device::cuda(0, {.memory = 1 << 20}));
  small.add(a);
  small.add(b);
  EXPECT_NE(error_of([&] { run(small, settings); }).find("a limit of device memory"), std::string::npos);
  twins.expect_same(settings);  // and goes on
}

/// The public function, and a session that takes scenes of both devices in turn.
TEST_F(CudaFrontEnd, ASessionTakesBothDevices) {
  const Mesh a = scenes::bumpy_body(720), b = scenes::torus(800, {0.8, 0, 0});
  Twins twins;
  twins.add(a);
  twins.add(b);
  sightline::papers::Velocity method;
  method.motions = {Motion{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, Motion{{0.8, 0, 0}, {-1, 0, 0}, {0, 0, 1}}};
  sightline::papers::Session session;
  const Report expected = sightline::papers::run(twins.cpu, method);
  ASSERT_FALSE(expected.contacts.empty());
  for (int frame = 0; frame < 3; ++frame)
    twins.both([&](Scene& scene) { EXPECT_EQ(session.run(scene, method).contacts, expected.contacts); });
  sightline::papers::Velocity published = sightline::papers::Velocity::as_published();
  published.motions = method.motions;
  EXPECT_EQ(sightline::papers::run(twins.gpu, published).contacts,
            sightline::papers::run(twins.cpu, published).contacts);
}

}  // namespace
}  // namespace testing_support::front_end
