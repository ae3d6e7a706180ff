// Topology of random meshes against a model with maps and rationals. Named cases are in tests/solid/topology_test.cpp.
#include "sightline/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <set>

#include "mesh/serial_topology.h"
#include "mesh/topology.h"
#include "oracle/rational.h"
#include "scenes/scenes.h"
#include "support/corpus.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Topology;

struct Model {
  std::vector<std::uint32_t> component;
  std::vector<std::uint32_t> degenerate;
  std::vector<std::array<std::uint32_t, 2>> open;
  std::uint64_t vertices = 0, nonmanifold = 0, duplicates = 0;
};

/// Triangles of one component, by following shared vertices from each triangle that has none yet.
std::vector<std::uint32_t> components_of(const std::vector<Triangle>& faces) {
  std::map<std::uint32_t, std::vector<std::size_t>> at_vertex;
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (const std::uint32_t v : faces[i]) at_vertex[v].push_back(i);
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> component(faces.size(), kNone);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (component[i] != kNone) continue;
    std::vector<std::size_t> open{i};
    component[i] = count++;
    while (!open.empty()) {
      const std::size_t t = open.back();
      open.pop_back();
      for (const std::uint32_t v : faces[t])
        for (const std::size_t u : at_vertex[v])
          if (component[u] == kNone) {
            component[u] = component[t];
            open.push_back(u);
          }
    }
  }
  return component;
}

Model model_of(const MeshView& mesh) {
  std::map<Vec3d, std::uint32_t> first;
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) first.emplace(mesh.position(i), i);
  std::vector<Triangle> faces;
  for (const Triangle& t : mesh.triangles)
    faces.push_back({first[mesh.position(t[0])], first[mesh.position(t[1])], first[mesh.position(t[2])]});

  Model model;
  model.component = components_of(faces);
  std::map<std::array<std::uint32_t, 2>, int> edges;
  std::set<std::set<std::uint32_t>> corner_sets;
  std::set<std::uint32_t> used;
  for (std::uint32_t i = 0; i < faces.size(); ++i) {
    used.insert(faces[i].begin(), faces[i].end());
    model.duplicates += !corner_sets.insert(std::set(faces[i].begin(), faces[i].end())).second;
    if (!oracle::has_area(mesh.corners(i))) {
      model.degenerate.push_back(i);
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(faces[i][k], faces[i][(k + 1) % 3]);
      ++edges[{low, high}];
    }
  }
  model.vertices = used.size();
  for (const auto& [edge, count] : edges) {
    if (count % 2 != 0) model.open.push_back(edge);
    model.nonmanifold += count > 2;
  }
  return model;
}

void expect_model(const Mesh& made, const std::string& what) {
  const MeshView mesh = made;
  const Model model = model_of(mesh);
  const Topology t = topology(mesh);
  EXPECT_EQ(t.component, model.component) << what;
  EXPECT_EQ(t.components,
            model.component.empty() ? 0 : *std::max_element(model.component.begin(), model.component.end()) + 1)
      << what;
  EXPECT_EQ(t.degenerate, model.degenerate) << what;
  EXPECT_EQ(t.vertices, model.vertices) << what;
  EXPECT_EQ(t.open_edges, model.open.size()) << what;
  EXPECT_EQ(t.nonmanifold_edges, model.nonmanifold) << what;
  EXPECT_EQ(t.duplicates, model.duplicates) << what;
  EXPECT_EQ(t.closed(), model.open.empty() && model.degenerate.size() < mesh.triangles.size()) << what;
  EXPECT_EQ(open_edges(mesh, t, mesh.triangles.size() * 3), model.open) << what;
  const std::size_t few = std::min<std::size_t>(2, model.open.size());
  EXPECT_EQ(open_edges(mesh, t, few), std::vector(model.open.begin(), model.open.begin() + few)) << what;
}

TEST(TopologyModel, RandomMeshes) {
  Random random(1);
  const int rounds = smaller(400);
  for (int round = 0; round < rounds; ++round) {
    // Few positions make closed, duplicate and degenerate things; many make components.
    const int corners = 3 + random.below(round % 2 == 0 ? 8 : 60), count = random.below(40);
    const double step = round % 3 == 0 ? 1 : round % 3 == 1 ? 0.1 : 1e-310;
    Builder builder;
    for (int i = 0; i < corners; ++i) {
      Vec3d p;
      for (double& x : p) x = step * random.below(3) * (random.chance(0.2) ? -1 : 1);
      builder.corner(p);
    }
    for (int i = 0; i < count; ++i)
      builder.indexed(random.below(corners), random.below(corners), random.below(corners));
    const Mesh mesh = builder.mesh();
    expect_model(mesh, "round " + std::to_string(round));
    expect_model(unindexed(mesh), "as a soup");
    if (round % 3 != 2) expect_model(as_float(mesh), "as float32");
  }
}

