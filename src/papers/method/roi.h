// Regions of interest of the method `peel`: where the boxes of two objects overlap, and the image of each such place.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "method/method.h"

namespace sightline::papers::method {

Box box_of(const Scene& scene, std::uint32_t triangle);
Box box_of(const Scene& scene, const TriangleTable::Object& object);

std::vector<Box> object_boxes(const Scene& scene);

/// One pair of objects whose boxes meet, or two parts of one object.
struct Region {
  std::array<std::uint32_t, 2> object;                  ///< the smaller index first; the same for parts of one
  std::array<Vec3d, 2> center;                          ///< of their boxes
  Box box;                                              ///< where their boxes overlap
  std::array<std::vector<std::uint32_t>, 2> triangles;  ///< of each object, those whose box meets `box`
};

/// All regions, ascending by `object`. A region in which one of the objects has no triangle is left out: a point that
/// two objects share lies in triangles of both in their region, so nothing is lost.
std::vector<Region> regions_of_interest(const Scene& scene);
/// The same for these pairs of objects only; `boxes` are those of all objects.
std::vector<Region> regions_of_interest(const Scene& scene, const std::vector<Box>& boxes,
                                        std::span<const std::array<std::uint32_t, 2>> pairs,
                                        Workers& workers = Workers::none());

/// The camera of a region: the window fits the region's box. `behind` is added to the range of depths at both ends.
/// A window is never smaller than 2^-16 of what is drawn, so that corners far outside of it are still projected with
/// an error far below the 1/256 of a pixel and the unit of depth that conservative coverage has to spare.
raster::Camera region_camera(const Scene& scene, const Region& region, const View& view, double behind = 0);

/// Of 13 directions (axes, diagonals of faces and of the cube) the one in which both objects show the most of their
/// area, as a share of it: of two objects, the one that shows less counts, since an object seen edge-on has no pixels.
/// Decides about samples only, never about what is reported.
View clearest_view(const Scene& scene, const Region& region);

/// Pixels a side for each region. The regions share budget x budget pixels by the area that their boxes take in the
/// image; a side is the budget's, halved as often as it takes to stay within the share, but at least 8 (or the budget,
/// where that is less). One region alone has the whole budget. `views` has one view for each region.
std::vector<std::uint32_t> image_sides(const Scene& scene, const std::vector<Region>& regions,
                                       std::span<const View> views, std::uint32_t budget);

/// Moves keys away from the viewer by `distance`, in scene units, rounded up; a cleared key does not change, and no
/// other key becomes a cleared one.
void deepen(std::vector<std::uint32_t>& keys, double distance, const raster::Camera& camera,
            raster::DepthFormat format);

/// Pairs of the two lists whose boxes meet, each with the smaller index first, unsorted.
void pairs_of(const Scene& scene, const std::array<std::vector<std::uint32_t>, 2>& triangles,
              std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);

}  // namespace sightline::papers::method
