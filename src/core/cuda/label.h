// The object of each triangle, in the form that the engine needs.
#pragma once

#include <span>
#include <vector>

#include "cuda/check.h"
#include "cuda/engine.h"

namespace sightline::cuda {

/// An object with triangles, in the order of the arrays.
struct LabelledObject {
  std::uint32_t id = 0, triangle_count = 0;
  ObjectOptions options = {};
  friend bool operator==(const LabelledObject&, const LabelledObject&) = default;
};

/// Per triangle its object, on the device; made again only when the objects change.
class Labels {
 public:
  explicit Labels(MemoryCount& memory) : object_(memory), first_(memory), id_(memory), self_(memory), groups_(memory) {}
  /// Sets the fields of `input` that describe objects; sets none if there is one object, with id 0 and `self`.
  void assign(std::span<const LabelledObject> objects, Input& input, cudaStream_t stream);
  /// Frees the device's memory.
  void release() {
    known_.clear();
    for (auto* buffer : {&object_, &first_, &id_, &self_}) buffer->release();
    groups_.release();
  }

 private:
  void upload(std::span<const LabelledObject> objects, cudaStream_t stream);

  DeviceBuffer<std::uint32_t> object_, first_, id_, self_;
  DeviceBuffer<std::uint64_t> groups_;
  std::vector<LabelledObject> known_;
  std::vector<std::uint32_t> table_;  ///< first triangles, ids, flags: the copy's source must stay in place
  std::vector<std::uint64_t> bits_;   ///< groups and collides_with; empty if all pairs are wanted
};

}  // namespace sightline::cuda
