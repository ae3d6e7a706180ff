// peel in conservative precision: no contact is lost, at any resolution.
//
// A fragment has a near and a far end that bound all depths of its triangle over its pixel. In a pixel, the fragments
// of one object fill a set of depths, the union of their intervals. A triangle stays if one of its fragments meets the
// other object's set in that pixel; this is as sharp as intervals can be.
//
//   1. Alternately for both objects, until nothing changes: take each pixel's set as the one interval from its nearest
//      near to its farthest far end, and drop the other object's triangles that do not meet it.
//   2. Peel one object, layer by layer, against the other's triangles, which stay if they meet one of the layers:
//      a. start: the nearest near end that is deeper than the floor;
//      b. reach: the farthest far end of the fragments that begin no deeper than the start;
//      c. end: the farthest far end of the fragments that begin no deeper than the reach;
//      d. triangles of the other object meet the layer where near <= end and far >= start: one query for all of them,
//         and only if that counts anything one for each that has met no layer yet;
//      e. the reach is the next floor. Nothing is left where no fragment begins between the floor and the other
//         object's farthest end: a query shows when this is so everywhere.
//   3. The same with the objects exchanged, against the triangles that step 2 left.
//
// A layer is one interval without gaps: a fragment that sets the reach begins at or before the start and ends at the
// reach, so the layer's other fragments, which begin up to the reach, overlap it. And the layers hold all fragments:
// each begins behind some floor and not behind the next. So their union is the object's set, no more and no less.
//
// Nothing is lost. Let triangles a and b of the two objects share a point p. It lies in both boxes, so in the region,
// and the window shows all of the region. In each pixel whose closed square holds p's image both have a fragment
// (coverage is conservative), and both intervals hold p's depth. So b's fragment is in some layer of b's object and a
// meets that layer there; in step 1, a meets the interval around b's. Both stay, step after step, and with them the
// pair, since their boxes meet as well. Ends are rounded outwards by more than the projection can be off
// (raster/setup.h and region_camera), and clipping at the window's edge leaves the part of a triangle that is in the
// region.
//
// The two objects may be halves of one (halves.h). Triangles that share a vertex then share a point, and so they stay;
// the exact test decides about them as about all others.
//
// Layers are limited (kMostLayers). The last one takes all that begins behind the floor as one interval, which is safe
// and only less sharp; the report shows it as a pass "rest".
//
// Epsilon: with it, a triangle meets a layer if it comes closer than that. Contacts do not need it, so it is 0 unless
// it is set. The tested triangles are drawn by a camera that sees everything deeper by epsilon, against an end that is
// deeper by two: Raster has no arithmetic for the start, which is in the depth buffer.
//
// Rejected: runs of both objects grown until nothing changes and compared on read-back images. It needs the growing
// loop, reads images back in each round, and keeps triangles anywhere in two runs that overlap somewhere.
#include "method/peel.h"

namespace sightline::papers::method {
namespace {

using raster::Compare;
using raster::Image;
using raster::kNoImage;
using raster::Query;
using raster::State;

constexpr std::uint32_t kMostLayers = 128;
constexpr std::uint32_t kMostRounds = 4;  ///< of step 1

class ConservativePeeler {
 public:
  ConservativePeeler(Context& context, const RegionImage& image, LayerLog& log)
      : raster_(context.raster), image_(image), log_(log), triangles_(image.region.triangles) {
    raster::Target target = context.target();
    target.width = target.height = image.side;
    raster_.target(target);
    raster_.camera(image.camera);
    for (Image* made : {&floor_, &start_, &reach_, &end_, &limit_}) *made = raster_.image();
    shifted_ = image.camera;
    shifted_.near -= image.epsilon;
    shifted_.far -= image.epsilon;
  }

  bool over() const { return triangles_[0].empty() || triangles_[1].empty(); }

  /// Step 1 for one object: true if triangles of the other one were dropped.
  bool range(int peeled, std::uint32_t round) {
    far_ends(peeled, kNoImage, end_, 2 * image_.epsilon);
    raster_.clear_depth(far());
    raster_.draw({}, triangles_[peeled]);
    std::vector<std::uint8_t> met(triangles_[1 - peeled].size(), 0);
    const std::uint64_t before = met.size(), kept = test(1 - peeled, met);
    keep(1 - peeled, met);
    log_.book("range", round, before, kept);
    return kept < before;
  }

