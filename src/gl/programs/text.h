// What several programs begin with.
#pragma once

namespace sightline::gl {

extern const char* const kCommon;      ///< records and rules of raster.h
extern const char* const kPrimitives;  ///< what a primitive's fragment in a pixel is; after kCommon

}  // namespace sightline::gl
