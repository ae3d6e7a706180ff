// A scene in tiles has the answer of the whole. No GPU is needed: the CPU's engine answers for the tiles, and has room
// for a few triangles only.
#include "cuda/tiles.h"

#include <gmock/gmock.h>

#include <cmath>

#include "cuda/gpu.h"
#include "cuda/memory.h"
#include "query/query.h"
#include "support/tuned.h"

namespace testing_support {
namespace {

using sightline::Contact;
using sightline::OutOfDeviceMemory;
using sightline::QueryObject;
using sightline::Report;
using sightline::cuda::query_in_tiles;
using sightline::cuda::Tile;
using sightline::cuda::TileRules;
using ::testing::HasSubstr;

constexpr TileRules kToTheEnd{.fewest = 2};

/// An engine that has room for so many triangles.
struct SmallEngine {
  std::size_t room;
  int refused = 0, answered = 0;
  sightline::WorkspacePtr workspace = sightline::make_workspace();

  void operator()(const Tile& tile, const sightline::Settings& options, Report& report) {
    std::size_t triangles = 0;
    for (const QueryObject& object : tile.objects) {
      triangles += object.mesh.triangles.size();
      sightline::validate(object.mesh);
    }
    if (triangles > room) {
      ++refused;
      throw OutOfDeviceMemory("no room for " + std::to_string(triangles));
    }
    ++answered;
    sightline::Settings plain = options;
    plain.threads = 1;
    run_query(tile.objects, plain, *workspace, report);
    report.stats.peak_bytes = triangles;
  }
};

/// With ids that ascend and are not the places in the list.
std::vector<QueryObject> numbered(std::vector<QueryObject> objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) objects[i].id = static_cast<std::uint32_t>(3 * i + 2);
  return objects;
}

Report whole(std::span<const QueryObject> objects, const Tuned& options = {}) {
  Report report;
  run_query(objects, options, *sightline::make_workspace(), report);
  return report;
}

/// With `options`, in tiles.
Report tiled(std::span<const QueryObject> objects, SmallEngine& engine, Tuned options = {},
             const TileRules& rules = kToTheEnd) {
  Report report;
  query_in_tiles(objects, options, true, std::ref(engine), report, rules);
  return report;
}

std::uint64_t tiles_of(const Report& report) {
  for (const sightline::Stage& stage : report.stats.stages)
    if (stage.name == "tiles") return stage.count;
  return 0;
}

std::vector<MeshView> meshes_of(std::span<const QueryObject> objects) {
  std::vector<MeshView> list;
  for (const QueryObject& object : objects) list.push_back(object.mesh);
  return list;
}

/// For rooms from all to very few triangles: the whole answer, until the engine refuses. Returns
/// the smallest room that was enough.
std::size_t expect_same_in_any_room(std::span<const QueryObject> objects) {
  const std::vector<Contact> expected = whole(objects).contacts;
  std::size_t triangles = 0;
  for (const QueryObject& object : objects) triangles += object.mesh.triangles.size();
  std::size_t smallest = triangles;
  for (std::size_t room = triangles; room > 1; room = room * 2 / 3) {
    SmallEngine engine{room};
    try {
      const Report report = tiled(objects, engine);
      EXPECT_EQ(difference(expected, report, meshes_of(objects)), "") << "room for " << room;
      EXPECT_EQ(report.stats.triangles, triangles);
      EXPECT_LE(report.stats.peak_bytes, room);
      EXPECT_EQ(tiles_of(report), room >= triangles ? 0u : static_cast<std::uint64_t>(engine.answered));
      smallest = room;
    } catch (const OutOfDeviceMemory& error) {
      EXPECT_THAT(error.what(), HasSubstr("no room for ")) << "what the engine said";
      EXPECT_THAT(error.what(), HasSubstr(" triangles cannot be cut into smaller ones"));
      EXPECT_LT(room, triangles);
    }
    if (::testing::Test::HasFailure()) break;
  }
  return smallest;
}

class TilesOfCorpus : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TilesOfCorpus, SameAsWhole) {
  const Mesh mesh = corpus()[GetParam()].make();
  if (!all_finite(mesh)) GTEST_SKIP() << "not valid";
  const QueryObject object{mesh, {.self = true}};
  expect_same_in_any_room({&object, 1});
}

