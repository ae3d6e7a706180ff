// A query answered by one of the papers' methods: options checked, images made, survivors decided exactly.
#include "method/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "gl/device.h"
#include "method/method.h"
#include "raster/cpu/cpu_raster.h"
#include "scene/stage_clock.h"

namespace sightline::method {
namespace {

/// What a method is by itself.
struct Traits {
  bool conservative;    ///< can be made to miss nothing
  const char* because;  ///< why not
  bool self;            ///< finds contacts of an object with itself, too
  unsigned resolution;  ///< the paper's
  unsigned conservative_resolution;
};

const Traits& traits(Method method) {
  static const Traits kTraits[kMethodCount] = {
      {true, "", true, 0, 0},
      {true, "", true, 4096, 1024},
      {true, "", true, 4096, 1024},
      {false, "neighbours share cells, so that nothing could ever be pruned; take precision image, or method exact",
       true, 500, 0},
      {true, "", false, 512, 512},
      {false, "it counts faces at pixel centres; take precision image, or method exact", false, 1024, 0},
      {true, "", false, 0, 0},
  };
  return kTraits[static_cast<int>(method)];
}

/// The three axes, as in CULLIDE.
const std::vector<View>& axis_views() {
  static const std::vector<View> kViews = {{{-1, 0, 0}}, {{0, -1, 0}}, {{0, 0, -1}}};
  return kViews;
}

std::vector<View> views_of(Method method, const MethodOptions& options) {
  if (!options.views.empty()) return options.views;
  if (method == Method::self_cullide) return {};  // chosen by the method, pass by pass
  if (method == Method::peel) return {View{}};
  // Oblique: an edge along the view has no pixels, and solids often stand square to the axes.
  if (method == Method::cinder) return {View{{-0.35, -0.43, -1}}};
  return axis_views();
}

Precision precision_of(Method method, const MethodOptions& options) {
  const Traits& own = traits(method);
  const Precision precision = options.precision.value_or(own.conservative ? Precision::conservative : Precision::image);
  if (precision == Precision::conservative && !own.conservative)
    throw Error(fmt::format("options: {} has no conservative precision: {}", to_string(method), own.because));
  return precision;
}

unsigned resolution_of(Method method, Precision precision, const MethodOptions& options) {
  const Traits& own = traits(method);
  const unsigned resolution =
      options.resolution.value_or(precision == Precision::image ? own.resolution : own.conservative_resolution);
  if (resolution < 1 || resolution > raster::kMostPixels)
    throw Error(
        fmt::format("options: resolution {}; an image has 1 to {} pixels a side", resolution, raster::kMostPixels));
  return resolution;
}

void check(Method method, const Options& options) {
  const MethodOptions& paper = options.paper;
  if (paper.epsilon && !(*paper.epsilon >= 0 && std::isfinite(*paper.epsilon)))
    throw Error(fmt::format("options: epsilon {}; it must be a finite number, 0 or more", *paper.epsilon));
  constexpr unsigned kMostLevels = 14;  // of the largest image
  if (paper.mip_levels > kMostLevels)
    throw Error(fmt::format("options: {} mip-map levels; at most {}", paper.mip_levels, kMostLevels));
  if (method == Method::velocity && paper.then == Method::velocity)
    throw Error("options: velocity culls for another method; `then` cannot be velocity itself");
  if (method == Method::velocity && paper.then == Method::cinder)
    throw Error("options: velocity leaves open surfaces, and cinder needs closed ones; `then` cannot be cinder");
  if (!(paper.time_step >= 0) || !std::isfinite(paper.time_step))
    throw Error(fmt::format("options: time step {}; it must be a finite number, 0 or more", paper.time_step));
  const Method over_images = method == Method::velocity ? paper.then : method;
  const bool gl = options.device.type() == Device::Type::gl;
  if (gl && over_images == Method::exact)
    throw Error("gl: velocity itself draws nothing; let a method over images answer for what is left (`then`)");
  if (gl && options.simd != Simd::best)
    throw Error(fmt::format("gl: simd {} is an option of the cpu device", to_string(options.simd)));
  if (over_images == Method::exact) return;
  if (options.axis != Axis::automatic || options.visibility == VisibilityCull::on || options.cell != 0)
    throw Error(
        fmt::format("options: axis, visibility and cell are for the exact engine; {} has views and a resolution",
                    to_string(over_images)));
  const Precision precision = precision_of(over_images, paper);
  for (const View& view : paper.views) {
    raster::check_view(view);
    if (view.field_of_view > 0 && precision != Precision::image)
      throw Error(
          fmt::format("options: a field of view of {} degrees; perspective needs precision image", view.field_of_view));
  }
}

void check_objects(Method method, const TriangleTable& table) {
  for (const TriangleTable::Object& object : table.objects)
    if (object.self && !traits(method).self)
      throw Error(
          fmt::format("{}: object {} asks for contacts with itself; this method finds those between objects only",
                      to_string(method), object.id));
}

std::vector<Motion> motions_of(std::span<const QueryObject> objects, const TriangleTable& table) {
  std::vector<Motion> motions;
  for (const TriangleTable::Object& object : table.objects)
    if (objects[object.place].motion) motions.push_back(*objects[object.place].motion);
  return motions.size() == table.objects.size() ? motions : std::vector<Motion>{};
}

Candidates run_one(Method method, Context& context) {
  switch (method) {
    case Method::cullide:
      return cullide(context);
    case Method::quick_cullide:
      return quick_cullide(context);
    case Method::self_cullide:
      return self_cullide(context);
    case Method::peel:
      return peel(context);
    case Method::cinder:
      return cinder(context);
    default:
      throw Error("method: not a method over images");
  }
}

void keep_set(const Scene& scene, const Candidates& candidates, MethodReport& report) {
  std::vector<std::uint32_t> triangles = candidates.triangles;
  for (const auto& [a, b] : candidates.pairs) {
    triangles.push_back(a);
    triangles.push_back(b);
  }
  std::sort(triangles.begin(), triangles.end());
  triangles.erase(std::unique(triangles.begin(), triangles.end()), triangles.end());
  for (const std::uint32_t t : triangles) {
    const TriangleTable::Object& object = scene.table.objects[scene.object_of[t]];
    report.pcs.push_back({object.id, t - object.first_triangle});
  }
}

void finish(const Options& options, bool stopped, Report& report) {
  finish_report(report, options, report.contacts.size(), stopped);
  if (report.method.can_miss) report.complete = false;
  if (options.progress && !stopped) options.progress(1.0);
}

std::unique_ptr<raster::Raster> make_raster(const Options& options, Workers& workers) {
  if (options.device.type() == Device::Type::gl) return gl::make_raster(options.gl_queries);
  return raster::make_cpu_raster(workers, options.simd);
}

void run_image(std::span<const QueryObject> objects, const Options& options, Report& report) {
  const Method method = options.method;
  MethodReport& how = report.method;
  how.precision = precision_of(method, options.paper);
  how.resolution = resolution_of(method, how.precision, options.paper);
  how.can_miss = how.precision == Precision::image;
  const std::vector<View> views = views_of(method, options.paper);

  StageClock clock(report.stats);
  Workers workers(options.threads);  // also for a few triangles: an image has many pixels
  report.stats.threads = workers.count();
  TriangleTable table;
  table.assign(objects);
  check_objects(method, table);
  report.stats.triangles = table.triangle_count;
  const Scene scene(table, workers);
  const std::vector<Motion> motions = motions_of(objects, table);
  const std::unique_ptr<raster::Raster> raster = make_raster(options, workers);
  if (options.device.type() == Device::Type::gl) report.stats.device = report.stats.simd = to_string(options.device);
  raster->geometry(scene.geometry());
  clock.stage("gather", table.triangle_count, "triangles");

  Context context{scene,   options.paper, how.precision, how.resolution, views,
                  motions, *raster,       workers,       options.cancel, how};
  const Candidates candidates = run_one(method, context);
  keep_set(scene, candidates, how);
  clock.stage("image", how.pcs.size(), "triangles left");

  report.contacts = exact_contacts(context, candidates);
  report.stats.candidates = report.stats.decided_exact = how.pairs_tested;
  clock.stage("exact", report.contacts.size(), "contacts");
  finish(options, options.cancel && options.cancel(), report);
}

// ---- velocity: a front end to another method

void check_motions(std::span<const QueryObject> objects, const TriangleTable& table) {
  for (const TriangleTable::Object& object : table.objects)
    if (!objects[object.place].motion)
      throw Error(fmt::format("velocity: object {} has no motion; every object needs one (Scene::motion)", object.id));
}

/// Objects with some of their triangles, and which those are.
struct Restricted {
  Restricted(std::span<const QueryObject> all, const Scene& scene, std::span<const std::uint32_t> left)
      : triangles(all.size()), original(all.size()), objects(all.begin(), all.end()) {
    for (const std::uint32_t t : left) {
      const TriangleTable::Object& object = scene.table.objects[scene.object_of[t]];
      original[object.place].push_back(t - object.first_triangle);
      triangles[object.place].push_back(object.triangles[t - object.first_triangle]);
    }
    for (std::size_t i = 0; i < objects.size(); ++i) objects[i].mesh.triangles = triangles[i];
  }
  void map_back(Report& report) const {
    for (Contact& c : report.contacts) {
      c.a = original_of(c.object_a)[c.a];
      c.b = original_of(c.object_b)[c.b];
    }
    for (TriangleRef& t : report.method.pcs) t.triangle = original_of(t.object)[t.triangle];
    for (Dropped& d : report.method.dropped) d.triangle.triangle = original_of(d.triangle.object)[d.triangle.triangle];
  }
  const std::vector<std::uint32_t>& original_of(std::uint32_t id) const {
    const auto at = std::lower_bound(objects.begin(), objects.end(), id,
                                     [](const QueryObject& object, std::uint32_t i) { return object.id < i; });
    return original[static_cast<std::size_t>(at - objects.begin())];
  }