TEST(TopologyModel, Corpus) {
  for (const char* name : {"sphere", "two_tori_stl", "degenerates_tenth", "signed_zeros", "scenes_lattice", "needles",
                           "positions_without_triangles", "scenes_cubes", "empty"}) {
    const Mesh mesh = corpus_item(name).make();
    expect_model(mesh, name);
  }
}

void expect_serial(const Mesh& made, const std::string& what) {
  const MeshView mesh = made;
  std::vector<std::uint32_t> degenerate;
  for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i)
    if (!oracle::has_area(mesh.corners(i))) degenerate.push_back(i);
  const Topology model = reference::topology(mesh, degenerate);
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    sightline::Workers workers(threads);
    const Topology t = topology(mesh, workers);
    const std::string where = what + ", " + std::to_string(threads) + " threads";
    EXPECT_TRUE(t.vertex == model.vertex) << where;
    EXPECT_TRUE(t.component == model.component) << where;
    EXPECT_EQ(t.components, model.components) << where;
    EXPECT_EQ(t.vertices, model.vertices) << where;
    EXPECT_EQ(t.open_edges, model.open_edges) << where;
    EXPECT_EQ(t.nonmanifold_edges, model.nonmanifold_edges) << where;
    EXPECT_EQ(t.duplicates, model.duplicates) << where;
    EXPECT_TRUE(t.degenerate == model.degenerate) << where;
    const sightline::TopologyCounts counts = topology_counts(mesh, workers);
    EXPECT_EQ(counts.components, model.components) << where;
    EXPECT_EQ(counts.vertices, model.vertices) << where;
    EXPECT_EQ(counts.open_edges, model.open_edges) << where;
    EXPECT_EQ(counts.nonmanifold_edges, model.nonmanifold_edges) << where;
    EXPECT_EQ(counts.duplicates, model.duplicates) << where;
    EXPECT_TRUE(counts.degenerate == model.degenerate) << where;
    EXPECT_EQ(counts.closed, t.closed()) << where;
  }
}

TEST(TopologySerial, WholeCorpus) {
  for (const Item& item : corpus()) {
    if (item.wide) continue;  // the rationals of has_area take minutes
    const Mesh mesh = mesh_of(item);
    expect_serial(mesh, item.name);
    expect_serial(unindexed(mesh), item.name + " as a soup");
  }
}