TEST_P(TilesOfCorpus, SeveralObjects) {
  const Mesh mesh = corpus()[GetParam()].make();
  if (!all_finite(mesh)) GTEST_SKIP() << "not valid";
  // Mixed precision, some with themselves, one empty, one alone in its place.
  for (const auto& parts : {dealt(mesh, 3), sliced(mesh, 5)}) {
    std::vector<Mesh> meshes = parts;
    meshes[1] = as_float(meshes[1]);
    if (!all_finite(meshes[1])) meshes[1] = parts[1];
    std::vector<QueryObject> objects;
    for (std::size_t i = 0; i < meshes.size(); ++i) objects.push_back({meshes[i], i % 2 == 0});
    objects.insert(objects.begin() + 1, QueryObject{{}, true});
    expect_same_in_any_room(numbered(objects));
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, TilesOfCorpus,
                         ::testing::ValuesIn(corpus_where([](const Item& item) { return !item.big && !item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });

Mesh soup(int count, const std::function<double(Random&)>& size) {
  Random random(7);
  Builder builder;
  for (int i = 0; i < count; ++i) {
    const Vec3d at = {random.in(0, 4), random.in(0, 2), random.in(0, 1)};
    const double reach = size(random);
    const auto corner = [&] {
      Vec3d p = at;
      for (double& x : p) x += random.in(-reach, reach);
      return p;
    };
    builder.triangle(corner(), corner(), corner());
  }
  return builder.mesh();
}

TEST(Tiles, SmallTrianglesFitIntoSmallRooms) {
  const Mesh mesh = soup(20000, [](Random&) { return 0.03; });
  const QueryObject object{mesh, {.self = true}};
  EXPECT_LT(expect_same_in_any_room({&object, 1}), 400u);
}

TEST(Tiles, HeavyTails) {
  const Mesh mesh = soup(8000, [](Random& random) { return 0.01 * std::pow(random.unit() + 1e-4, -0.7); });
  const QueryObject object{mesh, {.self = true}};
  EXPECT_LT(expect_same_in_any_room({&object, 1}), 4000u);
}

TEST(Tiles, ManySmallObjects) {
  const Mesh mesh = soup(6000, [](Random&) { return 0.06; });
  const std::vector<Mesh> parts = sliced(mesh, 1500);
  std::vector<QueryObject> objects;
  for (const Mesh& part : parts) objects.push_back({part, objects.size() % 3 == 0});
  EXPECT_LT(expect_same_in_any_room(numbered(objects)), 700u);
}

TEST(Tiles, LatticeWhoseTrianglesTouchTheCuts) {
  // Unit squares of two triangles in all three directions: every cut at a whole number is touched by whole layers.
  Builder builder;
  constexpr int kSide = 9;
  for (int axis = 0; axis < 3; ++axis)
    for (int z = 0; z < kSide; ++z)
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
          const auto at = [&](int u, int v) {
            Vec3d p = {double(x), double(y), double(z)};
            p[axis] += u;
            p[(axis + 1) % 3] += v;
            return p;
          };
          builder.triangle(at(0, 0), at(1, 0), at(1, 1));
          builder.triangle(at(0, 0), at(1, 1), at(0, 1));
        }
  const Mesh mesh = builder.mesh();
  const QueryObject object{mesh, {.self = true}};
  EXPECT_LT(expect_same_in_any_room({&object, 1}), 1000u);
}

TEST(Tiles, OnlyFloatStaysFloat) {
  const Mesh narrow = as_float(soup(3000, [](Random&) { return 0.05; })), wide = soup(300, [](Random&) { return 0.2; });
  const std::vector<QueryObject> objects = numbered({{narrow, {.self = true}}, {wide, {.self = false}}});
  SmallEngine engine{500};
  Tuned options;
  Report report;
  query_in_tiles(
      objects, options, true,
      [&](const Tile& tile, const sightline::Settings& tile_options, Report& answer) {
        for (const QueryObject& object : tile.objects)
          EXPECT_EQ(object.mesh.positions.is_double(), object.options.self == false)
              << "its self flag identifies it";
        engine(tile, tile_options, answer);
      },
      report);
  EXPECT_GT(tiles_of(report), 5u);
  EXPECT_EQ(difference(whole(objects).contacts, report, meshes_of(objects)), "");
}

TEST(Tiles, WhatCannotShrinkIsAnError) {
  // Fifty triangles through one point: wherever the cut is, most are on both sides of it.
  Builder builder;
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Vec3d p = {random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)}, q = {p[1], -p[2], p[0]};
    builder.triangle({-p[0], -p[1], -p[2]}, p, q);
  }
  const Mesh mesh = builder.mesh();
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{10};
  const std::string error = error_of([&] { tiled({&object, 1}, engine); });
  EXPECT_THAT(error, HasSubstr("no room for "));
  EXPECT_THAT(error, HasSubstr("triangles cannot be cut into smaller ones"));
  EXPECT_LT(engine.refused, 100);
}

