// Triangles that need not fit into memory, read by their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "sightline/mesh.h"

namespace sightline {

/// The corners of one triangle.
using CornersF = std::array<Vec3f, 3>;
using CornersD = std::array<Vec3d, 3>;

/// A list of triangles outside of memory: a file (open_triangles in io.h), or anything that a caller implements. No
/// function is called by two threads at a time.
class TriangleSource {
 public:
  TriangleSource() = default;
  TriangleSource(const TriangleSource&) = delete;
  TriangleSource& operator=(const TriangleSource&) = delete;
  virtual ~TriangleSource() = default;

  /// How messages begin, and the name of the mesh in reports.
  virtual std::string file() const = 0;
  virtual std::string name() const = 0;
  /// How messages about one triangle begin.
  virtual std::string place(std::uint64_t triangle) const { return file() + ": triangle " + std::to_string(triangle); }
  virtual std::uint64_t size() const = 0;
  /// True if coordinates are float64. It determines which of the two functions `read` is called.
  virtual bool is_double() const = 0;
  /// Writes the corners of the triangles first … first + to.size() - 1. Throws Error if one of them is bad.
  virtual void read(std::uint64_t first, std::span<CornersF> to) = 0;
  virtual void read(std::uint64_t first, std::span<CornersD> to) = 0;
  /// No triangle is read for a while: buffers may be freed.
  virtual void rest() {}
};

}  // namespace sightline
