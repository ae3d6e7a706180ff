// The relation of each pair of parts (docs/definitions.md, "Relation of two parts").
//
// 1. Pairs whose boxes, grown by the clearance, meet: a tree of the boxes of all parts.
// 2. How each pair meets: from the list of contacts, or by a search that ends as soon as the relation is proven
//    (solid/meet.h).
// 3. Each part of a pair that is still open gets a Body: topology, and a tree when it is first used.
// 4. Containment: the rays of all pairs without contact, counted together for each part (solid/contain.h).
// 5. Each pair on its own, in parallel; the answer's place is fixed beforehand.
//
// Boxes whose interiors are disjoint decide most pairs. The inside of a part lies in the interior of its box: from a
// point on the box's boundary a ray leads out without a crossing. So neither part has a point inside the other, nor do
// the insides overlap. A crossing is not possible either: a triangle with a relative inner point in the plane between
// the boxes lies in that plane. Such a pair touches if there is any contact, and needs no topology.

#include "solid/classify.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/float_environment.h"
#include "base/format.h"
#include "base/pages.h"
#include "input/object.h"
#include "input/watch.h"
#include "sightline/assembly.h"
#include "solid/contain.h"
#include "solid/meet.h"
#include "solid/relate.h"
#include "solid/shapes.h"
#include "solid/side.h"

namespace sightline {
namespace {

using solid::Body;
using solid::ContainQuestions;
using solid::Meeting;

/// A pair of parts and the range of its contacts in the report, if there is one.
struct Pair {
  std::uint32_t a = 0, b = 0;
  bool beside = false;  // the interiors of the boxes are disjoint
  Meeting meeting = Meeting::none;
  std::span<const Contact> contacts;
  ContainQuestions::Rays a_in_b, b_in_a;  // of pairs without contact
};

class Classifier {
 public:
  /// `report` is null if there is no list of contacts.
  Classifier(std::span<const MeshView> parts, const Report* report, const ClashOptions& options, Containment way)
      : parts_(parts),
        workers_(options.query.threads, triangles_of(parts)),
        report_(report),
        options_(options),
        containment_(way),
        boxes_(parts.size()),
        bodies_(parts.size()) {
    check();
  }

  Clashes run() {
    Poll poll = this->poll();
    if (report_ == nullptr) {
      shapes_ = solid::Shapes(parts_, workers_, poll);
      for (std::size_t i = 0; i < parts_.size(); ++i) boxes_[i] = shapes_.box(i);
      clock_.stage("shapes", shapes_.meshes(), "meshes");
    } else {
      make_boxes();
    }
    find_pairs(poll);
    if (report_ != nullptr) attach_contacts(poll);
    clock_.stage("pairs", pairs_.size(), "pairs in reach");
    if (report_ == nullptr) clock_.stage("meet", search(), "pairs in contact");
    clock_.stage("bodies", build_bodies(), "parts");
    ContainQuestions questions(bodies_);
    contain(questions, poll);
    std::vector<PartPair> all = large_vector<PartPair>(pairs_.size());
    workers_.for_blocks(pairs_.size(), kPairs, [&](std::size_t first, std::size_t last) {
      Poll own = this->poll();
      for (std::size_t i = first; i < last; ++i) classify_pair(pairs_[i], questions, own, all[i]);
    });
    std::erase_if(all, [](const PartPair& clash) { return clash.relation == Relation::clear; });
    clock_.stage("relate", all.size(), "pairs not clear");
    stats_.threads = workers_.count();
    return {std::move(all), std::move(stats_)};
  }

 private:
  static constexpr std::size_t kPairs =
      16;  ///< in a task: most pairs take a quarter of a microsecond, a few take seconds

  /// One for each task: the first poll is made here.
  Poll poll() const { return Poll(options_.query.cancel); }

  static std::uint64_t triangles_of(std::span<const MeshView> parts) {
    std::uint64_t triangles = 0;
    for (const MeshView& part : parts) triangles += part.triangles.size();
    return triangles;
  }

  void check() const {
    if (!(options_.clearance >= 0) || !std::isfinite(options_.clearance))
      throw Error(formatted("clashes: clearance is {}; it must be a finite number, 0 or more", options_.clearance));
    if (!(options_.tolerance >= 0) || !std::isfinite(options_.tolerance))
      throw Error(formatted("clashes: tolerance is {}; it must be a finite number, 0 or more", options_.tolerance));
    if (report_ == nullptr) return;
    if (report_->cancelled) throw Error("clashes: the query for contacts was cancelled; relations need all contacts");
    if (!report_->complete)
      throw Error(
          formatted("clashes: the list of contacts is not complete ({} of {} found, cut by `first` or "
                    "`max_contacts`, or the method can "
                    "miss some); relations need all contacts",
                    report_->contacts.size(), report_->found));
  }

