// A scene over any number of ranks has the contacts of a Scene in one process, in each frame.
#include <deque>
#include <limits>
#include <set>

#include "mpi/world.h"
#include "sightline/query.h"
#include "support/random.h"

namespace sightline::test {
namespace {

using testing_support::Random;

/// A scene over all ranks beside one that each rank has for itself.
template <typename Scalar>
class Both {
 public:
  using Corners = typename mpi::ObjectShare<Scalar>::Corners;
  using Points = std::vector<std::array<Scalar, 3>>;

  Both(const Holder& holder, const mpi::SceneOptions& options) : scene(MPI_COMM_WORLD, options), holder_(holder) {}

  void add(const Mesh& mesh, const ObjectOptions& options) {
    Object& object = objects_.emplace_back();
    hold(object, mesh);
    alone_.add(object.mesh, options);
    scene.add(share_of(object), options);
  }
  void move(ObjectId id, const Vec3d& by, double scale = 1) {
    Object& object = objects_[id];
    for (auto& p : points_of(object))
      for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<Scalar>(p[k] * scale + by[k]);
    copy_corners(object);
    alone_.move(id, object.mesh.view().positions);
    scene.move(id, object.corners);
  }
  void replace(ObjectId id, const Mesh& mesh) {
    hold(objects_[id], mesh);
    alone_.replace(id, objects_[id].mesh);
    scene.replace(id, share_of(objects_[id]));
  }
  void remove(ObjectId id) {
    alone_.remove(id);
    scene.remove(id);
  }
  void set_options(ObjectId id, const ObjectOptions& options) {
    alone_.set_options(id, options);
    scene.set_options(id, options);
  }

  /// The contacts of a frame, which must be those of one process.
  HugeReport expect_same(const std::string& what, mpi::ContactsTo contacts_to) {
    std::vector<Record> expected;
    for (const Contact& c : alone_.collide({.threads = 1}).contacts)
      expected.push_back(record_of(c.object_a, c.object_b, first_number + c.a, first_number + c.b, c.kind,
                                   intersection(objects_[c.object_a].mesh, objects_[c.object_b].mesh, c)));
    HugeReport report = scene.collide();
    EXPECT_EQ(report.found, expected.size()) << what;
    std::vector<Record> actual = records_of(report);
    if (contacts_to == mpi::ContactsTo::owner) {
      EXPECT_TRUE(std::is_sorted(actual.begin(), actual.end())) << what;
      for (const Record& record : actual) EXPECT_TRUE(objects_[record[0]].numbers_set.contains(record[2])) << what;
      actual = world().gathered(actual);
      std::sort(actual.begin(), actual.end());
    } else if (rank() != 0) {
      EXPECT_TRUE(actual.empty());
      return report;
    }
    EXPECT_EQ(first_difference(expected, actual), "") << what;
    contacts += expected.size();
    return report;
  }

  std::uint64_t triangles(ObjectId id) const { return objects_[id].mesh.triangles.size(); }
  std::size_t size() const { return objects_.size(); }

  mpi::Scene<Scalar> scene;
  std::uint64_t first_number = 0, contacts = 0;

 private:
  struct Object {
    Mesh mesh;
    std::vector<std::uint64_t> numbers;  ///< of this rank
    std::set<std::uint64_t> numbers_set;
    std::vector<Corners> corners;
  };
  static Points& points_of(Object& object) { return std::get<Points>(object.mesh.positions); }
  mpi::ObjectShare<Scalar> share_of(const Object& object) const { return {object.numbers, object.corners}; }

  void hold(Object& object, const Mesh& mesh) {
    Points points;
    const MeshView view = mesh;
    for (std::size_t i = 0; i < view.positions.size(); ++i) {
      const Vec3d p = view.position(i);
      points.push_back({static_cast<Scalar>(p[0]), static_cast<Scalar>(p[1]), static_cast<Scalar>(p[2])});
    }
    object.mesh.positions = std::move(points);
    object.mesh.triangles = mesh.triangles;
    object.numbers.clear();
    const std::size_t count = mesh.triangles.size();
    for (const std::uint32_t i : scenes::permutation(count, 3 + static_cast<std::uint64_t>(rank())))
      if (holder_.rank_of(i, count) == rank()) object.numbers.push_back(first_number + i);
    object.numbers_set = {object.numbers.begin(), object.numbers.end()};
    copy_corners(object);
  }
  void copy_corners(Object& object) {
    const Points& points = points_of(object);
    object.corners.clear();
    for (const std::uint64_t number : object.numbers) {
      const Triangle& t = object.mesh.triangles[number - first_number];
      object.corners.push_back({points[t[0]], points[t[1]], points[t[2]]});
    }
  }

