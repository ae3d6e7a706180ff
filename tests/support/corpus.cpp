#include "support/corpus.h"

#include <stdexcept>

#include "scenes/scenes.h"
#include "support/sizes.h"

namespace testing_support {
namespace {

namespace scenes = sightline::scenes;

std::vector<Item> scene_corpus() {
  std::vector<Item> items;
  const auto add = [&](std::string name, std::function<Mesh()> make, bool big = false) {
    items.push_back({std::move(name), std::move(make), true, big});
  };
  add("sphere", [] { return scenes::sphere(1200); });
  add("torus", [] { return scenes::torus(1500); });
  add("torus_float", [] { return as_float(scenes::torus(1500)); });
  add("bumpy_body", [] { return scenes::bumpy_body(2000); });
  add("two_bodies", [] { return scenes::two_bodies(1200); });
  add("two_tori", [] { return scenes::two_tori(1000); });
  add("two_tori_stl", [] { return as_float(unindexed(scenes::two_tori(1000))); });
  add("tube", [] { return scenes::self_intersecting_tube(1500); });
  add("cloth", [] { return scenes::crumpled_cloth(2500); });
  add("cloth_double", [] { return as_double(scenes::crumpled_cloth(2000, 2)); });
  add("cloth_stl", [] { return as_float(unindexed(scenes::crumpled_cloth(1500, 3))); });
  add("cloth_far_1e5", [] { return as_float(scenes::moved(scenes::crumpled_cloth(1500, 4), {1e5, -3e5, 2e5})); });
  add("scenes_uniform", [] { return scenes::uniform_soup(2500); });
  add("scenes_clustered", [] { return scenes::clustered_soup(3000); });
  add("scenes_heavy_tailed", [] { return scenes::heavy_tailed_soup(2500); });
  add("scenes_needles", [] { return scenes::needle_soup(600); });
  add("scenes_lattice", [] { return scenes::lattice_soup(500, 1, true); });
  add("scenes_lattice_tenth", [] { return scenes::lattice_soup_tenth(500, 1, true); });
  add("scenes_cubes", [] { return scenes::cubes_in_contact_mesh(4); });

  // For CGAL only.
  add(
      "big_cloth", [] { return scenes::crumpled_cloth(smaller(100'000, 8)); }, true);
  add(
      "big_two_bodies", [] { return scenes::two_bodies(smaller(40'000, 6)); }, true);
  add(
      "big_uniform", [] { return scenes::uniform_soup(smaller(60'000, 6)); }, true);
  add(
      "big_clustered", [] { return scenes::clustered_soup(smaller(40'000, 4)); }, true);
  add(
      "big_heavy_tailed", [] { return scenes::heavy_tailed_soup(smaller(40'000, 4)); }, true);
  add(
      "big_needles", [] { return scenes::needle_soup(10'000); }, true);
  add(
      "big_lattice", [] { return scenes::lattice_soup(10'000); }, true);
  add(
      "big_lattice_tenth", [] { return scenes::lattice_soup_tenth(10'000); }, true);
  add(
      "big_cubes", [] { return scenes::cubes_in_contact_mesh(9); }, true);
  return items;
}

template <class To>
std::vector<To> converted(const sightline::Positions& positions) {
  std::vector<To> points(positions.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < 3; ++k) points[i][k] = static_cast<typename To::value_type>(positions.stored(i)[k]);
  return points;
}

bool is_double(const Mesh& mesh) { return mesh.view().positions.is_double(); }
Mesh with_precision_of(const Mesh& mesh, const Mesh& made) { return is_double(mesh) ? made : as_float(made); }

}  // namespace

Mesh mesh_of(const Item& item) {
  Mesh mesh = item.make();
  mesh.triangles.resize(smaller<std::size_t>(mesh.triangles.size(), 4, 30));
  return mesh;
}

const std::vector<Item>& corpus() {
  static const std::vector<Item> items = [] {
    std::vector<Item> all = scene_corpus();
    for (Item& item : adversarial_corpus()) all.push_back(std::move(item));
    return all;
  }();
  return items;
}

const Item& corpus_item(const std::string& name) {
  for (const Item& item : corpus())
    if (item.name == name) return item;
  throw std::out_of_range("no corpus item " + name);
}

std::vector<std::size_t> corpus_where(const std::function<bool(const Item&)>& keep) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < corpus().size(); ++i)
    if (keep(corpus()[i])) indices.push_back(i);
  return indices;
}

Mesh random_mesh(Random& random) {
  const int count = 1 + random.below(random.chance(0.2) ? 300 : 40), side = 2 + random.below(6);
  const auto coordinate = [&] {
    const double x = random.below(side) - 1;
    return random.chance(0.1) ? x + random.unit() : x == 0 && random.chance(0.5) ? -0.0 : x;
  };
  std::vector<Vec3d> points;
  for (int i = 0; i < count; ++i) points.push_back({coordinate(), coordinate(), coordinate()});
  Mesh mesh;
  for (int i = 0; i < count; ++i) {
    const auto corner = [&] { return static_cast<std::uint32_t>(random.below(count)); };
    mesh.triangles.push_back({corner(), corner(), corner()});
    if (random.chance(0.1)) mesh.triangles.push_back(mesh.triangles[static_cast<std::size_t>(random.below(i + 1))]);
  }
  mesh.positions = points;
  return random.chance(0.5) ? as_float(mesh) : mesh;
}

void Builder::append(const MeshView& mesh) {
  const auto base = static_cast<std::uint32_t>(positions.size());
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) corner(mesh.position(i));
  for (const Triangle& t : mesh.triangles) indexed(base + t[0], base + t[1], base + t[2]);
}

Mesh as_float(const Mesh& mesh) { return {"", converted<Vec3f>(mesh.view().positions), mesh.triangles}; }

Mesh as_double(const Mesh& mesh) { return {"", converted<Vec3d>(mesh.view().positions), mesh.triangles}; }

Mesh transformed(const Mesh& mesh, const std::function<Vec3d(const Vec3d&)>& map) {
  Mesh made = as_double(mesh);
  for (Vec3d& p : std::get<1>(made.positions)) p = map(p);
  return with_precision_of(mesh, made);
}

Mesh unindexed(const Mesh& mesh) {
  Builder out;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto t = mesh.view().corners(i);
    out.triangle(t[0], t[1], t[2]);
  }
  return with_precision_of(mesh, out.mesh());
}

Mesh with_triangles(const Mesh& mesh, std::vector<Triangle> triangles) {
  return {mesh.name, mesh.positions, std::move(triangles)};
}

std::vector<Mesh> dealt(const Mesh& mesh, std::size_t parts) {
  std::vector<std::vector<Triangle>> hands(parts);
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) hands[i % parts].push_back(mesh.triangles[i]);
  std::vector<Mesh> meshes;
  for (auto& hand : hands) meshes.push_back(with_triangles(mesh, std::move(hand)));
  return meshes;
}

std::vector<Mesh> sliced(const Mesh& mesh, std::size_t parts) {
  std::vector<Mesh> meshes;
  const auto first = mesh.triangles.begin();
  const std::size_t n = mesh.triangles.size();
  for (std::size_t i = 0; i < parts; ++i)
    meshes.push_back(with_triangles(mesh, {first + n * i / parts, first + n * (i + 1) / parts}));
  return meshes;
}

std::vector<MeshView> views(const std::vector<Mesh>& meshes) {
  std::vector<MeshView> all;
  for (const Mesh& mesh : meshes) all.push_back(mesh.view());
  return all;
}

}  // namespace testing_support
