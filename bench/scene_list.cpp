#include "bench/scene_list.h"

#include <utility>

#include "scenes/scenes.h"

namespace sightline::bench {
namespace {

constexpr std::size_t kThousand = 1000, kMillion = 1'000'000;

BenchScene self_scene(Mesh mesh, bool manifold) {
  BenchScene scene;
  scene.objects.push_back(std::move(mesh));
  scene.self = true;
  scene.manifold = manifold;
  return scene;
}
BenchScene manifold(Mesh mesh) { return self_scene(std::move(mesh), true); }
BenchScene soup(Mesh mesh) { return self_scene(std::move(mesh), false); }
BenchScene between(std::vector<Mesh> objects) {
  BenchScene scene;
  scene.objects = std::move(objects);
  return scene;
}

BenchScene relations(Assembly assembly) {
  BenchScene scene;
  scene.relations = true;
  scene.assembly = std::move(assembly);
  return scene;
}
BenchScene relations(std::vector<Mesh> parts) {
  Assembly assembly;
  for (Mesh& part : parts) assembly.add(std::move(part));
  return relations(std::move(assembly));
}

}  // namespace

std::vector<SceneEntry> scene_list(bool quick) {
  using namespace scenes;
  const std::size_t part = quick ? 20 : 1;
  const std::size_t side = quick ? 4 : 10;
  std::vector<SceneEntry> list = {
      {kClothScenes[0], [=] { return manifold(crumpled_cloth(20 * kThousand / part)); }},
      {kClothScenes[1], [=] { return manifold(crumpled_cloth(200 * kThousand / part)); }},
      {kClothScenes[2], [=] { return manifold(crumpled_cloth(kMillion / part)); }},
      {.name = kClothScenes[3],
       .make = [=] { return manifold(crumpled_cloth(4 * kMillion / part)); },
       .for_cgal = quick},
      {.name = "cloth-16M",
       .make = [=] { return manifold(crumpled_cloth(16 * kMillion / part)); },
       .on_request = true,
       .for_cgal = quick},
      {"cloth-1M-shuffled", [=] { return manifold(shuffled(crumpled_cloth(kMillion / part), 1)); }},
      {"cloth-1M-double", [=] { return manifold(to_double(crumpled_cloth(kMillion / part))); }},
      {kBodies, [=] { return manifold(two_bodies(kMillion / 2 / part)); }},
      {"tori-1M", [=] { return manifold(two_tori(kMillion / 2 / part)); }},
      {kFlatScenes[0], [=] { return manifold(flat_bodies(kMillion / 2 / part, FlatCoordinates::exact, false)); }},
      {kFlatScenes[1], [=] { return manifold(flat_bodies(kMillion / 2 / part, FlatCoordinates::rounded, false)); }},
      {kFlatScenes[2], [=] { return manifold(flat_bodies(kMillion / 2 / part, FlatCoordinates::exact, true)); }},
      {kFlatScenes[3], [=] { return manifold(flat_bodies(kMillion / 2 / part, FlatCoordinates::rounded, true)); }},
      {kSoup, [=] { return soup(uniform_soup(kMillion / part)); }},
      {"clustered-1M", [=] { return soup(clustered_soup(kMillion / part)); }},
      {kHeavySoup, [=] { return soup(heavy_tailed_soup(kMillion / part)); }},
      {kNeedles, [=] { return soup(needle_soup(100 * kThousand / part)); }},
      {"lattice-20k", [=] { return soup(lattice_soup(20 * kThousand / part)); }},
      {"lattice-tenth-20k", [=] { return soup(lattice_soup_tenth(20 * kThousand / part)); }},
      {kCubes, [=] { return soup(cubes_in_contact_mesh(side)); }},
      {kCubeObjects, [=] { return between(cubes_in_contact(side)); }},
      {kSpheres, [=] { return between(spheres(quick ? 60 : 400, quick ? 1280 : 4500)); }},
      {kTwoObjects, [=] { return between(two_objects(200 * kThousand / part, 70 * kThousand / part)); }},
      {kBuilding, [=] { return relations(building(20 * kThousand / part)); }},
      {kFlatBuilding, [=] { return relations(flattened(building(20 * kThousand / part))); }},
      {"cubes-1000-parts", [=] { return relations(cubes_in_contact(side)); }},
      {"pipes-384", [=] { return relations(pipes_end_to_end(quick ? 3 : 20, 384)); }},
      {"plates-80", [=] { return relations(plates(quick ? 8 : 80)); }},
      {"plates-80-interlocked", [=] { return relations(plates(quick ? 8 : 80, true)); }},
  };
  for (SceneEntry& entry : list) {
    if (quick) entry.name += "-quick";
    entry.make = [make = std::move(entry.make), name = entry.name] {
      BenchScene scene = make();
      scene.name = name;
      return scene;
    };
  }
  return list;
}

}  // namespace sightline::bench
