#include "tool/generate.h"

#include <algorithm>
#include <iterator>

#include "report/mesh_file.h"
#include "scenes/scenes.h"
#include "tool/console.h"
#include "tool/options.h"

namespace sightline::tool {
namespace {

struct Scene {
  std::string_view name;
  std::string_view what;
  std::size_t triangles;  ///< unless --triangles says otherwise; 0 where it has no say
  Assembly (*make)(std::size_t triangles);
};

Assembly one(Mesh mesh) {
  Assembly assembly;
  assembly.parts.push_back(std::move(mesh));
  return assembly;
}

const Scene kScenes[] = {
    {"tube", "a closed tube that runs through itself", 4000,
     [](std::size_t n) { return one(scenes::self_intersecting_tube(n)); }},
    {"assembly", "parts with a pair of each relation", 0, [](std::size_t) { return scenes::demo_assembly(); }},
    {"cloth", "a crumpled sheet", 20'000, [](std::size_t n) { return one(scenes::crumpled_cloth(n)); }},
    {"bodies", "two closed bodies that run into each other", 20'000,
     [](std::size_t n) { return one(scenes::two_bodies(n / 2)); }},
    {"sphere", "a clean sphere", 4500, [](std::size_t n) { return one(scenes::sphere(n)); }},
    {"soup", "loose triangles", 20'000, [](std::size_t n) { return one(scenes::uniform_soup(n)); }},
};

}  // namespace

std::string scene_list() {
  std::string text = "Scenes:";
  for (const Scene& scene : kScenes) text += fmt::format("\n  {:<10}{}", scene.name, scene.what);
  return text;
}

int generate(const Settings& settings) {
  const auto scene = std::find_if(std::begin(kScenes), std::end(kScenes),
                                  [&](const Scene& candidate) { return candidate.name == settings.scene; });
  if (scene == std::end(kScenes)) {
    std::vector<std::string> names;
    for (const Scene& known : kScenes) names.emplace_back(known.name);
    throw Error(fmt::format("there is no scene '{}'; there are {}", settings.scene, listed(names)));
  }
  if (settings.scene_triangles > 100'000'000)
    throw Error(fmt::format("--triangles {}: at most 100000000", settings.scene_triangles));
  const Assembly assembly = scene->make(settings.scene_triangles == 0 ? scene->triangles : settings.scene_triangles);
  report::write_mesh_file(settings.scene_path, assembly);
  std::uint64_t triangles = 0;
  for (const Mesh& part : assembly.parts) triangles += part.triangles.size();
  print_out(fmt::format("wrote {}: {}, {}\n", shown(settings.scene_path.string()),
                        counted(assembly.parts.size(), "part"), counted(triangles, "triangle")));
  return kClean;
}

}  // namespace sightline::tool