// Many blocks of triangles, whose edges and copies lie in one block or in several.
TEST(TopologySerial, ManyBlocks) {
  using namespace sightline::scenes;
  const std::size_t n = static_cast<std::size_t>(smaller(25'000));
  const std::vector<std::pair<std::string, Mesh>> meshes = {
      {"cloth", crumpled_cloth(n)},
      {"bodies", two_bodies(n / 2)},
      {"soup", uniform_soup(n)},
      {"lattice", lattice_soup(n, 1, true)},
      {"cubes", cubes_in_contact_mesh(12)},
  };
  for (const auto& [name, mesh] : meshes) {
    expect_serial(mesh, name);
    expect_serial(shuffled(mesh, 1), name + " shuffled");
    expect_serial(to_soup(mesh), name + " as a soup");
    // Each triangle again, far from its first copy, turned and mirrored: all edges have four triangles.
    std::vector<Triangle> twice = mesh.triangles;
    for (const Triangle& t : mesh.triangles) twice.push_back(twice.size() % 2 ? Triangle{t[1], t[2], t[0]} : Triangle{t[2], t[1], t[0]});
    expect_serial(with_triangles(mesh, twice), name + " twice");
  }
}

// In a shuffled mesh all blocks of triangles write to all parts of the vertices.
TEST(TopologySerial, AllBlocksWriteToAllParts) {
  using namespace sightline::scenes;
  const Mesh mesh = shuffled(crumpled_cloth(static_cast<std::size_t>(smaller(320'000))), 1);
  std::vector<Triangle> twice = mesh.triangles;
  for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) twice.push_back(mesh.triangles[mesh.triangles.size() - 1 - i]);
  expect_serial(with_triangles(mesh, twice), "a cloth, shuffled, a third of it twice");
}

// Fans of 1 to 40 triangles, some of them without some, or with some again: the edges at a hub fill none, some or all
// of the places of a vertex, and more. The hub has the least number, the greatest, or any.
TEST(TopologySerial, FansOfAllSizes) {
  Random random(7);
  const int rounds = smaller(400);
  for (int round = 0; round < rounds; ++round) {
    Builder builder;
    for (int size = 1; size <= 40; ++size) {
      std::vector<std::uint32_t> corners;
      for (int i = 0; i <= size + 1; ++i) corners.push_back(builder.corner({1.0 * i, 0.5 * i * i, 1.0 * size}));
      const std::size_t hub = size % 3 == 0 ? 0 : size % 3 == 1 ? corners.size() - 1 : corners.size() / 2;
      std::swap(corners[0], corners[hub]);
      const double chance = random.chance(0.5) ? 0 : 0.1;
      for (int i = 0; i < size; ++i) {
        if (random.chance(chance)) continue;
        const std::uint32_t next = random.chance(0.5) ? corners[i + 2] : corners[1 + (i + 1) % size];
        for (int again = 0; again == 0 || random.chance(chance); ++again)
          if (random.chance(0.5))
            builder.indexed(corners[0], corners[i + 1], next);
          else
            builder.indexed(next, corners[0], corners[i + 1]);
      }
    }
    expect_serial(builder.mesh(), "round " + std::to_string(round));
  }
}

// One edge in all triangles, and copies of few triangles: chains of equal keys must not make the time quadratic.
TEST(TopologySerial, OneEdgeInManyTriangles) {
  Builder builder;
  const auto a = builder.corner({0, 0, 0}), b = builder.corner({0, 0, 1});
  const int count = smaller(30'000);
  for (int i = 0; i < count; ++i) builder.indexed(a, b, builder.corner({1.0 + i, 1, 0}));
  for (int i = 0; i < count; ++i) builder.indexed(b, 2 + static_cast<std::uint32_t>(i) % 7, a);
  expect_serial(builder.mesh(), "a book");
}

// Triangles nearly without area, at every scale: the filter must not call them degenerate, nor the exact test miss one.
TEST(TopologyModel, NearlyDegenerateAtEveryScale) {
  Random random(2);
  Builder builder;
  const int count = smaller(3000);
  for (int i = 0; i < count; ++i) {
    const double scale = std::ldexp(1.0, random.below(1900) - 1000);
    Vec3d a, b, c;
    const double t = random.chance(0.5) ? 0.5 : random.unit();
    for (int k = 0; k < 3; ++k) {
      a[k] = scale * random.in(-1, 1);
      b[k] = random.chance(0.1) ? a[k] : a[k] * random.in(-1, 1);
      c[k] = a[k] + t * (b[k] - a[k]);
      if (random.chance(0.1)) c[k] = std::nextafter(c[k], 2 * scale);
    }
    builder.triangle(a, b, c);
    // Multiples of one vector, exactly on a line, whose differences are not doubles: the filter sees an area.
    Vec3d d, p[3];
    for (double& x : d) x = scale * (1 + random.below(15));
    for (Vec3d& q : p) {
      const double m = std::ldexp(static_cast<double>(random.bits() >> 16 | 1), -40 - random.below(40));
      for (int k = 0; k < 3; ++k) q[k] = m * d[k];
    }
    if (random.chance(0.2)) p[1][0] = std::nextafter(p[1][0], 0);
    builder.triangle(p[0], p[1], p[2]);
  }
  const Mesh mesh = builder.mesh();
  const Model model = model_of(mesh);
  EXPECT_GT(model.degenerate.size(), static_cast<std::size_t>(count) / 40);
  EXPECT_LT(model.degenerate.size(), static_cast<std::size_t>(count) * 19 / 20);
  EXPECT_EQ(topology(mesh.view()).degenerate, model.degenerate);
}

TEST(Topology, ThreadsAndCancel) {
  const Mesh mesh = sightline::scenes::crumpled_cloth(smaller<std::size_t>(400'000));
  const sightline::Topology one = sightline::topology(mesh, 1), some = sightline::topology(mesh, 3);
  EXPECT_EQ(one.vertices, some.vertices);
  EXPECT_EQ(one.component, some.component);
  EXPECT_EQ(one.open_edges, some.open_edges);
  for (const unsigned threads : {1u, 3u}) {
    std::atomic<int> polls = 0;
    sightline::topology(mesh, threads, [&] { return ++polls < 0; });
    const int all = polls;
    EXPECT_GT(all, 20);
    for (const int last : {1, all / 2}) {
      polls = 0;
      EXPECT_THROW(sightline::topology(mesh, threads, [&] { return ++polls >= last; }), sightline::Error);
      EXPECT_LT(polls, all);
    }
  }
}

}  // namespace
