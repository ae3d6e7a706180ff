// A query answered by one of the papers' methods: options checked, images made, survivors decided exactly.
#include "method/run.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/float_environment.h"
#include "base/format.h"
#include "gl/device.h"
#include "input/watch.h"
#include "method/kept.h"
#include "method/method.h"
#include "method/velocity.h"
#include "query/query.h"

namespace sightline::papers::method {
namespace {

/// The fixed properties of a method.
struct Traits {
  bool conservative;    ///< can be made to miss nothing
  const char* because;  ///< why not
  bool self;            ///< finds contacts of an object with itself, too
  unsigned resolution;  ///< the paper's
  unsigned conservative_resolution;
};

const Traits& traits(MethodName method) {
  static const Traits kTraits[kMethodCount] = {
      {true, "", true, 0, 0},
      {true, "", true, 4096, 1024},
      {true, "", true, 4096, 1024},
      {true, "", true, 500, 500},
      {true, "", true, 512, 512},
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

std::vector<View> views_of(MethodName method, const MethodOptions& options) {
  if (!options.views.empty()) return options.views;
  if (method == MethodName::self_cullide) return {};  // chosen by the method, pass by pass
  if (method == MethodName::peel) return {};          // chosen for each region
  // Oblique: an edge along the view has no pixels, and solids often stand square to the axes.
  if (method == MethodName::cinder) return {View{{-0.35, -0.43, -1}}};
  return axis_views();
}

Precision precision_of(MethodName method, const MethodOptions& options) {
  const Traits& own = traits(method);
  const Precision precision = options.precision.value_or(own.conservative ? Precision::conservative : Precision::image);
  if (precision == Precision::conservative && !own.conservative)
    throw Error(formatted("options: {} has no conservative precision: {}", to_string(method), own.because));
  return precision;
}

unsigned resolution_of(MethodName method, Precision precision, const MethodOptions& options) {
  const Traits& own = traits(method);
  const unsigned resolution =
      options.resolution.value_or(precision == Precision::image ? own.resolution : own.conservative_resolution);
  if (resolution < 1 || resolution > raster::kMostPixels)
    throw Error(
        formatted("options: resolution {}; an image has 1 to {} pixels a side", resolution, raster::kMostPixels));
  return resolution;
}

void check(MethodName method, const MethodSettings& options) {
  const MethodOptions& paper = options.paper;
  if (paper.epsilon && !(*paper.epsilon >= 0 && std::isfinite(*paper.epsilon)))
    throw Error(formatted("options: epsilon {}; it must be a finite number, 0 or more", *paper.epsilon));
  constexpr unsigned kMostLevels = 14;  // of the largest image
  if (paper.mip_levels > kMostLevels)
    throw Error(formatted("options: {} mip-map levels; at most {}", paper.mip_levels, kMostLevels));
  if (!(paper.edge_offset >= 0 && std::isfinite(paper.edge_offset)))
    throw Error(formatted("options: edge offset {}; it must be a finite number, 0 or more", paper.edge_offset));
  if (method == MethodName::cinder && !paper.one_per_pixel &&
      (paper.mip_levels > 0 || paper.filter_self || paper.edge_offset > 0))
    throw Error(
        "options: mip-map, filter of self-interferences and edge offset belong to the published passes of cinder; "
        "set one collision a pixel, too");
  if (method == MethodName::velocity && paper.then == MethodName::velocity)
    throw Error("options: velocity culls for another method; `then` cannot be velocity itself");
  if (method == MethodName::velocity && paper.then == MethodName::cinder)
    throw Error(
        "options: velocity drops the faces that move away, so along a line of sight the faces that are left no longer "
        "lead out of an object as often as into it, and cinder would decide nothing; `then` cannot be cinder");
  if (!(paper.time_step >= 0) || !std::isfinite(paper.time_step))
    throw Error(formatted("options: time step {}; it must be a finite number, 0 or more", paper.time_step));
  const MethodName over_images = method == MethodName::velocity ? paper.then : method;
  const bool gl = options.renderer.type() == Renderer::Type::gl;
  if (gl && over_images == MethodName::exact)
    throw Error("gl: velocity itself draws nothing; let a method over images answer for what is left (`then`)");
  if (gl && options.simd != Simd::best)
    throw Error(formatted("gl: simd {} is an option of the cpu device", to_string(options.simd)));
  if (over_images == MethodName::exact) return;
  if (options.axis != Axis::automatic || options.visibility == VisibilityCull::on || options.cell != 0)
    throw Error(formatted("options: axis, visibility and cell are for the exact engine; {} has views and a resolution",
                          to_string(over_images)));
  const Precision precision = precision_of(over_images, paper);
  for (const View& view : paper.views) {
    raster::check_view(view);
    if (view.field_of_view > 0 && precision != Precision::image)
      throw Error(
          formatted("options: a field of view of {} degrees; perspective needs precision image", view.field_of_view));
  }
}

void check_objects(MethodName method, const TriangleTable& table) {
  for (const TriangleTable::Object& object : table.objects)
    if (object.options.self && !traits(method).self)
      throw Error(formatted("{}: object {} has `self`; this method finds contacts between objects only",
                            to_string(method), object.id));
}

/// Null if the object has none.
const Motion* motion_of(const MethodOptions& options, std::uint32_t object) {
  const bool has = object < options.motions.size() && options.motions[object].has_value();
  return has ? &*options.motions[object] : nullptr;
}

std::vector<Motion> motions_of(const MethodOptions& options, const TriangleTable& table) {
  std::vector<Motion> motions;
  for (const TriangleTable::Object& object : table.objects)
    if (const Motion* motion = motion_of(options, object.id)) motions.push_back(*motion);
  return motions.size() == table.objects.size() ? motions : std::vector<Motion>{};
}

Candidates run_one(MethodName method, Context& context) {
  switch (method) {
    case MethodName::cullide:
      return cullide(context);
    case MethodName::quick_cullide:
      return quick_cullide(context);
    case MethodName::self_cullide:
      return self_cullide(context);
    case MethodName::peel:
      return peel(context);
    case MethodName::cinder:
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

void finish(const MethodSettings& options, bool stopped, Report& report) {
  finish_report(report, options, report.contacts.size(), stopped);
  if (report.method.can_miss) report.complete = false;
  if (options.progress && !stopped) options.progress(1.0);
}

std::unique_ptr<raster::Raster> make_raster(const MethodSettings& options, Workers& workers) {
  if (options.renderer.type() == Renderer::Type::gl) return gl::make_raster(options.renderer.queries());
  return raster::make_cpu_raster(workers, options.simd);
}

/// The exact engine's contacts of the objects in `rigid` with each other, and with themselves where they have `self`.
void add_rigid(std::span<const QueryObject> objects, const MethodSettings& options, Report& report) {
  const std::vector<ObjectId>& rigid = options.paper.rigid;
  std::vector<QueryObject> some;
  for (const QueryObject& object : objects)
    if (std::find(rigid.begin(), rigid.end(), object.id) != rigid.end()) some.push_back(object);
  MethodSettings all = options;
  all.first = false;
  all.max_contacts = std::numeric_limits<std::uint64_t>::max();
  all.progress = {};
  sightline::Report found;
  run_query(some, all, *make_workspace(), found);
  report.contacts.insert(report.contacts.end(), found.contacts.begin(), found.contacts.end());
  std::sort(report.contacts.begin(), report.contacts.end());
}

void check_rigid(std::span<const QueryObject> objects, const MethodSettings& options) {
  for (const ObjectId id : options.paper.rigid)
    if (std::none_of(objects.begin(), objects.end(), [id](const QueryObject& object) { return object.id == id; }))
      throw Error(formatted("peel: object {} is rigid, and the scene has no such object", id));
}

/// Methods that end where the frame before ended.
bool is_coherent(MethodName method, Precision precision, const MethodOptions& options) {
  return (method == MethodName::cullide || method == MethodName::quick_cullide) &&
         precision == Precision::conservative && options.rounds == 0;
}

void run_image(std::span<const QueryObject> objects, const MethodSettings& options, Kept& kept, Report& report) {
  const MethodName method = options.method;
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
  const bool rigid = method == MethodName::peel && !options.paper.rigid.empty();
  if (rigid) check_rigid(objects, options);
  report.stats.triangles = table.triangle_count;
  const Scene scene(table, workers);
  const std::vector<Motion> motions = motions_of(options.paper, table);
  const std::unique_ptr<raster::Raster> raster = make_raster(options, workers);
  if (options.renderer.type() == Renderer::Type::gl) report.stats.device = report.stats.simd = "gl";
  raster->geometry(scene.geometry());
  clock.stage("gather", table.triangle_count, "triangles");

  Context context{scene,   options.paper, how.precision, how.resolution, views,
                  motions, *raster,       workers,       options.cancel, how};
  const bool coherent = is_coherent(method, how.precision, options.paper);
  Kept::Pruned& pruned = kept.pruned[static_cast<int>(method)];
  if (coherent) context.enough = pruned.enough(table.triangle_count);
  const Candidates candidates = run_one(method, context);
  keep_set(scene, candidates, how);
  if (coherent && !(options.cancel && options.cancel()))
    pruned.add(table.triangle_count, how.pcs.size(), context.enough == 0);
  clock.stage("image", how.pcs.size(), "triangles left");

  report.contacts = exact_contacts(context, candidates);
  report.stats.candidates = report.stats.decided_exact = how.pairs_tested;
  clock.stage("exact", report.contacts.size(), "contacts");
  if (rigid) {
    add_rigid(objects, options, report);
    clock.stage("rigid", report.contacts.size(), "contacts");
  }
  finish(options, options.cancel && options.cancel(), report);
}

// ---- velocity: a front end to another method

void check_motions(const MethodOptions& options, const TriangleTable& table) {
  for (const TriangleTable::Object& object : table.objects) {
    const Motion* motion = motion_of(options, object.id);
    if (motion == nullptr)
      throw Error(
          formatted("velocity: object {} has no motion; every object needs one (Velocity::motions)", object.id));
    for (const Vec3d& v : {motion->center, motion->velocity, motion->angular_velocity})
      for (const double x : v)
        if (!std::isfinite(x))
          throw Error(formatted("object {}: motion has a number that is not finite: {}", object.id, x));
  }
}

/// Objects with some of their triangles, and which those are.
struct Restricted {
  Restricted(std::span<const QueryObject> all, const TriangleTable& table, const Left& left)
      : objects(all.begin(), all.end()), original(all.size()) {
    for (std::size_t i = 0; i < table.objects.size(); ++i) {
      const std::uint32_t place = table.objects[i].place;
      objects[place].mesh = left.mesh_of(table, i);
      original[place] = left.original_of(table, i);
    }
  }
  void map_back(Report& report) const {
    for (Contact& c : report.contacts) {
      c.a = original_of(c.object_a)[c.a];
      c.b = original_of(c.object_b)[c.b];
    }
    for (TriangleRef& t : report.method.pcs) t.triangle = original_of(t.object)[t.triangle];
    for (Dropped& d : report.method.dropped) d.triangle.triangle = original_of(d.triangle.object)[d.triangle.triangle];
  }
  std::span<const std::uint32_t> original_of(std::uint32_t id) const {
    const auto at = std::lower_bound(objects.begin(), objects.end(), id,
                                     [](const QueryObject& object, std::uint32_t i) { return object.id < i; });
    return original[static_cast<std::size_t>(at - objects.begin())];
  }

  std::vector<QueryObject> objects;
  std::vector<std::span<const std::uint32_t>> original;  ///< by place: their numbers in the whole object
};

/// The triangles that velocity culling dropped.
std::vector<Dropped> dropped_of(const TriangleTable& table, std::span<const Faces* const> faces, const Left& left) {
  std::vector<Dropped> dropped;
  for (std::size_t i = 0; i < table.objects.size(); ++i) {
    const TriangleTable::Object& object = table.objects[i];
    for (std::uint32_t t = 0; t < object.triangle_count; ++t)
      if (left.stays[object.first_triangle + faces[i]->face_of(t)] == 0) dropped.push_back({0, {object.id, t}});
  }
  return dropped;
}

/// Throws Error for what the GPU's front end and the engine behind it do not have.
void check_on_gpu(const MethodSettings& options, const Device& device) {
  if (options.simd != Simd::best)
    throw Error(formatted("cuda: simd {} is an option of the cpu device", to_string(options.simd)));
  if (options.axis != Axis::automatic || options.visibility != VisibilityCull::automatic || options.cell != 0)
    throw Error("cuda: axis, visibility and cell are for the exact engine alone, not for velocity before it");
  if (device.cuda_options().memory != 0 || device.cuda_options().tiles)
    throw Error("cuda: a limit of device memory and tiles are for the exact engine alone, not for velocity before it");
}

/// Culls and finds the contacts of the rest on the GPU. The flags of faces come back if the dropped ones are recorded.
std::uint64_t run_on_gpu(const TriangleTable& table, std::span<const QueryObject> objects,
                         std::span<const Faces* const> faces, std::span<const Motion> motions,
                         const MethodSettings& options, Workers& workers, cuda::FrontEnd& gpu, StageClock& clock,
                         Left& left, Report& report) {
  const FaceTests tests = tests_of(table, faces, motions, options.paper, workers);
  std::vector<cuda::MovingObject> moving_objects;
  for (std::size_t i = 0; i < table.objects.size(); ++i)
    moving_objects.push_back({&tests.bodies[i], tests.tests[i], tests.two_sided[i] != 0, faces[i]->arrays(),
                              faces[i]->count(), faces[i]->number(), objects[table.objects[i].place].stored_version});
  const std::uint64_t total = gpu.cull(table, moving_objects);
  clock.stage("velocity", total, "triangles left");
  gpu.find(options, report);
  report.stats.threads = workers.count();
  if (options.paper.record_dropped) gpu.fetch_stays(left.stays.resize(table.triangle_count));
  return total;
}

std::uint64_t run_on_cpu(const TriangleTable& table, std::span<const QueryObject> objects,
                         std::span<const Faces* const> faces, std::span<const Motion> motions,
                         const MethodSettings& options, Workers& workers, Kept& kept, StageClock& clock,
                         Report& report) {
  velocity(table, faces, motions, options.paper, workers, kept.left);
  const Restricted restricted(objects, table, kept.left);
  const std::uint64_t total = kept.left.total();
  clock.stage("velocity", total, "triangles left");
  MethodSettings then = options;
  then.method = options.paper.then;
  if (then.method == MethodName::exact)
    run_query(restricted.objects, then, kept.workspace(), report);
  else
    run_image(restricted.objects, then, kept, report);
  restricted.map_back(report);
  return total;
}

/// Culls, runs `then` on the rest, and reports both. Triangles keep their order, so the list stays canonical.
void run_velocity(std::span<const QueryObject> objects, const MethodSettings& options, const Device& device, Kept& kept,
                  Report& report) {
  const bool on_gpu = device.type() == Device::Type::cuda;
  if (on_gpu) check_on_gpu(options, device);
  Stats front;
  StageClock clock(front);
  TriangleTable table;
  table.assign(objects);
  Workers workers(options.threads, table.triangle_count);
  check_objects(MethodName::velocity, table);
  check_motions(options.paper, table);
  const std::vector<Motion> motions = motions_of(options.paper, table);
  const std::vector<const Faces*> faces = kept.faces_of(table, objects, workers);
  clock.stage("faces", kept.faces_computed(), "triangles");
  const std::uint64_t left = on_gpu ? run_on_gpu(table, objects, faces, motions, options, workers,
                                                 kept.front_end(device), clock, kept.left, report)
                                    : run_on_cpu(table, objects, faces, motions, options, workers, kept, clock, report);
  MethodReport& how = report.method;
  how.method = MethodName::velocity;
  how.can_miss = true;
  how.culled = table.triangle_count - left;
  Pass pass{.level = "velocity"};
  pass.pcs_before = pass.elements_before = table.triangle_count;
  pass.pcs_after = pass.elements_after = left;
  pass.milliseconds = front.stages.back().milliseconds;
  how.passes.insert(how.passes.begin(), pass);
  for (Dropped& d : how.dropped) ++d.pass;
  if (options.paper.record_dropped) {
    const std::vector<Dropped> dropped = dropped_of(table, faces, kept.left);
    how.dropped.insert(how.dropped.begin(), dropped.begin(), dropped.end());
  }
  report.complete = false;
  report.stats.triangles = table.triangle_count;
  report.stats.stages.insert(report.stats.stages.begin(), front.stages.begin(), front.stages.end());
  report.stats.milliseconds += front.milliseconds;
}

}  // namespace

namespace {

/// Settings whose `cancel` is not called again after it returned true. It is polled in several places: work that one of
/// them leaves undone must be seen as cancelled by the others.
MethodSettings latched(const MethodSettings& options) {
  MethodSettings own = options;
  own.cancel = [cancel = options.cancel, cancelled = std::make_shared<std::atomic<bool>>(false)] {
    if (!cancelled->load() && cancel()) cancelled->store(true);
    return cancelled->load();
  };
  return own;
}

}  // namespace

namespace {

Report run_objects(std::span<const QueryObject> objects, const MethodSettings& given, const Device& device,
                   Kept& kept) {
  const FloatEnvironment environment;
  check_settings(given);
  MethodSettings options = given;
  static_cast<Settings&>(options) = shielded(given);
  if (options.cancel) options = latched(options);
  Report report;
  report.method.method = options.method;
  if (options.method == MethodName::exact) {
    if (options.renderer.type() == Renderer::Type::gl)
      throw Error("gl: the exact engine runs on the cpu and the cuda device; the gl device runs the papers' methods");
    run_query(objects, options, kept.workspace(), report);
    return report;
  }
  check(options.method, options);
  report.method.renderer = options.renderer.type();
  if (options.method == MethodName::velocity)
    run_velocity(objects, options, device, kept, report);
  else
    run_image(objects, options, kept, report);
  return report;
}

}  // namespace

Report run(std::span<const QueryObject> objects, const MethodSettings& settings) {
  Kept kept;
  return run_objects(objects, settings, Device::cpu(), kept);
}

Report run(sightline::Scene& scene, const MethodSettings& settings) {
  Kept kept;
  return run(scene, settings, kept);
}

Report run(sightline::Scene& scene, const MethodSettings& settings, Kept& kept) {
  if (settings.method == MethodName::exact && settings.renderer.type() == Renderer::Type::cpu) {
    Report report;
    collide(scene, report, settings);
    return report;
  }
  const bool before_exact = settings.method == MethodName::velocity && settings.paper.then == MethodName::exact;
  if (scene.device().type() != Device::Type::cpu && !before_exact)
    throw Error(
        "papers: the scene is on the cuda device; of the papers' methods only velocity before the exact engine runs "
        "there, the others run on the cpu and the gl device");
  return run_objects(objects_of(scene), settings, scene.device(), kept);
}

Report run(const MeshView& mesh, const MethodSettings& settings) {
  sightline::Scene scene;
  scene.add(mesh, {.self = true}, settings.threads);
  return run(scene, settings);
}

namespace {

struct ToSettings {
  MethodSettings of(MethodName name, const Images& images) const {
    MethodSettings settings;
    settings.method = name;
    static_cast<Images&>(settings.paper) = images;
    return settings;
  }
  MethodSettings of(MethodName name, const Images& images, const Pruning& pruning) const {
    MethodSettings settings = of(name, images);
    static_cast<Pruning&>(settings.paper) = pruning;
    return settings;
  }
  MethodSettings operator()(const Exact&) const { return {}; }
  MethodSettings operator()(const Cullide& m) const { return of(MethodName::cullide, m.images, m.pruning); }
  MethodSettings operator()(const QuickCullide& m) const { return of(MethodName::quick_cullide, m.images, m.pruning); }
  MethodSettings operator()(const SelfCullide& m) const {
    MethodSettings settings = of(MethodName::self_cullide, m.images, {.random_hierarchy = m.random_hierarchy});
    settings.paper.hand_over = m.hand_over;
    settings.paper.pixel_leaves = m.pixel_leaves;
    settings.paper.protect_steep = m.protect_steep;
    settings.paper.choose_views = m.choose_views;
    return settings;
  }
  MethodSettings operator()(const Peel& m) const {
    MethodSettings settings = of(MethodName::peel, m.images);
    settings.paper.epsilon = m.epsilon;
    settings.paper.unique_ids = m.unique_ids;
    settings.paper.greedy_ids = m.greedy_ids;
    settings.paper.from_both = m.from_both;
    settings.paper.rigid = m.rigid;
    return settings;
  }
  MethodSettings operator()(const Cinder& m) const {
    MethodSettings settings = of(MethodName::cinder, m.images);
    settings.paper.mip_levels = m.mip_levels;
    settings.paper.filter_self = m.filter_self;
    settings.paper.one_per_pixel = m.one_per_pixel;
    settings.paper.edge_offset = m.edge_offset;
    settings.paper.payloads = m.payloads;
    return settings;
  }
  MethodSettings operator()(const Velocity& m) const {
    MethodSettings settings = std::visit(*this, m.then);
    settings.paper.then = std::exchange(settings.method, MethodName::velocity);
    settings.paper.motions = m.motions;
    settings.paper.bounding_spheres = m.bounding_spheres;
    settings.paper.face_by_face = m.face_by_face;
    settings.paper.time_step = m.time_step;
    return settings;
  }
};

}  // namespace

MethodSettings settings_of(const Method& method) { return std::visit(ToSettings{}, method); }

MethodOptions as_published(MethodName method) {
  switch (method) {
    case MethodName::cullide:
      return settings_of(Cullide::as_published()).paper;
    case MethodName::quick_cullide:
      return settings_of(QuickCullide::as_published()).paper;
    case MethodName::self_cullide:
      return settings_of(SelfCullide::as_published()).paper;
    case MethodName::peel:
      return settings_of(Peel::as_published()).paper;
    case MethodName::cinder:
      return settings_of(Cinder::as_published()).paper;
    case MethodName::velocity:
      return settings_of(Velocity::as_published()).paper;
    case MethodName::exact:
      break;
  }
  return {};
}

}  // namespace sightline::papers::method

namespace sightline::papers {

// Quick-CULLIDE, section 5: 4K x 4K; section 3.1: views along the axes, which are the default; section 4.2: objects,
// then their parts.
Cullide Cullide::as_published() {
  return {.images = {.precision = Precision::image, .resolution = 4096},
          .pruning = {.object_level = true, .patches = false, .rounds = 1}};
}

QuickCullide QuickCullide::as_published() {
  const Cullide same = Cullide::as_published();
  return {.images = same.images, .pruning = same.pruning};
}

SelfCullide SelfCullide::as_published() {
  return {.images = {.precision = Precision::image},
          .hand_over = false,
          .pixel_leaves = false,
          .protect_steep = false,
          .choose_views = false};
}

Peel Peel::as_published() {
  return {.images = {.precision = Precision::image, .views = {View{}}}, .greedy_ids = false, .from_both = false};
}

Cinder Cinder::as_published() {
  return {.images = {.precision = Precision::image}, .mip_levels = 2, .filter_self = true, .one_per_pixel = true};
}

Velocity Velocity::as_published() { return {.bounding_spheres = false, .face_by_face = true}; }

struct Session::Impl {
  method::Kept kept;
};
Session::Session() : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Report Session::run(Scene& scene, const Method& method, const Options& options, const Renderer& renderer) {
  method::MethodSettings settings = method::settings_of(method);
  static_cast<Options&>(settings) = options;
  settings.renderer = renderer;
  return method::run(scene, settings, impl_->kept);
}

Report run(Scene& scene, const Method& method, const Options& options, const Renderer& renderer) {
  return Session().run(scene, method, options, renderer);
}

Report run(const MeshView& mesh, const Method& method, const Options& options, const Renderer& renderer) {
  Scene scene;
  scene.add(mesh, {.self = true}, options.threads);
  return run(scene, method, options, renderer);
}

}  // namespace sightline::papers