TEST(Tiles, DuplicatesInOnePlaceAreAnError) {
  Builder builder;
  for (int i = 0; i < 30; ++i) builder.triangle({0, 0, 0}, {1, 0, 0}, {0, 1, 0});
  const Mesh mesh = builder.mesh();
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{29};
  EXPECT_EQ(error_of([&] {
              tiled({&object, 1}, engine);
            }),
            "no room for 30; a tile of 30 triangles cannot be cut into smaller ones");
}

TEST(Tiles, AnEngineWithoutAnyRoomIsAnErrorSoon) {
  const Mesh mesh = soup(5000, [](Random&) { return 0.03; });
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{0};
  EXPECT_NE(error_of([&] { tiled({&object, 1}, engine, {}, {}); }), "");
  EXPECT_LT(engine.refused, 60);
}

TEST(Tiles, TooManyAreAnError) {
  const Mesh mesh = soup(5000, [](Random&) { return 0.03; });
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{300};
  EXPECT_EQ(error_of([&] {
              tiled({&object, 1}, engine, {}, {.fewest = 2, .most_tiles = 5});
            }),
            "cuda: out of device memory: 5 tiles are not enough");
}

TEST(Tiles, NotAllowedIsAnErrorThatNamesThem) {
  const Mesh mesh = soup(100, [](Random&) { return 0.03; });
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{99};
  Report report;
  const auto query = [&] { query_in_tiles({&object, 1}, {}, false, std::ref(engine), report); };
  EXPECT_THROW(query(), OutOfDeviceMemory);
  EXPECT_EQ(error_of(query), "no room for 100; --tiles auto (CudaOptions::tiles) cuts the scene into tiles that fit");
  engine.room = 100;
  EXPECT_EQ(error_of(query), "");
  EXPECT_EQ(tiles_of(report), 0u);
}

TEST(Tiles, OtherErrorsPassThrough) {
  const Mesh mesh = soup(100, [](Random&) { return 0.03; });
  const QueryObject object{mesh, {.self = true}};
  int calls = 0;
  Tuned options;
  Report report;
  EXPECT_EQ(error_of([&] {
              query_in_tiles(
                  {&object, 1}, options, true,
                  [&](const Tile&, const sightline::Settings&, Report&) {
                    if (++calls == 1) throw OutOfDeviceMemory("no room");
                    throw sightline::Error("broken");
                  },
                  report);
            }),
            "broken");
  EXPECT_EQ(calls, 2);
}

TEST(Tiles, FirstAndMaxContacts) {
  const Mesh mesh = soup(3000, [](Random&) { return 0.1; });
  const QueryObject object{mesh, {.self = true}};
  const std::vector<Contact> all = whole({&object, 1}).contacts;
  ASSERT_GT(all.size(), 100u);
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{50}, all.size(), all.size() + 1}) {
    SmallEngine engine{800};
    const Report report = tiled({&object, 1}, engine, {.max_contacts = most});
    EXPECT_GT(tiles_of(report), 3u);
    EXPECT_EQ(report.contacts, std::vector(all.begin(), all.begin() + std::min(most, all.size())));
    EXPECT_EQ(report.found, all.size());
    EXPECT_EQ(report.complete, most >= all.size());
  }
  SmallEngine engine{800};
  const Report first = tiled({&object, 1}, engine, {.first = true});
  EXPECT_EQ(first.contacts, std::vector(all.begin(), all.begin() + 1));
  EXPECT_EQ(first.found, 1u);
  EXPECT_FALSE(first.complete);
}

