// Contacts of triangles that are already in the memory of a CUDA device. This header includes no CUDA header.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sightline/query.h"

namespace sightline::cuda {

/// An object: a run of consecutive triangles. Its number is its place in the list.
struct ObjectRun {
  std::uint32_t triangle_count = 0;
  ObjectOptions options = {};
};

/// The number of the GPU that holds what a pointer names; throws Error that begins with `name` if no GPU does, or where
/// this build or this machine has no CUDA.
SIGHTLINE_API int gpu_of(const void* pointer, const std::string& name);

/// Triangles in the memory of one GPU. The caller keeps all arrays unchanged until run() has returned.
struct Triangles {
  const float* f32 = nullptr;   ///< x y z of each vertex, on the device
  const double* f64 = nullptr;  ///< the same in double; exactly one of f32 and f64 is given
  std::uint64_t vertex_count = 0;
  const std::uint32_t* triangles = nullptr;  ///< three vertices of each triangle, on the device
  std::uint32_t triangle_count = 0;
  /// In host memory. Empty: one mesh against itself. Otherwise the runs follow each other and cover all triangles. All
  /// objects share one numbering of vertices, and two objects may use the same vertices.
  std::span<const ObjectRun> objects = {};
};

/// A list on the device, in canonical order. It is equal to the list that the cpu device reports.
struct DeviceContacts {
  const Contact* contacts = nullptr;  ///< on the device; `a` and `b` count within their objects
  std::uint64_t count = 0;
  Stats stats;  ///< stages only with RunOptions::stages
};

struct RunOptions {
  /// A cudaStream_t; null is the default stream.
  void* stream = nullptr;
  /// Checks on the device that positions are finite and indices in range, and throws Error that names the first that is
  /// not. The check costs one more wait. Without the check, such input is undefined behaviour.
  bool validate = true;
  bool stages = false;  ///< measure the times of the stages with CUDA events
};

/// Runs queries; working memory on the device is kept between queries and only grows. A Query belongs to the CUDA
/// device that was current when it was made. It may be moved to another thread, but two threads must not use it at the
/// same time.
class SIGHTLINE_API Query {
 public:
  Query();  ///< throws Error where this build or this machine has no CUDA
  explicit Query(int gpu);  ///< belongs to the GPU of this number instead
  ~Query();
  Query(Query&&) noexcept;
  Query& operator=(Query&&) noexcept;

  /// Puts all work into the stream, behind the work that is there already, and waits for it: on return the list is
  /// complete. The list belongs to the Query and is valid until the next run() or the Query's end. Throws
  /// OutOfDeviceMemory if the query does not fit: only a Scene, whose arrays are on the host, can be cut into tiles.
  DeviceContacts run(const Triangles& triangles, const RunOptions& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline::cuda
