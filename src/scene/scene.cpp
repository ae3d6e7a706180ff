// The public queries: validation at the door, then one query over the objects (scene/query.h).
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "cuda/scene_query.h"
#include "mesh/validate.h"
#include "method/run.h"
#include "scene/query.h"
#include "sightline/query.h"

namespace sightline {

struct Scene::Impl {
  explicit Impl(Device where) : device(where) {
    if (device.type() == Device::Type::cuda) gpu = std::make_unique<cuda::SceneQuery>();
  }

  Device device;
  std::vector<QueryObject> objects;
  WorkspacePtr workspace = make_workspace();
  std::unique_ptr<cuda::SceneQuery> gpu;  ///< null on the cpu device
  std::uint64_t changes = 0;

  QueryObject& object(ObjectId id) {
    if (id >= objects.size())
      throw Error(fmt::format("scene: object {} does not exist; there are {}", id, objects.size()));
    return objects[id];
  }
};

namespace {
/// On all cores: an object may be large, and it is validated each time it moves.
void validate_object(const MeshView& mesh, ObjectId object) {
  Workers workers(0);
  validate(mesh, fmt::format("object {}", object), workers);
}

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
  const std::size_t id = impl_->objects.size();
  validate_object(mesh, static_cast<ObjectId>(id));
  const std::uint64_t version = ++impl_->changes;
  impl_->objects.push_back({mesh, options.self, {}, version, version});
  return static_cast<ObjectId>(id);
}

void Scene::move(ObjectId object, const Positions& positions) {
  QueryObject& target = impl_->object(object);
  const MeshView moved{positions, target.mesh.triangles};
  validate_object(moved, object);
  target.mesh = moved;
  target.positions_version = ++impl_->changes;
}

void Scene::replace(ObjectId object, const MeshView& mesh) {
  QueryObject& target = impl_->object(object);
  validate_object(mesh, object);
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

void Scene::remove(ObjectId object) { impl_->object(object).mesh = {}; }

std::size_t Scene::size() const { return impl_->objects.size(); }
const MeshView& Scene::mesh(ObjectId object) const { return impl_->object(object).mesh; }

void Scene::collide(Report& report, const Options& options) {
  const bool own = options.device == Device::cpu() || options.device == impl_->device;
  const bool lent = options.device.type() == Device::Type::gl && impl_->device == Device::cpu();
  if (!own && !lent)
    throw Error(fmt::format("scene: it is on the device {}, and the options ask for {}", to_string(impl_->device),
                            to_string(options.device)));
  if (own && options.device != impl_->device) {
    Options here = options;
    here.device = impl_->device;
    return answer(impl_->objects, here, *impl_->workspace, impl_->gpu.get(), report);
  }
  answer(impl_->objects, options, *impl_->workspace, impl_->gpu.get(), report);
}
Report Scene::collide(const Options& options) {
  Report report;
  collide(report, options);
  return report;
}

void self_intersections(const MeshView& mesh, Report& report, const Options& options) {
  check_options(options);
  {
    Workers workers(options.threads);
    validate(mesh, "mesh", workers);
  }
  const QueryObject object{mesh, true, {}};
  const WorkspacePtr workspace = make_workspace();
  std::unique_ptr<cuda::SceneQuery> gpu;
  if (options.device.type() == Device::Type::cuda) gpu = std::make_unique<cuda::SceneQuery>();
  answer({&object, 1}, options, *workspace, gpu.get(), report);
}
Report self_intersections(const MeshView& mesh, const Options& options) {
  Report report;
  self_intersections(mesh, report, options);
  return report;
}

}  // namespace sightline
