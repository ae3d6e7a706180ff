// The parts of the method self-cullide that its tests look at (self_cullide.cpp has the method).
#pragma once

#include <vector>

#include "method/facing.h"
#include "method/hierarchy.h"
#include "method/method.h"

namespace sightline::papers::method {

/// Fig. 3 for the view of the raster: nodes that nothing hides, themselves included, leave. A node with `held` stays
/// and hides, but is not tested. The edges of `steep` triangles hide as well.
void self_reduce(Context& context, const Hierarchy& hierarchy, const std::vector<std::uint8_t>& held,
                 std::span<const std::uint32_t> steep, std::vector<Range>& nodes);

/// True for a triangle so steep in this view that the image may not hold it, though the image of another view would.
bool protects(const Facing::Of& triangle, const Vec3d& forward, double pixel);

/// Conservative precision (self_conservative.cpp).
Candidates self_conservative(Context& context);

}  // namespace sightline::papers::method
