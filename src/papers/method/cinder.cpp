// CInDeR: edges against volumes, by virtual ray casting.
//
// Knott, Pai: CInDeR, Collision and Interference Detection in Real-time using Graphics Hardware. Graphics Interface
// 2003. Malmsten, Klasén: Practical Collision Detection on the GPU, A Case Study Using CInDeR. Lund 2005; this file
//       follows its Appendix A and section 4.2.
//
//   report                               here
//   object list                          Solids
//   penetrating object, red and green    object + 1; in the pass for triangles, triangle + 1
//   penetrated object, blue and alpha    object + 1
//   stencil: fronts minus backs          counts the solids that hold the edge; without images, raster::inside::Tally
//   result texture                       Collisions
//   mip-mapping                          options.mip_levels, Collisions::mip_mapped
//   offset of edges (4.3.1.1)            options.edge_offset
//
// As published (`one_per_pixel`; Cinder::as_published() adds `filter_self` and `mip_levels`). Passes, with the numbers
// of Appendix A, for each view:
//   1. The edges of all objects into the depth buffer: the edge drawn last in a pixel stays.
//   2. Front faces of all objects that lie before the edge in their pixel are counted up,
//   3. back faces down. What is left counts the volumes that the edge is in.
//   4. Edges with a count: their triangles, read back compactly, and then their objects into red and green.
//   5. For each object on its own: its front faces counted up,
//   6. its back faces down,
//   7. where the count is not 0 the edge is in this object: it goes into blue and alpha, and the stencil back to 0. The
//      object drawn last stays.
//
// In this mode we differ from the report's listing in two places:
// - In pass 7 the faces are drawn without culling and depth test, and the stencil goes to 0 for counts of 0 too. The
//   listing leaves the state of pass 6 on, with which the back face behind the edge would not be drawn, and the object
//   never be identified.
// - Objects that are not closed are refused, since counts mean nothing then (section 2.1): the report's bunny with a
//   hole (section 5.2) gave strange results.
// The report leaves to the application: the view, the resolution, the number of mip-map stages and how an object is
// drawn. Without `filter_self`, pass 7 does not write where red and green have the same id (section 4.3.1.3).
//
// By default, all collisions of all pixels in one pass over the faces:
//   1. Each edge has a sample in each column (or row) of pixels that it passes, with the depth of the edge there.
//   2. Each face is compared with the samples under it: with its depth at the very point of the sample.
//   3. For each sample and each other solid, the faces before the sample are counted. An odd count is inside.
// raster/inside.h has the rules; the image is a grid of samples, and no depth, stencil or colour is stored. The cost is
// that of the samples and of the faces over them, whatever the number of solids.
//
// What this changes against the published passes:
// - No edge hides another, no solid another, and nothing is lost by a reduction (sections 4.3.2.2 to 4.3.2.4). Samples
//   of an object's own faces are never taken: self-interferences (4.3.1) do not exist.
// - The report takes the depth of an edge where it passes the pixel's column, and that of a face at the pixel's centre.
//   Here both are taken at one point, and depths that snapping to 1/256 pixel may have changed count as touching:
//   solids that only touch do not penetrate.
// - Odd counts are inside: cavities are outside, whichever way they are wound (docs/definitions.md). Front and back
//   serve only to check that the faces over a sample balance (Solid::sided).
// - Open objects are allowed. A ray along which an object's faces do not balance decides nothing; such samples are
//   counted (MethodReport::unbalanced). So the bunny with a hole works wherever a view does not look into the hole.
// - Solids whose box meets no other box are left out, and edges outside of all boxes of others.
// - Normals (section 5.3) are those of the penetrating triangle, looked up by its id: the same value as one encoded in
//   the channels, without its rounding. A penetration also has its position, and a number that the application gave
//   each object.
//
// Image precision only: an edge between two columns has no sample, and edges along the view have none (an oblique view
// sees all of them); so penetrations below a pixel may be missed. The result is the pairs of objects found, whose
// contacts are then exact; a solid inside another without contact is in `penetrations` only.
#include <algorithm>

#include "method/collisions.h"
#include "method/roi.h"
#include "method/solids.h"

