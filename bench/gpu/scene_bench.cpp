// What a Scene on the CUDA device adds to the query of arrays that are on the device already: milliseconds of a frame,
// median of 50, for objects that rest and for objects that get new positions in every frame. The lists are compared
// with those of the CPU first. bench/gpu/pack packs it.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "scenes/scenes.h"
#include "sightline/cuda.h"
#include "sightline/sightline.h"

namespace {

using sightline::Contact;

void require(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "cuda_scene_bench: %s\n", cudaGetErrorString(status));
  std::exit(2);
}

double median_ms(const std::function<void()>& frame) {
  std::vector<double> times;
  for (int i = 0; i < 60; ++i) {
    const auto start = std::chrono::steady_clock::now();
    frame();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  times.erase(times.begin(), times.begin() + 10);  // buffers grow, and the graph is recorded
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  return times[25];
}

template <typename T>
T* on_device(const T* data, std::size_t count) {
  T* to = nullptr;
  require(cudaMalloc(reinterpret_cast<void**>(&to), count * sizeof(T)));
  require(cudaMemcpy(to, data, count * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

bool measure(const char* name, const sightline::Mesh& mesh) {
  const sightline::MeshView view = mesh.view();
  const std::vector<Contact> expected = sightline::self_intersections(mesh).contacts;
  std::vector<float> positions;
  for (std::size_t v = 0; v < view.positions.size(); ++v)
    for (const double x : view.positions.stored(v)) positions.push_back(static_cast<float>(x));
  const float* const f32 = on_device(positions.data(), positions.size());
  const std::uint32_t* const triangles = on_device(&view.triangles[0][0], view.triangles.size() * 3);

  sightline::cuda::Query query;
  sightline::cuda::Triangles input;
  input.f32 = f32;
  input.vertex_count = view.positions.size();
  input.triangles = triangles;
  input.triangle_count = static_cast<std::uint32_t>(view.triangles.size());
  sightline::cuda::DeviceContacts found;
  const double of_pointers = median_ms([&] { found = query.run(input, {.validate = false}); });
  std::vector<Contact> contacts(found.count);
  const double list = median_ms([&] {
    require(cudaMemcpy(contacts.data(), found.contacts, contacts.size() * sizeof(Contact), cudaMemcpyDeviceToHost));
  });
  bool right = contacts == expected;
  float* const to = on_device(positions.data(), positions.size());
  const double upload = median_ms(
      [&] { require(cudaMemcpy(to, positions.data(), positions.size() * sizeof(float), cudaMemcpyHostToDevice)); });

  sightline::Scene scene(sightline::Device::cuda());
  const sightline::ObjectId object = scene.add(mesh, {.self = true});
  sightline::Report report;
  const double at_rest = median_ms([&] { scene.collide(report); });
  right = right && report.contacts == expected;
  const double moving = median_ms([&] {
    scene.move(object, view.positions);
    scene.collide(report);
  });
  right = right && report.contacts == expected;
  std::printf("%-12s %9zu %9zu %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f %9.3f%s\n", name, view.triangles.size(),
              expected.size(), of_pointers, list, at_rest, at_rest - of_pointers - list, upload, moving,
              moving - of_pointers - list - upload, right ? "" : "  WRONG");
  return right;
}

}  // namespace

int main() {
  try {
    std::printf(
        "milliseconds: the query of device arrays; the copy of its list; a Scene at rest, and what it adds to these\n"
        "two; the copy of the positions; a Scene that moves, and what it adds to all three\n");
    std::printf("%-12s %9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "", "triangles", "contacts", "pointers", "list",
                "at rest", "adds", "positions", "moving", "adds");
    bool right = true;
    for (const std::size_t n : {20'000u, 285'000u, 1'000'000u})
      right &= measure("cloth", sightline::scenes::crumpled_cloth(n));
    right &= measure("bodies", sightline::scenes::two_bodies(500'000));
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_scene_bench: %s\n", error.what());
    return 2;
  }
}
