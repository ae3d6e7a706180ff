// Scenes that move, break, gain and lose objects: what is kept on the GPU from frame to frame must never be stale.
#include "cuda/gpu.h"
#include "support/instances.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Device;
using sightline::ObjectId;
using sightline::Report;
using sightline::Scene;

using CudaScene = OnGpu;

/// Both devices through the same calls.
struct Twins {
  Scene cpu{Device::cpu()}, gpu{Device::cuda()};
  Report on_cpu, on_gpu;  // reused

  ObjectId add(const Mesh& mesh, bool self = false) {
    gpu.add(mesh, {.self = self});
    return cpu.add(mesh, {.self = self});
  }
  void move(ObjectId id, const Mesh& mesh) {
    gpu.move(id, mesh.view().positions);
    cpu.move(id, mesh.view().positions);
  }
  void replace(ObjectId id, const Mesh& mesh) {
    gpu.replace(id, mesh);
    cpu.replace(id, mesh);
  }
  void remove(ObjectId id) {
    gpu.remove(id);
    cpu.remove(id);
  }
  void expect_same() {
    cpu.collide(on_cpu);
    gpu.collide(on_gpu);
    EXPECT_EQ(on_cpu.contacts, on_gpu.contacts);
    EXPECT_EQ(on_cpu.found, on_gpu.found);
    EXPECT_EQ(on_cpu.complete, on_gpu.complete);
    EXPECT_EQ(on_cpu.stats.triangles, on_gpu.stats.triangles);
  }
  std::uint64_t uploaded() const {
    for (const sightline::Stage& stage : on_gpu.stats.stages)
      if (stage.name == "upload") return stage.count;
    return 0;
  }
};

Mesh shifted(const Mesh& mesh, double x) {
  return transformed(mesh, [x](const Vec3d& p) { return Vec3d{p[0] + x, p[1], p[2]}; });
}

TEST_F(CudaScene, MovesAndCopiesOnlyWhatMoved) {
  const Mesh cloth = as_float(corpus_item("cloth").make()), cubes = as_float(corpus_item("cubes").make());
  Twins twins;
  twins.add(cubes);
  const ObjectId moving = twins.add(cloth, true);
  twins.add(cubes);
  twins.expect_same();
  const std::uint64_t all = twins.uploaded();
  EXPECT_EQ(all, 12 * (cloth.view().positions.size() + cloth.triangles.size() +
                       2 * (cubes.view().positions.size() + cubes.triangles.size())));
  std::vector<Mesh> frames;
  for (int frame = 0; frame < 8; ++frame) frames.push_back(shifted(cloth, 0.1 * frame));
  for (const Mesh& frame : frames) {
    twins.move(moving, frame);
    twins.expect_same();
    EXPECT_EQ(twins.uploaded(), 12 * cloth.view().positions.size());
  }
  twins.expect_same();
  EXPECT_EQ(twins.uploaded(), 0u);
}

TEST_F(CudaScene, ReplacedByEveryMeshOfTheCorpus) {
  Twins twins;
  const Mesh fixed = corpus_item("cubes").make();
  const ObjectId changing = twins.add(fixed, true);
  twins.add(fixed);
  std::vector<Mesh> kept;
  const std::vector<Item> all = items();
  for (const Item& item : all) kept.push_back(item.make());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    SCOPED_TRACE(all[i].name);
    twins.replace(changing, kept[i]);
    twins.expect_same();
  }
}

TEST_F(CudaScene, PrecisionChangesFromFrameToFrame) {
  const Mesh mesh = corpus_item("cloth").make();
  const Mesh narrow = as_float(mesh), wide = as_double(mesh), cubes = as_float(corpus_item("cubes").make());
  Twins twins;
  twins.add(cubes);
  const ObjectId id = twins.add(narrow, true);
  for (const Mesh* frame : {&narrow, &wide, &narrow, &narrow, &wide}) {
    twins.move(id, *frame);
    twins.expect_same();
  }
}