namespace sightline::papers::method {
namespace {

using raster::Color;
using raster::Compare;
using raster::Cull;
using raster::Query;
using raster::State;
using raster::StencilOp;

constexpr std::uint8_t kPenetrating = raster::kRed | raster::kGreen, kPenetrated = raster::kBlue | raster::kAlpha;
constexpr std::uint8_t kStencilMask = 127;  ///< of the report's listing

raster::Camera camera_of(const Context& context, const Solids& solids, const View& view) {
  std::vector<Vec3d> points;
  for (const Solid& solid : solids.solids) {
    const TriangleTable::Object& object = context.scene.table.objects[solid.object];
    const auto first = context.scene.positions.begin() + static_cast<std::ptrdiff_t>(object.first_vertex);
    points.insert(points.end(), first, first + object.vertex_count);
  }
  return raster::fit_camera(view, points);
}

/// The published passes: one edge and one solid a pixel.
class Published {
 public:
  Published(Context& context, const Solids& solids, Collisions& collisions)
      : context_(context), raster_(context.raster), all_(solids), collisions_(collisions), edges_(solids.triangles) {
    const Scene& scene = context.scene;
    for (std::uint32_t t = 0; t < scene.triangles.size(); ++t) {
      objects_.push_back(color_of(scene.object_of[t] + 1));
      triangles_.push_back(color_of(t + 1));
    }
    if (context.options.edge_offset > 0) offset_edges();
  }

  void view(const View& view) {
    raster::Target target = context_.target();
    target.stencil = target.color = true;
    raster_.target(target);
    camera_ = camera_of(context_, all_, view);
    raster_.camera(camera_);
    if (!draw_edges()) return;  // 1
    raster_.clear_stencil(0);
    count(all_.triangles);                                        // 2, 3
    const std::vector<raster::ColorAt> edges = identify_edges();  // 4
    if (edges.empty()) return;
    identify_solids();  // 5 to 7
    std::vector<raster::ColorAt> pixels = raster_.read_color_compact(kPenetrated);
    collisions_.add(edges, std::move(pixels), raster_.read_depth(), camera_);
  }

 private:
  /// Section 4.3.1.1: edges are drawn from copies of their triangles, moved along the normal.
  void offset_edges() {
    const Scene& scene = context_.scene;
    const double by = context_.options.edge_offset;
    const auto count = static_cast<std::uint32_t>(scene.triangles.size());
    positions_.assign(scene.positions.begin(), scene.positions.end());
    moved_.assign(scene.triangles.begin(), scene.triangles.end());
    Box box = scene.box;
    for (std::uint32_t t = 0; t < count; ++t) {
      const Vec3d normal = normal_of(scene, all_, t);
      const auto first = static_cast<std::uint32_t>(positions_.size());
      for (Vec3d p : scene.corners(t)) {
        for (int k = 0; k < 3; ++k) p[k] += by * normal[k];
        positions_.push_back(p);
        box.add(p);
      }
      moved_.push_back({first, first + 1, first + 2});
    }
    for (std::uint32_t& t : edges_) t += count;
    objects_.insert(objects_.end(), objects_.begin(), objects_.begin() + count);
    triangles_.insert(triangles_.end(), triangles_.begin(), triangles_.begin() + count);
    raster_.geometry({positions_, moved_, box});
  }

  // Pass 1: false if there is none.
  bool draw_edges() {
    raster_.reset_queries();
    const Query query = raster_.queries(1);
    State state = edge_state();
    state.depth_write = true;
    raster_.clear_depth(0);
    raster_.draw(state, edges_, query);
    return raster_.result(query) > 0;
  }

  // Pass 4: the edge pixels that are in some volume, with their triangles; and the objects into the image.
  std::vector<raster::ColorAt> identify_edges() {
    State state = edge_state();
    state.stencil_test = true;
    state.stencil = Compare::notequal;
    state.stencil_mask = kStencilMask;
    paint(state, triangles_);
    std::vector<raster::ColorAt> edges = raster_.read_color_compact(kPenetrating);
    paint(state, objects_);
    return edges;
  }

  // Passes 5 to 7, all solids into one image.
  void identify_solids() {
    raster_.clear_stencil(0);
    const Query self = raster_.queries(1);
    for (const Solid& solid : all_.solids) {
      count(solid.triangles);
      State state;
      state.depth_test = false;
      state.stencil_test = true;
      state.stencil = Compare::notequal;
      state.stencil_mask = kStencilMask;
      state.depth_pass = StencilOp::replace;
      State write = state;
      write.differ = !context_.options.filter_self;
      write.color = color_of(solid.object + 1);
      write.color_mask = kPenetrated;
      raster_.draw(write, solid.triangles);
      state.stencil_fail = StencilOp::replace;
      raster_.draw(state, solid.triangles, self);  // what was prevented
    }
    context_.report.self_interferences += raster_.result(self);
  }

