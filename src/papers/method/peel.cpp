// Alternate surface peeling.
//
// Jang, Jeong, Han: Image-Space Collision Detection Through Alternate Surface Peeling. GPC 2007.
//
//   paper                        here
//   O1, O2                       Region::object, Region::triangles
//   ROI                          Region (roi.h)
//   texture #k: R (depth)        the depth buffer of layer k, then `floor`
//   texture #k: G (triangle ID)  red and green of layer k, blue and alpha of layer k + 1
//   epsilon                      RegionImage::epsilon, in scene units
//   PCS                          id pairs, then Pairs of triangles
//
// Steps, for each view:
//   1. Objects whose boxes overlap form a region of interest; it gets its share of the budget of pixels and a camera
//      that shows just the region. Triangles whose box misses the region are not drawn.
//   2. The object farther from the viewer is drawn: layer 1.
//   3. The other object is drawn; only fragments deeper than the last layer pass, and the nearest of them stay: the
//      next layer. Where the last layer has nothing, nothing passes. No fragment at all: the region is done.
//   4. Where the new layer is closer to the last one than epsilon, their two ids make a pair. Only pixels with a pair
//      are read back.
//   5. The new layer is the last one; go on at 3 with the objects exchanged.
//   6. An id stands for all triangles with that last vertex. All pairs of two such groups go to the exact test.
//
// Where we differ, and why:
// - The paper keeps three layers in four textures and reads pairs back after six; here each layer is finished before
//   the next one begins, so their number has no limit and one floor image is enough.
// - The ceiling `last layer plus epsilon` is computed from a read-back of the layer, since Raster has no arithmetic on
//   images. The read-back of the paper, the pairs, is compact.
// - Vertices are welded (docs/definitions.md), so that an STL file shares ids as well. `unique_ids` gives each triangle
//   its own, to show what sharing is worth.
// - Epsilon: the paper does not give its size. Two pixels of the region's image unless given: a surface at 45 degrees
//   changes its depth by one from pixel to pixel. At 0 nothing is ever closer, so no pair is found. A larger one misses
//   less and tests more: bunny and dragon of 5.6k triangles, 256 x 256, mean of 36 views: 2 pixels miss 42% of the
//   contacts (unique ids 54%), 8 pixels 32% (48%); the paper has 5% (23%) for scans and an unknown epsilon.
// - The share of the budget goes by image area (image_sides); the paper has only that more regions have smaller ones.
// - Several views: pairs of all of them together. In conservative precision each view drops what it can.
// - Conservative precision, which loses nothing, peels otherwise: peel_conservative.cpp.
//
// Image precision misses contacts between samples, in surfaces seen edge-on, and of layers at the same depth (step 3
// draws deeper ones only).
#include "method/peel.h"

#include <algorithm>

#include "mesh/weld.h"

namespace sightline::papers::method {
namespace {

using raster::Color;
using raster::Compare;
using raster::Image;
using raster::Query;
using raster::State;

constexpr std::uint8_t kLastLayer = raster::kRed | raster::kGreen, kThisLayer = raster::kBlue | raster::kAlpha;

std::uint32_t id_of(std::uint16_t high, std::uint16_t low) { return std::uint32_t{high} << 16 | low; }

/// Per triangle of the scene, its id in both halves of a colour; 0 is none.
std::vector<Color> make_ids(const Context& context) {
  const Scene& scene = context.scene;
  const std::vector<std::uint32_t> vertex = weld(std::span<const Vec3d>(scene.positions));
  std::vector<Color> ids;
  ids.reserve(scene.triangles.size());
  for (std::uint32_t t = 0; t < scene.triangles.size(); ++t) {
    const std::uint32_t id = (context.options.unique_ids ? t : vertex[scene.triangles[t][2]]) + 1;
    const auto high = static_cast<std::uint16_t>(id >> 16), low = static_cast<std::uint16_t>(id);
    ids.push_back({high, low, high, low});
  }
  return ids;
}

/// Steps 2 to 6 for one region.
class Peeler {
 public:
  Peeler(Context& context, const RegionImage& image, const std::vector<Color>& ids)
      : raster_(context.raster), image_(image), ids_(ids) {
    raster::Target target = context.target();
    target.width = target.height = image.side;
    target.color = true;
    raster_.target(target);
    raster_.camera(image.camera);
    floor_ = raster_.image();
    ceiling_ = raster_.image();
  }

