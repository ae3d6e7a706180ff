// The device's programs, as text. They are in programs/; most begin with kCommon, which has the records and the
// rules of raster/raster.h in GLSL.
#pragma once

#include <string>

namespace sightline::papers::gl {

std::string setup_shader();        ///< compute: corners to primitives
std::string count_shader();        ///< compute: tiles of each entry, counted
std::string count_large_shader();  ///< the same for entries with many tiles, a work group each
std::string place_shader();        ///< compute: where each tile's list goes; the tiles that have one
std::string words_shader();        ///< compute: fills a buffer
std::string settle_shader();       ///< compute: the clear key into tiles that nothing was drawn into
std::string fill_shader();         ///< compute: the lists
std::string fill_large_shader();
std::string tile_shader(
    bool more);  ///< compute: a work group draws its tile's list in order; `more`: with stencil, colour, images
/// The same for a sweep's entries, and both of its passes.
std::string sweep_count_shader();
std::string sweep_count_large_shader();
std::string sweep_fill_shader();
std::string sweep_fill_large_shader();
std::string sweep_tile_shader();
std::string peel_shader();      ///< compute: all layers of all regions
std::string compact_shader();   ///< compute: the pixels that have a colour
std::string vertex_shader();    ///< graphics: a box around each primitive
std::string fragment_shader();  ///< graphics: coverage and depth by our rules, the rest by the hardware
std::string keys_shader();      ///< compute: a depth texture as keys
std::string ends_shader();      ///< compute: both ends of each primitive in 16 pixels, for arithmetic.cpp

}  // namespace sightline::papers::gl
