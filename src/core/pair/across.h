// Pairs between objects, found by boxes and without an image: what moved against what rests, and objects of few
// triangles against each other. Two triangles that share a point have boxes that meet, and so have their objects and
// all nodes above them; boxes are exact, so nothing is rounded. The pairs that remain go to the same kernel and the
// same exact decision as those of an image.
#pragma once

#include <span>
#include <vector>

#include "base/box_tree.h"
#include "base/buffer.h"
#include "input/triangle_table.h"
#include "pair/divider.h"

namespace sightline {

class Watch;

/// Objects at rest: the first objects of a table.
struct RestingObjects {
  struct Object {
    Box box;
    const BoxTree* tree = nullptr;  ///< over the triangles; null: there are few
    bool gone = false;              ///< it rests no longer, and its memory may be gone
  };
  std::vector<Object> objects;
  BoxTree tree;               ///< over the boxes of the first `in_tree` objects; the others are tested one by one
  std::uint32_t in_tree = 0;  ///< objects
};

/// The pairs of one query. Storage is kept from query to query.
class Across {
 public:
  /// An object with more triangles has a tree at rest, and is divided into blocks when it moves.
  static constexpr std::uint32_t kFew = 128;
  static constexpr std::uint32_t kLeaf = 16;  ///< triangles in a leaf at rest

  /// About how many triangles of large objects of the table that moved reach something at rest.
  static std::uint64_t estimate_near(const TriangleTable& table, const RestingObjects& resting);

  /// The objects of the table after those at rest have moved; each is compared with those at rest and, if `among`, with
  /// the others that moved and, where it has `self`, with itself. `among` is for objects of at most kFew triangles.
  void begin(TriangleTable& table, const RestingObjects& resting, bool among, Workers& workers, Watch& watch);
  /// True if the boxes of the objects that moved meet so many others that an image separates their triangles better.
  bool is_crowded() const;
  /// Another step tests the objects that moved among themselves.
  void leave_to_image() { among_ = false; }

  std::size_t blocks() const { return blocks_.size(); }
  /// The pairs of one block with everything; each pair belongs to one block.
  void run(std::size_t block, Divider& divider) const;
  std::uint64_t bytes() const;

 private:
  struct Block {
    std::uint32_t object;       ///< of the table
    std::uint32_t first, last;  ///< of `near_`; first = last: all triangles of the object
    Box box;
  };
  struct Natives;
  std::uint32_t resting_count() const { return static_cast<std::uint32_t>(resting_->objects.size()); }
  const Box& box_of_object(std::uint32_t object) const {
    return object < resting_count() ? resting_->objects[object].box : boxes_[object - resting_count()];
  }
  void place(TriangleTable& table, Workers& workers);
  void divide(std::uint32_t object, Watch& watch);
  template <typename Visit>
  void each_partner(std::uint32_t object, const Box& box, const Visit& visit) const;
  void find_natives(const Block& block, Natives& natives, Divider::Scratch& scratch) const;
  void meet(const Natives& natives, Divider& divider) const;
  void find_facets(Divider::Scratch& scratch) const;

  const TriangleTable* table_ = nullptr;
  const RestingObjects* resting_ = nullptr;
  bool among_ = false;
  Buffer<Vec3f> f32_;  ///< positions of instances that moved
  Buffer<Vec3d> f64_;
  std::vector<Box> boxes_;  ///< of the objects that moved
  BoxTree tree_;            ///< over `boxes_`, if `among` and there are many
  std::vector<BoxTree::Item> scratch_;
  std::vector<Block> blocks_;
  /// Of large objects: triangles that may meet something at rest, with a key of their place in the upper half.
  std::vector<std::uint64_t> near_, sorted_, other_;
};

}  // namespace sightline
