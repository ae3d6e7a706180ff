// The numbers of a report page as bytes: first made small, then deflated, then written as text that a page can hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/box.h"
#include "report/names.h"
#include "sightline/mesh.h"

namespace sightline::report {

/// Bytes in the order in which viewer/src/bytes.js reads them. Little endian.
class PageBytes {
 public:
  void byte(std::uint8_t value) { bytes_.push_back(value); }
  /// Seven bits a byte, the low ones first.
  void varint(std::uint64_t value);
  /// Small numbers of both signs become small varints.
  void difference(std::uint64_t value, std::uint64_t from);
  void f64(double value);
  /// All first bytes, then all second bytes, and so on: bytes of one meaning lie together and deflate better.
  void planes(std::span<const std::uint16_t> values);
  void append(const PageBytes& other) { bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end()); }
  void reserve(std::size_t size) { bytes_.reserve(size); }

  std::span<const std::uint8_t> all() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  friend bool operator==(const PageBytes&, const PageBytes&) = default;

 private:
  std::vector<std::uint8_t> bytes_;
};

/// The bytes as pieces of text, each deflated (zlib's format), written with 91 characters that mean nothing to HTML,
/// and ended by a blank. The pieces do not depend on the number of threads.
std::vector<std::string> packed(std::span<const std::uint8_t> bytes, const WriteOptions& options);

/// A number for each vertex in the order of first use. `code(vertex)` is the distance of its number below the next new
/// number: 0 for a new vertex, and small for one that was used a short time ago.
class FirstUse {
 public:
  explicit FirstUse(std::size_t vertices) : number_(vertices, kNone) {}
  std::uint32_t code(std::uint32_t vertex) {
    if (number_[vertex] == kNone) {
      number_[vertex] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(vertex);
      return 0;
    }
    return static_cast<std::uint32_t>(order_.size()) - number_[vertex];
  }
  /// The vertices in that order.
  std::span<const std::uint32_t> order() const { return order_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number_, order_;
};

/// Where a point lies in a box along an axis, from 0 to 1.
inline double share(const Box& box, const Vec3d& p, int axis) {
  return box.half(axis) > 0 ? std::clamp((p[axis] / 2 - box.low[axis] / 2) / box.half(axis), 0.0, 1.0) : 0;
}

/// Pages hold only finite numbers: an empty box is written as the origin.
inline Box finite(const Box& box) { return box.empty() ? Box{{0, 0, 0}, {0, 0, 0}} : box; }

/// The box of the vertices that triangles use: an unused vertex can be anywhere.
Box box_of(const MeshView& mesh);

/// The steps of a mesh's positions over their box.
inline constexpr double kGridSteps = 65535;

/// Positions in 16 bits a coordinate over their box, each stored as the difference from the one before it. Positions
/// that begin a loose triangle (`loose`, by position) have large differences and are stored apart from the others,
/// whose differences are small. Returns the box.
Box append_quantised(PageBytes& bytes, std::span<const Vec3d> positions, const std::vector<bool>& loose);

}  // namespace sightline::report
