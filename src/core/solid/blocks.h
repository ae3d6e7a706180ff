// Whether two parts meet, without a list of their contacts: boxes of blocks of triangles, and a search over two of
// them.
//
// The blocks of a mesh are runs of its triangles in their order: neighbours in a file are mostly neighbours in space.
// So a hierarchy of boxes costs one pass over the mesh and 2 bytes a triangle, and parts that are instances of one mesh
// share it. Only the triangles of a mesh whose order has nothing to do with their places are sorted first.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/box.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "sightline/mesh.h"

namespace sightline::solid {

/// Boxes around the stored points of a mesh, in levels. A block of level 0 has kLeaf triangles, a block of level l + 1
/// has kFan blocks of level l; the last ones may have fewer.
class Blocks {
 public:
  static constexpr std::uint32_t kLeaf = 16, kFan = 8;
  Blocks(const MeshView& mesh, Workers& workers, Poll poll);

  /// The exact box of the stored corners of all triangles.
  const Box& bounds() const { return bounds_; }
  /// How many levels there are; none if the mesh is empty. The last one has one block.
  int levels() const { return static_cast<int>(levels_.size()); }
  std::uint32_t size(int level) const { return static_cast<std::uint32_t>(levels_[level].size()); }
  struct FloatBox {
    std::array<float, 3> low, high;
    bool meets(const FloatBox& b) const {
      bool meet = true;
      for (int k = 0; k < 3; ++k) meet &= low[k] <= b.high[k], meet &= b.low[k] <= high[k];
      return meet;
    }
  };
  /// A box that holds the block.
  const FloatBox& stored_box(int level, std::uint32_t block) const { return levels_[level][block]; }
  /// The triangle at a place in the order of the blocks.
  std::uint32_t triangle(std::uint32_t place) const { return order_.empty() ? place : order_[place]; }

 private:
  template <typename Point>
  void build(std::span<const Point> points, std::span<const Triangle> triangles, Workers& workers, const Poll& poll);
  template <typename Point>
  void fill(std::span<const Point> points, std::span<const Triangle> triangles, Workers& workers, const Poll& poll);
  template <typename Point>
  void sort(std::span<const Point> points, std::span<const Triangle> triangles, Poll poll);

  Box bounds_;
  double mean_extent_ = 0, mean_block_extent_ = 0;  // of triangles and of blocks of level 0, over the longest extent
  std::vector<std::vector<FloatBox>> levels_;
  std::vector<std::uint32_t> order_;  // empty: the order of the mesh
};

/// A mesh with its blocks in the place that a transform gives it.
class PlacedBlocks {
 public:
  PlacedBlocks() = default;
  PlacedBlocks(const MeshView& mesh, const Blocks& blocks);

  const MeshView& mesh() const { return mesh_; }
  const Blocks& blocks() const { return *blocks_; }
  /// A box that holds the images of all points of a box, as they are rounded.
  Box image(const Box& stored) const;
  /// A box that holds all stored points whose image, as it is rounded, lies in `placed`.
  Blocks::FloatBox preimage(const Box& placed) const;
  /// A box that holds the placed block.
  Box box(int level, std::uint32_t block) const {
    const auto& [low, high] = blocks_->stored_box(level, block);
    return image({{low[0], low[1], low[2]}, {high[0], high[1], high[2]}});
  }
  /// The same of all triangles. It is their exact box unless the transform turns by an angle that is no right angle.
  Box bounds() const { return blocks_->levels() == 0 ? Box() : image(blocks_->bounds()); }
  bool has_exact_bounds() const { return way_ != Way::general; }
  std::array<Vec3d, 3> corners(std::uint32_t triangle) const;

 private:
  enum class Way : std::uint8_t { identity, translation, axes, general };
  Vec3d translated(const Vec3d& p) const;

  MeshView mesh_;
  const Blocks* blocks_ = nullptr;
  Way way_ = Way::identity;
};

}  // namespace sightline::solid
