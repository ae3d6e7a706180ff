// The model of a picture: all parts under one numbering, moved and scaled into the cube from -1 to 1.
#pragma once

#include <cstdint>
#include <vector>

#include "base/box.h"
#include "picture/picture.h"
#include "report/clusters.h"
#include "report/geometry.h"

namespace sightline::picture {

/// The cube that becomes the cube from -1 to 1. Halves first, so that no difference of two finite coordinates
/// overflows.
struct Frame {
  Vec3d center = {};  ///< halved
  double extent = 1;  ///< halved, of the cube's half
  Vec3d operator()(const Vec3d& p) const {
    Vec3d q;
    for (int axis = 0; axis < 3; ++axis) q[axis] = (p[axis] * 0.5 - center[axis]) / extent;
    return q;
  }
};

struct Model {
  Frame frame;  ///< of the positions
  std::vector<Vec3d> positions;
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> part;     ///< per triangle
  std::vector<report::Paint> paint;    ///< per triangle
  std::vector<std::uint32_t> touched;  ///< triangles that are painted, ascending
  std::vector<std::uint32_t> cluster;  ///< per contact, the number of its cluster
  /// The paint of triangles by the contacts of one cluster, sorted; only for triangles that have several clusters.
  struct LocalPaint {
    std::uint32_t triangle, cluster;
    report::Paint paint;
    auto operator<=>(const LocalPaint&) const = default;
  };
  std::vector<LocalPaint> local;
  std::vector<bool> has_local;  ///< per triangle
  std::uint32_t parts = 0;
  /// Per triangle of a figure, in linear light; empty: colours are those of the contacts.
  std::vector<Vec3d> colour;

  /// The contacts' common points, contact by contact as in report::Outlines.
  report::Outlines outlines;
  /// The largest cluster: its contacts, its triangles (ascending) and the box of its points.
  std::vector<std::uint32_t> place, place_triangles;
  Vec3d place_low = {}, place_high = {};
};

/// The paint of a triangle near a contact of this cluster.
report::Paint paint_near(const Model& model, std::uint32_t triangle, std::uint32_t cluster);

/// The smallest cube around the triangles whose halved corners lie in `halves`; Box::empty() gives the cube as it is.
Frame frame_of(const Box& halves);
/// The box of all corners of the triangles, halved.
Box halves_of(std::span<const report::Part> parts);

Model make_model(const report::Contacts& contacts, const report::WriteOptions& options);
/// In a frame that several moments of one scene share.
Model make_model(const report::Contacts& contacts, const report::WriteOptions& options, const Frame& frame);
/// A figure's model: all positions of its meshes, and the triangles that are not absent. It has no contacts.
Model make_model(std::span<const FigureMesh> meshes);

}  // namespace sightline::picture