  std::vector<std::vector<Triangle>> triangles;      ///< by place
  std::vector<std::vector<std::uint32_t>> original;  ///< by place: their numbers in the whole object
  std::vector<QueryObject> objects;
};

/// Culls, lets `then` answer for the rest, and tells of both. Triangles keep their order, so the list stays canonical.
void run_velocity(std::span<const QueryObject> objects, const Options& options, Report& report) {
  const auto start = std::chrono::steady_clock::now();
  TriangleTable table;
  table.assign(objects);
  Workers workers(options.threads, table.triangle_count);
  check_objects(Method::velocity, table);
  check_motions(objects, table);
  const Scene scene(table, workers);
  const std::vector<Motion> motions = motions_of(objects, table);
  const std::unique_ptr<raster::Raster> raster = raster::make_reference_raster();
  MethodReport own;
  Context context{scene, options.paper, Precision::conservative, 0, {}, motions, *raster, workers, options.cancel, own};
  const std::vector<std::uint32_t> left = velocity(context);
  const Restricted restricted(objects, scene, left);
  const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  Options then = options;
  then.method = options.paper.then;
  if (then.method == Method::exact)
    run_query(restricted.objects, then, *make_workspace(), report);
  else
    run(restricted.objects, then, report);
  restricted.map_back(report);
  MethodReport& how = report.method;
  how.method = Method::velocity;
  how.can_miss = true;
  how.culled = own.culled;
  how.passes.insert(how.passes.begin(), own.passes.begin(), own.passes.end());
  for (Dropped& d : how.dropped) d.pass += static_cast<std::uint32_t>(own.passes.size());
  if (options.paper.record_dropped) {
    std::vector<bool> stays(scene.triangles.size());
    for (const std::uint32_t t : left) stays[t] = true;
    for (std::uint32_t t = 0; t < stays.size(); ++t)
      if (!stays[t]) context.drop(t);
    for (Dropped& d : own.dropped) d.pass = 0;
    how.dropped.insert(how.dropped.begin(), own.dropped.begin(), own.dropped.end());
  }
  report.complete = false;
  report.stats.triangles = table.triangle_count;
  report.stats.stages.insert(report.stats.stages.begin(), {"velocity", took, left.size(), "triangles left"});
  report.stats.milliseconds += took;
}

}  // namespace

namespace {

/// Options whose `cancel` is not asked again once it said true: it is asked here and there, and what is left undone in
/// one place is told in another.
Options latched(const Options& options) {
  Options own = options;
  own.cancel = [ask = options.cancel, said = std::make_shared<std::atomic<bool>>(false)] {
    if (!said->load() && ask()) said->store(true);
    return said->load();
  };
  return own;
}

}  // namespace

void run(std::span<const QueryObject> objects, const Options& given, Report& report) {
  check_options(given);
  check(given.method, given);
  std::optional<Options> own;
  if (given.cancel) own = latched(given);
  const Options& options = own ? *own : given;
  report.contacts.clear();
  report.stats = Stats{};
  report.method = MethodReport{};
  report.method.method = options.method;
  if (options.method == Method::velocity) return run_velocity(objects, options, report);
  run_image(objects, options, report);
}

}  // namespace sightline::method
