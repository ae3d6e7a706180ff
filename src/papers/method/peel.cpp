// Alternate surface peeling.
//
// Jang, Jeong, Han: Image-Space Collision Detection Through Alternate Surface Peeling. GPC 2007.
//
//   paper                        here
//   O1, O2                       Region::object, Region::triangles
//   ROI                          Region (roi.h)
//   texture #k: R (depth)        the key of layer k (raster/peel.h)
//   texture #k: G (triangle ID)  the id of layer k; triangle_ids (peel_ids.h)
//   epsilon                      raster::PeelRegion::reach
//   PCS                          raster::IdPair, then Pairs of triangles
//
// Steps, for each view:
//   1. Objects whose boxes overlap form a region of interest; it gets its share of the budget of pixels and a camera
//      that shows just the region. Triangles whose box misses the region are not drawn.
//   2. The object farther from the viewer is drawn: layer 1.
//   3. The other object is drawn; only fragments deeper than the last layer pass, and the nearest of them stay: the
//      next layer. Where the last layer has nothing, nothing passes. No fragment at all: the region is done.
//   4. Where the new layer is closer to the last one than epsilon, their two ids make a pair.
//   5. The new layer is the last one; go on at 3 with the objects exchanged.
//   6. Only the pairs of ids are read back. An id stands for all triangles around one vertex. All pairs of two such
//      groups go to the exact test.
// Steps 2 to 5 are Raster::peel: one call for all regions.
//
// The preset Peel::as_published() does just this: it looks along -z, begins with the farther object, and an id belongs
// to the last vertex of its triangles. What the paper leaves open, in the preset as well:
// - Epsilon is not given in the paper. Ours is twice the mean extent of the region's triangles, where the miss ratio no
//   longer depends on it (docs/papers.md has the table). At 0 nothing is ever closer, so no pair is found.
// - Layers: the paper's four textures hold six layers. After six it reads the pairs back and goes on from the sixth, so
//   their number has no limit there either. Raster::peel keeps no layer, so pairs are read back once, after the last.
// - The share of the budget goes by image area (image_sides); the paper has only that more regions have smaller ones.
// - Surfaces are clipped at the region, and in depth only epsilon behind it and before it: a flat region, such as that
//   of a sheet, would show nothing of what crosses it.
// - Vertices are welded (docs/definitions.md), so that an STL file shares ids as well.
//
// Ours, each an option of its own:
// - The view is chosen for each region where none is given, out of 13 directions (clearest_view).
// - `greedy_ids`: the vertex of an id is chosen so that its id covers as many triangles as possible (peel_ids.h).
// - `from_both`: a second peel of each region begins with the other object. A layer that the first one skips, since a
//   layer of the same object lies before it, is often in the second.
// - `rigid`: pairs of two rigid objects are not peeled; the exact engine decides them (run.cpp). The paper gives them
//   to RAPID.
// - Objects with `self`: halves of the object are peeled against each other (halves.h). The paper has no self-contacts.
// - Several views: pairs of all of them together. In conservative precision each view drops what it can.
// - Conservative precision, which loses nothing, peels otherwise: peel_conservative.cpp.
//
// Image precision misses contacts between samples, in surfaces seen edge-on, and of layers at the same depth (step 3
// draws deeper ones only).
#include "method/peel.h"

#include <algorithm>

#include "base/box_tree.h"
#include "method/halves.h"
#include "method/peel_ids.h"
#include "raster/peel.h"

