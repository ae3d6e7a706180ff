// Meshes on which the engine is held against the oracles: the list, each small enough for rationals.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sightline/mesh.h"
#include "support/random.h"

namespace testing_support {

using sightline::Mesh;
using sightline::MeshView;
using sightline::Triangle;
using sightline::Vec3d;
using sightline::Vec3f;

struct Item {
  std::string name;            ///< letters, digits and underscores: also the name of the test case
  std::function<Mesh()> make;  ///< the same mesh each time
  bool cgal = true;            ///< within what CGAL's predicates are made for (no overflow, no underflow)
  bool big = false;            ///< past a few seconds of rationals; held against CGAL only
  bool wide = false;           ///< exponents so far apart that exact decisions are slow; a few property tests only
};

/// The item's mesh; of many triangles only the first quarter where tests are to be smaller (support/sizes.h).
Mesh mesh_of(const Item& item);

/// Everything, adversarial meshes included.
const std::vector<Item>& corpus();
const Item& corpus_item(const std::string& name);
/// Indices of `corpus()` for which `keep` holds, for parameterised tests.
std::vector<std::size_t> corpus_where(const std::function<bool(const Item&)>& keep);
std::vector<Item> adversarial_corpus();
/// Up to about 330 triangles on a coarse grid: shared vertices, edges of many triangles, duplicates, degenerate
/// triangles, -0 and coordinates that lie on cuts.
Mesh random_mesh(Random& random);

/// Collects triangles; `triangle` adds three new positions, `corner` and `indexed` share them.
struct Builder {
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;

  std::uint32_t corner(const Vec3d& p) {
    positions.push_back(p);
    return static_cast<std::uint32_t>(positions.size() - 1);
  }
  void indexed(std::uint32_t a, std::uint32_t b, std::uint32_t c) { triangles.push_back({a, b, c}); }
  void triangle(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const std::uint32_t first = corner(a);
    corner(b);
    indexed(first, first + 1, corner(c));
  }
  void append(const MeshView& mesh);
  Mesh mesh() const { return {"", positions, triangles}; }
};

// Meshes made from meshes. `transformed` keeps the storage's precision; each coordinate is rounded to it.
Mesh transformed(const Mesh& mesh, const std::function<Vec3d(const Vec3d&)>& map);
Mesh as_float(const Mesh& mesh);   ///< rounded to float32
Mesh as_double(const Mesh& mesh);  ///< exactly
Mesh unindexed(const Mesh& mesh);  ///< each corner its own position, as in an STL file
Mesh with_triangles(const Mesh& mesh, std::vector<Triangle> triangles);
/// Triangle i goes to part i mod `parts`; all parts share the positions.
std::vector<Mesh> dealt(const Mesh& mesh, std::size_t parts);
/// Runs of consecutive triangles.
std::vector<Mesh> sliced(const Mesh& mesh, std::size_t parts);
std::vector<MeshView> views(const std::vector<Mesh>& meshes);

}  // namespace testing_support
