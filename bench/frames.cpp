// Frames of scenes in which few objects move, or many small ones: a Scene that keeps what rests, a Scene that does not,
// FCL with trees that are built once, and Bullet's boxes. The answers are compared first.
#include <btBulletCollisionCommon.h>
#include <fcl/fcl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/timer.h"
#include "query/query.h"
#include "scenes/scenes.h"

namespace sightline::bench {
namespace {

/// Meshes, their instances, and what each frame changes.
struct Frames {
  std::string name;
  double target_ms;  ///< of the issue; 0: none
  int count;         ///< frames that are timed
  std::vector<Mesh> meshes;
  struct Object {
    std::size_t mesh;
    Transform transform;
    ObjectOptions options = {};
  };
  std::vector<Object> objects;
  std::vector<ObjectId> moving;
  std::function<Transform(ObjectId, int)> place;  ///< of a moving object in a frame
  std::vector<std::vector<Vec3f>> deformed = {};  ///< positions of object 0 instead, frame by frame
  bool boxes = false;                             ///< all objects are unit cubes
};

/// A turn about z and then about x, and a translation.
Transform turn(const Vec3d& at, double z, double x) {
  const double cz = std::cos(z), sz = std::sin(z), cx = std::cos(x), sx = std::sin(x);
  return {{{{cz, -sz, 0, at[0]}, {cx * sz, cx * cz, -sx, at[1]}, {sx * sz, sx * cz, cx, at[2]}}}};
}

Mesh terrain(std::uint32_t n) {
  Mesh mesh;
  std::vector<Vec3f> points;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t k = 0; k <= n; ++k) {
      const float x = 0.1f * static_cast<float>(i), y = 0.1f * static_cast<float>(k);
      points.push_back({x, y, 0.5f * std::sin(0.7f * x) * std::cos(0.9f * y)});
    }
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = i * (n + 1) + k;
      mesh.triangles.push_back({a, a + n + 1, a + n + 2});
      mesh.triangles.push_back({a, a + n + 2, a + 1});
    }
  mesh.positions = std::move(points);
  return mesh;
}