namespace sightline::papers::method {
namespace {

double depth_along(const Vec3d& p, const Vec3d& d) { return p[0] * d[0] + p[1] * d[1] + p[2] * d[2]; }

/// The object whose box has its centre farther from the viewer.
int farther(const Region& region, const raster::Camera& camera) {
  return depth_along(region.center[1], camera.forward) >= depth_along(region.center[0], camera.forward) ? 1 : 0;
}

/// Twice the mean extent of the region's triangles.
double default_epsilon(const Scene& scene, const Region& region) {
  double sum = 0, count = 0;
  for (const auto& triangles : region.triangles)
    for (const std::uint32_t t : triangles) {
      const Box box = box_of(scene, t);
      sum += std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
      ++count;
    }
  return 2 * sum / count;
}

bool is_rigid(const Context& context, std::uint32_t object) {
  const std::vector<ObjectId>& rigid = context.options.rigid;
  return std::find(rigid.begin(), rigid.end(), context.scene.table.objects[object].id) != rigid.end();
}

/// Step 1. Pairs within the leaves of objects with `self` are appended.
std::vector<Region> find_regions(Context& context, Pairs& pairs) {
  const Scene& scene = context.scene;
  const auto& objects = scene.table.objects;
  PassClock clock(context, "boxes", {0, 0, 0});
  std::vector<Box> boxes(objects.size());
  context.workers.for_each(objects.size(), [&](std::size_t i) { boxes[i] = box_of(scene, objects[i]); });
  std::vector<std::array<std::uint32_t, 2>> meeting = pairs_of_boxes(boxes, std::mem_fn(&Box::meets));
  std::vector<bool> rigid;
  for (std::uint32_t i = 0; i < objects.size(); ++i) rigid.push_back(is_rigid(context, i));
  std::erase_if(meeting, [&](const auto& pair) {
    return (rigid[pair[0]] && rigid[pair[1]]) || !wanted(objects[pair[0]].options, objects[pair[1]].options);
  });
  clock.pass().elements_before = objects.size();
  clock.pass().elements_after = meeting.size();
  clock.pass().pcs_before = clock.pass().pcs_after = scene.triangles.size();
  const bool any_self = std::any_of(objects.begin(), objects.end(), [](const auto& o) { return o.options.self; });
  if (!meeting.empty() || any_self) clock.end();
  std::vector<Region> regions = regions_of_interest(scene, boxes, meeting, context.workers);
  for (std::uint32_t i = 0; i < objects.size(); ++i)
    if (objects[i].options.self && !rigid[i]) halve(scene, i, regions, pairs);
  return regions;
}

/// Step 6: the triangles of the ids that were found in a region.
class Groups {
 public:
  Groups(const Region& region, std::span<const raster::IdPair> found, const std::vector<std::uint32_t>& ids) {
    for (const int object : {0, 1}) {
      auto& [wanted, members] = of_[object];
      for (const raster::IdPair& pair : found) wanted.push_back(object == 0 ? pair.a : pair.b);
      std::sort(wanted.begin(), wanted.end());
      wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
      members.resize(wanted.size());
      for (const std::uint32_t t : region.triangles[object]) {
        const std::size_t at = place(wanted, ids[t]);
        if (at < wanted.size() && wanted[at] == ids[t]) members[at].push_back(t);
      }
    }
  }
  void expand(const raster::IdPair& found, Pairs& pairs) const {
    for (const std::uint32_t a : of_[0].members[place(of_[0].ids, found.a)])
      for (const std::uint32_t b : of_[1].members[place(of_[1].ids, found.b)]) pairs.push_back(std::minmax(a, b));
  }

 private:
  struct Side {
    std::vector<std::uint32_t> ids;  ///< sorted
    std::vector<std::vector<std::uint32_t>> members;
  };
  static std::size_t place(const std::vector<std::uint32_t>& ids, std::uint32_t id) {
    return static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin());
  }
  std::array<Side, 2> of_;
};

IdScheme scheme_of(const MethodOptions& options) {
  if (options.unique_ids) return IdScheme::unique;
  return options.greedy_ids ? IdScheme::greedy_vertex : IdScheme::last_vertex;
}

/// The image precision: all regions in one call of the raster.
class ImagePeel {
 public:
  ImagePeel(Context& context, const std::vector<Region>& regions)
      : context_(context),
        regions_(regions),
        ids_(triangle_ids(context.scene, regions, scheme_of(context.options), context.workers)) {}

  /// Pairs of triangles are appended.
  void run(std::span<const View> views, const Vec3d& direction, Pairs& pairs) {
    PassClock clock(context_, "peel", direction);
    raster::Target target = context_.target();
    target.width = target.height = 1;  // regions have their own sizes
    context_.raster.target(target);
    const std::vector<raster::PeelRegion> drawn = images(views);
    raster::Peeled found;
    context_.raster.peel(drawn, ids_, found);  // 2 to 5
    Pass& pass = clock.pass();
    pass.elements_before = regions_.size();
    for (std::size_t i = 0; i < found.pairs.size(); ++i)
      pass.elements_after += i == 0 || found.pairs[i].region != found.pairs[i - 1].region ? 1 : 0;
    for (const Region& region : regions_) pass.pcs_before += region.triangles[0].size() + region.triangles[1].size();
    pass.pcs_after = found.pairs.size();
    clock.end();
    context_.report.passes.back().milliseconds -= found.read_back_ms;
    add_layers(found, direction);
    expand(found, direction, pairs);  // 6
  }

