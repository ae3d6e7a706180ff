// Parts of a column that no cut separates, or only with many copies, and that shadows separate (pair/shadows.h).
#include "pair/divider.h"

namespace sightline {

/// True if shadows separate the natives; then all pairs are tested. Where a cut exists that copies few natives, it is
/// better. Where a cut exists at all, it may leave parts that shadows separate better than the whole: they are taken
/// only if they leave very little, and tried again for parts of half the size.
bool Divider::divide_by_shadows(Part& part, const Cut& cut) {
  constexpr double kVeryLittle = 1.0 / 32, kLittle = 1.0 / 4, kSmallGrowth = 1.2;
  constexpr std::size_t kWorthIt = 1024;
  const std::size_t count = part.natives.size();
  if (cut.axis >= 0 && (cut.growth <= kSmallGrowth || count < kWorthIt || 2 * count > part.attempted)) return false;
  const Shadows shadows(table_, {part.natives, {}}, cut.axis < 0 ? kLittle : kVeryLittle, *pool_.workers,
                        pool_.rules.stop, guess_);
  part.attempted = count;
  if (!shadows.empty()) within(part, shadows, 0);
  return !shadows.empty();
}

/// Directions that suit a whole tree may not suit a part of it: for a part that they leave together, new ones are
/// tried. All pairs of nodes a and b, or within a if a = b. Returns false if nothing was done.
bool Divider::refresh(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b) {
  constexpr std::size_t kWorthIt = 1024;
  constexpr double kLittle = 1.0 / 16;
  const Shadows::Node &first = shadows.node(a), &second = shadows.node(b);
  const bool two = a != b;
  const std::size_t size = first.end - first.begin + (two ? second.end - second.begin : 0);
  if (size < kWorthIt || 4 * size > shadows.size()) return false;
  const double left = shadows.left(first, second);
  if (left <= kLittle) return false;
  std::vector<Boxed> list[2];
  const auto take = [&](const Shadows::Node& from, const Shadows::Node& other, std::vector<Boxed>& to) {
    for (std::uint32_t i = from.begin; i < from.end; ++i)
      if (!two || !shadows.apart(i, other)) to.push_back(shadows.member(i));
  };
  take(first, second, list[0]);
  if (two) take(second, first, list[1]);
  if (two && (list[0].empty() || list[1].empty())) return true;
  const Shadows fresh(table_, {list[0], list[1]}, 0.5 * left, *pool_.workers, pool_.rules.stop, guess_);
  if (fresh.empty()) return false;
  two ? across(part, fresh, 0, fresh.second_root()) : within(part, fresh, 0);
  return true;
}

/// All pairs within a node of the tree, and of its natives with the guests.
void Divider::within(const Part& part, const Shadows& shadows, std::uint32_t node) {
  if (ended() || refresh(part, shadows, node, node)) return;
  const Shadows::Node& n = shadows.node(node);
  if (n.right != 0) {
    constexpr std::uint32_t kWorthSharing = 1 << 13;
    // With `first` one after the other, so that the first contact is the same one each time.
    if (pool_.rules.first || n.end - n.begin < kWorthSharing) {
      within(part, shadows, node + 1);
      within(part, shadows, n.right);
    } else {
      std::unique_ptr<Divider> other = pool_.take();
      pool_.workers->both([&] { within(part, shadows, node + 1); }, [&] { other->within(part, shadows, n.right); });
      pool_.give(std::move(other));
    }
    return across(part, shadows, node + 1, n.right);
  }
  block_.clear();
  block_places_.clear();
  for (std::uint32_t i = n.begin; i < n.end; ++i) take(shadows, i);
  test_group(block_, part.guests, part.region, true, &shadows);
}

/// All pairs of one native of each node.
void Divider::across(const Part& part, const Shadows& shadows, std::uint32_t a, std::uint32_t b) {
  const Shadows::Node &first = shadows.node(a), &second = shadows.node(b);
  if (ended() || shadows.apart(first, second) || refresh(part, shadows, a, b)) return;
  if (first.right != 0 && (second.right == 0 || first.end - first.begin >= second.end - second.begin)) {
    across(part, shadows, a + 1, b);
    return across(part, shadows, first.right, b);
  }
  if (second.right != 0) {
    across(part, shadows, a, b + 1);
    return across(part, shadows, a, second.right);
  }
  block_.clear();
  block_places_.clear();
  for (std::uint32_t i = first.begin; i < first.end; ++i)
    if (!shadows.apart(i, second)) take(shadows, i);
  const std::size_t split = block_.size();
  for (std::uint32_t i = second.begin; i < second.end; ++i)
    if (!shadows.apart(i, first)) take(shadows, i);
  const std::span<const Member> block = block_;
  if (split > 0 && split < block.size()) test_two(block.first(split), block.subspan(split), part.region, &shadows);
}

/// Appends a member of the tree to the block that is tested next.
void Divider::take(const Shadows& shadows, std::uint32_t member) {
  block_.push_back(shadows.member(member).member);
  block_places_.push_back(member);
}

}  // namespace sightline
