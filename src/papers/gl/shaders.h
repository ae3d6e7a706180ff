// The device's programs, as text. They are in programs/; most begin with kCommon, which has the records and the
// rules of raster/raster.h in GLSL.
#pragma once

#include <string>

namespace sightline::papers::gl {

// Compute.
std::string setup_shader();  ///< corners to primitives
/// The tiles of each entry of a batch or a sweep: counted, or (fill) written to the lists; `large`: for entries with
/// many tiles, a work group each.
std::string list_shader(bool sweep, bool large, bool fill);
std::string place_shader();          ///< where each tile's list goes; the tiles that have one
std::string tile_shader(bool more);  ///< a work group draws its tile's list in order; `more`: stencil, colour, images
std::string sweep_tile_shader();     ///< the same for one of the two passes of a sweep
std::string peel_shader();           ///< all layers of all regions
std::string edges_shader();          ///< edges of solids to lines (raster/inside.h)
std::string inside_list_shader(bool large, bool fill);  ///< list_shader for faces and edges of solids
std::string inside_tile_shader();                       ///< edges of a tile against its faces
std::string words_shader();                             ///< fills a buffer
std::string settle_shader();                            ///< the clear key into tiles that nothing was drawn into
std::string compact_shader();                           ///< the pixels that have a colour
std::string keys_shader();                              ///< a depth texture as keys
std::string ends_shader();  ///< both ends of each primitive in 16 pixels, for arithmetic.cpp
// Graphics.
std::string vertex_shader();    ///< a box around each primitive
std::string fragment_shader();  ///< coverage and depth by our rules, the rest by the hardware

// Text that several programs begin with.
extern const char* const kCommon;        ///< records and rules of raster/raster.h
extern const char* const kPrimitives;    ///< what a primitive's fragment in a pixel is; after kCommon
extern const char* const kEdgesInTile;   ///< a primitive's box and edges in a tile of 16 x 16 pixels; after kCommon
extern const char* const kInTile;        ///< entries in a tile of 16 x 16 pixels, kChunk at a time; after kPrimitives
extern const char* const kHeader;        ///< of the lists of tiles; with `#define SWEEP`, a sweep's
extern const char* const kSweepElement;  ///< the input of a sweep
extern const char* const kSortList;      ///< a tile's list into ascending order, by a work group of 256

/// A program's text with `#define DEFINE` behind its #version.
std::string with(const char* define, const std::string& text);

}  // namespace sightline::papers::gl
