// What goes wrong is an Error that names it, and nothing is left behind.
#include <sys/resource.h>

#include <csignal>
#include <limits>

#include "scale/mesh_source.h"
#include "scenes/scenes.h"
#include "support/sizes.h"

namespace sightline::test {
namespace {

template <typename Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HugeFaults, ABadTriangleIsTheFirstOne) {
  Mesh mesh = scenes::uniform_soup(5000);
  auto& points = std::get<std::vector<Vec3f>>(mesh.positions);
  points[mesh.triangles[4321][2]][1] = std::numeric_limits<float>::infinity();
  points[mesh.triangles[1234][1]][2] = std::numeric_limits<float>::quiet_NaN();
  for (const std::uint64_t leaf : {std::uint64_t{100}, std::uint64_t{100'000}})
    EXPECT_EQ(error_of([&] { out_of_core(mesh, {.leaf_triangles = leaf}); }),
              "memory: triangle 1234: z of corner 1 is nan, not a finite number");
}

/// Its triangles from `bad` on cannot be read.
class BrokenSource : public MeshSource {
 public:
  BrokenSource(const Mesh& mesh, std::uint64_t bad) : MeshSource(mesh), bad_(bad) {}
  void read(std::uint64_t first, std::span<CornersF> to) override {
    if (first + to.size() > bad_) throw Error("triangle " + std::to_string(std::max(first, bad_)) + " cannot be read");
    MeshSource::read(first, to);
  }

 private:
  std::uint64_t bad_;
};

TEST(HugeFaults, TheSampleDoesNotReportALaterError) {
  const Mesh mesh = scenes::uniform_soup(5000);
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{777}, std::uint64_t{4999}}) {
    BrokenSource source(mesh, bad);
    EXPECT_EQ(error_of([&] { scale::self_intersections(source, {.threads = 1}, {.leaf_triangles = 100}); }),
              "triangle " + std::to_string(bad) + " cannot be read");
  }
}

TEST(HugeFaults, AFullDisk) {
  // A limit on the size of files takes the place of the end of a disk; it holds for this process only.
  testing_support::TemporaryFolder folder;
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, RLIM_INFINITY};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Mesh mesh = scenes::uniform_soup(20'000);
  const std::string error = error_of([&] { out_of_core(mesh, {.leaf_triangles = 500}, 2, folder.path()); });
  const rlimit large{RLIM_INFINITY, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &large);
  EXPECT_TRUE(error.starts_with(folder.path().string() + ": cannot write scratch data: File too large; ")) << error;
  EXPECT_EQ(folder.files(), 0u);
  EXPECT_EQ(first_difference(Answer::in_core(mesh), Answer::of(out_of_core(mesh, {.leaf_triangles = 500}))), "")
      << "the same can be started again";
}

TEST(HugeFaults, AFolderThatIsNotThere) {
  EXPECT_EQ(error_of([] { out_of_core(scenes::uniform_soup(100), {}, 1, "/no/such/folder"); }),
            "/no/such/folder: cannot make a scratch file: No such file or directory");
}

TEST(HugeFaults, ACancelEndsEveryStep) {
  testing_support::TemporaryFolder folder;
  const Mesh mesh = scenes::crumpled_cloth(20'000);
  std::set<std::string> outcomes;
  for (int polls = 0; polls < 400; polls += 1 + polls / 8) {
    MeshSource source(mesh);
    std::atomic<int> left{polls};
    const HugeReport report = scale::self_intersections(
        source, {.scratch = folder.path(), .threads = 2, .cancel = [&] { return left.fetch_sub(1) <= 0; }},
        {.leaf_triangles = 3000});
    outcomes.insert(report.cancelled ? "cancelled" : "done");
    EXPECT_EQ(report.cancelled, left.load() < 0 || left.load() == 0) << polls;
    EXPECT_EQ(folder.files(), 0u);
  }
  EXPECT_TRUE(outcomes.contains("cancelled"));
}

TEST(HugeFaults, ProgressAscendsToOne) {
  const Mesh mesh = scenes::uniform_soup(20'000);
  MeshSource source(mesh);
  double last = 0;
  const auto note = [&](double done) {
    EXPECT_GE(done, last);
    last = done;
  };
  scale::self_intersections(source, {.threads = 2, .progress = note}, {.leaf_triangles = 1000});
  EXPECT_NEAR(last, 1, 1e-9);
}

TEST(HugeFaults, TrianglesAtOnePlaceThatDoNotFit) {
  // All of them reach across the common point, so that no cut divides them.
  Mesh mesh;
  std::vector<Vec3f> points;
  for (int i = 0; i < 60'000; ++i) {
    const float x = 1 + static_cast<float>(i) * 1e-4f;
    points.insert(points.end(), {{-x, -x, -x}, {x, -x, x}, {x, x, -x}});
    const auto corner = static_cast<std::uint32_t>(3 * i);
    mesh.triangles.push_back({corner, corner + 1, corner + 2});
  }
  mesh.positions = points;
  EXPECT_EQ(
      error_of([&] { out_of_core(mesh, {}); }),
      "memory: 60000 triangles lie at one place, where cuts hardly divide them; they need about 21 MiB of memory, "
      "and the limit is 16 MiB");
}

TEST(HugeFaults, TooLittleMemory) {
  const Mesh mesh = scenes::uniform_soup(10);
  MeshSource source(mesh);
  EXPECT_EQ(error_of([&] { self_intersections(source, {.memory = 1 << 20}); }),
            "memory: 1048576 bytes; at least 16777216 are needed");
}

TEST(HugeFaults, ASourceWithoutTrianglesHasNoContacts) {
  const Mesh mesh;
  MeshSource source(mesh);
  const HugeReport report = self_intersections(source);
  EXPECT_EQ(report.found, 0u);
  EXPECT_EQ(report.facts.vertices, 0u);
  EXPECT_FALSE(report.facts.closed());
}

}  // namespace
}  // namespace sightline::test
