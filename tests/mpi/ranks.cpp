// The list over any number of ranks is the list of one process, whatever each rank holds at the beginning.
#include <gtest/gtest.h>

#include "mpi/balance.h"
#include "mpi/world.h"
#include "scale/mesh_source.h"
#include "support/corpus.h"

namespace sightline::test {
namespace {

/// The triangles of the mesh that this rank holds: those that holder(i) gives to it, in an order that depends on
/// `seed`.
struct Held {
  Held(const Mesh& mesh, std::uint64_t first, const Holder& holder, std::uint64_t seed) {
    MeshSource source(mesh);
    for (const std::uint32_t i : scenes::permutation(mesh.triangles.size(), seed)) {
      if (holder.rank_of(i, mesh.triangles.size()) != rank()) continue;
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

/// With ContactsTo::owner each rank has the contacts of its triangles, in order; together they are the list.
void expect_owners(const Mesh& mesh, const std::string& name, std::uint64_t first, const Held& held) {
  const HugeReport report = mpi::self_intersections(
      MPI_COMM_WORLD, held.share(), {.threads = 1, .list_memory = 20'000, .contacts_to = mpi::ContactsTo::owner});
  const std::set<std::uint64_t> mine(held.numbers.begin(), held.numbers.end());
  const std::vector<Record> records = records_of(report);
  EXPECT_TRUE(std::is_sorted(records.begin(), records.end())) << name;
  EXPECT_TRUE(std::all_of(records.begin(), records.end(), [&](const Record& r) { return mine.contains(r[2]); }))
      << name << ": a contact of another rank's triangle";
  std::vector<Record> all = world().gathered(records), expected;
  std::sort(all.begin(), all.end());
  for (const Contact& c : self_intersections(mesh).contacts)
    expected.push_back(record_of(0, 0, first + c.a, first + c.b, c.kind, intersection(mesh, c)));
  EXPECT_EQ(first_difference(expected, all), "") << name;
  EXPECT_EQ(report.found, expected.size()) << name;

  std::vector<std::uint64_t> degenerate, expected_degenerate;
  report.for_degenerate([&](std::uint64_t i) {
    EXPECT_TRUE(mine.contains(i)) << name;
    degenerate.push_back(i);
    return true;
  });
  EXPECT_TRUE(std::is_sorted(degenerate.begin(), degenerate.end())) << name;
  std::vector<std::uint64_t> all_degenerate = world().gathered(degenerate);
  std::sort(all_degenerate.begin(), all_degenerate.end());
  const Topology facts = topology(mesh);
  for (const std::uint32_t i : facts.degenerate) expected_degenerate.push_back(first + i);
  EXPECT_EQ(all_degenerate, expected_degenerate) << name;
  EXPECT_EQ(report.facts.components, facts.components) << name;
}

void expect_same(const Mesh& mesh, const std::string& name, std::uint64_t first = 0) {
  const std::string expected = Answer::in_core(mesh, first);
  for (const Holder& holder : holders()) {
    const Held held(mesh, first, holder, 7 + static_cast<std::uint64_t>(rank()));
    const HugeReport report =
        mpi::self_intersections(MPI_COMM_WORLD, held.share(), {.threads = 1, .list_memory = 20'000});
    if (rank() == 0) {
      EXPECT_EQ(first_difference(expected, Answer::of(report)), "") << name << ", " << holder.name;
    } else {
      EXPECT_EQ(report.facts.triangles, mesh.triangles.size());
      EXPECT_EQ(report.found, self_intersections(mesh).found) << name << ", " << holder.name;
    }
    expect_owners(mesh, name + ", " + holder.name, first, held);
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
  Held held(mesh, 0, holders()[0], 1);
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
  const Held held(mesh, 0, {"", [](std::size_t i, std::size_t) { return i < 3 ? rank() : 0; }}, 1);
  EXPECT_TRUE(error_of(held.share()).ends_with(" was given twice"));
}

std::string missing_gpu() {
  for (const DeviceInfo& info : devices())
    if (info.name == "cuda" && !info.missing.empty()) return info.missing;
  return "";
}

TEST(Mpi, AMissingGpuOfOneRankIsTheErrorOfAll) {
  const Held held(scenes::uniform_soup(100), 0, holders()[0], 1);
  const int last = ranks() - 1;
  const mpi::MpiOptions cuda{.device = Device::Type::cuda, .gpu = 4711};
  const std::string error = error_of(held.share(), rank() == last ? cuda : mpi::MpiOptions{});
  const std::string missing = missing_gpu();
  EXPECT_TRUE(error.starts_with("rank " + std::to_string(last) +
                                ": cuda: " + (missing.empty() ? "there is no GPU 4711; this machine has " : missing)))
      << error;
}

TEST(Mpi, AnswersOnTheGpu) {
  if (!missing_gpu().empty()) GTEST_SKIP() << missing_gpu();
  const Mesh mesh = scenes::crumpled_cloth(4000);
  const Held held(mesh, 0, holders()[0], 1);
  const HugeReport report =
      mpi::self_intersections(MPI_COMM_WORLD, held.share(), {.threads = 1, .device = Device::Type::cuda});
  EXPECT_EQ(report.stats.device, "cuda");
  if (rank() == 0) {
    EXPECT_EQ(first_difference(Answer::in_core(mesh), Answer::of(report)), "");
  }
}

TEST(MpiBalance, PaysWhenTheLossesReachTheCost) {
  mpi::Balance balance(1);
  EXPECT_FALSE(balance.pays());
  balance.distributed(100);
  EXPECT_FALSE(balance.pays());
  for (int frame = 0; frame < 9; ++frame) {
    balance.frame(30, 40, 2);  // 30 and 10: a loss of 10
    EXPECT_FALSE(balance.pays()) << frame;
  }
  balance.frame(30, 40, 2);
  EXPECT_TRUE(balance.pays());
}

TEST(MpiBalance, ADistributionThatDidNotHelpMakesTheNextOneDearer) {
  mpi::Balance balance(1);
  const auto frames_until_it_pays = [&](std::uint64_t loss) {
    balance.distributed(100);
    int frames = 0;
    while (!balance.pays()) balance.frame(loss + 5, 10 + loss, 2), ++frames;
    return frames;
  };
  // Ranks take loss + 5 and 5: each frame loses half of the difference.
  EXPECT_EQ(frames_until_it_pays(20), 10);
  EXPECT_EQ(frames_until_it_pays(20), 10) << "nothing was known before";
  EXPECT_EQ(frames_until_it_pays(20), 20);
  EXPECT_EQ(frames_until_it_pays(20), 40);
  EXPECT_EQ(frames_until_it_pays(4), 400) << "the one before did not help";
  EXPECT_EQ(frames_until_it_pays(4), 50) << "this one did";
}

TEST(MpiBalance, BalancedRanksNeverPay) {
  mpi::Balance balance(1);
  balance.distributed(100);
  for (int frame = 0; frame < 1000; ++frame) balance.frame(50, 150, 3);
  EXPECT_FALSE(balance.pays());
}

TEST(MpiBalance, PatienceNoneAndWithoutEnd) {
  mpi::Balance none(0), endless(std::numeric_limits<double>::infinity());
  for (mpi::Balance* balance : {&none, &endless}) {
    balance->distributed(0);
    balance->frame(1000, 1000, 4);
  }
  EXPECT_TRUE(none.pays());
  EXPECT_FALSE(endless.pays());
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
