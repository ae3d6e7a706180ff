// Text that several programs begin with.
#pragma once

#include <string>

namespace sightline::papers::gl {

extern const char* const kCommon;        ///< records and rules of raster/raster.h
extern const char* const kPrimitives;    ///< what a primitive's fragment in a pixel is; after kCommon
extern const char* const kInTile;        ///< a primitive's box and edges in a tile of 16 x 16 pixels; after kCommon
extern const char* const kHeader;        ///< of the lists of tiles; with `#define SWEEP`, a sweep's
extern const char* const kSweepElement;  ///< the input of a sweep

/// A program's text with `#define DEFINE` behind its #version.
std::string with(const char* define, const std::string& text);

}  // namespace sightline::papers::gl
