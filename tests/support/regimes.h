// Scenes in which sizes and distances differ by up to 1e300: what the grid's sample of the triangles does not see.
//
// The engine samples every triangle of a scene below 8192, so these scenes have more, but for those that are about
// coordinates and not about the sample. Each is a pure function of its arguments.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/corpus.h"

namespace testing_support {

struct RegimeScene {
  std::vector<Mesh> objects;
  std::vector<bool> self;

  std::size_t triangles() const;
};

// Other forms of a scene.
RegimeScene as_one(const RegimeScene& scene);                        ///< one mesh, tested with itself
RegimeScene dealt_out(const RegimeScene& scene, std::size_t parts);  ///< `as_one`, then triangle by triangle to objects
RegimeScene permuted(const RegimeScene& scene, std::uint64_t seed);  ///< triangles of each object in another order
RegimeScene turned(const RegimeScene& scene, int by);                ///< x, y, z become the axes `by` further

/// n × n quads over the unit square; z = height(x, y).
Mesh sheet(int n, const std::function<double(double, double)>& height);

/// The case: a triangle of size s through a sheet of `quads`² quads. The giant is triangle 0, which a sample of
/// every k-th triangle from k / 2 on does not see.
RegimeScene giant_over_sheet(double s, int quads = 91);
/// One large and `count` small triangles in the plane axis = at; other coordinates are about `extent`.
RegimeScene far_plane(int axis, double at, double extent, int count = 200);
/// A wavy sheet of 2 n² triangles and a sloping ground `ground` times its size; a sample sees one of its two triangles.
RegimeScene sheet_over_ground(int n, double ground, bool touching = false);
/// n tiny triangles over the unit square, k large ones above them, spread through the list. No contacts.
RegimeScene walls(int n, int k);
/// n boxes in a row along the axis, each an object; each touches the next one if `touching`.
RegimeScene boxes_in_a_row(int n, int axis, bool touching = false);

struct Regime {
  std::string name;  ///< letters, digits and underscores: also the name of the test case
  std::function<RegimeScene(std::size_t triangles)> make;
  bool wide = false;           ///< many pairs need wide integers: fewer runs
  std::size_t most = 150'000;  ///< triangles that brute force answers in a second or two
};
/// All of them, for parameterised tests; `make` keeps about the requested number of triangles.
const std::vector<Regime>& regimes();

}  // namespace testing_support
