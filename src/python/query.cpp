// self_intersections and scenes.
#include <charconv>
#include <mutex>

#include "python/report.h"

namespace sightline::python {
namespace {

using First = Argument<bool, "first">;
using SelfContacts = Argument<bool, "self_contacts">;
using Groups = Argument<std::uint32_t, "groups">;
using CollidesWith = Argument<std::uint32_t, "collides_with">;

PyReport self_query(std::shared_ptr<PyMesh> mesh, Threads threads, First first, py::handle max_contacts,
                    py::handle progress, DeviceName device) {
  PyReport result;
  Call call(progress);
  const Options options = options_of(call, threads, first, max_contacts);
  const Device chosen = device_of(device);
  const MeshView view = mesh->view();
  const PyMesh* const one = mesh.get();
  explained({&one, 1}, [&] { call.run([&] { self_intersections(view, result.report, options, chosen); }); });
  result.meshes = std::make_shared<const std::vector<std::shared_ptr<PyMesh>>>(1, std::move(mesh));
  return result;
}

/// A scene and the meshes that it views. Threads take turns; none holds the GIL while it waits.
class PyScene {
 public:
  explicit PyScene(DeviceName device) : scene_(device_of(device)) {}

  std::uint32_t add(std::shared_ptr<PyMesh> mesh, SelfContacts self, Groups groups, CollidesWith collides_with) {
    std::uint32_t id = 0;
    change(*mesh, [&] {
      id = scene_.add(mesh->view(), {.self = self, .groups = groups, .collides_with = collides_with});
      auto& all = meshes();
      all.resize(id + 1);
      all[id] = mesh;
    });
    return id;
  }
  void move(std::uint32_t id, py::handle vertices) {
    const std::shared_ptr<PyMesh> old = mesh(id);
    auto moved = std::make_shared<PyMesh>(*old);
    moved->points = points_of(vertices, old->name.empty() ? "vertices" : old->name + ": vertices");
    change(*moved, [&] {
      scene_.move(id, moved->points.positions);
      meshes()[id] = moved;
    });
  }
  void place(std::uint32_t id, py::handle transform) {
    auto placed = std::make_shared<PyMesh>(*mesh(id));
    placed->transform = transform_of(transform);
    change(*placed, [&] {
      scene_.place(id, placed->transform);
      meshes()[id] = placed;
    });
  }
  void replace(std::uint32_t id, std::shared_ptr<PyMesh> mesh) {
    change(*mesh, [&] {
      scene_.replace(id, mesh->view());
      meshes()[id] = mesh;
    });
  }
  void remove(std::uint32_t id) {
    locked([&] {
      scene_.remove(id);
      meshes()[id] = nullptr;
    });
  }
  void set_options(std::uint32_t id, SelfContacts self, Groups groups, CollidesWith collides_with) {
    locked([&] { scene_.set_options(id, {.self = self, .groups = groups, .collides_with = collides_with}); });
  }
  std::shared_ptr<PyMesh> mesh(std::uint32_t id) {
    std::shared_ptr<PyMesh> found;
    locked([&] {
      if (id < meshes_->size()) found = (*meshes_)[id];
    });
    if (found == nullptr) throw py::value_error("scene: there is no object " + std::to_string(id));
    return found;
  }
  PyReport collide(Threads threads, First first, py::handle max_contacts, py::handle progress) {
    PyReport result;
    Call call(progress);
    const Options options = options_of(call, threads, first, max_contacts);
    call.run([&] {
      const std::lock_guard lock(mutex_);
      scene_.collide(result.report, options);
      result.meshes = meshes_;
    });
    return result;
  }

 private:
  /// The list for a change. Reports that have the list keep the old one.
  std::vector<std::shared_ptr<PyMesh>>& meshes() {
    if (meshes_.use_count() > 1) meshes_ = std::make_shared<std::vector<std::shared_ptr<PyMesh>>>(*meshes_);
    return *meshes_;
  }
  template <typename Function>
  void locked(const Function& function) {
    const py::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    function();
  }
  template <typename Function>
  void change(const PyMesh& mesh, const Function& function) {
    const PyMesh* const one = &mesh;
    explained({&one, 1}, [&] { locked(function); });
  }

  std::mutex mutex_;
  std::shared_ptr<std::vector<std::shared_ptr<PyMesh>>> meshes_ =
      std::make_shared<std::vector<std::shared_ptr<PyMesh>>>();
  Scene scene_;
};

}  // namespace

Device device_of(const std::string& name) {
  try {
    if (name == "cpu") return Device::cpu();
    if (name == "best") return Device::best();
    if (name == "cuda") return Device::cuda();
    int number = 0;
    const char* const end = name.data() + name.size();
    if (name.starts_with("cuda:") && name.size() > 5 && name[5] != '-') {
      const auto [stop, error] = std::from_chars(name.data() + 5, end, number);
      if (stop == end && error == std::errc{}) return Device::cuda(number);
    }
  } catch (const Error& error) {
    throw DeviceFault(error.what());
  }
  throw py::value_error("device: '" + name + "' is none of 'cpu', 'cuda', 'cuda:N' and 'best'");
}

Options options_of(Call& call, unsigned threads, bool first, py::handle max_contacts) {
  Options options{.threads = threads, .first = first};
  if (!max_contacts.is_none()) {
    py::detail::make_caster<std::uint64_t> number;
    if (!number.load(max_contacts, false))
      throw py::value_error("max_contacts: " + py::repr(max_contacts).cast<std::string>() +
                            " is not a number of contacts");
    options.max_contacts = static_cast<std::uint64_t>(number);
  }
  options.progress = call.progress();
  options.cancel = call.cancel();
  return options;
}

void bind_query(py::module_& module) {
  module.def("self_intersections", &self_query, py::arg("mesh"), py::arg("threads") = 0, py::arg("first") = false,
             py::arg("max_contacts") = py::none(), py::arg("progress") = py::none(), py::arg("device") = "cpu");
  module.def("devices", [] {
    py::list all;
    for (const DeviceInfo& info : devices()) {
      py::dict facts;
      for (const auto& [key, value] : info.facts) facts[py::str(key)] = value;
      all.append(py::make_tuple(info.name, info.missing, facts));
    }
    return all;
  });
  py::class_<PyScene>(module, "Scene")
      .def(py::init<DeviceName>(), py::arg("device") = "cpu")
      .def("add", &PyScene::add, py::arg("mesh"), py::arg("self_contacts") = false, py::arg("groups") = 1,
           py::arg("collides_with") = 0xFFFFFFFFu)
      .def("move", &PyScene::move, py::arg("id"), py::arg("vertices"))
      .def("place", &PyScene::place, py::arg("id"), py::arg("transform"))
      .def("replace", &PyScene::replace, py::arg("id"), py::arg("mesh"))
      .def("remove", &PyScene::remove, py::arg("id"))
      .def("set_options", &PyScene::set_options, py::arg("id"), py::arg("self_contacts"), py::arg("groups"),
           py::arg("collides_with"))
      .def("mesh", &PyScene::mesh, py::arg("id"))
      .def("collide", &PyScene::collide, py::arg("threads") = 0, py::arg("first") = false,
           py::arg("max_contacts") = py::none(), py::arg("progress") = py::none());
}

}  // namespace sightline::python