std::vector<Frames> all_frames(bool quick) {
  const Mesh box = scenes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
  std::vector<Frames> all;
  all.push_back({.name = "two-boxes",
                 .target_ms = 0.003,
                 .count = quick ? 1000 : 1'000'000,
                 .meshes = {box},
                 .objects = {{0, {}}, {0, {}}},
                 .moving = {1},
                 .place =
                     [](ObjectId, int frame) {
                       return turn({0.9, 0.1, 0.2}, 1e-3 * (frame % 1000), 0.2);
                     },
                 .boxes = true});
  const auto grid = [](ObjectId i) { return Vec3d{1.5 * (i % 10), 1.5 * (i / 10 % 10), 1.5 * (i / 100)}; };
  const auto spin = [grid](ObjectId i, int frame) {
    return turn(grid(i), 0.1 * i + 0.01 * frame, 0.2 * i + 0.02 * frame);
  };
  Frames boxes{.name = "boxes-1000-rotating",
               .target_ms = 1.5,
               .count = quick ? 5 : 200,
               .meshes = {box},
               .objects = {},
               .moving = {},
               .place = spin,
               .boxes = true};
  for (ObjectId i = 0; i < 1000; ++i) {
    boxes.objects.push_back({0, spin(i, 0)});
    boxes.moving.push_back(i);
  }
  all.push_back(boxes);
  boxes.name = "box-among-1000-resting";
  boxes.target_ms = 0.05;
  boxes.count *= 10;
  boxes.moving = {555};
  all.push_back(boxes);
  const std::uint32_t n = quick ? 70 : 707;
  all.push_back({.name = "box-on-terrain-1M",
                 .target_ms = 0.06,
                 .count = quick ? 20 : 1000,
                 .meshes = {terrain(n), box},
                 .objects = {{0, {}}, {1, {}}},
                 .moving = {1},
                 .place = [n](ObjectId, int frame) {
                   const double side = 0.1 * n, at = 0.01 * frame;
                   return turn({side * (0.5 + 0.3 * std::cos(at)), side * (0.5 + 0.3 * std::sin(at)), 0.3}, at, 2 * at);
                 }});
  for (const std::size_t body : {std::size_t{20'000}, std::size_t{200'000}, std::size_t{1'000'000}}) {
    Frames cloth{
        .name = fmt::format("cloth-20k-on-body-{}k", body / 1000),
        .target_ms = 0,
        .count = quick ? 4 : 40,
        .meshes = {scenes::crumpled_cloth(20'000), scenes::bumpy_body(quick ? body / 50 : body, {50, 50, 0}, 40)},
        .objects = {{0, {}, {.self = true}}, {1, {}}},
        .moving = {},
        .place = {}};
    for (int frame = 0; frame < 20; ++frame) {
      cloth.deformed.push_back(std::get<std::vector<Vec3f>>(cloth.meshes[0].positions));
      for (Vec3f& p : cloth.deformed.back()) p[2] += 0.05f * static_cast<float>(frame);
    }
    all.push_back(std::move(cloth));
  }
  return all;
}

using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

class FramePeer {
 public:
  virtual ~FramePeer() = default;
  virtual std::string name() const = 0;
  virtual void run(int frame) = 0;  ///< moves what moves, and finds all contacts
  virtual Pairs pairs() const = 0;  ///< of distinct objects in contact in the last frame
};

class ScenePeer final : public FramePeer {
 public:
  ScenePeer(const Frames& frames, bool keeps, unsigned threads) : frames_(frames) {
    settings_.threads = threads;
    settings_.rest = keeps ? UseRest::automatic : UseRest::off;
    for (const Frames::Object& object : frames.objects)
      scene_.add(frames.meshes[object.mesh].view().placed(object.transform), object.options);
  }
  std::string name() const override { return settings_.rest == UseRest::off ? "sightline, all anew" : "sightline"; }
  void run(int frame) override {
    for (const ObjectId id : frames_.moving) scene_.place(id, frames_.place(id, frame), settings_.threads);
    if (!frames_.deformed.empty())
      scene_.move(0, frames_.deformed[static_cast<std::size_t>(frame) % frames_.deformed.size()], settings_.threads);
    collide(scene_, report_, settings_);
  }
  Pairs pairs() const override {
    Pairs all;
    for (const Contact& c : report_.contacts)
      if (c.object_a != c.object_b) all.emplace(c.object_a, c.object_b);
    return all;
  }
  const Report& report() const { return report_; }

 private:
  const Frames& frames_;
  Settings settings_;
  Scene scene_;
  Report report_;
};

/// Trees built once, a tree of boxes over the objects, all contacts of all pairs.
class FclPeer final : public FramePeer {
 public:
  explicit FclPeer(const Frames& frames) : frames_(frames) {
    using Model = fcl::BVHModel<fcl::OBBRSSd>;
    std::vector<std::shared_ptr<Model>> models;
    for (const Mesh& mesh : frames.meshes) {
      std::vector<fcl::Vector3d> points;
      for (std::size_t i = 0; i < mesh.view().positions.size(); ++i) {
        const Vec3d p = mesh.view().position(i);
        points.emplace_back(p[0], p[1], p[2]);
      }
      std::vector<fcl::Triangle> triangles;
      for (const Triangle& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
      models.push_back(std::make_shared<Model>());
      models.back()->beginModel();
      models.back()->addSubModel(points, triangles);
      models.back()->endModel();
    }
    for (std::uint32_t i = 0; i < frames.objects.size(); ++i) {
      objects_.push_back(
          std::make_unique<fcl::CollisionObjectd>(models[frames.objects[i].mesh], as_fcl(frames.objects[i].transform)));
      objects_.back()->setUserData(reinterpret_cast<void*>(static_cast<std::uintptr_t>(i)));
      objects_.back()->computeAABB();
      manager_.registerObject(objects_.back().get());
    }
    manager_.setup();
  }
  std::string name() const override { return "fcl, trees built once"; }
  void run(int frame) override {
    for (const ObjectId id : frames_.moving) {
      objects_[id]->setTransform(as_fcl(frames_.place(id, frame)));
      objects_[id]->computeAABB();
      manager_.update(objects_[id].get());
    }
    found_.clear();
    if (frames_.moving.size() == 1)  // what rests is not compared with itself
      manager_.collide(objects_[frames_.moving[0]].get(), this, &FclPeer::meet);
    else
      manager_.collide(this, &FclPeer::meet);
  }
  Pairs pairs() const override { return {found_.begin(), found_.end()}; }

 private:
  static fcl::Transform3d as_fcl(const Transform& t) {
    fcl::Transform3d result = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 4; ++k) result(i, k) = t.rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
    return result;
  }
  static bool meet(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
    if (a == b) return false;
    auto& self = *static_cast<FclPeer*>(data);
    const fcl::CollisionRequestd request(std::numeric_limits<std::size_t>::max(), false);
    fcl::CollisionResultd result;
    fcl::collide(a, b, request, result);
    const auto number = [](const fcl::CollisionObjectd* object) {
      return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(object->getUserData()));
    };
    if (result.isCollision()) self.found_.emplace_back(std::minmax(number(a), number(b)));
    return false;
  }
  const Frames& frames_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found_;
};

/// Bullet's own boxes without triangles: it finds pairs of bodies and points of contact.
class BulletPeer final : public FramePeer {
 public:
  explicit BulletPeer(const Frames& frames) : frames_(frames), shape_(btVector3(0.5f, 0.5f, 0.5f)) {
    shape_.setMargin(0);
    for (std::uint32_t i = 0; i < frames.objects.size(); ++i) {
      objects_.push_back(std::make_unique<btCollisionObject>());
      objects_.back()->setCollisionShape(&shape_);
      objects_.back()->setUserIndex(static_cast<int>(i));
      objects_.back()->setWorldTransform(as_bullet(frames.objects[i].transform));
      world_.addCollisionObject(objects_.back().get());
    }
    world_.setForceUpdateAllAabbs(false);
  }
  ~BulletPeer() override {
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
  }
  std::string name() const override { return "bullet, box shapes"; }
  void run(int frame) override {
    for (const ObjectId id : frames_.moving) {
      objects_[id]->setWorldTransform(as_bullet(frames_.place(id, frame)));
      world_.updateSingleAabb(objects_[id].get());
    }
    world_.performDiscreteCollisionDetection();
  }
  Pairs pairs() const override {
    Pairs all;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold& manifold =
          *const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i);
      bool meets = false;
      for (int k = 0; k < manifold.getNumContacts(); ++k)
        meets = meets || manifold.getContactPoint(k).getDistance() <= 0;
      if (meets)
        all.insert(std::minmax(static_cast<std::uint32_t>(manifold.getBody0()->getUserIndex()),
                               static_cast<std::uint32_t>(manifold.getBody1()->getUserIndex())));
    }
    return all;
  }

 private:
  static btTransform as_bullet(const Transform& t) {
    const auto number = [&t](int i, int k) {
      return static_cast<btScalar>(t.rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)]);
    };
    return btTransform(btMatrix3x3(number(0, 0), number(0, 1), number(0, 2), number(1, 0), number(1, 1), number(1, 2),
                                   number(2, 0), number(2, 1), number(2, 2)),
                       btVector3(number(0, 3), number(1, 3), number(2, 3)));
  }
  const Frames& frames_;
  btBoxShape shape_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btCollisionWorld world_{&dispatcher_, &broadphase_, &configuration_};
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
};

