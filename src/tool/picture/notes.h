// The texts of a picture: title and legend beside the view of the model, names of parts and lengths of gaps over it.
#pragma once

#include "picture/lines.h"
#include "picture/model.h"

namespace sightline::picture {

/// Heights in pixels of what is added above and below the view.
struct Strips {
  std::uint32_t above = 0, below = 0;
};
Strips strips_of(const Notes& notes, const PictureOptions& options);

/// In pixels of a view from its lower left corner, or in units of a lens.
struct Area {
  double left, bottom, right, top;
  double width() const { return right - left; }
  double height() const { return top - bottom; }
  bool meets(const Area& o) const { return left < o.right && o.left < right && bottom < o.top && o.bottom < top; }
};

/// Gaps as lines with their texts, and names of parts where the parts are seen. `seen` has the part of each pixel, or
/// kNothing. A text that finds no room beside the others and outside `taken` is left out.
void write_over(Light& view, const Lens& lens, const Model& model, const Notes& notes,
                const std::vector<std::uint32_t>& seen, std::vector<Area> taken, double scale);

/// The view between the strips: title and facts above, the kinds of contact and their numbers below.
Light with_strips(const Light& view, const Strips& strips, const Notes& notes, const report::KindCounts& counts,
                  double scale, const Vec3d& above, const Vec3d& below);

}  // namespace sightline::picture
