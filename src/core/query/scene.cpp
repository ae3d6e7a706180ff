// The public queries: validation first, then one query over the objects (query/query.h).

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "base/float_environment.h"
#include "base/format.h"
#include "cuda/scene_query.h"
#include "input/watch.h"
#include "query/query.h"

namespace sightline {
namespace {

/// The device of a query and its working memory, kept from query to query.
class Engine {
 public:
  explicit Engine(const Device& device) : device_(device), workspace_(make_workspace()) {
    if (device.type() == Device::Type::cuda) gpu_ = std::make_unique<cuda::SceneQuery>(device);
  }
  const Device& device() const { return device_; }
  /// `keep`: there may be a next query, of the same objects.
  void run(std::span<const QueryObject> objects, const Settings& settings, Report& report, bool keep) {
    check_settings(settings);
    const Settings here = shielded(settings);
    if (gpu_ != nullptr)
      gpu_->run(objects, here, report);
    else
      run_query(objects, here, *workspace_, report, keep);
  }

 private:
  Device device_;
  WorkspacePtr workspace_;
  std::unique_ptr<cuda::SceneQuery> gpu_;  ///< null on the CPU
};

std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::string name_of(ObjectId object) { return formatted("object {}", object); }

}  // namespace

struct Scene::Impl {
  explicit Impl(const Device& device) : engine(device) {}

  /// By ascending id. A removed object stays until the next query, or until half of the list is removed: so a remove
  /// takes constant time on average, and a query gets only the objects that were not removed.
  std::vector<QueryObject> objects;
  std::size_t removed_count = 0;  ///< of those in the list
  ObjectId next_id = 0;
  Engine engine;

  /// Versions of objects that were not removed count from 1.
  static bool is_removed(const QueryObject& object) { return object.positions_version == 0; }
  /// The object's place, or objects.size() if it was removed.
  std::size_t place_of(ObjectId id) const {
    if (id >= next_id) throw Error(formatted("scene: object {} does not exist; there are {}", id, next_id));
    const auto at = std::lower_bound(objects.begin(), objects.end(), id,
                                     [](const QueryObject& object, ObjectId i) { return object.id < i; });
    const bool lives = at != objects.end() && at->id == id && !is_removed(*at);
    return lives ? static_cast<std::size_t>(at - objects.begin()) : objects.size();
  }
  QueryObject& object(ObjectId id) {
    const std::size_t place = place_of(id);
    if (place == objects.size()) throw Error(formatted("scene: object {} was removed", id));
    return objects[place];
  }
  /// Validates first: the object stays unchanged if `mesh` is bad.
  QueryObject& change(ObjectId id, const MeshView& mesh, unsigned threads) {
    QueryObject& target = object(id);
    validate(mesh, name_of(id), threads);
    target.mesh = mesh;
    target.positions_version = next_version();
    return target;
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

struct SceneAccess {
  static void collide(Scene& scene, Report& report, const Settings& settings) {
    const FloatEnvironment environment;
    scene.impl_->drop_removed();
    scene.impl_->engine.run(scene.impl_->objects, settings, report, true);
  }
  static std::span<const QueryObject> objects(Scene& scene) {
    scene.impl_->drop_removed();
    return scene.impl_->objects;
  }
};

Scene::Scene(const Device& device) : impl_(std::make_unique<Impl>(device)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

ObjectId Scene::add(const MeshView& mesh, const ObjectOptions& options, unsigned threads) {
  const ObjectId id = impl_->next_id;
  if (id == std::numeric_limits<ObjectId>::max())
    throw Error(formatted("scene: {} objects were added; there are no more numbers for another one", id));
  validate(mesh, name_of(id), threads);
  const std::uint64_t version = next_version();
  impl_->objects.push_back({mesh, options, id, version, version, version});
  ++impl_->next_id;
  return id;
}

void Scene::move(ObjectId object, const Positions& positions, unsigned threads) {
  const MeshView& old = impl_->object(object).mesh;
  QueryObject& changed = impl_->change(object, {positions, old.triangles, old.transform()}, threads);
  changed.stored_version = changed.positions_version;
}

void Scene::place(ObjectId object, const Transform& transform, unsigned threads) {
  impl_->change(object, impl_->object(object).mesh.placed(transform), threads);
}

void Scene::replace(ObjectId object, const MeshView& mesh, unsigned threads) {
  QueryObject& changed = impl_->change(object, mesh, threads);
  changed.triangles_version = changed.stored_version = changed.positions_version;
}

void Scene::remove(ObjectId object) { impl_->remove(object); }
void Scene::set_options(ObjectId object, const ObjectOptions& options) { impl_->object(object).options = options; }

std::size_t Scene::size() const { return impl_->next_id; }
bool Scene::is_removed(ObjectId object) const { return impl_->place_of(object) == impl_->objects.size(); }
const Device& Scene::device() const { return impl_->engine.device(); }
const ObjectOptions& Scene::options(ObjectId object) const { return impl_->object(object).options; }
const MeshView& Scene::mesh(ObjectId object) const {
  static const MeshView kRemoved;
  const std::size_t place = impl_->place_of(object);
  return place < impl_->objects.size() ? impl_->objects[place].mesh : kRemoved;
}

void collide(Scene& scene, Report& report, const Settings& settings) { SceneAccess::collide(scene, report, settings); }
std::span<const QueryObject> objects_of(Scene& scene) { return SceneAccess::objects(scene); }
void Scene::collide(Report& report, const Options& options) { sightline::collide(*this, report, options); }
Report Scene::collide(const Options& options) { return sightline::collide(*this, options); }

void query_once(std::span<const QueryObject> objects, const std::function<std::string(std::size_t)>& name,
                const Settings& settings, const Device& device, Report& report) {
  const FloatEnvironment environment;
  check_settings(settings);
  for (std::size_t i = 0; i < objects.size(); ++i) validate(objects[i].mesh, name(i), settings.threads);
  Engine(device).run(objects, settings, report, false);
}

void self_intersections(const MeshView& mesh, Report& report, const Settings& settings, const Device& device) {
  const QueryObject object{mesh, {.self = true}};
  query_once(
      {&object, 1}, [](std::size_t) { return "mesh"; }, settings, device, report);
}
Report self_intersections(const MeshView& mesh, const Settings& settings, const Device& device) {
  Report report;
  self_intersections(mesh, report, settings, device);
  return report;
}
Report self_intersections(const MeshView& mesh, const Options& options, const Device& device) {
  return self_intersections(mesh, Settings(options), device);
}
void self_intersections(const MeshView& mesh, Report& report, const Options& options, const Device& device) {
  self_intersections(mesh, report, Settings(options), device);
}

}  // namespace sightline
