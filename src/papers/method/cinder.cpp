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
//   stencil: fronts minus backs          counts the solids that hold the edge
//   result texture                       Collisions
//   mip-mapping                          options.mip_levels, Collisions::mip_mapped
//
// Passes (the numbers of Appendix A), for each view:
//   1. The edges of all solids into the depth buffer.
//   2. Front faces of all solids that lie before the edge in their pixel are counted up,
//   3. back faces down. What is left counts the volumes that the edge is in.
//   4. Edges with a count: their triangles, read back compactly, and then their objects into red and green.
//   5. For each solid on its own: its front faces counted up,
//   6. its back faces down,
//   7. where the count is odd the edge is in this solid: it goes into blue and alpha, and the stencil back to 0.
//
// Where we differ, and why:
// - More than one collision a pixel (`one_per_pixel` is as published: the edge drawn last, and the solid drawn last).
//   Edges are peeled: each layer has the nearest edge of a pixel that is deeper than the layer before, and has passes 4
//   to 7. A query finds edges of several objects at the same depth key; each such object then has passes 4 to 7 for
//   itself. Several solids penetrated in one pixel are found by their queries: if these count more pixels than were
//   read back, the solids are drawn again and read one by one.
// - Passes 2 and 3 are left out of the peeled layers. Their sums over all solids may cancel: an edge on the silhouette
//   of its own solid can count -1 there by rounding (before the front face, not before the back face), which hides that
//   it is inside another. On its own in passes 5 and 6 the count stops at 0.
// - In peeled layers, pixels without an edge hold the largest depth instead of 0. There the rays pass all faces of each
//   solid, whose count is even since it is closed, and pass 4 leaves red and green 0.
// - Self-interferences (an edge by rounding inside its own solid) are prevented as section 4.3.1.3 proposes: pass 7
//   does not write where red and green have the same id. `filter_self` removes them afterwards, as published.
// - Read-back is compact and loses nothing (section 4.3.2.4). With `mip_levels` it loses what the report's reduction
//   loses; Collisions counts the pairs of objects that were there before and not after.
// - In pass 7 the faces are drawn without culling and depth test, and the stencil goes to 0 for even counts too. The
//   report's listing leaves the state of pass 6 on, with which the back face behind the edge would not be drawn.
// - The winding is checked, not assumed (winding.h). Of a component that is wound inwards the other faces are the front
//   ones; where front and back are not known, all faces count up. Each component of a solid so counts 1 for what it
//   encloses, and odd counts are inside: cavities are outside, whichever way they are wound (docs/definitions.md). A
//   surface that turns itself inside out may be miscounted.
// - Solids whose box meets no other box are left out. Open objects are refused: the bunny with a hole of section 5.2.
// - Normals (section 5.3) are those of the penetrating triangle, looked up by its id: the same value as one encoded in
//   the channels, without its rounding.
//
// Image precision only: an edge's depth is taken where it passes the pixel's column, a face's at the pixel's centre.
// Edges along the view have no pixels: an oblique view sees all of them. So solids that only touch may be reported as
// penetrating, and penetrations below a pixel may be missed. Counts stop at 255. The result is the pairs of objects
// found, whose contacts are then exact; a solid inside another without contact is in `penetrations` only.
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

class Cinder {
 public:
  Cinder(Context& context, const Solids& solids, Collisions& collisions)
      : context_(context), options_(context.options), raster_(context.raster), all_(solids), collisions_(collisions) {
    const Scene& scene = context.scene;
    for (std::uint32_t t = 0; t < scene.triangles.size(); ++t) {
      objects_.push_back(color_of(scene.object_of[t] + 1));
      triangles_.push_back(color_of(t + 1));
    }
  }

  void view(const View& view) {
    raster::Target target = context_.target();
    target.stencil = target.color = true;
    raster_.target(target);
    std::vector<Vec3d> points;
    for (const std::uint32_t t : all_.triangles)
      for (const Vec3d& p : context_.scene.corners(t)) points.push_back(p);
    raster_.camera(raster::fit_camera(view, points));
    last_ = raster_.image();
  }

