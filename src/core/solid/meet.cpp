#include "solid/meet.h"

#include <optional>

#include "exact/tri_tri.h"

namespace sightline::solid {
namespace {

class MeetSearch {
 public:
  MeetSearch(const PlacedBlocks& a, const PlacedBlocks& b, bool any, std::vector<Contact>* contacts, Poll& poll)
      : a_(a), b_(b), any_(any), contacts_(contacts), poll_(poll) {}

  Meeting run() {
    const Node a{a_.blocks().levels() - 1, 0}, b{b_.blocks().levels() - 1, 0};
    if (a.level < 0 || b.level < 0) return meeting_;
    const Box box_a = a_.bounds(), box_b = b_.bounds();
    if (!box_a.meets(box_b)) return meeting_;
    common_ = box_a.common(box_b);
    stored_[0] = a_.preimage(common_);
    stored_[1] = b_.preimage(common_);
    faces_[0] = Face(box_a, common_);
    faces_[1] = Face(box_b, common_);
    descend(a, box_a, b, box_b);
    return meeting_;
  }

 private:
  struct Node {
    int level;
    std::uint32_t block;
  };
  /// Where all contacts of a part lie in faces of its box, they lie in its triangles' corners, edges and sides there.
  struct Face {
    bool is_in[3] = {}, any = false;
    Vec3d at;
    Face() = default;
    Face(const Box& box, const Box& common) : at(common.low) {
      for (int k = 0; k < 3; ++k) {
        is_in[k] = common.low[k] == common.high[k] && (box.low[k] == at[k] || box.high[k] == at[k]);
        any |= is_in[k];
      }
    }
    bool holds(const Vec3d& p) const {
      return (!is_in[0] || p[0] == at[0]) && (!is_in[1] || p[1] == at[1]) && (!is_in[2] || p[2] == at[2]);
    }
  };
  /// Not initialised: most searches end at the first few triangles of a block.
  struct Member {
    Vec3d corners[3], low, high;  ///< the box is that of the part in the face
    bool meets(const Vec3d& other_low, const Vec3d& other_high) const {
      bool meet = true;
      for (int k = 0; k < 3; ++k) meet &= low[k] <= other_high[k], meet &= other_low[k] <= high[k];
      return meet;
    }
  };

  /// True if the search ends.
  bool descend(const Node& a, const Box& box_a, const Node& b, const Box& box_b) {
    poll_();
    if (!box_a.meets(box_b)) return false;
    if (a.level == 0 && b.level == 0) return leaves(a, box_a, b, box_b);
    const auto split = [](const PlacedBlocks& part, const Blocks::FloatBox& reach, const Node& node,
                          const auto& visit) {
      const int level = node.level - 1;
      const std::uint32_t first = node.block * Blocks::kFan;
      for (std::uint32_t i = first; i < std::min(part.blocks().size(level), first + Blocks::kFan); ++i)
        if (part.blocks().stored_box(level, i).meets(reach) && visit(Node{level, i}, part.box(level, i))) return true;
      return false;
    };
    if (a.level >= b.level)
      return split(a_, stored_[0], a, [&](const Node& child, const Box& box) { return descend(child, box, b, box_b); });
    return split(b_, stored_[1], b, [&](const Node& child, const Box& box) { return descend(a, box_a, child, box); });
  }

  /// The triangles of a block of level 0 that reach into a box, loaded one after the other.
  class Members {
   public:
    /// `stored`: a box around the stored points that can be placed into `reach`.
    Members(const PlacedBlocks& part, const Face& face, std::uint32_t block, const Box& reach,
            const Blocks::FloatBox& stored)
        : part_(part),
          face_(face),
          reach_(reach),
          stored_(stored),
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
    template <typename Point>
    bool may_reach(std::span<const Point> points, const Triangle& t) const {
      const Point &p = points[t[0]], &q = points[t[1]], &r = points[t[2]];
      bool may = true;
      for (int k = 0; k < 3; ++k) {
        may &= std::min({p[k], q[k], r[k]}) <= stored_.high[k];
        may &= std::max({p[k], q[k], r[k]}) >= stored_.low[k];
      }
      return may;
    }
    void load() {
      const MeshView& mesh = part_.mesh();
      const std::uint32_t triangle = part_.blocks().triangle(next_++);
      if (mesh.positions.is_double() ? !may_reach(mesh.positions.f64(), mesh.triangles[triangle])
                                     : !may_reach(mesh.positions.f32(), mesh.triangles[triangle]))
        return;
      Member& member = members_[count_];
      triangles_[count_] = triangle;
      const auto [p, q, r] = part_.corners(triangles_[count_]);
      member.corners[0] = p, member.corners[1] = q, member.corners[2] = r;
      for (int k = 0; k < 3; ++k) {
        member.low[k] = std::min({p[k], q[k], r[k]});
        member.high[k] = std::max({p[k], q[k], r[k]});
      }
      if (!member.meets(reach_.low, reach_.high)) return;
      if (face_.any) {
        Box box;
        for (const Vec3d& corner : member.corners)
          if (face_.holds(corner)) box.add(corner);
        member.low = box.low, member.high = box.high;
        if (!member.meets(reach_.low, reach_.high)) return;
      }
      ++count_;
    }

    const PlacedBlocks& part_;
    const Face& face_;
    const Box reach_;
    const Blocks::FloatBox& stored_;
    std::uint32_t next_, end_;
    int count_ = 0;
    std::uint32_t triangles_[Blocks::kLeaf];
    Member members_[Blocks::kLeaf];
  };

  bool leaves(const Node& a, const Box& box_a, const Node& b, const Box& box_b) {
    poll_(2 * Blocks::kLeaf);
    Members of_a(a_, faces_[0], a.block, box_b.common(common_), stored_[0]),
        of_b(b_, faces_[1], b.block, box_a.common(common_), stored_[1]);
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
  Box common_;                  // of the boxes of both parts: all contacts lie in it
  Blocks::FloatBox stored_[2];  // of each part, what may be placed into it
  Face faces_[2];
  Meeting meeting_ = Meeting::none;
};

}  // namespace

Meeting meet(const PlacedBlocks& a, const PlacedBlocks& b, std::vector<Contact>* contacts, Poll& poll) {
  return MeetSearch(a, b, false, contacts, poll).run();
}
bool do_meet(const PlacedBlocks& a, const PlacedBlocks& b, Poll& poll) {
  return MeetSearch(a, b, true, nullptr, poll).run() != Meeting::none;
}

}  // namespace sightline::solid
