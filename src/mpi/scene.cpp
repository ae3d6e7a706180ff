// A frame, whose steps all ranks take together:
// 1. The ranks agree on the objects that changed on any of them, and on the numbering of all triangles: those of object
//    i follow those of object i - 1.
// 2. If that pays (balance.h), space is cut anew, and all objects count as changed.
// 3. The triangles of changed objects are sent to the leaves that they reach now (distribution.h).
// 4. Each rank answers its leaves, which keep their objects from frame to frame (scale/parts/leaf.h).
// 5. The reports are those of all ranks (collect.h).
#include <chrono>
#include <optional>

#include "base/float_environment.h"
#include "mpi/balance.h"
#include "mpi/collect.h"
#include "mpi/device.h"
#include "mpi/distribution.h"
#include "parts/leaf.h"

namespace sightline::mpi {
namespace {

using scale::LeafScene;
using scale::Tag;
using scale::Totals;
using scale::Triangles;

class Clock {
 public:
  std::uint64_t nanoseconds() const {
    const auto passed = std::chrono::steady_clock::now() - start_;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

/// The triangles with numbers in [first, end), which then count from 0. The list is in order.
template <typename Scalar>
Triangles<Scalar> range_of(const Triangles<Scalar>& all, std::uint64_t first, std::uint64_t end) {
  const scale::TriangleView<Scalar> view(all, first, end);
  Triangles<Scalar> range;
  range.tags.assign(view.tags.begin(), view.tags.end());
  for (Tag& tag : range.tags) tag.bits -= first;  // the mark is a higher bit
  range.corners.assign(view.corners.begin(), view.corners.end());
  range.homes.assign(view.homes.begin(), view.homes.end());
  return range;
}

}  // namespace

template <typename Scalar>
struct Scene<Scalar>::Impl {
  Impl(MPI_Comm comm, const SceneOptions& options) : ranks_(comm), options_(options), balance_(options.patience) {}

  ObjectId add(const ObjectShare<Scalar>& share, const ObjectOptions& options) {
    if (objects_.size() == std::numeric_limits<ObjectId>::max())
      throw Error(
          formatted("scene: {} objects were added; there are no more numbers for another one", objects_.size()));
    objects_.push_back({share, options});
    return static_cast<ObjectId>(objects_.size() - 1);
  }
  void replace(ObjectId id, const ObjectShare<Scalar>& share) {
    Object& changed = object(id);
    changed.share = share;
    changed.changed = true;
  }
  void move(ObjectId id, std::span<const Corners> corners) { replace(id, {object(id).share.numbers, corners}); }
  void remove(ObjectId id) {
    replace(id, {});
    object(id).removed = true;
  }
  void set_options(ObjectId id, const ObjectOptions& options) { object(id).options = options; }

  HugeReport collide() {
    const FloatEnvironment environment;
    try {
      return frame();
    } catch (...) {
      leaves_.clear();
      distribution_.reset();  // leaves may have got a part of the triangles
      throw;
    }
  }
  std::uint64_t distributions() const { return distributions_; }

 private:
  struct Object {
    ObjectShare<Scalar> share;
    ObjectOptions options;
    bool changed = true, removed = false;
    std::uint64_t own_end = 0;         ///< the greatest number of this rank's triangles, plus 1
    std::uint64_t first = 0, end = 0;  ///< in the numbering of all triangles
  };

  Object& object(ObjectId id) {
    if (id >= objects_.size())
      throw Error(formatted("scene: object {} does not exist; there are {}", id, objects_.size()));
    if (objects_[id].removed) throw Error(formatted("scene: object {} was removed", id));
    return objects_[id];
  }

  HugeReport frame() {
    std::shared_ptr<HugeReport::Lists> lists;
    ranks_.together([&] {
      lists = std::make_shared<HugeReport::Lists>(options_.scratch, static_cast<std::size_t>(options_.list_memory));
      check_objects();
    });
    agree();
    if (!device_) device_ = device_of(ranks_, options_);

    Totals totals;
    for (const Object& each : objects_) totals.facts.triangles += each.share.corners.size();
    const std::uint64_t triangles = ranks_.sum(totals.facts.triangles);
    const Clock distributing;
    const bool cut = !distribution_ || triangles / 2 > triangles_of_cut_ || balance_.pays();
    if (cut) cut_anew(triangles);
    const std::uint64_t sent = distribute();
    const std::uint64_t distribution_time = ranks_.max(distributing.nanoseconds());
    if (cut) balance_.distributed(distribution_time);

    std::uint64_t mine = 0;  // without the time in which this rank waits for others
    ranks_.together([&] {
      const Clock answering;
      answer(totals, lists->contacts);
      mine = answering.nanoseconds();
    });
    const std::uint64_t slowest = ranks_.max(mine);
    balance_.frame(slowest, ranks_.sum(mine), ranks_.size());
    HugeReport report = collected(ranks_, options_, totals, std::move(lists));
    add_stage(report, {"distribute", static_cast<double>(distribution_time) * 1e-6, ranks_.sum(sent), "triangles"});
    add_stage(report, {"answer", static_cast<double>(slowest) * 1e-6, report.leaves, "leaves"});
    return report;
  }

  static void add_stage(HugeReport& report, const Stage& stage) {
    report.stats.stages.push_back(stage);
    report.stats.milliseconds += stage.milliseconds;
  }

  void check_objects() {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      Object& each = objects_[i];
      if (!each.changed) continue;
      check(Held<Scalar>{each.share.numbers, each.share.corners}, formatted("object {}: ", i));
      each.own_end = 0;
      for (const std::uint64_t number : each.share.numbers) each.own_end = std::max(each.own_end, number + 1);
    }
  }

