#include "solid/meet.h"

#include <optional>

#include "exact/tri_tri.h"

namespace sightline::solid {
namespace {

class Search {
 public:
  Search(const PlacedBlocks& a, const PlacedBlocks& b, bool any, std::vector<Contact>* contacts, Poll& poll)
      : a_(a), b_(b), any_(any), contacts_(contacts), poll_(poll) {}

  Meeting run() {
    const Node a{a_.blocks().levels() - 1, 0}, b{b_.blocks().levels() - 1, 0};
    if (a.level >= 0 && b.level >= 0) descend(a, a_.bounds(), b, b_.bounds());
    return meeting_;
  }

 private:
  struct Node {
    int level;
    std::uint32_t block;
  };
  /// Not initialised: most searches end at the first few triangles of a block.
  struct Member {
    Vec3d corners[3], low, high;
    bool meets(const Vec3d& other_low, const Vec3d& other_high) const {
      return low[0] <= other_high[0] && other_low[0] <= high[0] && low[1] <= other_high[1] && other_low[1] <= high[1] &&
             low[2] <= other_high[2] && other_low[2] <= high[2];
    }
  };

  /// True if the search ends.
  bool descend(const Node& a, const Box& box_a, const Node& b, const Box& box_b) {
    poll_();
    if (!box_a.meets(box_b)) return false;
    if (a.level == 0 && b.level == 0) return leaves(a, box_a, b, box_b);
    const auto split = [](const PlacedBlocks& part, const Node& node, const auto& visit) {
      const int level = node.level - 1;
      const std::uint32_t first = node.block * Blocks::kFan;
      for (std::uint32_t i = first; i < std::min(part.blocks().size(level), first + Blocks::kFan); ++i)
        if (visit(Node{level, i}, part.box(level, i))) return true;
      return false;
    };
    if (a.level >= b.level)
      return split(a_, a, [&](const Node& child, const Box& box) { return descend(child, box, b, box_b); });
    return split(b_, b, [&](const Node& child, const Box& box) { return descend(a, box_a, child, box); });
  }

  /// The triangles of a block of level 0 that reach into a box, loaded one after the other.
  class Members {
   public:
    Members(const PlacedBlocks& part, std::uint32_t block, const Box& reach)
        : part_(part),
          reach_(reach),
          next_(block * Blocks::kLeaf),
          end_(static_cast<std::uint32_t>(
              std::min<std::size_t>(part.mesh().triangles.size(), std::size_t{next_} + Blocks::kLeaf))) {}

    /// Member i, or null if there are no more than i.
    const Member* at(int i) {
      while (count_ <= i && next_ < end_) load();
      return i < count_ ? &members_[i] : nullptr;
    }
    std::uint32_t triangle(int i) const { return triangles_[i]; }

   private:
    void load() {
      Member& member = members_[count_];
      triangles_[count_] = part_.blocks().triangle(next_++);
      const auto [p, q, r] = part_.corners(triangles_[count_]);
      member.corners[0] = p, member.corners[1] = q, member.corners[2] = r;
      for (int k = 0; k < 3; ++k) {
        member.low[k] = std::min({p[k], q[k], r[k]});
        member.high[k] = std::max({p[k], q[k], r[k]});
      }
      count_ += member.meets(reach_.low, reach_.high);
    }

    const PlacedBlocks& part_;
    const Box& reach_;
    std::uint32_t next_, end_;
    int count_ = 0;
    std::uint32_t triangles_[Blocks::kLeaf];
    Member members_[Blocks::kLeaf];
  };

  bool leaves(const Node& a, const Box& box_a, const Node& b, const Box& box_b) {
    poll_(2 * Blocks::kLeaf);
    Members of_a(a_, a.block, box_b), of_b(b_, b.block, box_a);
    for (int i = 0; const Member* const x = of_a.at(i); ++i)
      for (int j = 0; const Member* const y = of_b.at(j); ++j)
        if (x->meets(y->low, y->high) && test(*x, of_a.triangle(i), *y, of_b.triangle(j))) return true;
    return false;
  }

  static bool common_corner(const Member& a, const Member& b) {
    for (const Vec3d& p : a.corners)
      for (const Vec3d& q : b.corners)
        if (p == q) return true;
    return false;
  }

  bool test(const Member& a, std::uint32_t triangle_a, const Member& b, std::uint32_t triangle_b) {
    poll_(8);
    if (any_ && common_corner(a, b)) {
      meeting_ = Meeting::touching;
      return true;
    }
    const std::optional<Kind> kind =
        exact::decide({a.corners[0], a.corners[1], a.corners[2]}, {b.corners[0], b.corners[1], b.corners[2]}, false);
    if (!kind) return false;
    if (contacts_ != nullptr) contacts_->push_back({0, 1, triangle_a, triangle_b, *kind});
    if (*kind == Kind::crossing) meeting_ = Meeting::crossing;
    if (meeting_ == Meeting::none) meeting_ = Meeting::touching;
    return any_ || meeting_ == Meeting::crossing;
  }

  const PlacedBlocks &a_, &b_;
  const bool any_;
  std::vector<Contact>* const contacts_;
  Poll& poll_;
  Meeting meeting_ = Meeting::none;
};

}  // namespace

Meeting meet(const PlacedBlocks& a, const PlacedBlocks& b, std::vector<Contact>* contacts, Poll& poll) {
  return Search(a, b, false, contacts, poll).run();
}
bool do_meet(const PlacedBlocks& a, const PlacedBlocks& b, Poll& poll) {
  return Search(a, b, true, nullptr, poll).run() != Meeting::none;
}

}  // namespace sightline::solid
