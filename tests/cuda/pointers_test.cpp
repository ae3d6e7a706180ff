// The API over device pointers.
#include <cuda_runtime.h>

#include <limits>

#include "cuda/gpu.h"

namespace testing_support {
namespace {

using sightline::Contact;
using sightline::cuda::DeviceContacts;
using sightline::cuda::ObjectRun;
using sightline::cuda::Query;
using sightline::cuda::Triangles;

using CudaPointers = OnGpu;

/// An array in device memory.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& from) {
    EXPECT_EQ(cudaMalloc(&data_, from.size() * sizeof(T) + 16), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }
  template <typename As>
  const As* as() const {
    return static_cast<const As*>(data_);
  }

 private:
  void* data_ = nullptr;
};

std::vector<Contact> fetched(const DeviceContacts& found) {
  std::vector<Contact> list(found.count);
  EXPECT_EQ(cudaMemcpy(list.data(), found.contacts, list.size() * sizeof(Contact), cudaMemcpyDeviceToHost),
            cudaSuccess);
  return list;
}

Triangles triangles_of(const Mesh& mesh, const OnDevice<Triangle>& triangles) {
  Triangles all;
  all.vertex_count = mesh.view().positions.size();
  all.triangles = triangles.as<std::uint32_t>();
  all.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size());
  return all;
}

TEST_F(CudaPointers, FloatAndDoubleAsTheCpuAnswers) {
  Query query;
  for (const char* name : {"lattice", "cubes", "big_cloth", "one_triangle"}) {
    SCOPED_TRACE(name);
    const Mesh narrow = as_float(corpus_item(name).make()), wide = as_double(narrow);
    const std::vector<Contact> expected = sightline::self_intersections(narrow).contacts;
    const OnDevice<Triangle> triangles(narrow.triangles);
    const OnDevice<Vec3f> f32(std::get<0>(narrow.positions));
    const OnDevice<Vec3d> f64(std::get<1>(wide.positions));
    Triangles all = triangles_of(narrow, triangles);
    all.f32 = f32.as<float>();
    EXPECT_EQ(fetched(query.run(all)), expected);
    EXPECT_EQ(fetched(query.run(all, {.validate = false, .stages = true})), expected);
    all.f32 = nullptr;
    all.f64 = f64.as<double>();
    EXPECT_EQ(fetched(query.run(all)), expected);
  }
}

/// The third query of a kind is a recorded graph: it must see new coordinates, and give way when something else
/// changes.
TEST_F(CudaPointers, RepeatedFrames) {
  Query query;
  const Mesh cloth = as_float(corpus_item("big_cloth").make()), other = as_float(corpus_item("cubes").make());
  const OnDevice<Triangle> triangles(cloth.triangles), other_triangles(other.triangles);
  const OnDevice<Vec3f> positions(std::get<0>(cloth.positions)), other_positions(std::get<0>(other.positions));
  Triangles all = triangles_of(cloth, triangles), others = triangles_of(other, other_triangles);
  all.f32 = positions.as<float>();
  others.f32 = other_positions.as<float>();
  const std::vector<Contact> of_other = sightline::self_intersections(other).contacts;
  for (int frame = 0; frame < 12; ++frame) {
    const Mesh moved = as_float(transformed(cloth, [=](const Vec3d& p) {
      return Vec3d{p[0], p[1], p[2] * (1 - 0.08 * frame)};  // flat in the end: more and more contacts
    }));
    const std::vector<Vec3f>& now = std::get<0>(moved.positions);
    ASSERT_EQ(cudaMemcpy(const_cast<float*>(all.f32), now.data(), now.size() * sizeof(Vec3f), cudaMemcpyHostToDevice),
              cudaSuccess);
    EXPECT_EQ(fetched(query.run(all, {.validate = false})), sightline::self_intersections(moved).contacts) << frame;
    if (frame == 6) {
      EXPECT_EQ(fetched(query.run(others, {.validate = false})), of_other);
    }
  }
}

TEST_F(CudaPointers, ObjectsAreRunsOfTriangles) {
  const Mesh mesh = as_float(corpus_item("cubes").make());
  const std::vector<Mesh> parts = sliced(mesh, 4);  // all share the positions
  std::vector<Triangle> order;
  std::vector<ObjectRun> runs = {{0, {.self = true}}};
  sightline::Scene scene;
  const Mesh nothing;
  scene.add(nothing, {.self = true});  // an object without triangles keeps its number
  for (const Mesh& part : parts) {
    order.insert(order.end(), part.triangles.begin(), part.triangles.end());
    runs.push_back({static_cast<std::uint32_t>(part.triangles.size()), {.self = runs.size() == 2}});
    scene.add(part, runs.back().options);
  }
  const OnDevice<Triangle> triangles(order);
  const OnDevice<Vec3f> positions(std::get<0>(mesh.positions));
  Triangles all = triangles_of(with_triangles(mesh, order), triangles);
  all.f32 = positions.as<float>();
  all.objects = runs;
  Query query;
  EXPECT_EQ(fetched(query.run(all)), scene.collide().contacts);
  runs.back().triangle_count += 1;
  EXPECT_NE(error_of([&] { query.run(all); }), "");
}

TEST_F(CudaPointers, AStreamOfTheCallersOwn) {
  const Mesh mesh = as_float(corpus_item("big_cloth").make());
  const OnDevice<Triangle> triangles(mesh.triangles);
  const OnDevice<Vec3f> positions(std::get<0>(mesh.positions));
  Triangles all = triangles_of(mesh, triangles);
  all.f32 = positions.as<float>();
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    Query query;
    Query moved = std::move(query);
    const std::vector<Contact> expected = sightline::self_intersections(mesh).contacts;
    for (int run = 0; run < 5; ++run) EXPECT_EQ(fetched(moved.run(all, {.stream = stream})), expected);
  }
  cudaStreamDestroy(stream);
}

TEST_F(CudaPointers, BadInputIsFound) {
  Mesh mesh = as_float(corpus_item("lattice").make());
  Query query;
  const auto error = [&](const Mesh& bad) {
    const OnDevice<Triangle> triangles(bad.triangles);
    const OnDevice<Vec3f> positions(std::get<0>(bad.positions));
    Triangles all = triangles_of(bad, triangles);
    all.f32 = positions.as<float>();
    return error_of([&] { query.run(all); });
  };
  EXPECT_EQ(error(mesh), "");
  Mesh far = mesh;
  far.triangles[3][1] = 4'000'000'000u;
  far.triangles[7][0] = 4'000'000'001u;
  EXPECT_EQ(error(far), "cuda: triangle 3: vertex 4000000000 does not exist; there are " +
                            std::to_string(mesh.view().positions.size()));
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Mesh odd = mesh;
    std::get<0>(odd.positions)[5][2] = value;
    EXPECT_TRUE(error(odd).starts_with("cuda: vertex 5: z is not finite: ")) << error(odd);
  }
  EXPECT_EQ(error(mesh), "");  // and goes on
}

TEST_F(CudaPointers, PointersThatAreNot) {
  const Mesh mesh = as_float(corpus_item("lattice").make());
  Query query;
  Triangles all;
  EXPECT_EQ(query.run(all).count, 0u);
  all.triangle_count = 5;
  EXPECT_NE(error_of([&] { query.run(all); }), "");
  all.vertex_count = mesh.view().positions.size();
  all.f32 = std::get<0>(mesh.positions)[0].data();  // host memory
  all.triangles = mesh.triangles[0].data();
  EXPECT_EQ(error_of([&] { query.run(all); }), "cuda: positions is not memory of a CUDA device");
}

}  // namespace
}  // namespace testing_support
