// Views of members whose boxes overlap: shadows along directions that suit them, and links around common corners
// (rules/shadow.h, S1 and S2).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pair/loader.h"
#include "rules/shadow.h"

namespace sightline {

inline constexpr std::uint32_t kNoHub = ~0u;

/// What a triangle, or a set of them, covers in each view.
struct Cover {
  static constexpr int kAxes = 3, kDirections = 7, kViews = kDirections + 3;
  rules::Interval view[kViews];  ///< axes, other directions, link
  std::uint32_t hub;             ///< the corner to which the link belongs, or kNoHub

  bool disjoint(const Cover& other, int first, int last) const {
    bool apart = false;
    for (int v = first; v < last; ++v) apart |= rules::disjoint(view[v], other.view[v]);
    return apart;
  }
  void add(const Cover& other);
};

/// Two lists of members, one after the other. If the second one is not empty, only pairs of one of each count.
struct TwoLists {
  std::span<const Boxed> first, second;
  std::size_t size() const { return first.size() + second.size(); }
  const Boxed& operator[](std::size_t i) const { return i < first.size() ? first[i] : second[i - first.size()]; }
};

/// The views that suit a set of members, found by a sample. They affect only the time.
class Views {
 public:
  Views(const TriangleTable& table, const TwoLists& lists, std::uint32_t& guess);

  /// The share of the sample's pairs of overlapping boxes that are not apart. 1 if views are of no use.
  double left() const { return left_; }
  Cover cover_of(std::uint32_t triangle, std::uint32_t& guess) const;
  /// True if it is proven that no triangle of one is in contact with a triangle of the other.
  bool apart(const Cover& a, const Cover& b) const {
    return a.disjoint(b, 0, directions_) ||
           (a.hub == b.hub && a.hub != kNoHub && a.disjoint(b, Cover::kDirections, Cover::kViews));
  }
  /// The share of such pairs of a sample of these members: the first `split` with the others, or all if it is 0.
  double left(std::span<const Cover* const> members, std::size_t split) const;
  /// The three views in which these members are smallest, compared with how far they are spread; the best comes first.
  std::array<int, 3> best(std::span<const std::uint32_t> some, const std::vector<Cover>& covers) const;

 private:
  struct Hub {
    std::uint32_t object;
    Vec3d position;
  };
  bool set_place(const TwoLists& lists);
  void find_hubs(const TwoLists& lists, std::uint32_t& guess);
  void choose_directions(const TwoLists& lists, std::uint32_t& guess);
  void scaled(std::uint32_t triangle, std::uint32_t& guess, double (&e)[3][3]) const;

  const TriangleTable& table_;
  double origin_[3], scale_;  ///< of a frame in which coordinates are at most 2
  double direction_[Cover::kDirections][3];
  int directions_ = Cover::kAxes;
  std::vector<Hub> hubs_;
  double left_ = 1;
};

}  // namespace sightline
