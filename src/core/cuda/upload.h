// The objects of a scene as one vertex array and one triangle array on the device.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.h"
#include "cuda/label.h"
#include "cuda/staging.h"
#include "input/object.h"

namespace sightline::cuda {

class SceneArrays {
 public:
  SceneArrays(MemoryCount& memory, cudaStream_t stream)
      : stream_(stream), staging_(stream), f32_(memory), f64_(memory), triangles_(memory), labels_(memory) {}

  /// Brings the arrays up to date: an object that has neither changed nor got another place is not copied again. The
  /// arrays are float32 if all objects are, else double.
  Input update(std::span<const QueryObject> objects, Workers& workers);
  /// Copies everything again in the next update: the arrays on the device no longer match the objects' versions.
  void forget() {
    sent_positions_.clear();
    sent_triangles_.clear();
  }
  /// Frees the device's memory.
  void release();
  /// Bytes sent so far, over all queries.
  std::size_t bytes() const { return staging_.bytes(); }

 private:
  /// Where an object is in the arrays, and which of its states is there.
  struct Slot {
    std::uint32_t id = 0, place = 0;  ///< place in the list of objects
    std::uint64_t positions_version = 0, triangles_version = 0;
    std::uint64_t first_vertex = 0, vertex_count = 0;
    std::uint64_t first_triangle = 0, triangle_count = 0;

    bool same_positions(const Slot& other) const {
      return id == other.id && positions_version == other.positions_version && first_vertex == other.first_vertex &&
             vertex_count == other.vertex_count;
    }
    /// Indices count from the object's first vertex; the copy adds the number of that vertex.
    bool same_triangles(const Slot& other) const {
      return id == other.id && triangles_version == other.triangles_version && first_vertex == other.first_vertex &&
             first_triangle == other.first_triangle && triangle_count == other.triangle_count;
    }
  };
  void lay_out(std::span<const QueryObject> objects);
  void reserve();
  template <typename Same, typename Write>
  void send(std::vector<Slot>& sent, const Same& same, const Write& write);
  void send_positions(std::span<const QueryObject> objects, Workers& workers);
  void send_triangles(std::span<const QueryObject> objects, Workers& workers);

  cudaStream_t stream_;
  Staging staging_;
  DeviceBuffer<Vec3f> f32_;
  DeviceBuffer<Vec3d> f64_;
  DeviceBuffer<Triangle> triangles_;
  Labels labels_;
  std::vector<Slot> slots_;           ///< after the update
  std::vector<Slot> sent_positions_;  ///< the current state of the device
  std::vector<Slot> sent_triangles_;
  std::vector<LabelledObject> labelled_;
  std::uint64_t vertex_count_ = 0, triangle_count_ = 0;
  bool wide_ = false, was_wide_ = false;
};

}  // namespace sightline::cuda