 private:
  std::vector<raster::PeelRegion> images(std::span<const View> views) const {
    const std::vector<std::uint32_t> sides = image_sides(context_.scene, regions_, views, context_.resolution);
    std::vector<raster::PeelRegion> images(regions_.size());
    context_.workers.for_each(regions_.size(), [&](std::size_t i) {
      const Region& region = regions_[i];
      raster::PeelRegion& image = images[i];
      const double usual = default_epsilon(context_.scene, region), epsilon = context_.options.epsilon.value_or(usual);
      // A larger range would only cost precision of depth.
      image.camera = region_camera(context_.scene, region, views[i], std::min(usual, epsilon));
      image.side = sides[i];
      image.triangles = {region.triangles[0], region.triangles[1]};
      image.starts = static_cast<std::uint8_t>(context_.options.from_both ? 3 : 1 << farther(region, image.camera));
      image.reach = raster::reach_of(epsilon, image.camera, context_.raster.target().format);
    });
    return images;
  }

  /// A pass for each layer, without a time of its own; `elements` are peels, `pcs` are pixels.
  void add_layers(const raster::Peeled& found, const Vec3d& direction) {
    for (std::uint32_t i = 0; i < found.layers.size(); ++i) {
      const raster::PeelLayer& layer = found.layers[i];
      Pass pass;
      pass.level = "layer";
      pass.direction = direction;
      pass.iteration = i;
      pass.elements_before = layer.peels;
      pass.elements_after = layer.peels_with_pairs;
      pass.pcs_before = layer.pixels;
      pass.pcs_after = layer.pixels_with_pairs;
      context_.report.passes.push_back(pass);
    }
    Pass pass;
    pass.level = "read-back";
    pass.direction = direction;
    pass.pcs_before = pass.pcs_after = found.pairs.size();
    pass.milliseconds = found.read_back_ms;
    context_.report.passes.push_back(pass);
  }

  void expand(const raster::Peeled& found, const Vec3d& direction, Pairs& pairs) {
    PassClock clock(context_, "pairs", direction);
    const std::size_t before = pairs.size();
    const std::span<const raster::IdPair> all = found.pairs;
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      const std::uint32_t region = all[begin].region;
      while (end < all.size() && all[end].region == region) ++end;
      const Groups groups(regions_[region], all.subspan(begin, end - begin), ids_);
      for (const raster::IdPair& pair : all.subspan(begin, end - begin)) groups.expand(pair, pairs);
    }
    clock.pass().pcs_before = found.pairs.size();
    clock.pass().pcs_after = pairs.size() - before;
    clock.end();
  }

  Context& context_;
  const std::vector<Region>& regions_;
  std::vector<std::uint32_t> ids_;
};

/// The conservative precision, region by region.
void drop_in_view(Context& context, std::span<const View> views, const Vec3d& direction, std::vector<Region>& regions) {
  LayerLog log(context, direction);
  const double epsilon = context.options.epsilon.value_or(0);
  const std::vector<std::uint32_t> sides = image_sides(context.scene, regions, views, context.resolution);
  for (std::size_t i = 0; i < regions.size() && !(context.stop && context.stop()); ++i) {
    const raster::Camera camera = region_camera(context.scene, regions[i], views[i], 2 * epsilon);
    peel_conservative(context, {regions[i], camera, sides[i], farther(regions[i], camera), epsilon}, log);
  }
  log.end();
  std::erase_if(regions, [](const Region& r) { return r.triangles[0].empty() || r.triangles[1].empty(); });
}

/// Calls see(views, direction) for each view; `views` has one for each region. Without given views: once, with the view
/// that is best for each region.
template <typename See>
void for_each_view(const Context& context, const std::vector<Region>& regions, const See& see) {
  if (context.views.empty()) {
    std::vector<View> views;
    for (const Region& region : regions) views.push_back(clearest_view(context.scene, region));
    return see(std::span<const View>(views), Vec3d{0, 0, 0});
  }
  for (const View& view : context.views) {
    const std::vector<View> views(regions.size(), view);
    if (!(context.stop && context.stop())) see(std::span<const View>(views), view.direction);
  }
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

Candidates peel(Context& context) {
  for (const View& view : context.views)
    if (view.field_of_view > 0) throw Error("peel: rays are parallel; a view must not have a field of view");
  Candidates candidates;
  candidates.has_pairs = true;
  Pairs& pairs = candidates.pairs;
  std::vector<Region> regions = find_regions(context, pairs);  // 1
  if (context.precision == Precision::conservative) {
    for_each_view(context, regions, [&](std::span<const View> views, const Vec3d& direction) {
      drop_in_view(context, views, direction, regions);
    });
    for (const Region& region : regions) pairs_of(context.scene, region.triangles, pairs);
  } else if (!regions.empty()) {
    ImagePeel images(context, regions);
    for_each_view(context, regions, [&](std::span<const View> views, const Vec3d& direction) {
      images.run(views, direction, pairs);  // 2 to 6
    });
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return candidates;
}

}  // namespace sightline::papers::method
