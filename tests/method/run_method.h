// Scenes and queries for the tests of the CULLIDE family.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "method/method.h"
#include "method/run.h"
#include "sightline/sightline.h"
#include "support/compare.h"
#include "support/corpus.h"

namespace testing_support {

using sightline::papers::MethodName;
using sightline::papers::Precision;
using sightline::papers::Report;
using sightline::papers::View;
using sightline::papers::method::MethodOptions;
using sightline::papers::method::MethodSettings;

/// Objects of a scene; `self` for all of them, or for the first only.
struct Objects {
  std::string name;
  std::vector<Mesh> meshes;
  enum Self { none, first, all } self = none;

  bool asks_self(std::size_t object) const { return self == all || (self == first && object == 0); }
  std::size_t triangles() const {
    std::size_t count = 0;
    for (const Mesh& mesh : meshes) count += mesh.triangles.size();
    return count;
  }
};

inline Report collide(const Objects& objects, const MethodSettings& options = {}) {
  sightline::Scene scene;
  for (std::size_t i = 0; i < objects.meshes.size(); ++i)
    scene.add(objects.meshes[i].view(), {.self = objects.asks_self(i)});
  return sightline::papers::method::run(scene, options);
}

inline MethodSettings with(MethodName method, Precision precision, unsigned resolution) {
  MethodSettings options;
  options.threads = 1;
  options.method = method;
  options.paper.precision = precision;
  options.paper.resolution = resolution;
  return options;
}

/// A mesh as several objects, in one of the ways that `how` counts through.
inline Objects arranged(const std::string& name, const Mesh& mesh, std::size_t how) {
  switch (how % 4) {
    case 0:
      return {name + " in slices", sliced(mesh, 3), Objects::none};
    case 1:
      return {name + " by itself", {mesh}, Objects::all};
    case 2:
      return {name + " dealt out", dealt(mesh, 5), Objects::none};
    default:
      return {name + " in slices, the first by itself, too", sliced(mesh, 2), Objects::first};
  }
}

/// A method's own view of a scene, for tests of its parts.
struct Inside {
  Inside(const Objects& objects, const MethodSettings& from, unsigned threads = 1)
      : options(from.paper), workers(threads), table(table_of(objects)), scene(table, workers) {
    raster = sightline::papers::raster::make_cpu_raster(workers);
    raster->geometry(scene.geometry());
    context = std::make_unique<sightline::papers::method::Context>(sightline::papers::method::Context{
        scene, options, *options.precision, *options.resolution, options.views, {}, *raster, workers, {}, report});
    raster->target(context->target());
  }

  MethodOptions options;
  sightline::Workers workers;
  sightline::TriangleTable table;
  sightline::papers::method::Scene scene;
  std::unique_ptr<sightline::papers::raster::Raster> raster;
  sightline::papers::MethodReport report;
  std::unique_ptr<sightline::papers::method::Context> context;

 private:
  static sightline::TriangleTable table_of(const Objects& objects) {
    std::vector<sightline::QueryObject> queried;
    for (std::size_t i = 0; i < objects.meshes.size(); ++i)
      queried.push_back({objects.meshes[i].view(), {.self = objects.asks_self(i)}, static_cast<std::uint32_t>(i)});
    sightline::TriangleTable table;
    table.assign(queried);
    return table;
  }
};

inline std::vector<View> some_views(std::size_t which) {
  static const View kAxes[4] = {{{-1, 0, 0}}, {{0, -1, 0}}, {{0, 0, -1}}, {{0.3, -0.5, 0.8}}};
  switch (which % 5) {
    case 0:
      return {};
    case 1:
      return {kAxes[0], kAxes[2]};
    case 2:
      return {kAxes[3]};
    case 3:
      return {kAxes[1]};
    default:
      return {kAxes[3], kAxes[0], kAxes[1], kAxes[2]};
  }
}

}  // namespace testing_support