  /// Step 2 (and 3).
  void peel(int peeled) {
    const int tested = 1 - peeled;
    raster_.write(floor_, std::vector<std::uint32_t>(std::size_t{image_.side} * image_.side, 0));
    far_ends(tested, kNoImage, limit_, image_.epsilon);
    std::vector<std::uint8_t> met(triangles_[tested].size(), 0);
    for (std::uint32_t layer = 0; layer < kMostLayers && start(peeled); ++layer) {
      const bool rest = layer + 1 == kMostLayers;
      raster_.copy_depth(start_);                                            // a
      far_ends(peeled, rest ? kNoImage : start_, reach_, 0);                 // b
      far_ends(peeled, rest ? kNoImage : reach_, end_, 2 * image_.epsilon);  // c
      start(peeled);
      const std::uint64_t found = test(tested, met);  // d
      std::swap(floor_, reach_);                      // e
      log_.book(rest ? "rest" : "layer", layer, met.size(), found);
    }
    keep(tested, met);
  }

 private:
  std::uint32_t far() const { return raster::far_key(raster_.target().format); }

  /// Leaves the nearest near ends behind the floor in the depth buffer; false if there are none before the limit.
  bool start(int object) {
    raster_.reset_queries();
    const Query query = raster_.queries(1);
    State state;
    state.floor = floor_;
    state.ceiling = limit_;
    raster_.clear_depth(far());
    raster_.draw(state, triangles_[object], query);
    return raster_.result(query) > 0;
  }

  /// The farthest far ends of fragments that begin no deeper than the ceiling, moved away by `deeper`.
  void far_ends(int object, Image ceiling, Image to, double deeper) {
    State state;
    state.depth = Compare::greater;
    state.ceiling = ceiling;
    raster_.clear_depth(0);
    raster_.draw(state, triangles_[object]);
    if (deeper == 0) return raster_.copy_depth(to);
    std::vector<std::uint32_t> keys = raster_.read_depth();
    deepen(keys, deeper, image_.camera, raster_.target().format);
    raster_.write(to, keys);
  }

  /// Marks triangles that reach from the end image's key to the depth buffer's; returns how many were marked here.
  std::uint64_t test(int object, std::vector<std::uint8_t>& met) {
    State state;
    state.depth = Compare::gequal;
    state.depth_write = false;
    state.ceiling = end_;
    if (image_.epsilon > 0) raster_.camera(shifted_);
    raster_.reset_queries();
    const std::vector<std::uint32_t>& all = triangles_[object];
    const Query any = raster_.queries(1);
    raster_.draw(state, all, any);
    std::uint64_t found = 0;
    if (raster_.result(any) > 0) {
      const Query first = raster_.queries(all.size());
      for (std::uint32_t i = 0; i < all.size(); ++i)
        if (met[i] == 0) raster_.draw(state, {&all[i], 1}, first + i);
      for (std::uint32_t i = 0; i < all.size(); ++i)
        if (met[i] == 0 && raster_.result(first + i) > 0) met[i] = 1, ++found;
    }
    if (image_.epsilon > 0) raster_.camera(image_.camera);
    return found;
  }

  void keep(int object, const std::vector<std::uint8_t>& met) {
    std::vector<std::uint32_t>& all = triangles_[object];
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (met[i] != 0) all[count++] = all[i];
    all.resize(count);
  }

  raster::Raster& raster_;
  const RegionImage& image_;
  LayerLog& log_;
  std::array<std::vector<std::uint32_t>, 2>& triangles_;
  raster::Camera shifted_;
  Image floor_ = kNoImage, start_ = kNoImage, reach_ = kNoImage, end_ = kNoImage, limit_ = kNoImage;
};

}  // namespace

void peel_conservative(Context& context, const RegionImage& image, LayerLog& log) {
  ConservativePeeler peeler(context, image, log);
  const int farther = image.farther;
  bool changed = true;
  for (std::uint32_t round = 0; round < kMostRounds && changed && !peeler.over(); ++round) {  // 1
    changed = peeler.range(farther, round);
    if (!peeler.over()) changed |= peeler.range(1 - farther, round);
  }
  if (!peeler.over()) peeler.peel(farther);      // 2
  if (!peeler.over()) peeler.peel(1 - farther);  // 3
}

}  // namespace sightline::papers::method
