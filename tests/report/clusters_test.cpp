// Clusters: against the definition by brute force, on scenes whose places can be counted, and in their order.
#include "report/clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

#include "report/sample.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using report::Cluster;
using report::Clusters;

struct Found {
  explicit Found(std::vector<Mesh> given, bool self = false) : meshes(std::move(given)) {
    Scene scene;
    for (const Mesh& mesh : meshes) {
      parts.push_back({.file = "f", .name = mesh.name, .mesh = mesh, .facts = {}});
      scene.add(mesh, {.self = self});
    }
    report = scene.collide();
    outlines = report::outlines(contacts(), {});
    clusters = report::clusters(contacts(), outlines);
  }
  report::Contacts contacts() const { return {parts, report.contacts}; }

  std::vector<Mesh> meshes;
  std::vector<report::Part> parts;
  Report report;
  report::Outlines outlines;
  Clusters clusters;
};

bool share_a_vertex(const std::array<Vec3d, 3>& s, const std::array<Vec3d, 3>& t) {
  for (const Vec3d& p : s)
    if (std::find(t.begin(), t.end(), p) != t.end()) return true;
  return false;
}

// The definition, word by word.
bool neighbours(const Found& found, const Contact& x, const Contact& y) {
  if (x.object_a != y.object_a || x.object_b != y.object_b) return false;
  const auto side = [&](std::uint32_t part, std::uint32_t t) { return found.parts[part].mesh.corners(t); };
  const auto xa = side(x.object_a, x.a), xb = side(x.object_b, x.b), ya = side(y.object_a, y.a),
             yb = side(y.object_b, y.b);
  if (share_a_vertex(xa, ya) && share_a_vertex(xb, yb)) return true;
  return x.object_a == x.object_b && share_a_vertex(xa, yb) && share_a_vertex(xb, ya);
}

std::set<std::set<std::uint32_t>> by_brute_force(const Found& found) {
  const auto& list = found.report.contacts;
  std::vector<std::uint32_t> parent(list.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (parent[i] != i) i = parent[i];
    return i;
  };
  for (std::uint32_t i = 0; i < list.size(); ++i)
    for (std::uint32_t k = 0; k < i; ++k)
      if (neighbours(found, list[i], list[k])) parent[root(i)] = root(k);
  std::map<std::uint32_t, std::set<std::uint32_t>> sets;
  for (std::uint32_t i = 0; i < list.size(); ++i) sets[root(i)].insert(i);
  std::set<std::set<std::uint32_t>> result;
  for (auto& [key, set] : sets) result.insert(set);
  return result;
}

std::set<std::set<std::uint32_t>> as_sets(const Clusters& clusters) {
  std::set<std::set<std::uint32_t>> result;
  for (const Cluster& cluster : clusters.list) {
    const auto span = clusters.of(cluster);
    result.insert({span.begin(), span.end()});
  }
  return result;
}

// Every contact once, ascending in its cluster; sizes descend and ties go by the least contact; facts add up.
void expect_sound(const Found& found) {
  const Clusters& clusters = found.clusters;
  std::vector<bool> seen(found.report.contacts.size());
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < clusters.list.size(); ++i) {
    const Cluster& cluster = clusters.list[i];
    ASSERT_EQ(cluster.first, at);
    ASSERT_GT(cluster.count, 0u);
    at += cluster.count;
    const auto span = clusters.of(cluster);
    EXPECT_TRUE(std::is_sorted(span.begin(), span.end()));
    if (i > 0) {
      const Cluster& before = clusters.list[i - 1];
      EXPECT_TRUE(before.count > cluster.count || (before.count == cluster.count && clusters.of(before)[0] < span[0]));
    }
    report::KindCounts kinds;
    Vec3d low = found.outlines.points[found.outlines.start[span[0]]], high = low;
    for (const std::uint32_t c : span) {
      EXPECT_FALSE(seen[c]);
      seen[c] = true;
      const Contact& contact = found.report.contacts[c];
      EXPECT_EQ(contact.object_a, cluster.part_a);
      EXPECT_EQ(contact.object_b, cluster.part_b);
      ++kinds.of[static_cast<int>(contact.kind)];
      for (std::uint64_t k = found.outlines.start[c]; k < found.outlines.start[c + 1]; ++k)
        for (int axis = 0; axis < 3; ++axis) {
          low[axis] = std::min(low[axis], found.outlines.points[k][axis]);
          high[axis] = std::max(high[axis], found.outlines.points[k][axis]);
        }
    }
    EXPECT_EQ(kinds, cluster.kinds);
    EXPECT_EQ(low, cluster.box.low);
    EXPECT_EQ(high, cluster.box.high);
  }
  EXPECT_EQ(at, seen.size());
}

