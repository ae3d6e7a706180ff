// The relations of parts over any number of ranks are those of one process.
#include <limits>
#include <set>

#include "mpi/world.h"
#include "support/listed_parts.h"
#include "support/random.h"

namespace sightline::test {
namespace {

void expect_same(const std::vector<MeshView>& parts, const ClashOptions& options, const std::string& what) {
  const std::vector<PartPair> expected = relations(parts, options).pairs;
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{50'000}, std::uint64_t{1} << 30}) {
    ListedParts source(parts);
    const Clashes actual = mpi::relations(MPI_COMM_WORLD, source, options, memory);
    EXPECT_TRUE(actual.pairs == expected)
        << what << ", memory " << memory << ": " << actual.pairs.size() << " pairs, expected " << expected.size();
    EXPECT_TRUE(source.all_released()) << what;
    if (memory == 0) {
      EXPECT_LE(source.most, 2u) << what;
    }
  }
}

TEST(MpiRelations, DemoAssembly) {
  const Assembly assembly = scenes::demo_assembly();
  ClashOptions options{.clearance = scenes::kDemoClearance, .depths = true, .volumes = true, .query = {.threads = 1}};
  std::set<Relation> relations_found;
  for (const PartPair& pair : relations(assembly.views(), options).pairs) relations_found.insert(pair.relation);
  EXPECT_EQ(relations_found.size(), 4u) << "near, touch, contains, clash";
  expect_same(assembly.views(), options, "demo");
  options.tolerance = 0.5;
  expect_same(assembly.views(), options, "demo with a tolerance");
}

TEST(MpiRelations, BuildingAndRandomParts) {
  const Assembly building = scenes::building(60, 200);
  expect_same(building.views(), {.query = {.threads = 1}}, "building");
  std::vector<Mesh> meshes;
  testing_support::Random random(3);
  for (int i = 0; i < 40; ++i) {
    const Vec3d at{random.in(0, 6), random.in(0, 6), random.in(0, 6)};
    const double size = random.in(0.3, 3);
    if (random.chance(0.5))
      meshes.push_back(scenes::sphere(80, at, size / 2));
    else
      meshes.push_back(scenes::box(at, {at[0] + size, at[1] + size, at[2] + size}));
  }
  std::vector<MeshView> parts(meshes.begin(), meshes.end());
  parts.insert(parts.begin() + 7, MeshView{});  // without triangles
  expect_same(parts, {.clearance = 0.2, .query = {.threads = 1}}, "random");
}

TEST(MpiRelations, ARankLoadsTheMeshesOfItsPairs) {
  // A chain: part i meets part i + 1 only.
  std::vector<Mesh> meshes;
  for (int i = 0; i < 64; ++i) meshes.push_back(scenes::box({double(i), 0, 0}, {i + 1.5, 1, 1}));
  ListedParts source({meshes.begin(), meshes.end()});
  mpi::relations(MPI_COMM_WORLD, source, {.query = {.threads = 1}});
  const auto n = static_cast<std::size_t>(ranks());
  // Its share for the boxes, that of the pairs, and one part more.
  EXPECT_LE(source.ever.size(), 2 * (64 / n + 1) + 1);
}

TEST(MpiRelations, FewParts) {
  expect_same({}, {.query = {.threads = 1}}, "none");
  const Mesh one = scenes::sphere(80);
  expect_same({one}, {.query = {.threads = 1}}, "one");
  expect_same({one, one}, {.query = {.threads = 1}}, "two");
}

std::string error_of(mpi::PartSource& parts, const ClashOptions& options) {
  try {
    mpi::relations(MPI_COMM_WORLD, parts, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MpiRelations, AnErrorOfOneRankIsTheErrorOfAll) {
  std::vector<Mesh> meshes;
  for (int i = 0; i < 40; ++i) meshes.push_back(scenes::box({double(i), 0, 0}, {i + 1.5, 1, 1}));
  const std::vector<MeshView> parts(meshes.begin(), meshes.end());
  ListedParts source(parts);
  source.bad = static_cast<std::size_t>(ranks() - 1);
  const std::string prefix = "rank " + std::to_string(ranks() - 1) + ": ";
  EXPECT_EQ(error_of(source, {}), prefix + "part " + std::to_string(source.bad) + " cannot be read");
  ListedParts good(parts);
  EXPECT_EQ(error_of(good, {.clearance = -1}),
            "rank 0: clashes: clearance is -1; it must be a finite number, 0 or more");
  if (ranks() > 1) {
    ListedParts fewer(rank() == 0 ? parts : std::vector<MeshView>(parts.begin() + 1, parts.end()));
    EXPECT_EQ(error_of(fewer, {}), "rank 0: 40 parts, and another rank has another number");
  }
  std::get<0>(meshes[3].positions)[2][1] = std::numeric_limits<float>::quiet_NaN();
  ListedParts bad(std::vector<MeshView>(meshes.begin(), meshes.end()));
  EXPECT_EQ(error_of(bad, {}),
            "rank " + std::to_string(3 % ranks()) + ": part 3: vertex 2: y is nan, not a finite number");
}

}  // namespace
}  // namespace sightline::test
