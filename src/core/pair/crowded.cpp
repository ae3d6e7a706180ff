// Parts of a column that no cut separates, or only with many copies, and that shadows separate (pair/shadows.h).
#include <numeric>

#include "pair/divider.h"

namespace sightline {

/// True if shadows separate the natives; then all pairs are tested. Where a cut exists that copies few natives, it is
/// better. Where a cut exists at all, it may leave parts that shadows separate better than the whole: they are taken
/// only if they leave very little, and tried again for parts of half the size. Where none exists although few boxes
/// overlap (those of boxes within boxes), the tree is one of boxes, and pays for many.
bool Divider::divide_by_shadows(Part& part, const Cut& cut) {
  constexpr double kVeryLittle = 1.0 / 32, kLittle = 1.0 / 4, kSmallGrowth = 1.2;
  constexpr std::size_t kWorthIt = 1024, kMany = 2048, kNever = ~std::size_t{0};
  const std::size_t count = part.natives.size();
  if (cut.axis >= 0 && (cut.growth <= kSmallGrowth || count < kWorthIt || 2 * count > part.attempted)) return false;
  const Shadows shadows(table_, {part.natives, {}}, cut.axis < 0 ? kLittle : kVeryLittle, cut.axis < 0 ? kMany : kNever,
                        *pool_.workers, pool_.rules.stop, guess_);
  part.attempted = count;
  if (!shadows.empty()) within(part, shadows, 0, count / 2);
  return !shadows.empty();
}

/// Directions that suit a whole tree may not suit a part of it. New ones are tried for these members of the tree, with
/// each other or, if there are two lists, one of each; not unless there are at most half as many as when new ones were
/// `tried` last, without success. Returns false if nothing was done.
bool Divider::refresh(const Part& part, const Shadows& shadows, std::span<const std::uint32_t> first,
                      std::span<const std::uint32_t> second, std::size_t& tried) {
  constexpr std::size_t kWorthIt = 1024;
  constexpr double kLittle = 1.0 / 16;
  const std::size_t size = first.size() + second.size();
  if (size < kWorthIt || 2 * size > tried) return false;
  const double left = shadows.left(first, second);
  if (left <= kLittle) return false;
  tried = size;
  std::vector<Boxed> members;
  members.reserve(size);
  for (const std::span<const std::uint32_t> list : {first, second})
    for (const std::uint32_t i : list) members.push_back(shadows.member(i));
  const std::span<const Boxed> all = members;
  const Shadows fresh(table_, {all.first(first.size()), all.subspan(first.size())}, 0.5 * left, ~std::size_t{0},
                      *pool_.workers, pool_.rules.stop, guess_);
  if (fresh.empty()) return false;
  second.empty() ? within(part, fresh, 0, size / 2) : across(part, fresh, 0, fresh.second_root(), size / 2);
  return true;
}

/// Runs both, each with a divider of its own if there are enough members for two threads. With `first` one after the
/// other, so that the first contact is the same one each time.
template <typename First, typename Second>
void Divider::share(std::size_t members, const First& first, const Second& second) {
  constexpr std::size_t kWorthSharing = 1 << 11;
  if (pool_.rules.first || members < kWorthSharing) {
    first(*this);
    second(*this);
    return;
  }
  std::unique_ptr<Divider> other = pool_.take();
  pool_.workers->both([&] { first(*this); }, [&] { second(*other); });
  pool_.give(std::move(other));
}

/// All pairs within a node of the tree, and of its natives with the guests.
void Divider::within(const Part& part, const Shadows& shadows, std::uint32_t node, std::size_t tried) {
  if (ended()) return;
  const Shadows::Node& n = shadows.node(node);
  block_places_.resize(n.end - n.begin);
  std::iota(block_places_.begin(), block_places_.end(), n.begin);
  if (n.right == 0) return test_group(take(shadows), part.guests, part.region, true, &shadows);
  if (refresh(part, shadows, block_places_, {}, tried)) return;
  share(
      n.end - n.begin, [&](Divider& divider) { divider.within(part, shadows, node + 1, tried); },
      [&](Divider& divider) { divider.within(part, shadows, n.right, tried); });
  across(part, shadows, node + 1, n.right, tried);
}

/// All pairs of one native of each node.
void Divider::across(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b, std::size_t tried) {
  const Shadows::Node &first = shadows.node(a), &second = shadows.node(b);
  if (ended() || first.cover.apart(second.cover) || !meeting(shadows, first, second)) return;
  const std::size_t size = meeting_[0].size() + meeting_[1].size();
  if (size <= Group::kCapacity || (first.right == 0 && second.right == 0)) return test_meeting(part, shadows);
  if (refresh(part, shadows, meeting_[0], meeting_[1], tried)) return;
  const bool split_first =
      first.right != 0 && (second.right == 0 || first.end - first.begin >= second.end - second.begin);
  share(
      size,
      [&](Divider& divider) {
        split_first ? divider.across(part, shadows, a + 1, b, tried) : divider.across(part, shadows, a, b + 1, tried);
      },
      [&](Divider& divider) {
        split_first ? divider.across(part, shadows, first.right, b, tried)
                    : divider.across(part, shadows, a, second.right, tried);
      });
}

/// Finds the members of each node that may be in contact with members of the other: those that meet the other node;
/// then, of the first, those that meet what is left of the second, which is often far less. False if there are none.
bool Divider::meeting(const Shadows& shadows, const Shadows::Node& first, const Shadows::Node& second) {
  shadows.keep_meeting(first, second.cover, meeting_[0]);
  if (meeting_[0].empty()) return false;
  shadows.keep_meeting(second, shadows.cover_of(meeting_[0]), meeting_[1]);
  if (meeting_[1].empty()) return false;
  shadows.keep_meeting(meeting_[0], shadows.cover_of(meeting_[1]));
  return !meeting_[0].empty();
}

/// All pairs of one of each list of meeting_, in blocks of which two make a group.
void Divider::test_meeting(const Part& part, const Shadows& shadows) {
  const std::span<const std::uint32_t> left = meeting_[0], right = meeting_[1];
  const std::size_t step = left.size() + right.size() <= Group::kCapacity ? Group::kCapacity : Group::kCapacity / 2;
  for (std::size_t i = 0; i < left.size(); i += step)
    for (std::size_t j = 0; j < right.size() && !ended(); j += step) {
      const auto of_left = left.subspan(i, std::min(step, left.size() - i));
      const auto of_right = right.subspan(j, std::min(step, right.size() - j));
      block_places_.assign(of_left.begin(), of_left.end());
      block_places_.insert(block_places_.end(), of_right.begin(), of_right.end());
      const std::span<const Member> block = take(shadows);
      test_two(block.first(of_left.size()), block.subspan(of_left.size()), part.region, &shadows);
    }
}

/// The members of the tree in block_places_, which are tested next.
std::span<const Member> Divider::take(const Shadows& shadows) {
  block_.clear();
  for (const std::uint32_t i : block_places_) block_.push_back(shadows.member(i).member);
  return block_;
}

}  // namespace sightline
