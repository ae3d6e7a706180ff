// The public queries: validation at the door, then one query over the objects (scene/query.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cuda/scene_query.h"
#include "float_environment.h"
#include "mesh/validate.h"
#include "method/run.h"
#include "scene/once.h"
#include "scene/query.h"
#include "scene/shielded.h"
#include "sightline/query.h"

namespace sightline {

struct Scene::Impl {
  explicit Impl(Device where) : device(where) {
    if (device.type() == Device::Type::cuda) gpu = std::make_unique<cuda::SceneQuery>();
  }

  Device device;
  /// By ascending id. A removed object stays until the next query, or until half of the list is removed: so a remove
  /// takes constant time on average, and a query sees living objects only.
  std::vector<QueryObject> objects;
  std::size_t removed_count = 0;  ///< of those in the list
  ObjectId next_id = 0;
  WorkspacePtr workspace = make_workspace();
  std::unique_ptr<cuda::SceneQuery> gpu;  ///< null on the cpu device
  std::uint64_t changes = 0;

  /// Versions of living objects count from 1.
  static bool is_removed(const QueryObject& object) { return object.positions_version == 0; }
  /// The object's place, or objects.size() if it was removed.
  std::size_t place_of(ObjectId id) const {
    if (id >= next_id) throw Error(fmt::format("scene: object {} does not exist; there are {}", id, next_id));
    const auto at = std::lower_bound(objects.begin(), objects.end(), id,
                                     [](const QueryObject& object, ObjectId i) { return object.id < i; });
    const bool lives = at != objects.end() && at->id == id && !is_removed(*at);
    return lives ? static_cast<std::size_t>(at - objects.begin()) : objects.size();
  }
  QueryObject& object(ObjectId id) {
    const std::size_t place = place_of(id);
    if (place == objects.size()) throw Error(fmt::format("scene: object {} was removed", id));
    return objects[place];
  }

  void remove(ObjectId id) {
    object(id).positions_version = 0;
    if (++removed_count > objects.size() / 2) drop_removed();
  }
  void drop_removed() {
    if (removed_count == 0) return;
    std::erase_if(objects, is_removed);
    removed_count = 0;
  }
};

namespace {
/// On all cores: an object may be large, and it is validated each time it moves.
void validate_object(const MeshView& mesh, const std::string& name, unsigned threads = 0) {
  Workers workers(threads, mesh.triangles.size() + mesh.positions.size());
  validate(mesh, name, workers);
}
std::string name_of(ObjectId object) { return fmt::format("object {}", object); }

void answer(std::span<const QueryObject> objects, const Options& options, Workspace& workspace, cuda::SceneQuery* gpu,
            Report& report) {
  const bool gl = options.device.type() == Device::Type::gl;
  if (options.gl_queries != GlQueries::batched && !gl)
    throw Error(fmt::format("options: gl_queries {} is for the gl device", to_string(options.gl_queries)));
  if (gpu == nullptr && (options.tiles != Tiles::never || options.device_memory != 0))
    throw Error(fmt::format("options: {} on the {} device; it is for the memory of the cuda device",
                            options.tiles != Tiles::never ? "tiles" : "device_memory", gl ? "gl" : "cpu"));
  if (options.method != Method::exact) {
    if (gpu != nullptr) throw Error("cuda: the papers' methods run on the cpu and the gl device");
    return method::run(objects, options, report);
  }
  if (gl)
    throw Error(
        "gl: the exact method runs on the cpu and the cuda device; on gl run cullide, quick-cullide, self-cullide, "
        "peel "
        "and cinder, and velocity before one of them");
  report.method = MethodReport{};
  if (gpu != nullptr) return gpu->run(objects, options, report);
  run_query(objects, options, workspace, report);
}
}  // namespace

Scene::Scene(Device device) : impl_(std::make_unique<Impl>(device)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

ObjectId Scene::add(const MeshView& mesh, const ObjectOptions& options) {
  const FloatEnvironment environment;
  const ObjectId id = impl_->next_id;
  if (id == std::numeric_limits<ObjectId>::max())
    throw Error(fmt::format("scene: {} objects were added; there are no more numbers for another one", id));
  validate_object(mesh, name_of(id));
  const std::uint64_t version = ++impl_->changes;
  impl_->objects.push_back({mesh, options.self, id, {}, version, version});
  ++impl_->next_id;
  return id;
}

void Scene::move(ObjectId object, const Positions& positions) {
  const FloatEnvironment environment;
  QueryObject& target = impl_->object(object);
  const MeshView moved{positions, target.mesh.triangles};
  validate_object(moved, name_of(object));
  target.mesh = moved;
  target.positions_version = ++impl_->changes;
}

void Scene::replace(ObjectId object, const MeshView& mesh) {
  const FloatEnvironment environment;
  QueryObject& target = impl_->object(object);
  validate_object(mesh, name_of(object));
  target.mesh = mesh;
  target.positions_version = target.triangles_version = ++impl_->changes;
}

void Scene::motion(ObjectId object, const Motion& motion) {
  for (const Vec3d& v : {motion.center, motion.velocity, motion.angular_velocity})
    for (const double x : v)
      if (!std::isfinite(x))
        throw Error(fmt::format("object {}: motion has a number that is not finite: {}", object, x));
  impl_->object(object).motion = motion;
}

void Scene::remove(ObjectId object) { impl_->remove(object); }

std::size_t Scene::size() const { return impl_->next_id; }
const MeshView& Scene::mesh(ObjectId object) const {
  static const MeshView kRemoved;
  const std::size_t place = impl_->place_of(object);
  return place < impl_->objects.size() ? impl_->objects[place].mesh : kRemoved;
}

void Scene::collide(Report& report, const Options& options) {
  const FloatEnvironment environment;
  const bool own = options.device == Device::cpu() || options.device == impl_->device;
  const bool lent = options.device.type() == Device::Type::gl && impl_->device == Device::cpu();
  if (!own && !lent)
    throw Error(fmt::format("scene: it is on the device {}, and the options ask for {}", to_string(impl_->device),
                            to_string(options.device)));
  impl_->drop_removed();
  Options here = shielded(options);
  if (own) here.device = impl_->device;
  answer(impl_->objects, here, *impl_->workspace, impl_->gpu.get(), report);
}
Report Scene::collide(const Options& options) {
  Report report;
  collide(report, options);
  return report;
}

void query_once(std::span<const QueryObject> objects, const std::function<std::string(std::size_t)>& name,
                const Options& options, Report& report) {
  check_options(options);
  for (std::size_t i = 0; i < objects.size(); ++i) validate_object(objects[i].mesh, name(i), options.threads);
  const WorkspacePtr workspace = make_workspace();
  std::unique_ptr<cuda::SceneQuery> gpu;
  if (options.device.type() == Device::Type::cuda) gpu = std::make_unique<cuda::SceneQuery>();
  answer(objects, shielded(options), *workspace, gpu.get(), report);
}

void self_intersections(const MeshView& mesh, Report& report, const Options& options) {
  const FloatEnvironment environment;
  const QueryObject object{mesh, true};
  query_once(
      {&object, 1}, [](std::size_t) { return "mesh"; }, options, report);
}
Report self_intersections(const MeshView& mesh, const Options& options) {
  Report report;
  self_intersections(mesh, report, options);
  return report;
}

}  // namespace sightline
