// Triangles of the leaves on the disk: written in the order of their numbers, read leaf by leaf.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "disk/scratch.h"
#include "parts/cuts.h"

namespace sightline::scale {

template <typename Scalar>
using Corners = std::array<std::array<Scalar, 3>, 3>;

template <typename Scalar>
Vec3d as_double(const std::array<Scalar, 3>& p) {
  return {p[0], p[1], p[2]};
}
template <typename Scalar>
Box box_of_corners(const Corners<Scalar>& corners) {
  Box box;
  for (const std::array<Scalar, 3>& corner : corners) box.add(as_double(corner));
  return box;
}

/// The number of a triangle, with a mark for triangles that several leaves have.
struct Tag {
  static constexpr std::uint64_t kShared = std::uint64_t{1} << 63;
  std::uint64_t bits = 0;
  std::uint64_t number() const { return bits & ~kShared; }
  bool shared() const { return (bits & kShared) != 0; }
};

/// Over MPI, the rank that gets the records of a triangle. It ends their payloads (leaf.h).
using Home = std::int32_t;

/// Some triangles, by ascending number.
template <typename Scalar>
struct Triangles {
  std::vector<Tag> tags;
  std::vector<Corners<Scalar>> corners;
  std::vector<Home> homes;  ///< empty if records have no home
  std::size_t size() const { return tags.size(); }
};

/// A view of triangles of one list. Those of a range of numbers are one object of several: its numbers count from 0.
template <typename Scalar>
struct TriangleView {
  TriangleView(const Triangles<Scalar>& all) : tags(all.tags), corners(all.corners), homes(all.homes) {}
  /// The triangles with numbers in [first_number, end).
  TriangleView(const Triangles<Scalar>& all, std::uint64_t first_number, std::uint64_t end) : first(first_number) {
    const auto place = [&](std::uint64_t number) {
      const auto before = [](const Tag& tag, std::uint64_t n) { return tag.number() < n; };
      return static_cast<std::size_t>(std::lower_bound(all.tags.begin(), all.tags.end(), number, before) -
                                      all.tags.begin());
    };
    const std::size_t from = place(first), count = place(end) - from;
    tags = std::span(all.tags).subspan(from, count);
    corners = std::span(all.corners).subspan(from, count);
    if (!all.homes.empty()) homes = std::span(all.homes).subspan(from, count);
  }
  std::size_t size() const { return tags.size(); }
  std::uint64_t number(std::size_t i) const { return tags[i].number() - first; }

  std::span<const Tag> tags;
  std::span<const Corners<Scalar>> corners;
  std::span<const Home> homes;
  std::uint64_t first = 0;
};

/// The triangles of a leaf: ranges of the scratch file.
struct Part {
  struct Block {
    std::uint64_t tags = 0, corners = 0;  ///< places
    std::uint64_t count = 0;
  };
  Region region;
  std::vector<Block> blocks;
  std::uint64_t count = 0;
  double share = 1;   ///< of all work, for progress
  int stuck = 0;      ///< cuts above this part that hardly divided anything
  double growth = 1;  ///< how many leaves a triangle of the parts above has, on average
};

/// Bytes of a triangle in a scratch file.
template <typename Scalar>
constexpr std::size_t kRecordBytes = sizeof(Tag) + sizeof(Corners<Scalar>);

template <typename Scalar>
class Store {
 public:
  explicit Store(disk::ScratchFile& file) : file_(file) {}

  /// Reads the triangles `first` … of a block into the end of the list.
  void read(const Part::Block& block, std::uint64_t first, std::uint64_t count, Triangles<Scalar>& to) const;
  void read_all(const Part& part, Workers& workers, Triangles<Scalar>& to) const;
  void release(const Part::Block& block);
  Part::Block write(const Triangles<Scalar>& triangles);

 private:
  disk::ScratchFile& file_;
};

/// Distributes triangles to the leaves of the cuts.
template <typename Scalar>
class Distributor {
 public:
  /// `memory`: bytes for the buffers of all leaves.
  Distributor(Store<Scalar>& store, const Cuts& cuts, std::size_t memory, Workers& workers);
  /// Numbers ascend from call to call.
  void add(const Triangles<Scalar>& batch);
  std::vector<Part> finish();

 private:
  struct Place {
    std::uint32_t leaf, triangle;
    bool shared;
  };
  void find_leaves(const Triangles<Scalar>& batch);
  void sort_places();
  void fill(std::size_t leaf, const Triangles<Scalar>& batch);
  void flush(std::size_t leaf);

  Store<Scalar>& store_;
  const Cuts& cuts_;
  Workers& workers_;
  std::size_t most_;  ///< triangles of a buffer
  std::vector<Part> parts_;
  std::vector<Triangles<Scalar>> buffers_;
  std::vector<std::vector<Place>> found_;  ///< of each range of the batch
  std::vector<std::size_t> begin_;         ///< of the places of each leaf in sorted_
  std::vector<Place> sorted_;
};

}  // namespace sightline::scale
