#include "parts/pairs.h"

#include "base/box_tree.h"
#include "base/float_environment.h"
#include "base/format.h"
#include "base/poll.h"
#include "input/watch.h"

namespace sightline::scale {
namespace {

std::uint64_t bytes_of(const MeshView& view) {
  const Positions& p = view.positions;
  return p.size() * (p.is_double() ? sizeof(Vec3d) : sizeof(Vec3f)) + view.triangles.size() * sizeof(Triangle);
}

bool measures(const ClashOptions& options) {
  return options.depths || options.volumes || options.separations || options.tolerance > 0;
}

/// Walks through the contacts of a list pair by pair, in order. The contacts of a part with itself are left out.
class ContactsByPair {
 public:
  explicit ContactsByPair(const HugeReport& contacts) : contacts_(contacts) {}

  /// Calls visit(a, b, report) for each pair that has contacts; in `report` the parts are objects 0 and 1.
  template <typename Visit>
  void run(const Visit& visit) {
    const auto done = [&] {
      if (report_.contacts.empty()) return;
      report_.found = report_.contacts.size();
      visit(a_, b_, report_);
      report_.contacts.clear();
    };
    contacts_.for_contacts([&](const HugeContact& contact) {
      if (contact.object_a == contact.object_b) return true;
      if (contact.object_a != a_ || contact.object_b != b_) done();
      a_ = contact.object_a, b_ = contact.object_b;
      report_.contacts.push_back(
          {0, 1, static_cast<std::uint32_t>(contact.a), static_cast<std::uint32_t>(contact.b), contact.kind});
      return true;
    });
    done();
  }

 private:
  const HugeReport& contacts_;
  std::uint32_t a_ = 0, b_ = 0;
  Report report_;
};

/// The pair, if the list of its contacts proves its relation, and nothing is measured: only what clashes, or contains
/// the other, is. solid/classify.cpp has the reasons.
std::optional<PartPair> proven(std::uint32_t a, std::uint32_t b, bool beside, const Report& contacts,
                               const ClashOptions& options) {
  PartPair pair{.a = a, .b = b};
  for (const Contact& contact : contacts.contacts) ++pair.contacts[static_cast<int>(contact.kind)];
  if (const bool crossing = pair.contacts[static_cast<int>(Kind::crossing)] > 0; crossing && measures(options))
    return std::nullopt;
  else if (crossing)
    pair.relation = Relation::clash;
  else if (beside && !contacts.contacts.empty())
    pair.relation = Relation::touch;
  else if (!beside || options.clearance > 0)
    return std::nullopt;
  return pair;
}

class PairsOneByOne {
 public:
  PairsOneByOne(PartSource& parts, const ClashOptions& options, const PairMemory& memory)
      : parts_(parts), options_(own(options)), poll_(options_.query.cancel), answers_(parts, options_, memory) {}

  /// `contacts` may be null.
  Clashes run(const HugeReport* contacts) {
    StageClock clock(result_.stats);
    sightline::relations(std::span<const MeshView>(), options_);  // throws for bad options
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      poll_.now();
      sizes_.push_back(size_of_part(parts_, i, options_.query.threads));
      result_.stats.triangles += sizes_.back().triangles;
    }
    clock.stage("boxes", sizes_.size(), "parts");
    const auto pairs = pairs_in_reach(sizes_, options_.clearance);
    clock.stage("pairs", pairs.size(), "pairs in reach");
    count_ = pairs.size();
    auto next = pairs.begin();
    const Report none;
    if (contacts != nullptr)
      ContactsByPair(*contacts).run([&](std::uint32_t a, std::uint32_t b, const Report& own) {
        const std::array<std::uint32_t, 2> pair{a, b};
        for (; next != pairs.end() && *next < pair; ++next) answer(*next, &none);
        if (next == pairs.end() || *next != pair)
          throw Error(formatted("clashes: contacts of parts {} and {} are out of order, or of other parts", a, b));
        answer(*next++, &own);
      });
    for (; next != pairs.end(); ++next) answer(*next, contacts == nullptr ? nullptr : &none);
    clock.stage("relate", result_.pairs.size(), "pairs not clear");
    result_.stats.threads = answers_.threads();
    return std::move(result_);
  }

 private:
  static ClashOptions own(ClashOptions options) {
    options.query = shielded(options.query);
    return options;
  }

  void answer(const std::array<std::uint32_t, 2>& pair, const Report* contacts) {
    poll_.now();
    const auto [a, b] = pair;
    std::optional<PartPair> found;
    if (contacts != nullptr) found = proven(a, b, sizes_[a].box.beside(sizes_[b].box), *contacts, options_);
    if (!found) found = answers_.answer(a, b, contacts);
    if (found && found->relation != Relation::clear) result_.pairs.push_back(*found);
    if (options_.query.progress) options_.query.progress(static_cast<double>(++done_) / static_cast<double>(count_));
  }

