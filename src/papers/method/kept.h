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

  /// Temporal coherence of `cullide` and `quick-cullide`, in conservative precision only: pruning may end where the set
  /// is hardly larger than that of a frame before. The exact test decides the rest, so the contacts are the same; in
  /// image precision they would depend on the frames before. (Tags are facts about places, so no tag is taken over.)
  class Pruned {
   public:
    /// As many triangles may be left when pruning ends; 0: to the end, as for the first frame and every kFrames-th one,
    /// so that the set does not grow from frame to frame.
    std::uint64_t enough(std::uint64_t triangles) const;
    void add(std::uint64_t triangles, std::uint64_t left, bool to_the_end);

   private:
    static constexpr unsigned kFrames = 8;
    static constexpr double kLarger = 1.05;
    std::uint64_t triangles_ = 0, left_ = 0;  ///< of the last frame that was pruned to the end
    unsigned frames_ = 0;                     ///< since then
  };
  Pruned pruned[kMethodCount];  ///< by method

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