/// Milliseconds of a frame, of wall and of CPU time; the first frames, in which objects come to rest, are not counted.
void time_peer(FramePeer& peer, const Frames& frames, const Pairs& expected, int repeats) {
  constexpr int kFirst = 4;
  for (int frame = 0; frame <= kFirst; ++frame) peer.run(frame);
  const Pairs found = peer.pairs();
  const auto missing = [](const Pairs& a, const Pairs& b) {
    return std::count_if(a.begin(), a.end(), [&b](const auto& pair) { return !b.contains(pair); });
  };
  // FCL answers for the moving object alone.
  Pairs wanted = expected;
  if (frames.moving.size() == 1)
    std::erase_if(wanted, [&](const auto& pair) {
      return pair.first != frames.moving[0] && pair.second != frames.moving[0] && !found.contains(pair);
    });
  double best = std::numeric_limits<double>::infinity(), cpu = best;
  for (int run = 0; run < repeats; ++run) {
    const double cpu_before = cpu_milliseconds();
    const Timer timer;
    for (int frame = 0; frame < frames.count; ++frame) peer.run(kFirst + frame);
    best = std::min(best, timer.milliseconds() / frames.count);
    cpu = std::min(cpu, (cpu_milliseconds() - cpu_before) / frames.count);
  }
  fmt::print("  {:<24}{:>12.5f}{:>12.5f}   {} pairs of objects, {} missed, {} invented\n", peer.name(), best, cpu,
             found.size(), missing(wanted, found), missing(found, expected));
  std::fflush(stdout);
}