  /// An object that changed on one rank changed on all. The same objects on all ranks, with the same options.
  void agree() {
    std::uint64_t hash = objects_.size();
    for (const Object& each : objects_)
      for (const std::uint32_t x : {std::uint32_t{each.removed}, std::uint32_t{each.options.self}, each.options.groups,
                                    each.options.collides_with})
        hash = mixed(hash, x);
    const std::vector<std::uint64_t> limits = ranks_.max({hash, ~hash});
    if (limits[0] != ~limits[1]) throw Error("scene: the ranks made different calls");
    std::vector<std::uint64_t> facts;  // of each object: the end of its numbers, and whether it changed
    for (const Object& each : objects_) facts.insert(facts.end(), {each.own_end, std::uint64_t{each.changed}});
    facts = ranks_.max(facts);
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      Object& each = objects_[i];
      const std::uint64_t end = facts[2 * i];
      if (end > Tag::kShared - first)
        throw Error(formatted("object {}: triangle {}: the numbers of all objects take more than 63 bits", i, end - 1));
      each.changed = facts[2 * i + 1] > 0;
      each.first = first;
      each.end = first += end;
    }
  }

  void cut_anew(std::uint64_t triangles) {
    for (Object& each : objects_) each.changed = true;
    leaves_.clear();
    const std::vector<Held<Scalar>> held = changed_triangles();
    HeldSupply<Scalar> supply(held);
    distribution_.emplace(ranks_, supply, std::numeric_limits<std::uint64_t>::max());
    leaves_.resize(distribution_->leaves());
    triangles_of_cut_ = triangles;
    ++distributions_;
  }

  std::vector<Held<Scalar>> changed_triangles() const {
    std::vector<Held<Scalar>> held;
    for (const Object& each : objects_)
      if (each.changed) held.push_back({each.share.numbers, each.share.corners, each.first});
    return held;
  }

  std::string name_of(std::uint64_t number) const {
    std::size_t i = 0;
    while (number >= objects_[i].end) ++i;
    return formatted("object {}: triangle {}", i, number - objects_[i].first);
  }

  /// Returns how many triangles this rank received.
  std::uint64_t distribute() {
    const std::vector<Held<Scalar>> held = changed_triangles();
    HeldSupply<Scalar> supply(held);
    Received<Scalar> received = distribution_->exchange(supply, options_.contacts_to == ContactsTo::owner);
    std::uint64_t count = 0;
    ranks_.together([&] {
      for (std::size_t leaf = 0; leaf < received.leaves(); ++leaf) {
        if (!distribution_->is_mine(leaf)) continue;
        Triangles<Scalar> triangles = received.take(leaf);
        count += triangles.size();
        sort_by_number(triangles, [this](std::uint64_t number) { return name_of(number); });
        update(leaf, triangles);
      }
      for (Object& each : objects_) each.changed = false;
    });
    return count;
  }

  void update(std::size_t leaf, const Triangles<Scalar>& triangles) {
    std::unique_ptr<LeafScene<Scalar>>& scene = leaves_[leaf];
    if (!scene) scene = std::make_unique<LeafScene<Scalar>>(*device_);
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      const Object& each = objects_[i];
      if (scene->size() == i) scene->add(each.options);
      scene->set_options(i, each.options);
      if (each.changed) scene->replace(i, range_of(triangles, each.first, each.end), options_.threads);
    }
  }

  void answer(Totals& totals, scale::Runs& contacts) {
    const HugeOptions none;
    const scale::Control control(none);
    const scale::LeafOptions options{.threads = options_.threads,
                                     .intersections = options_.intersections,
                                     .most_contacts = std::numeric_limits<std::uint64_t>::max()};
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
      if (leaves_[leaf]) leaves_[leaf]->answer(distribution_->region(leaf), options, control, totals, contacts);
  }

  Ranks ranks_;
  SceneOptions options_;
  std::optional<Device> device_;  ///< none before the first frame
  std::vector<Object> objects_;
  std::optional<Distribution<Scalar>> distribution_;
  std::vector<std::unique_ptr<LeafScene<Scalar>>> leaves_;  ///< null for those of other ranks
  Balance balance_;
  std::uint64_t triangles_of_cut_ = 0, distributions_ = 0;
};

template <typename Scalar>
Scene<Scalar>::Scene(MPI_Comm comm, const SceneOptions& options) : impl_(std::make_unique<Impl>(comm, options)) {}
template <typename Scalar>
Scene<Scalar>::~Scene() = default;
template <typename Scalar>
Scene<Scalar>::Scene(Scene&&) noexcept = default;
template <typename Scalar>
Scene<Scalar>& Scene<Scalar>::operator=(Scene&&) noexcept = default;

template <typename Scalar>
ObjectId Scene<Scalar>::add(const ObjectShare<Scalar>& share, const ObjectOptions& options) {
  return impl_->add(share, options);
}
template <typename Scalar>
void Scene<Scalar>::move(ObjectId object, std::span<const Corners> corners) {
  impl_->move(object, corners);
}
template <typename Scalar>
void Scene<Scalar>::replace(ObjectId object, const ObjectShare<Scalar>& share) {
  impl_->replace(object, share);
}
template <typename Scalar>
void Scene<Scalar>::remove(ObjectId object) {
  impl_->remove(object);
}
template <typename Scalar>
void Scene<Scalar>::set_options(ObjectId object, const ObjectOptions& options) {
  impl_->set_options(object, options);
}
template <typename Scalar>
HugeReport Scene<Scalar>::collide() {
  return impl_->collide();
}
template <typename Scalar>
std::uint64_t Scene<Scalar>::distributions() const {
  return impl_->distributions();
}

template class Scene<float>;
template class Scene<double>;

}  // namespace sightline::mpi
