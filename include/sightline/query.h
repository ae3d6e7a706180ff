// The queries: self-intersections of one mesh, contacts of a scene that changes from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sightline/contact.h"
#include "sightline/mesh.h"
#include "sightline/options.h"

namespace sightline {

/// All self-intersections of one mesh, on `options.device`. Nothing is precomputed, and the cpu device does not copy
/// the mesh.
Report self_intersections(const MeshView& mesh, const Options& options = {});
void self_intersections(const MeshView& mesh, Report& report, const Options& options = {});

struct ObjectOptions {
  bool self = false;  ///< look for the object's contacts with itself too
};

using ObjectId = std::uint32_t;

/// Objects that move, deform, and gain or lose triangles between frames. The scene keeps views: what was passed to
/// add, move and replace must stay in place until the next move or replace of that object. Nothing is precomputed,
/// so a frame after a fracture costs the same as any other; working storage is reused from frame to frame. On the cuda
/// device the objects are copied to the GPU by collide, each only if it was added, moved or replaced since the last
/// time: what is changed in place is seen after the next move or replace.
class Scene {
 public:
  explicit Scene(Device device = Device::cpu());
  ~Scene();
  Scene(Scene&&) noexcept;
  Scene& operator=(Scene&&) noexcept;

  /// Ids count up from 0 in the order of the calls and are not reused. With the id of a removed object, all of the
  /// following but mesh() throw an Error.
  ObjectId add(const MeshView& mesh, const ObjectOptions& options = {});
  /// New positions, same triangles. The count may differ as long as no triangle's index is out of range.
  void move(ObjectId object, const Positions& positions);
  /// New positions and new triangles: fracture, remeshing, tearing.
  void replace(ObjectId object, const MeshView& mesh);
  void remove(ObjectId object);
  /// How it moves from here on, for the method `velocity`. Positions are not touched.
  void motion(ObjectId object, const Motion& motion);

  std::size_t size() const;  ///< ids given out so far, removed ones included
  /// The object as it stands; empty after remove.
  const MeshView& mesh(ObjectId object) const;

  /// All contacts between distinct objects, and within those that asked for `self`.
  Report collide(const Options& options = {});
  /// The same into a report whose storage is reused; its contents are replaced, never appended to.
  void collide(Report& report, const Options& options = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sightline