  /// Steps 2 and 3: false if the layer is empty.
  bool layer(int object, bool first) {
    layer_ = State{};
    if (!first) layer_.floor = floor_;
    raster_.reset_queries();
    const Query query = raster_.queries(1);
    raster_.clear_depth(raster::far_key(raster_.target().format));
    raster_.draw(layer_, image_.region.triangles[object], query);
    return raster_.result(query) > 0;
  }

  /// Step 4: how many pixels have a pair.
  std::uint64_t pair(int object) {
    const Query query = raster_.queries(1);
    raster_.draw(same_layer(kThisLayer, ceiling_), image_.region.triangles[object], query);
    const std::uint64_t pixels = raster_.result(query);
    if (pixels == 0) return 0;
    for (const raster::ColorAt& at : raster_.read_color_compact(kThisLayer)) {
      const std::uint64_t last = id_of(at.color[0], at.color[1]), now = id_of(at.color[2], at.color[3]);
      pairs_.push_back(object == 0 ? now << 32 | last : last << 32 | now);
    }
    return pixels;
  }

  /// Step 5.
  void make_last(int object) {
    raster_.clear_color({});
    raster_.draw(same_layer(kLastLayer, raster::kNoImage), image_.region.triangles[object]);
    std::vector<std::uint32_t> keys = raster_.read_depth();
    raster_.write(floor_, keys);
    deepen(keys, image_.epsilon, image_.camera, raster_.target().format);
    raster_.write(ceiling_, keys);
  }

  /// Step 6.
  void expand(Pairs& pairs) {
    std::sort(pairs_.begin(), pairs_.end());
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
    const std::array<Groups, 2> groups = {groups_of(0), groups_of(1)};
    for (const std::uint64_t key : pairs_)
      for (const auto& [id_a, a] : with_id(groups[0], static_cast<std::uint32_t>(key >> 32)))
        for (const auto& [id_b, b] : with_id(groups[1], static_cast<std::uint32_t>(key)))
          pairs.push_back(std::minmax(a, b));
  }

 private:
  using Groups = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< (id, triangle), sorted

  State same_layer(std::uint8_t channels, Image ceiling) const {
    State state = layer_;
    state.depth = Compare::equal;
    state.depth_write = false;
    state.ceiling = ceiling;
    state.color_mask = channels;
    state.triangle_colors = ids_.data();
    return state;
  }

  Groups groups_of(int object) const {
    Groups groups;
    for (const std::uint32_t t : image_.region.triangles[object]) groups.emplace_back(id_of(ids_[t][0], ids_[t][1]), t);
    std::sort(groups.begin(), groups.end());
    return groups;
  }
  static std::span<const Groups::value_type> with_id(const Groups& groups, std::uint32_t id) {
    const auto first = std::lower_bound(groups.begin(), groups.end(), Groups::value_type(id, 0));
    auto last = first;
    while (last != groups.end() && last->first == id) ++last;
    return {first, last};
  }

