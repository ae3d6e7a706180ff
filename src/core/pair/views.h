// Views of members whose boxes overlap: shadows along directions that suit them, links around common corners (hubs),
// and sights from the hub that most members have (rules/shadow.h, S1 to S3).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pair/loader.h"
#include "rules/shadow.h"

namespace sightline {

inline constexpr std::uint32_t kNoHub = ~0u;

/// What a triangle, or a set of them, covers in each view: intervals, four views in a vector. What is not used is the
/// interval from 0 to 0, which is disjoint from no other of its kind.
struct Cover {
  static constexpr int kAxes = 3, kDirections = 7;     ///< the axes are the first of the directions
  static constexpr int kLink = 8, kViews = kLink + 3;  ///< the link, or a sight
  Quad4 low[3] = {}, high[3] = {};
  std::uint32_t hub = kNoHub;  ///< the corner of the link, or the point of the sight

  void set(int view, const rules::Ends& ends) {
    const rules::Interval seen = ends.rounded();
    low[view / 4][view % 4] = seen.low, high[view / 4][view % 4] = seen.high;
  }
  float low_at(int view) const { return low[view / 4][view % 4]; }
  float high_at(int view) const { return high[view / 4][view % 4]; }
  bool boxes_disjoint(const Cover& other) const {
    const auto apart = apart_in(other, 0);
    return (apart[0] | apart[1] | apart[2]) != 0;
  }
  /// True if it is proven that no triangle of one is in contact with a triangle of the other.
  bool apart(const Cover& other) const {
    auto apart = apart_in(other, 0) | apart_in(other, 1);
    if (hub == other.hub && hub != kNoHub) apart |= apart_in(other, 2);
    return (apart[0] | apart[1] | apart[2] | apart[3]) != 0;
  }
  void add(const Cover& other) {
    for (int quad = 0; quad < 3; ++quad) {
      low[quad] = low[quad] < other.low[quad] ? low[quad] : other.low[quad];
      high[quad] = high[quad] > other.high[quad] ? high[quad] : other.high[quad];
    }
    if (hub != other.hub) hub = kNoHub;
  }

 private:
  using Mask4 = std::int32_t __attribute__((vector_size(16)));
  Mask4 apart_in(const Cover& other, int quad) const {
    return (low[quad] > other.high[quad]) | (other.low[quad] > high[quad]);
  }
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
  /// True if almost no boxes of the sample overlap, so that nothing is known about those that do.
  bool boxes_apart() const { return boxes_apart_; }
  Cover cover_of(std::uint32_t triangle, std::uint32_t& guess) const;
  /// The share of such pairs of a sample of these members: the first `split` with the others, or all if it is 0.
  static double left(std::span<const Cover* const> members, std::size_t split);
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
  rules::LinkFrame link_frame_;
  double left_ = 1;
  bool boxes_apart_ = false;
};

}  // namespace sightline