  void make_boxes() {
    workers_.for_each(parts_.size(), [&](std::size_t i) {
      validate(parts_[i], formatted("part {}", i), workers_);
      boxes_[i] = solid::box_of_part(parts_[i], poll());
    });
  }

  /// How each pair meets, as far as its relation depends on it. Returns the number of pairs in contact.
  std::uint64_t search() {
    Watch watch(options_.query);
    watch.expect(pairs_.size() / kPairs + (pairs_.size() % kPairs != 0));
    workers_.for_blocks(pairs_.size(), kPairs, [&](std::size_t first, std::size_t last) {
      Poll own = poll();
      for (std::size_t i = first; i < last; ++i) {
        Pair& pair = pairs_[i];
        const solid::PlacedBlocks &a = shapes_.of(pair.a), &b = shapes_.of(pair.b);
        if (!pair.beside)
          pair.meeting = solid::meet(a, b, nullptr, own);
        else if (solid::do_meet(a, b, own))
          pair.meeting = Meeting::touching;
      }
      watch.done_one();
    });
    watch.finish();
    return static_cast<std::uint64_t>(
        std::count_if(pairs_.begin(), pairs_.end(), [](const Pair& pair) { return pair.meeting != Meeting::none; }));
  }

  void find_pairs(const Poll& poll) {
    const auto reach = [&](const Box& a, const Box& b) { return a.in_reach(b, options_.clearance); };
    const auto found = pairs_of_boxes(boxes_, reach, workers_, poll);
    pairs_ = large_vector<Pair>(found.size());
    workers_.for_blocks(found.size(), std::size_t{1} << 12, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const auto [a, b] = found[i];
        pairs_[i].a = a;
        pairs_[i].b = b;
        pairs_[i].beside = boxes_[a].beside(boxes_[b]);
      }
    });
  }

  /// Both lists are sorted by (a, b). Contacts of a part with itself are of no interest here.
  void attach_contacts(Poll& poll) {
    const std::span<const Contact> all = report_->contacts;
    auto pair = pairs_.begin();
    for (std::size_t begin = 0, end; begin < all.size(); begin = end) {
      const auto [a, b] = std::pair(all[begin].object_a, all[begin].object_b);
      for (end = begin; end < all.size() && all[end].object_a == a && all[end].object_b == b; ++end) {
        poll();
        check(all[end]);
      }
      if (a == b) continue;
      while (pair != pairs_.end() && std::pair(pair->a, pair->b) < std::pair(a, b)) ++pair;
      if (pair == pairs_.end() || pair->a != a || pair->b != b)
        throw Error(formatted("clashes: contacts of parts {} and {} are out of order, or of other parts", a, b));
      pair->contacts = all.subspan(begin, end - begin);
      const bool crossing = std::any_of(pair->contacts.begin(), pair->contacts.end(),
                                        [](const Contact& c) { return c.kind == Kind::crossing; });
      pair->meeting = crossing ? Meeting::crossing : Meeting::touching;
    }
  }

  void check(const Contact& c) const {
    if (c.object_a >= parts_.size() || c.object_b >= parts_.size() || c.a >= parts_[c.object_a].triangles.size() ||
        c.b >= parts_[c.object_b].triangles.size())
      throw Error(formatted("clashes: contact of triangle {} of part {} with triangle {} of part {}: no such triangle",
                            c.a, c.object_a, c.b, c.object_b));
  }

  /// Is the relation of the pair still open? With disjoint boxes only a gap may be.
  bool is_open(const Pair& pair) const {
    if (pair.meeting == Meeting::crossing) return false;
    return !pair.beside || (pair.meeting == Meeting::none && options_.clearance > 0);
  }

  std::size_t build_bodies() {
    std::vector<std::uint8_t> is_needed(parts_.size(), 0);
    for (const Pair& pair : pairs_)
      if (is_open(pair)) is_needed[pair.a] = is_needed[pair.b] = 1;
    std::vector<std::uint32_t> needed;
    for (std::uint32_t i = 0; i < parts_.size(); ++i)
      if (is_needed[i] != 0) needed.push_back(i);
    workers_.for_each(needed.size(), [&](std::size_t k) {
      bodies_[needed[k]] = std::make_unique<Body>(parts_[needed[k]], workers_, poll());
    });
    return needed.size();
  }