  raster::Raster& raster_;
  const RegionImage& image_;
  const std::vector<Color>& ids_;
  Image floor_, ceiling_;
  State layer_;                       ///< how the current layer was drawn
  std::vector<std::uint64_t> pairs_;  ///< id of object 0, id of object 1
};

double depth_along(const Vec3d& p, const Vec3d& d) { return p[0] * d[0] + p[1] * d[1] + p[2] * d[2]; }

double default_epsilon(const raster::Camera& camera, std::uint32_t side) {
  return 2 * std::max(camera.right_edge - camera.left, camera.top - camera.bottom) / side;
}

void add_remaining(const Context& context, const std::vector<Region>& regions, Pairs& pairs) {
  for (const Region& region : regions) pairs_of(context.scene, region.triangles, pairs);
}

/// Step 1's camera, then the steps of the precision.
void peel_region(Context& context, const View& view, Region& region, std::uint32_t side, const std::vector<Color>& ids,
                 LayerLog& log, Pairs& pairs) {
  const bool conservative = context.precision == Precision::conservative;
  const double given = context.options.epsilon.value_or(0);
  const raster::Camera camera = region_camera(context.scene, region, view, conservative ? 2 * given : 0);
  const bool second = depth_along(region.center[1], camera.forward) >= depth_along(region.center[0], camera.forward);
  RegionImage image{region, camera, side, second ? 1 : 0, given};
  if (conservative) return peel_conservative(context, image, log);
  if (!context.options.epsilon) image.epsilon = default_epsilon(camera, side);
  peel_image(context, image, ids, log, pairs);
}

}  // namespace

void LayerLog::restart() {
  before_ = context_.raster.counters();
  start_ = Clock::now();
}

void LayerLog::book(std::string_view level, std::uint32_t iteration, std::uint64_t triangles, std::uint64_t found) {
  auto at = std::find_if(passes_.begin(), passes_.end(),
                         [&](const Pass& p) { return p.level == level && p.iteration == iteration; });
  if (at == passes_.end()) {
    at = passes_.emplace(passes_.end());
    at->level = level;
    at->iteration = iteration;
    at->direction = direction_;
  }
  context_.raster.finish();
  const raster::Counters& now = context_.raster.counters();
  at->renders += now.renders - before_.renders;
  at->queries += now.queries - before_.queries;
  at->triangles += now.triangles - before_.triangles;
  at->fragments += now.fragments - before_.fragments;
  at->milliseconds += std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  at->elements_before += 1;
  at->elements_after += found > 0 ? 1 : 0;
  at->pcs_before += triangles;
  at->pcs_after += found;
  restart();
}

void LayerLog::end() {
  context_.report.passes.insert(context_.report.passes.end(), passes_.begin(), passes_.end());
  passes_.clear();
}

void peel_image(Context& context, const RegionImage& image, const std::vector<Color>& ids, LayerLog& log,
                Pairs& pairs) {
  Peeler peeler(context, image, ids);
  int object = image.farther;
  for (std::uint32_t layer = 0; peeler.layer(object, layer == 0); ++layer) {  // 2, 3
    const std::uint64_t found = layer == 0 ? 0 : peeler.pair(object);         // 4
    peeler.make_last(object);                                                 // 5
    log.book("layer", layer, image.region.triangles[object].size(), found);
    object = 1 - object;
  }
  peeler.expand(pairs);  // 6
}

Candidates peel(Context& context) {
  Candidates candidates;
  candidates.has_pairs = true;
  Pairs& pairs = candidates.pairs;
  std::vector<Region> regions = regions_of_interest(context.scene);  // 1
  const bool conservative = context.precision == Precision::conservative;
  const std::vector<Color> ids = conservative ? std::vector<Color>{} : make_ids(context);
  for (const View& view : context.views) {
    if (view.field_of_view > 0) throw Error("peel: rays are parallel; a view must not have a field of view");
    LayerLog log(context, view.direction);
    const std::vector<std::uint32_t> sides = image_sides(context.scene, regions, view, context.resolution);
    for (std::size_t i = 0; i < regions.size() && !(context.stop && context.stop()); ++i)
      peel_region(context, view, regions[i], sides[i], ids, log, pairs);  // 2 to 6
    log.end();
    if (conservative)
      std::erase_if(regions, [](const Region& r) { return r.triangles[0].empty() || r.triangles[1].empty(); });
  }
  if (conservative) add_remaining(context, regions, pairs);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return candidates;
}

}  // namespace sightline::papers::method
