// Contacts of parts out of core: those of a Scene, whatever the cuts, buffers and threads are.
#include <deque>
#include <limits>

#include "parts/pairs.h"
#include "scale/mesh_source.h"
#include "scenes/scenes.h"
#include "support/corpus.h"
#include "support/errors.h"
#include "support/listed_parts.h"
#include "support/random.h"
#include "support/sizes.h"

namespace sightline::test {
namespace {

using testing_support::Random;

struct Part {
  Mesh mesh;
  ObjectOptions options = {};
};
using Parts = std::vector<Part>;

std::string text_of(const HugeContact& c) {
  std::string text = std::string(to_string(c.kind));
  for (const std::uint64_t number : {std::uint64_t{c.object_a}, std::uint64_t{c.object_b}, c.a, c.b})
    text += ' ' + std::to_string(number);
  for (const Vec3d& p : c.geometry.points())
    for (const double x : p) text += ' ' + std::to_string(std::bit_cast<std::uint64_t>(x));
  return text + '\n';
}

std::string in_core(const Parts& parts) {
  sightline::Scene scene;
  for (const Part& part : parts) scene.add(part.mesh, part.options);
  std::string text;
  for (const Contact& c : scene.collide().contacts)
    text += text_of(
        {c.object_a, c.object_b, c.a, c.b, c.kind, intersection(parts[c.object_a].mesh, parts[c.object_b].mesh, c)});
  return text;
}

HugeReport out_of_core_contacts(const Parts& parts, const scale::HugeTuning& tuning, unsigned threads = 1,
                                const Device& device = Device::cpu()) {
  std::deque<MeshSource> sources;
  std::vector<HugePart> list;
  for (const Part& part : parts) list.push_back({&sources.emplace_back(part.mesh), part.options});
  return scale::contacts(list, {.memory = std::uint64_t{16} << 20, .threads = threads, .device = device}, tuning);
}

std::string text_of(const HugeReport& report) {
  std::string text;
  std::uint64_t found = 0;
  report.for_contacts([&](const HugeContact& contact) {
    text += text_of(contact);
    ++found;
    return true;
  });
  EXPECT_EQ(found, report.found);
  return text;
}

/// Bodies, cloths and soups, of either type of coordinates, with groups; some of them empty.
Parts random_parts(Random& random) {
  Parts parts;
  const int count = 1 + random.below(9);
  for (int i = 0; i < count; ++i) {
    const Vec3d at{random.in(0, 5), random.in(0, 5), random.in(0, 5)};
    Mesh mesh;
    switch (random.below(5)) {
      case 0:
        mesh = scenes::sphere(80, at, random.in(0.5, 3));
        break;
      case 1:
        mesh = scenes::box(at, {at[0] + 2, at[1] + 1, at[2] + 3});
        break;
      case 2:
        mesh = scenes::crumpled_cloth(60, 1 + static_cast<std::uint64_t>(i));
        break;
      case 3:
        mesh = scenes::lattice_soup(30, 1 + static_cast<std::uint64_t>(i), true);
        break;
      default:
        break;
    }
    if (random.chance(0.5))
      mesh = random.chance(0.5) ? testing_support::as_float(mesh) : testing_support::as_double(mesh);
    ObjectOptions options{.self = random.chance(0.5)};
    if (random.chance(0.3)) options.groups = 1u << random.below(3), options.collides_with = 1u << random.below(3);
    parts.push_back({std::move(mesh), options});
  }
  return parts;
}

TEST(HugeContacts, RandomPartsWithAnyCuts) {
  Random random(8);
  const int count = testing_support::smaller(300);
  std::uint64_t leaves = 0, contacts = 0;
  for (int i = 0; i < count; ++i) {
    const Parts parts = random_parts(random);
    const scale::HugeTuning tuning{.leaf_triangles = 1 + static_cast<std::uint64_t>(random.below(40)),
                                   .fan_out = 2 + static_cast<std::size_t>(random.below(40)),
                                   .list_bytes = random.chance(0.5) ? std::size_t{3000} : std::size_t{0}};
    const HugeReport report = out_of_core_contacts(parts, tuning, 1 + static_cast<unsigned>(random.below(3)));
    leaves += report.leaves, contacts += report.found;
    ASSERT_EQ(first_difference(in_core(parts), text_of(report)), "") << "scene " << i;
  }
  EXPECT_GT(leaves, 4u * static_cast<unsigned>(count)) << "there must be cuts";
  EXPECT_GT(contacts, 50u * static_cast<unsigned>(count));
}

Parts large_parts(std::size_t triangles) {
  return {{scenes::crumpled_cloth(triangles), {.self = true}},
          {scenes::bumpy_body(triangles, {40, 40, 0}, 50), {}},
          {testing_support::as_double(scenes::torus(triangles, {60, 30, 0}, 25, 10)), {.self = true}}};
}

TEST(HugeContacts, PartsOfMoreThanTheMemoryAreCut) {
  const Parts parts = large_parts(testing_support::smaller<std::size_t>(60'000, 2, 30'000));
  const HugeReport report = out_of_core_contacts(parts, {}, 2);
  EXPECT_GT(report.leaves, 2u);
  EXPECT_EQ(first_difference(in_core(parts), text_of(report)), "");
}

TEST(HugeContacts, AnswersOnTheGpu) {
  for (const DeviceInfo& info : devices())
    if (info.name == "cuda" && !info.missing.empty()) GTEST_SKIP() << info.missing;
  const Parts parts = large_parts(5000);
  const HugeReport report = out_of_core_contacts(parts, {.leaf_triangles = 3000}, 2, Device::cuda());
  EXPECT_EQ(report.stats.device, "cuda");
  EXPECT_EQ(first_difference(in_core(parts), text_of(report)), "");
}

TEST(HugeContacts, NoPartsAndEmptyParts) {
  EXPECT_EQ(contacts({}).found, 0u);
  EXPECT_EQ(text_of(out_of_core_contacts({{}, {}}, {})), "");
  const Parts parts{{}, {scenes::sphere(80), {}}, {}, {scenes::sphere(80), {}}, {}};
  EXPECT_EQ(first_difference(in_core(parts), text_of(out_of_core_contacts(parts, {.leaf_triangles = 20}))), "");
}

TEST(HugeContacts, ErrorsNameThePart) {
  Parts parts{{scenes::sphere(80), {}}, {scenes::uniform_soup(500), {}}, {scenes::sphere(80), {}}};
  std::get<std::vector<Vec3f>>(parts[1].mesh.positions)[parts[1].mesh.triangles[321][2]][0] =
      std::numeric_limits<float>::infinity();
  for (const std::uint64_t leaf : {std::uint64_t{30}, std::uint64_t{100'000}})
    EXPECT_EQ(testing_support::error_of([&] { out_of_core_contacts(parts, {.leaf_triangles = leaf}); }),
              "memory: triangle 321: x of corner 2 is inf, not a finite number");
  EXPECT_EQ(testing_support::error_of([] {
              const HugePart none;
              contacts({&none, 1});
            }),
            "part 0: has no source of triangles");
}

TEST(HugeContacts, ACancelEndsEveryStep) {
  const Parts parts = large_parts(5000);
  std::set<bool> outcomes;
  for (int polls = 0; polls < 400; polls += 1 + polls / 6) {
    std::deque<MeshSource> sources;
    std::vector<HugePart> list;
    for (const Part& part : parts) list.push_back({&sources.emplace_back(part.mesh), part.options});
    std::atomic<int> left{polls};
    const HugeReport report = scale::contacts(list, {.threads = 2, .cancel = [&] { return left.fetch_sub(1) <= 0; }},
                                              {.leaf_triangles = 3000});
    EXPECT_EQ(report.cancelled, left.load() < 0) << polls;
    outcomes.insert(report.cancelled);
  }
  EXPECT_TRUE(outcomes.contains(true));
}

/// The relations of parts pair by pair, with and without the list of contacts, are those in memory.
void expect_same_relations(const std::vector<MeshView>& parts, const ClashOptions& options, const std::string& what) {
  sightline::Scene scene;
  std::deque<Mesh> flat;
  std::deque<MeshSource> sources;
  std::vector<HugePart> list;
  for (const MeshView& part : parts) {
    scene.add(part, {.self = true});
    Mesh& mesh = flat.emplace_back();
    auto& points = mesh.positions.emplace<std::vector<Vec3d>>();
    for (std::size_t i = 0; i < part.positions.size(); ++i) points.push_back(part.position(i));
    mesh.triangles.assign(part.triangles.begin(), part.triangles.end());
    list.push_back({&sources.emplace_back(mesh), {.self = true}});
  }
  const std::vector<PartPair> expected = classify(parts, scene.collide(), options).pairs;
  const HugeReport report = scale::contacts(list, {.memory = std::uint64_t{16} << 20}, {.leaf_triangles = 50});
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{50'000}, std::uint64_t{1} << 30}) {
    ListedParts source(parts);
    EXPECT_TRUE(classify(source, report, options, memory).pairs == expected) << what << ", memory " << memory;
    EXPECT_TRUE(source.all_released()) << what;
    ListedParts again(parts);
    EXPECT_TRUE(relations(again, options, memory).pairs == relations(parts, options).pairs)
        << what << ", memory " << memory;
    EXPECT_TRUE(again.all_released()) << what;
    if (memory == 0) {
      EXPECT_LE(std::max(source.most, again.most), 2u) << what;
    }
  }
}

TEST(HugeRelations, DemoAssemblyAndBuilding) {
  const Assembly demo = scenes::demo_assembly(), building = scenes::building(60, 200);
  ClashOptions options{.clearance = scenes::kDemoClearance};
  expect_same_relations(demo.views(), {}, "demo");
  expect_same_relations(demo.views(), options, "demo with a clearance");
  options.depths = options.volumes = options.separations = true;
  expect_same_relations(demo.views(), options, "demo with measures");
  expect_same_relations(demo.views(), {.tolerance = 0.5}, "demo with a tolerance");
  expect_same_relations(building.views(), {.clearance = 0.05}, "building");
  expect_same_relations({}, {}, "none");
}

TEST(HugeRelations, RandomParts) {
  Random random(12);
  for (int i = 0; i < testing_support::smaller(60); ++i) {
    std::vector<Mesh> meshes;
    for (int k = 0; k < 12; ++k) {
      const Vec3d at{random.in(0, 4), random.in(0, 4), random.in(0, 4)};
      const double size = random.in(0.3, 3);
      meshes.push_back(random.chance(0.5) ? scenes::sphere(80, at, size / 2)
                                          : scenes::box(at, {at[0] + size, at[1] + size, at[2] + size}));
    }
    std::vector<MeshView> parts(meshes.begin(), meshes.end());
    parts.insert(parts.begin() + 3, MeshView{});  // without triangles
    parts.push_back(parts[0].placed(Transform::translation({0.5, 0, 0})));
    expect_same_relations(parts, {.clearance = random.chance(0.5) ? 0.3 : 0}, "scene " + std::to_string(i));
  }
}

TEST(HugeRelations, APairThatTheListProvesIsNotLoaded) {
  const Mesh a = scenes::sphere(80), b = scenes::sphere(80, {0.4, 0, 0}), c = scenes::box({5, 0, 0}, {6, 1, 1}),
             d = scenes::box({6, 0, 0}, {7, 1, 1});
  std::deque<MeshSource> sources;
  std::vector<HugePart> list;
  for (const Mesh* mesh : {&a, &b, &c, &d}) list.push_back({&sources.emplace_back(*mesh), {}});
  ListedParts parts({a, b, c, d});
  const Clashes found = classify(parts, contacts(list));
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_EQ(found.pairs[0].relation, Relation::clash);
  EXPECT_EQ(found.pairs[1].relation, Relation::touch);
  EXPECT_EQ(parts.most, 1u) << "each part alone, for its box";
}

TEST(HugeRelations, Errors) {
  const Mesh a = scenes::sphere(80), b = scenes::sphere(80, {0.4, 0, 0});
  const auto error_of = [](const auto& work) { return testing_support::error_of(work); };
  ListedParts parts({a, b});
  EXPECT_EQ(error_of([&] { relations(parts, {.clearance = -1}); }),
            "clashes: clearance is -1; it must be a finite number, 0 or more");
  parts.bad = 1;
  EXPECT_EQ(error_of([&] { relations(parts); }), "part 1 cannot be read");
  parts.bad = 2;
  EXPECT_EQ(
      error_of([&] { scale::relations(parts, nullptr, {}, {.pair = 1000}); }),
      "part 0 and part 1: the relation of two parts with 160 triangles needs about 1 MiB of memory, and the limit "
      "is 0 MiB");
  EXPECT_EQ(error_of([&] { relations(parts, {.query = {.cancel = [] { return true; }}}); }), "cancelled");
  std::deque<MeshSource> sources;
  std::vector<HugePart> list;
  for (const Mesh* mesh : {&a, &b}) list.push_back({&sources.emplace_back(*mesh), {}});
  const Mesh far = scenes::sphere(80, {9, 0, 0});
  ListedParts others({a, far});
  EXPECT_EQ(error_of([&] { classify(others, contacts(list)); }),
            "clashes: contacts of parts 0 and 1 are out of order, or of other parts");
  EXPECT_TRUE(parts.all_released() && others.all_released());
}

}  // namespace
}  // namespace sightline::test