  /// Edges that pass whatever the depth: the last one stays, as in pass 1.
  static State edge_state() {
    State state;
    state.fill = raster::Fill::line;
    state.depth = Compare::always;
    state.depth_write = false;
    return state;
  }

  /// Edges in the colours given into red and green, all else cleared.
  void paint(State state, const std::vector<Color>& colors) {
    state.color_mask = kPenetrating;
    state.triangle_colors = colors.data();
    raster_.clear_color({});
    raster_.draw(state, edges_);
  }

  /// Passes 2 and 3, or 5 and 6: the faces before the edge, those to the front up, those to the back down.
  void count(std::span<const std::uint32_t> triangles) {
    State up;
    up.depth = Compare::less;
    up.depth_write = false;
    up.stencil_test = true;
    up.depth_pass = StencilOp::incr;
    up.cull = Cull::back;
    raster_.draw(up, triangles);
    State down = up;
    down.depth = Compare::lequal;
    down.depth_pass = StencilOp::decr;
    down.cull = Cull::front;
    raster_.draw(down, triangles);
  }

  Context& context_;
  raster::Raster& raster_;
  const Solids& all_;
  Collisions& collisions_;
  std::vector<std::uint32_t> edges_;  ///< triangles whose edges are drawn
  std::vector<Color> objects_, triangles_;
  std::vector<Vec3d> positions_;  ///< with edge_offset: the scene's, and those of the moved copies
  std::vector<Triangle> moved_;
  raster::Camera camera_;
};

/// All collisions of a view.
void run_view(Context& context, const Solids& solids, const View& view, Collisions& collisions) {
  std::vector<raster::InsideSolid> of(solids.solids.size());
  for (std::size_t i = 0; i < of.size(); ++i) {
    const ObjectOptions& options = context.scene.table.objects[solids.solids[i].object].options;
    of[i] = {options.groups, options.collides_with, solids.solids[i].sided};
  }
  const raster::Camera camera = camera_of(context, solids, view);
  context.raster.target(context.target());
  context.raster.camera(camera);
  collisions.add(context.raster.inside({solids.faces, solids.edges, solids.solid_of, of}), camera);
}

/// All triangles of two objects that may touch: their contacts are exact.
Candidates candidates_of(const Context& context, const Collisions& collisions) {
  const Scene& scene = context.scene;
  Candidates candidates;
  candidates.has_pairs = true;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const auto& [a, b] : collisions.pairs()) pairs.insert(std::minmax(a, b));
  for (const auto& [a, b] : pairs) {
    if (!scene.boxes[a].meets(scene.boxes[b])) continue;
    const Box both = scene.boxes[a].common(scene.boxes[b]);
    std::array<std::vector<std::uint32_t>, 2> triangles;
    for (const int side : {0, 1}) {
      const TriangleTable::Object& object = scene.table.objects[side == 0 ? a : b];
      for (std::uint32_t t = object.first_triangle; t < object.first_triangle + object.triangle_count; ++t)
        if (box_of(scene, t).meets(both)) triangles[side].push_back(t);
    }
    pairs_of(scene, triangles, candidates.pairs);
  }
  std::sort(candidates.pairs.begin(), candidates.pairs.end());
  return candidates;
}

}  // namespace

Candidates cinder(Context& context) {
  const bool as_published = context.options.one_per_pixel;
  const Solids solids = as_published ? all_closed_solids(context) : solids_that_meet(context);
  Collisions collisions(context, solids);
  std::optional<Published> published;
  if (as_published) published.emplace(context, solids, collisions);
  for (const View& view : context.views) {
    if (solids.solids.empty() || (context.stop && context.stop())) break;
    PassClock clock(context, as_published ? "image" : "lists", view.direction, 0);
    const std::size_t before = collisions.pairs().size();
    if (as_published)
      published->view(view);
    else
      run_view(context, solids, view, collisions);
    clock.pass().pcs_before = clock.pass().pcs_after = solids.triangles.size();
    clock.pass().elements_before = solids.solids.size();
    clock.pass().elements_after = collisions.pairs().size() - before;
    clock.end();
  }
  collisions.end();
  return candidates_of(context, collisions);
}

}  // namespace sightline::papers::method
