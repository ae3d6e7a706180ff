// What the methods keep from frame to frame (papers::Session).
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "cuda/front_end.h"
#include "input/object.h"
#include "input/triangle_table.h"
#include "method/faces.h"
#include "method/velocity.h"
#include "query/query.h"

namespace sightline::papers::method {

/// Objects are found again by their versions (input/object.h).
class SIGHTLINE_API Kept {
 public:
  Kept();
  ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  /// The faces of each object of the table. Topology is computed where triangles changed or other positions are equal
  /// than before, faces also where stored points changed other than by a rigid motion, and nothing where an object has
  /// another transform. Objects that are not in the table are forgotten.
  std::vector<const Faces*> faces_of(const TriangleTable& table, std::span<const QueryObject> objects,
                                     Workers& workers);
  /// Triangles of the objects whose topology, or whose faces, the last call of faces_of computed.
  std::uint64_t topology_computed() const { return topology_computed_; }
  std::uint64_t faces_computed() const { return faces_computed_; }

  Left left;
  Workspace& workspace() { return *workspace_; }
  /// The front end on a GPU. That of another GPU is given up.
  cuda::FrontEnd& front_end(const Device& device);

 private:
  struct Entry {
    std::uint64_t stored_version = 0;
    std::unique_ptr<Faces> faces;
  };
  std::unordered_map<std::uint64_t, Entry> entries_;  ///< by triangles_version
  std::vector<Entry> once_;                           ///< of objects without versions, until the next call
  std::uint64_t topology_computed_ = 0, faces_computed_ = 0;
  WorkspacePtr workspace_;
  std::unique_ptr<cuda::FrontEnd> front_end_;  ///< null until it is needed
  int front_end_number_ = 0;                   ///< of its GPU
};

}  // namespace sightline::papers::method