int run(bool quick, unsigned threads, int repeats, std::string_view only) {
  fmt::print("{} thread(s); milliseconds a frame, best of {}: wall, cpu\n", threads, repeats);
  for (const Frames& frames : all_frames(quick)) {
    if (!only.empty() && frames.name != only) continue;
    std::vector<std::unique_ptr<FramePeer>> peers;
    auto keeping = std::make_unique<ScenePeer>(frames, true, threads),
         anew = std::make_unique<ScenePeer>(frames, false, threads);
    for (int frame = 0; frame < (quick ? 20 : 100); ++frame) {
      keeping->run(frame);
      anew->run(frame);
      if (keeping->report().contacts != anew->report().contacts)
        return fmt::print(stderr, "{}: frame {}: the lists differ\n", frames.name, frame), 1;
    }
    for (int frame = 0; frame <= 4; ++frame) anew->run(frame);
    const Pairs expected = anew->pairs();
    fmt::print("\n{}: {} objects, {} contacts{}\n", frames.name, frames.objects.size(), anew->report().contacts.size(),
               frames.target_ms > 0 ? fmt::format("; at most {} ms", frames.target_ms) : "");
    peers.push_back(std::move(keeping));
    peers.push_back(std::move(anew));
    if (frames.deformed.empty()) peers.push_back(std::make_unique<FclPeer>(frames));
    if (frames.boxes) peers.push_back(std::make_unique<BulletPeer>(frames));
    for (const auto& peer : peers) time_peer(*peer, frames, expected, repeats);
  }
  return 0;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) {
  bool quick = false;
  unsigned threads = 1;
  int repeats = 3;
  std::string_view only;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const auto value = [&](auto& into) {
      if (i + 1 == argc) return false;
      const std::string_view text = argv[++i];
      return std::from_chars(text.data(), text.data() + text.size(), into).ec == std::errc();
    };
    bool good = true;
    if (option == "--quick")
      quick = true;
    else if (option == "--threads")
      good = value(threads);
    else if (option == "--runs")
      good = value(repeats);
    else if (option == "--scene" && i + 1 < argc)
      only = argv[++i];
    else
      good = false;
    if (!good) {
      fmt::print(stderr, "usage: sightline_frames_bench [--quick] [--threads N] [--runs K] [--scene NAME]\n");
      return 2;
    }
  }
  if (quick) repeats = 1;
  return sightline::bench::run(quick, threads, repeats, only);
}
