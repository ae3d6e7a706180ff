// Contacts of triangles that are already in the memory of a CUDA device. No CUDA header is needed to include this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sightline/query.h"

namespace sightline::cuda {

/// A run of consecutive triangles; its number is its place in the list.
struct ObjectRun {
  std::uint32_t triangle_count = 0;
  ObjectOptions options = {};
};

/// Triangles on the current CUDA device. The caller keeps all of it unchanged until run() has returned.
struct Triangles {
  const float* f32 = nullptr;   ///< x y z of each vertex, on the device
  const double* f64 = nullptr;  ///< or so: exactly one of the two is given
  std::uint64_t vertex_count = 0;
  const std::uint32_t* triangles = nullptr;  ///< three vertices of each triangle, on the device
  std::uint32_t triangle_count = 0;
  /// In host memory. Empty: one mesh against itself. Else the runs follow each other and make up all triangles;
  /// vertices are numbered through, and two objects may use the same ones.
  std::span<const ObjectRun> objects = {};
};

/// A list on the device, in canonical order, equal to what the cpu device reports.
struct DeviceContacts {
  const Contact* contacts = nullptr;  ///< on the device; `a` and `b` count within their objects
  std::uint64_t count = 0;
  Stats stats;  ///< stages only if they were asked for
};

struct RunOptions {
  /// A cudaStream_t; null is the default stream.
  void* stream = nullptr;
  /// Checks on the device that positions are finite and indices in range, and throws Error with the first that is not.
  /// It costs one more wait. Without it, such input is undefined behaviour.
  bool validate = true;
  bool stages = false;  ///< times of the stages, by events
};

/// Finds contacts again and again; working memory on the device is kept and only grows. A Query belongs to the CUDA
/// device that was current when it was made. It may be moved to another thread, not be used by two at a time.
class SIGHTLINE_API Query {
 public:
  Query();  ///< throws Error where this build or this machine has no CUDA
  ~Query();
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;

  /// All work is put into the stream, behind what is there already, and waited for: on return the list is complete.
  /// It belongs to the Query and holds until the next run() or the Query's end. Throws OutOfDeviceMemory where there is
  /// no room for it: only a Scene, whose arrays are on the host, can go on in tiles.
  DeviceContacts run(const Triangles& triangles, const RunOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::cuda