TEST(Tiles, CancelAtAnyQuestion) {
  const Mesh mesh = soup(2000, [](Random&) { return 0.1; });
  const QueryObject object{mesh, {.self = true}};
  int calls = 0;
  for (int after = 0;; after += 1 + calls / 20) {
    calls = 0;
    SmallEngine engine{700};
    Tuned options;
    options.cancel = [&] { return calls++ >= after; };
    const Report report = tiled({&object, 1}, engine, options);
    if (calls <= after) {
      EXPECT_TRUE(report.complete);
      EXPECT_GE(after, engine.answered);
      break;
    }
    EXPECT_TRUE(report.cancelled);
    EXPECT_FALSE(report.complete);
    EXPECT_TRUE(report.contacts.empty());
    EXPECT_EQ(report.found, 0u);
  }
}

TEST(Tiles, ProgressRisesToOne) {
  const Mesh mesh = soup(3000, [](Random&) { return 0.05; });
  const QueryObject object{mesh, {.self = true}};
  SmallEngine engine{300};
  std::vector<double> fractions;
  Tuned options;
  options.progress = [&](double done) { fractions.push_back(done); };
  tiled({&object, 1}, engine, options);
  EXPECT_GT(fractions.size(), 5u);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1.0);
  EXPECT_EQ(std::count(fractions.begin(), fractions.end(), 1.0), 1);
}

TEST(Tiles, WhatIsAloneInItsTileIsNotAskedFor) {
  // Two clouds of two objects far apart, and no contacts within an object: no tile with one of them alone.
  const Mesh left = soup(1000, [](Random&) { return 0.02; });
  const Mesh right = transformed(left, [](const Vec3d& p) { return Vec3d{p[0] + 100, p[1], p[2]}; });
  const std::vector<QueryObject> objects = numbered({{left, false}, {right, false}});
  SmallEngine engine{1500};
  const Report report = tiled(objects, engine);
  EXPECT_TRUE(report.contacts.empty());
  EXPECT_TRUE(report.complete);
  EXPECT_LE(engine.answered, 1);
}

TEST(DeviceMemory, TheErrorNamesAllNumbers) {
  using sightline::cuda::MemoryBudget;
  using sightline::cuda::MemoryCount;
  MemoryBudget budget;
  MemoryCount inside = budget.counting([] { return MemoryCount(); });
  MemoryCount outside;
  EXPECT_EQ(inside.budget, &budget);
  EXPECT_EQ(outside.budget, nullptr);
  inside.add(3 << 20);
  outside.add(100);
  EXPECT_EQ(budget.now, 3u << 20);
  EXPECT_STREQ(out_of_device_memory(inside, 5000, 1000).what(),
               "cuda: out of device memory: 4.9 KiB needed, 1000 bytes free, 3.0 MiB in use by this query");
  EXPECT_STREQ(out_of_device_memory(outside, std::size_t{5} << 30, 1).what(),
               "cuda: out of device memory: 5.0 GiB needed, 1 byte free, 100 bytes in use by this query");
  budget.limit = (3 << 20) + 4999;
  EXPECT_TRUE(inside.allows(4999));
  EXPECT_FALSE(inside.allows(5000));
  EXPECT_FALSE(inside.allows(~std::size_t{0}));
  EXPECT_STREQ(out_of_device_memory(inside, 5000, 1 << 30).what(),
               "cuda: out of device memory: 4.9 KiB needed, 1.0 GiB free, 3.0 MiB in use by this query, 3.0 MiB "
               "allowed");
  inside.remove(1 << 20);
  EXPECT_EQ(budget.now, 2u << 20);
  EXPECT_EQ(budget.peak, 3u << 20);
}

}  // namespace
}  // namespace testing_support