  /// Counts the rays of all pairs without contact. A part gets a tree in any case if a gap or an overlap needs one.
  void contain(ContainQuestions& questions, Poll& poll) {
    std::vector<std::uint8_t> has_tree(parts_.size(), 0);
    for (Pair& pair : pairs_) {
      poll();
      if (!is_open(pair)) continue;
      const bool touches = pair.meeting == Meeting::touching;
      if (touches ? can_interfere(pair) : options_.clearance > 0) has_tree[pair.a] = has_tree[pair.b] = 1;
      if (touches || pair.beside) continue;
      pair.a_in_b = questions.add(pair.a, pair.b, poll);
      pair.b_in_a = questions.add(pair.b, pair.a, poll);
    }
    questions.plan(containment_, has_tree, poll);
    clock_.stage("contain", questions.count(true, workers_, poll), "rays by image parity");
    if (const auto trees = std::count(has_tree.begin(), has_tree.end(), 1); trees > 0) {
      workers_.for_each(parts_.size(), [&](std::size_t i) {
        if (has_tree[i] != 0) bodies_[i]->tree(this->poll());
      });
      clock_.stage("trees", static_cast<std::uint64_t>(trees), "parts");
    }
    if (const std::uint64_t by_tree = questions.count(false, workers_, poll); by_tree > 0)
      clock_.stage("contain", by_tree, "rays by tree");
  }

  /// `clash` is new.
  void classify_pair(const Pair& pair, const ContainQuestions& questions, Poll& poll, PartPair& clash) const {
    clash.a = pair.a;
    clash.b = pair.b;
    for (const Contact& contact : pair.contacts) {
      poll();
      ++clash.contacts[static_cast<int>(contact.kind)];
    }
    if (pair.meeting == Meeting::none) {
      apart(clash, pair, questions, poll);
    } else if (pair.meeting == Meeting::crossing) {
      clash.relation = Relation::clash;
    } else {
      clash.relation = !pair.beside && interfere(pair, poll) ? Relation::clash : Relation::touch;
    }
  }

  /// Without a list of contacts, those of this pair are collected for the time of the decision.
  bool interfere(const Pair& pair, Poll& poll) const {
    if (!can_interfere(pair)) return false;
    std::vector<Contact> own;
    if (report_ == nullptr) solid::meet(shapes_.of(pair.a), shapes_.of(pair.b), &own, poll);
    return solid::interfere(*bodies_[pair.a], *bodies_[pair.b], report_ == nullptr ? own : pair.contacts, poll);
  }

  bool can_interfere(const Pair& pair) const {
    const Body &a = *bodies_[pair.a], &b = *bodies_[pair.b];
    return (a.closed && b.has_solid) || (b.closed && a.has_solid);
  }

  /// A pair without contact. A component lies wholly inside the other part or wholly outside. If a closed piece lies
  /// inside, so do the points next to it. Where one of its triangles is covered by an odd number of its part's (itself
  /// included: once, as a rule), the part's own inside is on one side of it, so the insides overlap, and they can
  /// overlap in no other way: without contact, the boundary of an overlap is a piece of one part inside the other.
  /// Where all is covered by even numbers (each face is there twice, say), the part has no inside of its own there; the
  /// piece counts all the same.
  void apart(PartPair& clash, const Pair& pair, const ContainQuestions& questions, Poll& poll) const {
    clash.gap = Box::kInfinity;
    if (!is_open(pair)) return;
    const Body &a = *bodies_[clash.a], &b = *bodies_[clash.b];
    const auto a_in_b = questions.inside(pair.a, pair.a_in_b, poll);
    const auto b_in_a = questions.inside(pair.b, pair.b_in_a, poll);
    const bool all_of_a = a_in_b.components == a.components.size(), all_of_b = b_in_a.components == b.components.size();
    if (all_of_a || all_of_b) {
      clash.relation = Relation::contains;
      clash.inner = all_of_a ? clash.a : clash.b;
      if (options_.clearance > 0) set_gap(clash, *gap(a, b, Box::kInfinity, poll));
    } else if (a_in_b.closed > 0 || b_in_a.closed > 0) {
      clash.relation = Relation::clash;
    } else if (options_.clearance > 0) {
      if (const std::optional<solid::Gap> found = gap(a, b, options_.clearance, poll)) {
        set_gap(clash, *found);
        clash.relation = Relation::near;
      }
    }
  }

  static void set_gap(PartPair& pair, const solid::Gap& gap) {
    pair.gap = gap.distance;
    pair.nearest = gap.points;
  }
  static std::optional<solid::Gap> gap(const Body& a, const Body& b, double limit, Poll& poll) {
    return solid::gap(a.mesh, a.tree(poll), b.mesh, b.tree(poll), limit, poll);
  }

  const std::span<const MeshView> parts_;
  Workers workers_;
  const Report* const report_;
  const ClashOptions& options_;
  const Containment containment_;
  Stats stats_;
  StageClock clock_{stats_};
  std::vector<Box> boxes_;
  solid::Shapes shapes_;  // without a list of contacts
  std::vector<Pair> pairs_;
  std::vector<std::unique_ptr<const Body>> bodies_;  // null if no pair needs one
};

}  // namespace

Clashes solid::classify(std::span<const MeshView> parts, const Report* contacts, const ClashOptions& options,
                        Containment containment) {
  const FloatEnvironment environment;
  ClashOptions own = options;
  own.query = shielded(options.query);
  return Classifier(parts, contacts, own, containment).run();
}

}  // namespace sightline