TEST_F(CudaScene, ObjectsComeAndGo) {
  const std::vector<Mesh> parts = sliced(corpus_item("cubes").make(), 12);
  Twins twins;
  std::vector<ObjectId> ids;
  for (const Mesh& part : parts) {
    ids.push_back(twins.add(part, ids.size() % 3 == 0));
    twins.expect_same();
  }
  for (const std::size_t gone : {0, 11, 5, 6, 1}) {
    twins.remove(ids[gone]);
    twins.expect_same();
  }
  EXPECT_THROW(twins.gpu.replace(ids[5], parts[5]), sightline::Error);
  twins.replace(ids[4], parts[5]);
  twins.add(parts[6], true);
  twins.expect_same();
  ASSERT_FALSE(twins.on_gpu.contacts.empty());
  EXPECT_EQ(twins.on_gpu.contacts.back().object_b, 12u);
  for (const std::size_t gone : {2, 3, 4, 7, 8, 9, 10}) twins.remove(ids[gone]);
  twins.remove(12);
  twins.expect_same();
  twins.add(parts[2], true);
  twins.expect_same();
}

TEST_F(CudaScene, EmptyAndSmallest) {
  Twins twins;
  twins.expect_same();
  const Mesh nothing, one = corpus_item("one_triangle").make();
  twins.add(nothing, true);
  twins.expect_same();
  twins.add(one, true);
  twins.expect_same();
  twins.add(one);
  twins.expect_same();
}

TEST_F(CudaScene, OneObjectThatIsNotTheFirst) {
  const Mesh mesh = corpus_item("lattice").make();
  Twins twins;
  twins.remove(twins.add(mesh));
  twins.remove(twins.add(mesh));
  twins.add(mesh, true);
  twins.expect_same();
  ASSERT_FALSE(twins.on_gpu.contacts.empty());
  EXPECT_EQ(twins.on_gpu.contacts.front().object_a, 2u);
}

TEST_F(CudaScene, GoesOnAfterAnError) {
  const Mesh mesh = corpus_item("lattice").make();
  Twins twins;
  const ObjectId id = twins.add(mesh, true);
  twins.expect_same();
  Mesh bad = mesh;
  bad.triangles[0][1] = 1u << 30;
  EXPECT_NE(error_of([&] { twins.gpu.replace(id, bad); }), "");
  twins.expect_same();
  EXPECT_NE(error_of([&] { collide(twins.gpu, Tuned{.axis = sightline::Axis::x}); }), "");
  twins.expect_same();
}

TEST_F(CudaScene, InstancesAndGroups) {
  for (const bool groups : {false, true})
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Instances scene = random_instances(seed, 12, 4, groups);
      Twins twins;
      for (std::size_t i = 0; i < scene.objects.size(); ++i) {
        twins.gpu.add(scene.view(i), scene.objects[i].options);
        twins.cpu.add(scene.view(i), scene.objects[i].options);
      }
      twins.expect_same();
      EXPECT_FALSE(twins.on_gpu.contacts.empty());
      const Instances other = random_instances(seed + 50, 12, 4, groups);
      for (ObjectId i = 0; i < 12; i += 3) {  // other places and other wanted pairs, the same meshes
        for (Scene* one : {&twins.cpu, &twins.gpu}) {
          one->place(i, other.objects[i].transform);
          one->set_options(i + 1, other.objects[i].options);
        }
      }
      twins.expect_same();
    }
}

TEST_F(CudaScene, ByNumber) {
  const Mesh cubes = corpus_item("cubes").make();
  EXPECT_EQ(sightline::self_intersections(cubes, sightline::Options{}, Device::cuda(0)).contacts,
            sightline::self_intersections(cubes).contacts);
  EXPECT_EQ(Device::cuda(0).number(), 0);
  for (const int number : {-1, 99}) EXPECT_THROW(Device::cuda(number), sightline::Error) << number;
}

}  // namespace
}  // namespace testing_support