  // Pass 1: false if no edge is left.
  bool edges(bool peeled) {
    raster_.reset_queries();
    const Query query = raster_.queries(1);
    State state = edge_state();
    state.depth = peeled ? Compare::less : Compare::always;
    state.depth_write = true;
    if (peeled) state.floor = last_;
    raster_.clear_depth(peeled ? raster::far_key(raster_.target().format) : 0);
    raster_.draw(state, all_.triangles, query);
    return raster_.result(query) > 0;
  }

  // Passes 2 and 3.
  void count() {
    raster_.clear_stencil(0);
    count(all_.faces);
  }

  // Pass 4: how many edge pixels are in some volume.
  std::uint64_t identify_edges() {
    const Query query = raster_.queries(1);
    State state = edge_state();
    state.stencil_test = true;
    state.stencil = Compare::notequal;
    paint(state, all_.triangles, triangles_, query);
    collisions_.edges(raster_.read_color_compact(kPenetrating));
    paint(state, all_.triangles, objects_);
    return raster_.result(query);
  }

  // Passes 5 to 7, all solids into one image.
  void identify_last() {
    raster_.clear_stencil(0);
    const Query self = raster_.queries(1);
    for (const Solid& solid : all_.solids) identify(solid, raster::kNoQuery, self);
    context_.report.self_interferences += raster_.result(self);
    collisions_.add(raster_.read_color_compact(kPenetrated));
  }

  // Passes 4 to 7 for the edges of these triangles: no solid of a pixel is lost.
  void identify_all(std::span<const std::uint32_t> edges) {
    paint(edge_state(), edges, objects_);
    raster_.clear_stencil(0);
    const auto count = static_cast<std::uint32_t>(all_.solids.size());
    const Query first = raster_.queries(count), self = raster_.queries(2);
    for (std::uint32_t i = 0; i < count; ++i) identify(all_.solids[i], first + i, self);
    context_.report.self_interferences += raster_.result(self);
    std::vector<std::uint32_t> penetrated;
    std::uint64_t pixels = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (raster_.result(first + i) == 0) continue;
      penetrated.push_back(i);
      pixels += raster_.result(first + i);
    }
    if (penetrated.empty()) return;
    std::vector<raster::ColorAt> last = raster_.read_color_compact(kPenetrated);
    paint(edge_state(), edges, triangles_);
    collisions_.edges(raster_.read_color_compact(kPenetrating));
    const bool all_there = last.size() == pixels;
    if (all_there) return collisions_.add(std::move(last));
    paint(edge_state(), edges, objects_);
    for (const std::uint32_t i : penetrated) identify_alone(all_.solids[i], self + 1);
  }

  /// Solids with an edge where a layer has, at the same depth, one of another solid.
  std::vector<const Solid*> ties() {
    paint(edge_state(), all_.triangles, objects_);
    State state = edge_state();
    state.differ = true;
    state.triangle_colors = objects_.data();
    const Query any = raster_.queries(1);
    raster_.draw(state, all_.triangles, any);
    std::vector<const Solid*> tied;
    if (raster_.result(any) == 0) return tied;
    const Query first = raster_.queries(all_.solids.size());
    for (std::uint32_t i = 0; i < all_.solids.size(); ++i) raster_.draw(state, all_.solids[i].triangles, first + i);
    for (std::uint32_t i = 0; i < all_.solids.size(); ++i)
      if (raster_.result(first + i) > 0) tied.push_back(&all_.solids[i]);
    return tied;
  }

  /// The edges of this layer are done with.
  void next_layer() { raster_.copy_depth(last_); }

 private:
  /// Edges that lie at the depth buffer's key, or with one_per_pixel all: the last one then stays, as in pass 1.
  State edge_state() const {
    State state;
    state.fill = raster::Fill::line;
    state.depth_test = true;
    state.depth = options_.one_per_pixel ? Compare::always : Compare::equal;
    state.depth_write = false;
    return state;
  }

  /// Edges in the colours given into red and green, all else cleared.
  void paint(State state, std::span<const std::uint32_t> triangles, const std::vector<Color>& colors,
             Query query = raster::kNoQuery) {
    state.color_mask = kPenetrating;
    state.triangle_colors = colors.data();
    raster_.clear_color({});
    raster_.draw(state, triangles, query);
  }

  /// Passes 2 and 3, or 5 and 6: the faces before the edge, those to the front up, those to the back down.
  void count(const FaceLists& faces) {
    State up;
    up.depth = Compare::less;
    up.depth_write = false;
    up.stencil_test = true;
    up.depth_pass = StencilOp::incr;
    draw(up, faces.unknown, Cull::none);
    draw(up, faces.outward, Cull::back);
    draw(up, faces.inward, Cull::front);
    State down = up;
    down.depth = Compare::lequal;
    down.depth_pass = StencilOp::decr;
    draw(down, faces.outward, Cull::front);
    draw(down, faces.inward, Cull::back);
  }

  void draw(State state, const std::vector<std::uint32_t>& triangles, Cull cull) {
    state.cull = cull;
    if (!triangles.empty()) raster_.draw(state, triangles);
  }

  /// Passes 5 to 7. `found` counts the pixels with an edge of another solid in this one, `self` those that were
  /// prevented.
  void identify(const Solid& solid, Query found, Query self) {
    count(solid.faces);
    State state;
    state.depth_test = false;
    state.stencil_test = true;
    state.stencil = Compare::notequal;
    state.stencil_mask = 1;  // odd
    state.depth_pass = StencilOp::replace;
    State write = state;
    write.differ = !options_.filter_self;
    write.color = color_of(solid.object + 1);
    write.color_mask = kPenetrated;
    raster_.draw(write, solid.triangles, found);
    state.stencil_fail = StencilOp::replace;  // even counts, too
    raster_.draw(state, solid.triangles, self);
  }

  void identify_alone(const Solid& solid, Query self) {
    identify(solid, raster::kNoQuery, self);
    std::vector<raster::ColorAt> pixels = raster_.read_color_compact(kPenetrated);
    const Color own = color_of(solid.object + 1);  // others are left from solids before
    std::erase_if(pixels, [&own](const auto& p) { return p.color[2] != own[2] || p.color[3] != own[3]; });
    collisions_.add(std::move(pixels));
  }

  Context& context_;
  const MethodOptions& options_;
  raster::Raster& raster_;
  const Solids& all_;
  Collisions& collisions_;
  std::vector<Color> objects_, triangles_;
  raster::Image last_ = raster::kNoImage;
};