TEST(Clusters, NoContactsNoClusters) {
  const Found found({scenes::box({0, 0, 0}, {1, 1, 1}), scenes::box({5, 0, 0}, {6, 1, 1})});
  EXPECT_TRUE(found.clusters.list.empty());
  EXPECT_TRUE(found.clusters.contacts.empty());
}

TEST(Clusters, ACurveFromTriangleToTriangleIsOnePlace) {
  const Found found({scenes::sphere(2000, {0, 0, 0}), scenes::sphere(2000, {1, 0.1, 0.2})});
  ASSERT_EQ(found.clusters.list.size(), 1u);
  EXPECT_EQ(found.clusters.list[0].count, found.report.contacts.size());
  expect_sound(found);
}

TEST(Clusters, BallsOnALargeTriangleAreOnePlaceEach) {
  std::vector<Mesh> meshes = {scenes::box({-50, -50, -1}, {50, 50, 0})};
  for (int i = 0; i < 7; ++i) meshes.push_back(scenes::sphere(80 + 400 * i, {4.0 * i - 20, 0.3, 0.5}));
  const Found found(std::move(meshes));
  ASSERT_EQ(found.clusters.list.size(), 7u);
  EXPECT_EQ(found.clusters.list[0].part_b, 7u) << "the finest ball has the most contacts";
  expect_sound(found);

  // The same balls as one mesh: one pair of parts, still seven places.
  std::vector<Mesh> balls(found.meshes.begin() + 1, found.meshes.end());
  const Found merged({found.meshes[0], scenes::merged(balls)});
  EXPECT_EQ(merged.clusters.list.size(), 7u);
  EXPECT_EQ(merged.report.contacts.size(), found.report.contacts.size());
}

TEST(Clusters, ATubeThroughItselfHasOnePlace) {
  const Found found({scenes::self_intersecting_tube()}, true);
  EXPECT_EQ(as_sets(found.clusters), by_brute_force(found));
  expect_sound(found);
}

TEST(Clusters, FilesThatRepeatTheirVerticesGiveTheSame) {
  const Mesh tube = scenes::self_intersecting_tube();
  const Found indexed({tube}, true), soup({scenes::to_soup(tube)}, true);
  EXPECT_EQ(indexed.clusters.list, soup.clusters.list);
  EXPECT_EQ(indexed.clusters.contacts, soup.clusters.contacts);
}

TEST(Clusters, AsTheDefinitionSays) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    std::vector<Mesh> meshes = {scenes::crumpled_cloth(1500, seed), scenes::lattice_soup(60, seed, true)};
    meshes.push_back(scenes::moved(scenes::lattice_soup(60, seed + 9, true), {0.5, 0, 0}));
    const Found found(std::move(meshes), true);
    ASSERT_GT(found.report.contacts.size(), 20u);
    ASSERT_LT(found.report.contacts.size(), 20000u);
    EXPECT_EQ(as_sets(found.clusters), by_brute_force(found)) << "seed " << seed;
    expect_sound(found);
  }
}

// A hundred thousand contacts on one triangle: quadratic time would take minutes.
TEST(Clusters, OneTriangleWithVeryManyContacts) {
  Mesh plate = scenes::box({-1e4, -1e4, -1}, {1e4, 1e4, 0}), spikes;
  std::vector<Vec3d> points;
  for (int i = 0; i < 100'000; ++i) {
    const double x = i % 400, y = i / 400;
    const auto base = static_cast<std::uint32_t>(points.size());
    points.insert(points.end(), {{x, y - 300, -0.5}, {x + 0.3, y - 300, 0.5}, {x, y - 299.7, 0.5}});
    spikes.triangles.push_back({base, base + 1, base + 2});
  }
  spikes.positions = points;
  const auto begin = std::chrono::steady_clock::now();
  const Found found({plate, spikes});
  EXPECT_GE(found.clusters.list.size(), 100'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
