// A hierarchy over the triangles of each object, as an order of them: a node is a range of the order, and its children
// are its parts. Nothing else is stored, so that a tree over 270 000 triangles costs one index a triangle.
//
// By connectivity (Boldt and Meyer, section 6.1): recursive bisection of the dual graph, whose nodes are triangles and
// whose edges are shared edges of the mesh. A half is what a breadth-first walk from a far end of the node reaches
// first, so that cuts run across the longer way and both halves are (nearly always) connected patches. Positions equal
// bit for bit are one vertex, so a soup read from STL has neighbours, too. Nothing is known before the query: the order
// is made in O(n log n), 18 walks for 270 000 triangles.
//
// In space: along a Z-order curve through the first corners of the triangles. It costs a twentieth, and patches of some
// dozen triangles that lie together need no more than that (docs/decisions.md has the numbers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

/// Places [first, last) of the order.
struct Range {
  std::uint32_t first = 0, last = 0;
  std::uint32_t size() const { return last - first; }
  /// Part i of n, a power of two: the nodes that halving gives.
  Range part(std::uint32_t i, std::uint32_t n) const;
  friend bool operator==(const Range&, const Range&) = default;
};

/// For each vertex of the scene, the first vertex of its object with the same position.
std::vector<std::uint32_t> welded(const Scene& scene);

inline constexpr std::uint32_t kNoTriangle = 0xFFFFFFFFu;
/// Three for each of these triangles of an object: the place in the list of the triangle across that edge, or
/// kNoTriangle. Where more than two meet, they form a ring. `vertex`: see welded().
std::vector<std::uint32_t> across_edges(const Scene& scene, std::uint32_t object,
                                        std::span<const std::uint32_t> triangles,
                                        std::span<const std::uint32_t> vertex);

class Hierarchy {
 public:
  /// The triangles as they stand: each object is one node, and no order within.
  explicit Hierarchy(const Scene& scene);
  /// Of some triangles only, ascending; no node for the others.
  Hierarchy(const Scene& scene, std::vector<std::uint32_t> triangles);

  /// Orders an object by connectivity, down to nodes of at most `leaf` triangles. `vertex`: see welded().
  void connect(std::uint32_t object, std::uint32_t leaf, std::span<const std::uint32_t> vertex, Workers& workers);
  /// Orders an object along a curve through space. May be called for several objects at a time.
  void sort_in_space(std::uint32_t object, Workers& workers);
  /// Orders an object at random, always the same way.
  void shuffle(std::uint32_t object);

  Range object(std::uint32_t object) const { return {first_[object], first_[object + 1]}; }
  std::span<const std::uint32_t> triangles(const Range& range) const {
    return std::span(order_).subspan(range.first, range.size());
  }
  std::span<const std::uint32_t> all() const { return order_; }

  /// Fixes the order. The raster gets only these triangles, in that order, if that is fewer bytes than the scene: a
  /// device has less to copy and to set up.
  void extract(Context& context);
  /// All triangles in this order, by the raster's numbers: those of the scene, unless the raster was given an extract.
  /// For drawing only; everything else uses the scene's numbers.
  std::span<const std::uint32_t> drawn() const { return extracted_ ? std::span(numbers_) : std::span(order_); }
  std::span<const std::uint32_t> drawn(const Range& range) const { return drawn().subspan(range.first, range.size()); }

 private:
  const Scene& scene_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_;  ///< per object and one more
  std::vector<std::uint32_t> numbers_;
  bool extracted_ = false;
};

}  // namespace sightline::papers::method
