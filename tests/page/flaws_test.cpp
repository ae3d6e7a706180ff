// Open, non-manifold and degenerate places: found as a set by counting edges again, whatever the mesh.
#include "page/flaws.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "scenes/scenes.h"

namespace sightline {
namespace {

using report::Flaw;
using Edge = std::pair<Vec3d, Vec3d>;

report::Part part_of(const Mesh& mesh) { return {.file = "", .name = "", .mesh = mesh, .facts = report::facts(mesh)}; }

Edge ordered(const Vec3d& a, const Vec3d& b) { return a < b ? Edge{a, b} : Edge{b, a}; }

// The edges of all chains of a kind, as a multiset.
std::multiset<Edge> edges_of(const std::vector<Flaw>& flaws, Flaw::Kind kind) {
  std::multiset<Edge> edges;
  for (const Flaw& flaw : flaws)
    for (std::size_t i = 0; flaw.kind == kind && i + 1 < flaw.points.size(); ++i)
      edges.insert(ordered(flaw.points[i], flaw.points[i + 1]));
  return edges;
}

void expect_all(const Mesh& mesh) {
  const report::Part part = part_of(mesh);
  const MeshView view = mesh;
  std::map<Edge, int> count;
  const std::set<std::uint32_t> degenerate(part.facts.degenerate.begin(), part.facts.degenerate.end());
  for (std::uint32_t i = 0; i < view.triangles.size(); ++i) {
    if (degenerate.contains(i)) continue;
    const auto corners = view.corners(i);
    for (int k = 0; k < 3; ++k) ++count[ordered(corners[k], corners[(k + 1) % 3])];
  }
  std::multiset<Edge> open, nonmanifold;
  for (const auto& [edge, number] : count) {
    if (number % 2 == 1) open.insert(edge);
    if (number > 2) nonmanifold.insert(edge);
  }
  const std::vector<Flaw> flaws = report::find_flaws({&part, 1}, 100'000);
  EXPECT_EQ(edges_of(flaws, Flaw::Kind::open), open);
  EXPECT_EQ(edges_of(flaws, Flaw::Kind::nonmanifold), nonmanifold);
  EXPECT_EQ(open.size(), part.facts.open_edges);
  EXPECT_EQ(nonmanifold.size(), part.facts.nonmanifold_edges);
  std::size_t without_area = 0;
  for (const Flaw& flaw : flaws) without_area += flaw.kind == Flaw::Kind::degenerate;
  EXPECT_EQ(without_area, degenerate.size());
}

TEST(Flaws, AreThoseThatACountOfEdgesFinds) {
  expect_all(scenes::crumpled_cloth(500));
  expect_all(scenes::to_soup(scenes::crumpled_cloth(500)));
  expect_all(scenes::disc(30, 1));
  expect_all(scenes::sphere(500));
  for (std::uint64_t seed = 1; seed < 20; ++seed) expect_all(scenes::lattice_soup(60, seed, true));
}

TEST(Flaws, ALoopIsOneChain) {
  const Mesh cloth = scenes::crumpled_cloth(500);
  const report::Part part = part_of(cloth);
  const std::vector<Flaw> flaws = report::find_flaws({&part, 1}, 100);
  ASSERT_EQ(flaws.size(), 1u);
  EXPECT_EQ(flaws[0].points.front(), flaws[0].points.back());
  EXPECT_EQ(flaws[0].points.size(), part.facts.open_edges + 1);
}

TEST(Flaws, TheirNumberIsLimitedAndCleanPartsHaveNone) {
  const Mesh sphere = scenes::sphere(500), soup = scenes::uniform_soup(50);
  const std::vector<report::Part> parts = {part_of(sphere), part_of(soup), {}};
  EXPECT_EQ(report::find_flaws(parts, 1000).size(), 50u);
  EXPECT_EQ(report::find_flaws(parts, 7).size(), 7u);
  for (const Flaw& flaw : report::find_flaws(parts, 1000)) EXPECT_EQ(flaw.part, 1u);
  EXPECT_TRUE(report::find_flaws({parts.data(), 1}, 1000).empty());
}

}  // namespace
}  // namespace sightline
