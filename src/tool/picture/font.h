// A font of strokes for pictures: ASCII, Latin-1 and a few signs. It is part of the tool, so that texts have the same
// pixels on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "picture/lines.h"

namespace sightline::picture {

/// Of a line of UTF-8. `height` is that of a capital letter, in pixels. Characters that the font does not have are
/// boxes.
double text_width(std::string_view text, double height);
/// Draws a line of text from (x, y), the left end of its baseline; rows count from the bottom.
void write_text(Pen& pen, std::string_view text, double x, double y, double height, double thickness);
/// The text, with … in place of its middle if it is wider than `most` pixels.
std::string fitted(std::string_view text, double height, double most);

}  // namespace sightline::picture
