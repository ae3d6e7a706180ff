// The list over any number of ranks is the list of one process, whatever each rank holds at the beginning.
#include <gtest/gtest.h>

#include <functional>

#include "scale/mesh_source.h"
#include "scenes/scenes.h"
#include "sightline/mpi.h"
#include "support/corpus.h"
#include "support/random.h"

namespace sightline::test {
namespace {

int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}
int ranks() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/// The triangles of the mesh that this rank holds: those that holder(i) gives to it, in an order that depends on
/// `seed`.
struct Held {
  Held(const Mesh& mesh, std::uint64_t first, const std::function<int(std::size_t)>& holder, std::uint64_t seed) {
    MeshSource source(mesh);
    for (const std::uint32_t i : scenes::permutation(mesh.triangles.size(), seed)) {
      if (holder(i) != rank()) continue;
      numbers.push_back(first + i);
      if (source.is_double())
        source.read(i, std::span(&f64.emplace_back(), 1));
      else
        source.read(i, std::span(&f32.emplace_back(), 1));
    }
  }
  mpi::Share share() const { return {numbers, f32, f64}; }

  std::vector<std::uint64_t> numbers;
  std::vector<CornersF> f32;
  std::vector<CornersD> f64;
};

void expect_same(const Mesh& mesh, const std::string& name, std::uint64_t first = 0) {
  const auto n = static_cast<std::size_t>(ranks());
  const std::string expected = Answer::in_core(mesh, first);
  const std::pair<const char*, std::function<int(std::size_t)>> holders[] = {
      {"dealt", [n](std::size_t i) { return static_cast<int>(i % n); }},
      {"in ranges", [&, n](std::size_t i) { return static_cast<int>(i * n / mesh.triangles.size()); }},
      {"all in the last rank", [n](std::size_t) { return static_cast<int>(n - 1); }},
      {"none in odd ranks", [n](std::size_t i) { return static_cast<int>(i % n / 2 * 2); }}};
  for (const auto& [how, holder] : holders) {
    const Held held(mesh, first, holder, 7 + static_cast<std::uint64_t>(rank()));
    const HugeReport report =
        mpi::self_intersections(MPI_COMM_WORLD, held.share(), {.threads = 1, .list_memory = 20'000});
    if (rank() == 0) {
      EXPECT_EQ(first_difference(expected, Answer::of(report)), "") << name << ", " << how;
    } else {
      EXPECT_EQ(report.facts.triangles, mesh.triangles.size());
      EXPECT_EQ(report.found, self_intersections(mesh).found) << name << ", " << how;
    }
  }
}

TEST(Mpi, Scenes) {
  expect_same(scenes::crumpled_cloth(4000), "cloth");
  expect_same(scenes::self_intersecting_tube(2000), "tube");
  expect_same(scenes::lattice_soup(300, 1, true), "lattice");
  expect_same(scenes::heavy_tailed_soup(2000), "heavy-tailed soup");
  expect_same(scenes::disc(500), "disc");
  expect_same(scenes::sphere(20), "sphere");
  expect_same(scenes::lattice_soup(200), "numbers of more than 32 bits", (std::uint64_t{1} << 40) - 50);
}

TEST(Mpi, OneTriangleAndNone) {
  expect_same(scenes::uniform_soup(1), "one triangle");
  const HugeReport report = mpi::self_intersections(MPI_COMM_WORLD, {});
  EXPECT_EQ(report.found, 0u);
  EXPECT_EQ(report.facts.triangles, 0u);
}

std::string error_of(const mpi::Share& share, const mpi::MpiOptions& options = {}) {
  try {
    mpi::self_intersections(MPI_COMM_WORLD, share, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Mpi, AnErrorOfOneRankIsTheErrorOfAll) {
  const Mesh mesh = scenes::uniform_soup(1000);
  const int last = ranks() - 1;
  const std::string prefix = "rank " + std::to_string(last) + ": ";
  Held held(
      mesh, 0, [](std::size_t i) { return static_cast<int>(i % static_cast<std::size_t>(ranks())); }, 1);
  const CornersF good = held.f32.back();
  const std::uint64_t number = held.numbers.back();
  const bool is_bad = rank() == last;
  if (is_bad) held.f32.back()[1][2] = std::numeric_limits<float>::infinity(), held.numbers.back() = 999'999;
  EXPECT_EQ(error_of(held.share()), prefix + "triangle 999999: z of corner 1 is inf, not a finite number");
  if (is_bad) held.f32.back() = good, held.numbers.pop_back();
  EXPECT_EQ(error_of(held.share()).substr(0, prefix.size()), prefix) << "too few numbers";
  if (is_bad) held.numbers.push_back(number);
  EXPECT_EQ(error_of(held.share(), {.scratch = is_bad ? "/no/such/folder" : ""}),
            prefix + "/no/such/folder: cannot make a scratch file: No such file or directory");
  EXPECT_EQ(error_of(held.share()), "no error") << "the ranks still work together";
}

TEST(Mpi, ATriangleThatTwoRanksHoldIsAnError) {
  const Mesh mesh = scenes::uniform_soup(100);
  if (ranks() == 1) return;
  const Held held(
      mesh, 0, [](std::size_t i) { return i < 3 ? rank() : 0; }, 1);
  EXPECT_TRUE(error_of(held.share()).ends_with(" was given twice"));
}

}  // namespace
}  // namespace sightline::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ::testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