  PartSource& parts_;
  const ClashOptions options_;
  Poll poll_;
  PairAnswers answers_;
  std::vector<PartSize> sizes_;
  std::size_t count_ = 0, done_ = 0;
  Clashes result_;
};

}  // namespace

PartSize size_of_part(PartSource& parts, std::size_t part, unsigned threads) {
  const MeshView view = parts.load(part);
  validate(view, parts.name(part), threads);
  PartSize size{{}, view.triangles.size()};
  for (std::size_t i = 0; i < view.triangles.size(); ++i)
    for (const Vec3d& corner : view.corners(i)) size.box.add(corner);
  parts.release(part);
  return size;
}

std::vector<std::array<std::uint32_t, 2>> pairs_in_reach(std::span<const PartSize> sizes, double clearance) {
  std::vector<Box> boxes;
  for (const PartSize& part : sizes) boxes.push_back(part.box);
  return pairs_of_boxes(boxes, [&](const Box& a, const Box& b) { return a.in_reach(b, clearance); });
}

Clashes relations(PartSource& parts, const HugeReport* contacts, const ClashOptions& options,
                  const PairMemory& memory) {
  const FloatEnvironment environment;
  return PairsOneByOne(parts, options, memory).run(contacts);
}

void add_counts(const HugeReport& contacts, std::span<PartPair> pairs) {
  auto pair = pairs.begin();
  contacts.for_contacts([&](const HugeContact& c) {
    if (c.object_a == c.object_b) return true;
    while (pair != pairs.end() && std::pair(pair->a, pair->b) < std::pair(c.object_a, c.object_b)) ++pair;
    if (pair == pairs.end() || pair->a != c.object_a || pair->b != c.object_b)
      throw Error(formatted("clashes: contacts of parts {} and {}, which are clear", c.object_a, c.object_b));
    ++pair->contacts[static_cast<int>(c.kind)];
    return true;
  });
}

PairAnswers::PairAnswers(PartSource& source, const ClashOptions& options, const PairMemory& memory)
    : source_(source), options_(options), memory_(memory) {
  options_.query.progress = {};
}
PairAnswers::~PairAnswers() {
  for (const auto& [number, part] : parts_) source_.release(number);
}

std::optional<PartPair> PairAnswers::answer(std::uint32_t a, std::uint32_t b, const Report* contacts) {
  const std::array<MeshView, 2> views{load(a), load(b)};
  const std::uint64_t triangles = views[0].triangles.size() + views[1].triangles.size();
  const std::uint64_t each = measures(options_) ? kMeasureBytes : kRelationBytes;
  if (triangles > memory_.pair / each)
    throw Error(
        formatted("{} and {}: the relation of two parts with {} triangles needs about {} MiB of memory, and the "
                  "limit is {} MiB",
                  source_.name(a), source_.name(b), triangles, (triangles * each >> 20) + 1, memory_.pair >> 20));
  while (bytes_ > memory_.kept && parts_.size() > 2) release(used_.back());
  const Clashes found = contacts == nullptr ? sightline::relations(std::span<const MeshView>(views), options_)
                                            : sightline::classify(views, *contacts, options_);
  threads_ = std::max(threads_, found.stats.threads);
  if (found.pairs.empty()) return std::nullopt;
  PartPair pair = found.pairs[0];
  if (pair.relation == Relation::contains) pair.inner = pair.inner == 0 ? a : b;
  pair.a = a, pair.b = b;
  return pair;
}

const MeshView& PairAnswers::load(std::size_t number) {
  const auto at = parts_.find(number);
  if (at != parts_.end()) {
    used_.splice(used_.begin(), used_, at->second.place);
    return at->second.view;
  }
  // One part and those before it may not fit together: room is made before the next one comes.
  while (bytes_ > memory_.kept && parts_.size() > 1) release(used_.back());
  const MeshView view = source_.load(number);
  used_.push_front(number);
  bytes_ += bytes_of(view);
  return parts_.emplace(number, Loaded{view, used_.begin()}).first->second.view;
}

void PairAnswers::release(std::size_t number) {
  const auto at = parts_.find(number);
  bytes_ -= bytes_of(at->second.view);
  used_.erase(at->second.place);
  parts_.erase(at);
  source_.release(number);
}

}  // namespace sightline::scale

namespace sightline {

Clashes relations(PartSource& parts, const ClashOptions& options, std::uint64_t memory) {
  return scale::relations(parts, nullptr, options, {.kept = memory});
}

Clashes classify(PartSource& parts, const HugeReport& contacts, const ClashOptions& options, std::uint64_t memory) {
  return scale::relations(parts, &contacts, options, {.kept = memory});
}

}  // namespace sightline