  Holder holder_;
  std::deque<Object> objects_;  // objects stay where they are
  Scene alone_;
};

/// Twelve frames with every kind of change, the same on all ranks.
template <typename Scalar>
void expect_frames(const Holder& holder, const mpi::SceneOptions& options, std::uint64_t first,
                   const std::string& what) {
  Both<Scalar> both(holder, options);
  both.first_number = first;
  both.add(scenes::crumpled_cloth(900), {.self = true});
  both.add(scenes::bumpy_body(500, {5, 5, 0}, 6), {});
  both.add(scenes::torus(400, {12, 6, 0}, 5, 2), {.self = true});
  Random random(5);
  for (int frame = 0; frame < 12; ++frame) {
    if (frame == 3) both.add(scenes::lattice_soup(80, 1, true), {.self = true});
    if (frame == 4) both.replace(1, scenes::sphere(700, {8, 8, 0}, 7));
    if (frame == 6) both.set_options(2, {.self = false, .groups = 2, .collides_with = 2});
    if (frame == 8) both.remove(0);
    if (frame == 9) both.set_options(2, {.self = true});
    const bool rests = frame == 1 || frame == 2 || frame == 10;
    for (ObjectId id = frame >= 8 ? 1u : 0u; !rests && id < both.size(); ++id)
      if (random.chance(0.6)) both.move(id, {random.in(-2, 2), random.in(-2, 2), random.in(-1, 1)});
    both.expect_same(what + ", frame " + std::to_string(frame), options.contacts_to);
  }
  if (options.patience == 0) {
    EXPECT_EQ(both.scene.distributions(), 12u) << what;
  }
  if (options.patience > 1) {
    EXPECT_EQ(both.scene.distributions(), 1u) << what;
  }
  EXPECT_GT(world().sum(both.contacts), 1000u) << what;
}

TEST(MpiScene, EachFrameIsThatOfOneProcess) {
  const double endless = std::numeric_limits<double>::infinity();
  bool to_owners = false;  // alternates: each holder and each patience has both
  for (const Holder& holder : holders())
    for (const double patience : {0.0, 1.0, endless}) {
      to_owners = !to_owners;
      mpi::SceneOptions options;
      options.threads = 1, options.list_memory = 20'000, options.patience = patience;
      options.contacts_to = to_owners ? mpi::ContactsTo::owner : mpi::ContactsTo::rank_0;
      const std::string what = std::string(holder.name) + ", patience " + std::to_string(patience) +
                               (to_owners ? ", to owners" : ", to rank 0");
      expect_frames<float>(holder, options, 0, what);
      if (patience == 1) expect_frames<double>(holder, options, (std::uint64_t{1} << 40) - 50, what + ", double");
    }
}

TEST(MpiScene, OnlyWhatChangedIsSent) {
  mpi::SceneOptions options;
  options.threads = 1;
  options.patience = std::numeric_limits<double>::infinity();
  Both<float> both(holders()[0], options);
  both.add(scenes::crumpled_cloth(2000), {.self = true});
  both.add(scenes::torus(400, {12, 6, 0}, 5, 2), {});
  const auto sent = [&](const char* what) {
    const Stage stage = both.expect_same(what, options.contacts_to).stats.stages[0];
    EXPECT_EQ(stage.name, "distribute");
    return stage.count;
  };
  const std::uint64_t all = both.triangles(0) + both.triangles(1);
  EXPECT_GE(sent("all"), all);
  EXPECT_EQ(sent("nothing moved"), 0u);
  both.move(1, {1, 0, 0});
  const std::uint64_t torus = sent("the torus moved");
  EXPECT_GE(torus, both.triangles(1));
  EXPECT_LT(torus, both.triangles(0));
  // Space is cut anew for a scene of more than twice the triangles, and all of them are sent.
  both.add(scenes::crumpled_cloth(6000, 2), {});
  EXPECT_GE(sent("a large object"), all + both.triangles(2));
  EXPECT_EQ(both.scene.distributions(), 2u);
}

TEST(MpiScene, TrianglesThatCrowdIntoOneLeafAreDividedAnew) {
  mpi::SceneOptions options;
  options.threads = 1;
  Both<float> both(holders()[0], options);
  both.add(scenes::uniform_soup(3000), {.self = true});
  both.expect_same("in the unit cube", options.contacts_to);
  both.move(0, {0.01, 0.01, 0.01}, 0.02);
  // One rank has all the work, so each frame loses about what it takes, and a cut costs a few frames.
  int frames = 0;
  while (both.scene.distributions() == 1 && frames < (ranks() == 1 ? 20 : 500)) {
    both.move(0, {0, 0, frames % 2 == 0 ? 1e-4 : -1e-4});
    both.expect_same("crowded, frame " + std::to_string(frames++), options.contacts_to);
  }
  EXPECT_EQ(both.scene.distributions(), ranks() == 1 ? 1u : 2u) << frames << " frames";
}

TEST(MpiScene, ASceneWithoutTriangles) {
  mpi::SceneOptions options;
  options.threads = 1;
  Both<double> both(holders()[0], options);
  both.expect_same("no objects", options.contacts_to);
  both.add(Mesh{.name = "", .positions = std::vector<Vec3d>(), .triangles = {}}, {.self = true});
  both.expect_same("an empty object", options.contacts_to);
  both.add(scenes::two_tori(200), {.self = true});
  const HugeReport report = both.expect_same("two tori", options.contacts_to);
  EXPECT_GT(report.found, 0u);
}

std::string error_of(mpi::Scene<float>& scene) {
  try {
    scene.collide();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Separate triangles, `count` of them on each rank.
struct Soup {
  explicit Soup(std::uint64_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<float>(3 * (static_cast<std::size_t>(rank()) * count + i));
      numbers.push_back(first + static_cast<std::uint64_t>(rank()) * count + i);
      corners.push_back({{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}});
    }
  }
  mpi::ObjectShare<float> share() const { return {numbers, corners}; }
  std::vector<std::uint64_t> numbers;
  std::vector<CornersF> corners;
};

TEST(MpiScene, AnErrorOfOneRankIsTheErrorOfAll) {
  const int last = ranks() - 1;
  const std::string prefix = "rank " + std::to_string(last) + ": ";
  Soup a(0, 5), b(0, 5);
  mpi::Scene<float> scene(MPI_COMM_WORLD);
  scene.add(a.share());
  const ObjectId id = scene.add(b.share());
  EXPECT_EQ(error_of(scene), "no error");
  const CornersF good = b.corners[2];
  if (rank() == last) b.corners[2][1][0] = std::numeric_limits<float>::quiet_NaN();
  scene.move(id, b.corners);
  const std::string bad =
      prefix + "object 1: triangle " + std::to_string(5 * last + 2) + ": x of corner 1 is nan, not a finite number";
  EXPECT_EQ(error_of(scene), bad);
  EXPECT_EQ(error_of(scene), bad) << "until it is corrected";
  if (rank() == last) b.corners[2] = good;
  scene.move(id, b.corners);
  const HugeReport report = scene.collide();
  EXPECT_EQ(report.found, 5u * static_cast<unsigned>(ranks())) << "each triangle meets its copy";

  if (rank() == last) b.corners.pop_back();
  scene.move(id, b.corners);
  EXPECT_EQ(error_of(scene), prefix + "object 1: 5 numbers for 4 triangles");
  scene.remove(id);
  EXPECT_EQ(error_of(scene), "no error");
  EXPECT_THROW(scene.move(id, b.corners), Error);
  EXPECT_THROW(scene.remove(7), Error);
}

TEST(MpiScene, NumbersThatTwoTrianglesHave) {
  Soup a(0, 3);
  // All at one place, so that one leaf has them.
  for (CornersF& corners : a.corners) corners = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  a.numbers[0] = a.numbers[2];
  mpi::Scene<float> scene(MPI_COMM_WORLD);
  scene.add(a.share());
  EXPECT_TRUE(error_of(scene).ends_with(": object 0: triangle 2 was given twice")) << error_of(scene);
}

TEST(MpiScene, NumbersOfMoreThan63Bits) {
  const std::uint64_t half = std::uint64_t{1} << 62;
  Soup a(half, 1), b(half, 1);
  mpi::Scene<float> scene(MPI_COMM_WORLD);
  scene.add(a.share());
  scene.add(b.share());
  EXPECT_EQ(error_of(scene), "object 1: triangle " + std::to_string(half + static_cast<std::uint64_t>(ranks()) - 1) +
                                 ": the numbers of all objects take more than 63 bits");
}

TEST(MpiScene, DifferentCallsAreAnError) {
  if (ranks() == 1) return;
  const Soup a(0, 3);
  mpi::Scene<float> scene(MPI_COMM_WORLD);
  scene.add(a.share());
  if (rank() == 0) scene.add(a.share());
  EXPECT_EQ(error_of(scene), "scene: the ranks made different calls");
  if (rank() != 0) scene.add(a.share());
  EXPECT_EQ(error_of(scene), "no error");
  scene.set_options(1, {.self = rank() == 0});
  EXPECT_EQ(error_of(scene), "scene: the ranks made different calls");
}

TEST(MpiScene, AnObjectThatMovedOnOneRankMovedOnAll) {
  Soup a(0, 4), b(0, 4);
  mpi::Scene<float> scene(MPI_COMM_WORLD);
  scene.add(a.share());
  const ObjectId id = scene.add(b.share());
  EXPECT_EQ(scene.collide().found, 4u * static_cast<unsigned>(ranks()));
  if (rank() == 0) {
    for (CornersF& corners : b.corners)
      for (Vec3f& p : corners) p[2] += 1;
    scene.move(id, b.corners);
  }
  EXPECT_EQ(scene.collide().found, 4u * static_cast<unsigned>(ranks() - 1));
}

}  // namespace
}  // namespace sightline::test
