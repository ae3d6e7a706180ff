// `sightline generate`: meshes for a first trial of the tool.
#include <algorithm>
#include <iterator>
#include <memory>

#include "scenes/papers/papers.h"
#include "scenes/scenes.h"
#include "sightline/io.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/suggest.h"

namespace sightline::tool {
namespace {

struct Scene {
  std::string_view name;
  std::string_view what;
  std::size_t triangles;  ///< the default of --triangles; 0 where the option has no effect
  Assembly (*make)(std::size_t triangles);
};

Assembly one(Mesh mesh) {
  Assembly assembly;
  assembly.add(std::move(mesh));
  return assembly;
}

const Scene kScenes[] = {
    {"tube", "a closed tube that runs through itself", 4000,
     [](std::size_t n) { return one(scenes::self_intersecting_tube(n)); }},
    {"assembly", "parts with a pair of each relation", 0, [](std::size_t) { return scenes::demo_assembly(); }},
    {"machine", "shafts in bores, and two parts that run into others", 0, [](std::size_t) { return scenes::machine(); }},
    {"cloth", "a crumpled sheet", 20'000, [](std::size_t n) { return one(scenes::crumpled_cloth(n)); }},
    {"bodies", "two closed bodies that run into each other", 20'000,
     [](std::size_t n) { return one(scenes::two_bodies(n / 2)); }},
    {"building", "walls, slabs and columns in contact, and pipes through walls", 200'000,
     [](std::size_t n) { return scenes::building(n / 610 + 1); }},
    {"sphere", "a clean sphere", 4500, [](std::size_t n) { return one(scenes::sphere(n)); }},
    {"soup", "loose triangles", 20'000, [](std::size_t n) { return one(scenes::uniform_soup(n)); }},
};

/// A scene of one of the papers, some frames on.
Assembly frame_of(const scenes::PaperScene& scene, std::size_t triangles, std::uint64_t frame) {
  const std::unique_ptr<scenes::Animation> animation = scene.make(triangles);
  for (std::uint64_t i = 0; i < frame; ++i) animation->advance();
  Assembly assembly;
  for (const scenes::AnimatedObject& object : animation->frame().objects) {
    assembly.add(object.mesh);
    if (object.mesh.name.empty()) assembly.parts.back().name = fmt::format("object {}", assembly.parts.size());
  }
  return assembly;
}

std::uint64_t checked_frame(const Settings& settings, bool moves) {
  if (settings.scene_frame > 0 && !moves)
    throw Error(fmt::format("--frame {}: the scene '{}' does not move", settings.scene_frame, settings.scene));
  if (settings.scene_frame > 100'000)
    throw Error(fmt::format("--frame {}: must be at most 100000", settings.scene_frame));
  return settings.scene_frame;
}

Assembly made(const Settings& settings) {
  const std::size_t triangles = settings.scene_triangles;
  if (const scenes::PaperScene* paper = scenes::find_paper_scene(settings.scene))
    return frame_of(*paper, triangles, checked_frame(settings, paper->frames > 1));
  const auto scene = std::find_if(std::begin(kScenes), std::end(kScenes),
                                  [&](const Scene& candidate) { return candidate.name == settings.scene; });
  if (scene != std::end(kScenes)) {
    checked_frame(settings, false);
    return scene->make(triangles == 0 ? scene->triangles : triangles);
  }
  const std::vector<std::string> names = scene_names();
  throw Error(not_there("scene", settings.scene, names, "there are " + listed(names)));
}

}  // namespace

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const Scene& known : kScenes) names.emplace_back(known.name);
  for (const scenes::PaperScene& known : scenes::paper_scenes()) names.emplace_back(known.name);
  return names;
}

std::string scene_list() {
  std::string text = "Scenes:";
  for (const Scene& scene : kScenes) text += fmt::format("\n  {:<16}{}", scene.name, scene.what);
  text += "\nScenes of the papers:";
  for (const scenes::PaperScene& scene : scenes::paper_scenes()) {
    text += fmt::format("\n  {:<16}{}", scene.name, scene.what);
    if (scene.frames > 1) text += fmt::format(" ({} frames)", scene.frames);
  }
  return text;
}

int generate(const Settings& settings) {
  if (settings.scene_triangles > 100'000'000)
    throw Error(fmt::format("--triangles {}: must be at most 100000000", settings.scene_triangles));
  const Assembly assembly = made(settings);
  write_assembly(settings.scene_path, assembly);
  std::uint64_t triangles = 0;
  for (const MeshView& part : assembly.views()) triangles += part.triangles.size();
  print_out(fmt::format("wrote {}: {}, {}\n", shown(settings.scene_path.string()),
                        counted(assembly.parts.size(), "part"), counted(triangles, "triangle")));
  return kClean;
}

}  // namespace sightline::tool