/// All triangles of two objects that may touch: their contacts are exact.
Candidates candidates_of(const Context& context, const Collisions& collisions) {
  Candidates candidates;
  candidates.has_pairs = true;
  for (const Region& region : regions_of_interest(context.scene)) {
    const auto [a, b] = region.object;
    if (!collisions.pairs().contains({a, b}) && !collisions.pairs().contains({b, a})) continue;
    pairs_of(context.scene, region.triangles, candidates.pairs);
  }
  std::sort(candidates.pairs.begin(), candidates.pairs.end());
  return candidates;
}

/// As published: one edge and one solid a pixel.
void run_published(Cinder& cinder) {
  if (!cinder.edges(false)) return;                         // 1
  cinder.count();                                           // 2, 3
  if (cinder.identify_edges() > 0) cinder.identify_last();  // 4, 5 to 7
}

/// One layer of edges; false if there was none.
bool run_layer(Cinder& cinder, const Solids& solids) {
  if (!cinder.edges(true)) return false;  // 1
  cinder.identify_all(solids.triangles);  // 4 to 7
  for (const Solid* solid : cinder.ties()) cinder.identify_all(solid->triangles);
  cinder.next_layer();
  return true;
}

}  // namespace

Candidates cinder(Context& context) {
  const Solids solids = make_solids(context);
  Collisions collisions(context);
  Cinder cinder(context, solids, collisions);
  for (const View& view : context.views) {
    if (solids.solids.empty()) break;
    cinder.view(view);
    bool more = true;
    for (std::uint32_t layer = 0; more && !(context.stop && context.stop()); ++layer) {
      PassClock clock(context, "layer", view.direction, layer);
      const std::size_t before = collisions.pairs().size();
      more = !context.options.one_per_pixel && run_layer(cinder, solids);
      if (context.options.one_per_pixel) run_published(cinder);
      clock.pass().pcs_before = clock.pass().pcs_after = solids.triangles.size();
      clock.pass().elements_before = solids.solids.size();
      clock.pass().elements_after = collisions.pairs().size() - before;
      clock.end();
    }
  }
  collisions.end(solids.normals);
  return candidates_of(context, collisions);
}

}  // namespace sightline::papers::method
