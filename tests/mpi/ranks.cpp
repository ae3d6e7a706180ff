// The list over any number of ranks is the list of one process, whatever each rank holds at the beginning.
#include <gtest/gtest.h>

#include <limits>

#include "mpi/world.h"
#include "scale/mesh_source.h"
#include "support/corpus.h"
#include "support/sizes.h"

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

/// All numbers of the answer, which all ranks have.
std::vector<std::uint64_t> numbers_of(const HugeReport& report) {
  const HugeFacts& f = report.facts;
  std::vector<std::uint64_t> numbers = {f.triangles,         f.vertices,   f.components, f.open_edges,
                                        f.nonmanifold_edges, f.duplicates, f.degenerate, report.found};
  numbers.insert(numbers.end(), std::begin(report.counts), std::end(report.counts));
  return numbers;
}

std::vector<std::uint64_t> degenerate_of(const HugeReport& report) {
  std::vector<std::uint64_t> list;
  report.for_degenerate([&](std::uint64_t i) {
    list.push_back(i);
    return true;
  });
  return list;
}

template <typename Item>
std::vector<Item> sorted(std::vector<Item> list) {
  std::sort(list.begin(), list.end());
  return list;
}

/// With ContactsTo::owner each rank has the contacts of its triangles, in order; together they are the list of `whole`.
void expect_owners(const HugeReport& whole, const std::string& name, const Held& held) {
  const HugeReport report = mpi::self_intersections(
      MPI_COMM_WORLD, held.share(), {.threads = 1, .list_memory = 20'000, .contacts_to = mpi::ContactsTo::owner});
  EXPECT_EQ(numbers_of(report), numbers_of(whole)) << name;
  const std::set<std::uint64_t> mine(held.numbers.begin(), held.numbers.end());
  const std::vector<Record> records = records_of(report);
  EXPECT_TRUE(std::is_sorted(records.begin(), records.end())) << name;
  EXPECT_TRUE(std::all_of(records.begin(), records.end(), [&](const Record& r) { return mine.contains(r[2]); }))
      << name << ": a contact of another rank's triangle";
  const std::vector<std::uint64_t> degenerate = degenerate_of(report);
  EXPECT_TRUE(std::is_sorted(degenerate.begin(), degenerate.end())) << name;
  EXPECT_TRUE(std::all_of(degenerate.begin(), degenerate.end(), [&](std::uint64_t i) { return mine.contains(i); }))
      << name << ": another rank's triangle";
  const std::vector<Record> all = sorted(world().gathered(records));
  const std::vector<std::uint64_t> all_degenerate = sorted(world().gathered(degenerate));
  if (rank() != 0) return;
  EXPECT_EQ(first_difference(records_of(whole), all), "") << name;
  EXPECT_EQ(all_degenerate, degenerate_of(whole)) << name;
}

void expect_same(const Mesh& mesh, const std::string& name, std::span<const Holder> how, std::uint64_t first = 0) {
  const std::string expected = rank() == 0 ? Answer::in_core(mesh, first) : "";
  for (const Holder& holder : how) {
    const std::string what = name + ", " + holder.name;
    const Held held(mesh, first, holder, 7 + static_cast<std::uint64_t>(rank()));
    const HugeReport report =
        mpi::self_intersections(MPI_COMM_WORLD, held.share(), {.threads = 1, .list_memory = 20'000});
    if (rank() == 0) {
      EXPECT_EQ(first_difference(expected, Answer::of(report)), "") << what;
    }
    const std::vector<std::uint64_t> numbers = numbers_of(report), all = world().gathered(numbers);
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), all.begin())) << what << ": not the numbers of rank 0";
    expect_owners(report, what, held);
    const HugeReport given = mpi::self_intersections_of_owned(MPI_COMM_WORLD, {held.numbers, held.f32, held.f64},
                                                              {.threads = 1, .list_memory = 20'000});
    EXPECT_EQ(numbers_of(given), numbers) << what << ", given away";
    if (rank() == 0) {
      EXPECT_EQ(first_difference(expected, Answer::of(given)), "") << what << ", given away";
    }
  }
  MeshSource source(mesh);
  const HugeReport report = mpi::self_intersections(MPI_COMM_WORLD, source, {.threads = 1, .list_memory = 20'000});
  if (rank() == 0 && first == 0) {
    EXPECT_EQ(first_difference(expected, Answer::of(report)), "") << name << ", a source";
  }
}

/// True on all ranks if a test of any of them has failed.
bool any_failure() { return world().max(::testing::Test::HasFailure() ? 1 : 0) > 0; }

/// Meshes with every distribution; those that take long, and random ones, with one distribution each.
void expect_same_for(const Mesh& mesh, const std::string& name, bool every, std::size_t number) {
  const std::vector<Holder> all = holders();
  expect_same(mesh, name, every ? std::span(all) : std::span(all).subspan(number % all.size(), 1));
}

// More ranks than cores take turns, so 16 of them get fewer meshes.
TEST(Mpi, Corpus) {
  const std::vector<testing_support::Item>& items = testing_support::corpus();
  for (std::size_t i = 0; i < items.size() && !any_failure(); ++i)
    expect_same_for(testing_support::mesh_of(items[i]), items[i].name, ranks() <= 7 && !items[i].big && !items[i].wide,
                    i);
}

TEST(Mpi, RandomMeshes) {
  testing_support::Random random(20);
  const std::size_t count = testing_support::smaller<std::size_t>(ranks() <= 7 ? 1000 : 100);
  for (std::size_t i = 0; i < count && !any_failure(); ++i)
    expect_same_for(testing_support::random_mesh(random), "random mesh " + std::to_string(i), false, i);
}

TEST(Mpi, Scenes) {
  expect_same(scenes::crumpled_cloth(4000), "cloth", holders());
  expect_same(scenes::disc(500), "disc", holders());
  expect_same(scenes::sphere(20), "sphere", holders());
  expect_same(scenes::lattice_soup(200), "numbers of more than 32 bits", holders(), (std::uint64_t{1} << 40) - 50);
}

TEST(Mpi, OneTriangleAndNone) {
  expect_same(scenes::uniform_soup(1), "one triangle", holders());
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

std::string error_of(TriangleSource& source) {
  try {
    mpi::self_intersections(MPI_COMM_WORLD, source);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Mpi, ErrorsOfASource) {
  Mesh mesh = scenes::uniform_soup(5000);
  auto& points = std::get<std::vector<Vec3f>>(mesh.positions);
  points[mesh.triangles[4999][2]][1] = std::numeric_limits<float>::infinity();
  points[mesh.triangles[4998][1]][2] = std::numeric_limits<float>::quiet_NaN();
  MeshSource source(mesh);
  const std::string rank_name = "rank " + std::to_string(ranks() - 1);
  EXPECT_EQ(error_of(source), rank_name + ": memory: triangle 4998: z of corner 1 is nan, not a finite number");
  if (ranks() > 1) {
    if (rank() > 0) mesh.triangles.pop_back();
    EXPECT_EQ(error_of(source),
              "rank 0: memory: 5000 triangles, and another rank has another number or type of coordinates");
  }
  const Mesh good = scenes::uniform_soup(100);
  MeshSource good_source(good);
  EXPECT_EQ(error_of(good_source), "no error") << "the ranks still work together";
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

/// A PLY file of separate triangles, in a folder that all ranks know.
class SharedFile {
 public:
  SharedFile() {
    path_ = folder_ / "mesh.ply";
    std::string name = path_.string();
    name.resize(4096);
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    path_ = name.c_str();
  }
  ~SharedFile() { MPI_Barrier(MPI_COMM_WORLD); }
  void write(std::uint32_t triangles, std::uint32_t quad, std::uint32_t bad_index, std::uint32_t bad_vertex) const {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
      std::string text = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(3 * triangles) +
                         "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                         std::to_string(triangles) + "\nproperty list uchar uint vertex_indices\nend_header\n";
      const auto put = [&](auto value) { text.append(reinterpret_cast<const char*>(&value), sizeof value); };
      for (std::uint32_t i = 0; i < 3 * triangles; ++i) {
        put(i == bad_vertex ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(i % 7));
        put(static_cast<float>(i % 3));
        put(static_cast<float>(i / 3));
      }
      for (std::uint32_t i = 0; i < triangles; ++i) {
        put(static_cast<unsigned char>(i == quad ? 4 : 3));
        for (std::uint32_t k = 0; k < 3; ++k) put(i == bad_index && k == 1 ? 3 * triangles : 3 * i + k);
        if (i == quad) put(i == 0 ? 3u : 0u);
      }
      testing_support::spill(path_, text);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  testing_support::TemporaryFolder folder_;
  std::filesystem::path path_;
};

template <typename Open>
std::string opened(const Open& open) {
  try {
    const std::unique_ptr<TriangleSource> source = open();
    std::vector<CornersF> corners(source->size());
    source->read(0, std::span(corners));
    std::string text;
    for (const CornersF& triangle : corners)
      for (const Vec3f& p : triangle) text += std::to_string(p[0]) + ' ' + std::to_string(p[2]) + ' ';
    return text;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(MpiFiles, EachRankChecksItsShareAndAllHaveTheAnswerOfOne) {
  constexpr std::uint32_t kTriangles = 100, kNone = ~0u;
  const SharedFile file;
  const auto expect_same = [&](const std::string& what) {
    const std::string alone = opened([&] { return open_triangles(file.path()); });
    const std::string together = opened([&] { return mpi::open_triangles(MPI_COMM_WORLD, file.path()); });
    const bool is_error = alone.starts_with(file.path().string());
    EXPECT_EQ(together, is_error ? "rank 0: " + alone : alone) << what;
    return is_error;
  };
  file.write(kTriangles, kNone, kNone, kNone);
  EXPECT_FALSE(expect_same("good"));
  for (const std::uint32_t at : {0u, 20u, 50u, 99u}) {  // in the share of one of the ranks
    file.write(kTriangles, at, kNone, kNone);
    EXPECT_FALSE(expect_same("a quad"));
    file.write(kTriangles, kNone, at, kNone);
    EXPECT_TRUE(expect_same("a bad index"));
    file.write(kTriangles, kNone, kNone, 3 * at);
    EXPECT_TRUE(expect_same("a bad vertex"));
    file.write(kTriangles, 99 - at, 50, kNone);
    EXPECT_TRUE(expect_same("a quad and a bad index"));
  }
  file.write(kTriangles, kNone, 50, kNone);
  EXPECT_NE(open_triangles(file.path(), {.share = 0, .shares = 2}), nullptr) << "no record of this share is bad";
  EXPECT_THROW(open_triangles(file.path(), {.share = 1, .shares = 2}), Error);
  EXPECT_THROW(open_triangles(file.path(), {.share = 2, .shares = 2}), Error);
  file.write(2, kNone, kNone, kNone);  // most ranks have nothing to check
  EXPECT_FALSE(expect_same("two triangles"));
}

TEST(MpiFiles, ARankThatCannotOpenTheFileIsTheErrorOfAll) {
  const SharedFile file;
  file.write(100, ~0u, ~0u, ~0u);
  const std::filesystem::path missing = file.path().string() + ".missing";
  const std::string error =
      opened([&] { return mpi::open_triangles(MPI_COMM_WORLD, rank() == ranks() - 1 ? missing : file.path()); });
  EXPECT_EQ(error, "rank " + std::to_string(ranks() - 1) + ": " + missing.string() +
                       ": cannot open: No such file or directory");
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
