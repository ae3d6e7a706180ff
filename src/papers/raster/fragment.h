// The steps of one fragment: discards, stencil, depth, colour. This is the plain form, which every implementation must
// agree with.
#pragma once

#include <algorithm>

#include "raster/raster.h"

namespace sightline::papers::raster {

/// The near and the far end of a fragment's depth; the same key in `image` coverage.
struct Ends {
  std::uint32_t near, far;
};

inline bool compare(Compare function, std::uint32_t value, std::uint32_t stored) {
  constexpr std::uint8_t kLess = 1, kEqual = 2, kGreater = 4;  // the outcomes that pass, by function
  constexpr std::uint8_t kPass[] = {
      0, kLess, kLess | kEqual, kEqual, kEqual | kGreater, kGreater, kLess | kGreater, kLess | kEqual | kGreater};
  return (kPass[static_cast<int>(function)] & (value < stored ? kLess : value == stored ? kEqual : kGreater)) != 0;
}

/// True for the tests that look at the far end.
inline bool tests_far(Compare function) { return function == Compare::greater || function == Compare::gequal; }

inline bool depth_passes(Compare function, const Ends& ends, std::uint32_t stored) {
  if (function == Compare::equal) return ends.near <= stored && stored <= ends.far;
  if (function == Compare::notequal) return ends.near != stored || ends.far != stored;
  return compare(function, tests_far(function) ? ends.far : ends.near, stored);
}

inline std::uint8_t apply(StencilOp op, std::uint8_t stored, std::uint8_t reference) {
  if (op == StencilOp::replace) return reference;
  const int change = op == StencilOp::incr ? 1 : op == StencilOp::decr ? -1 : 0;
  return static_cast<std::uint8_t>(std::clamp(stored + change, 0, 255));
}

/// A pixel of the target. `stencil` and `color` may be null where the state does not use them.
struct Pixel {
  std::uint32_t* depth;
  std::uint8_t* stencil;
  Color* color;
  std::uint32_t floor, ceiling;  ///< keys of the state's images; unused without them
};

inline bool any_channel(const Color& color, std::uint8_t mask) {
  for (int channel = 0; channel < 4; ++channel)
    if ((mask >> channel & 1) != 0 && color[channel] != 0) return true;
  return false;
}

/// True if the fragment passes all tests. Writes what the state lets it write.
inline bool shade(const State& state, const Ends& ends, const Color& color, const Pixel& pixel) {
  if (state.floor != kNoImage && ends.near <= pixel.floor) return false;
  if (state.ceiling != kNoImage && ends.near > pixel.ceiling) return false;
  if (state.differ && color[2] == (*pixel.color)[0] && color[3] == (*pixel.color)[1]) return false;
  if (state.stencil_test) {
    const std::uint8_t mask = state.stencil_mask;
    if (!compare(state.stencil, state.stencil_reference & mask, *pixel.stencil & mask)) {
      *pixel.stencil = apply(state.stencil_fail, *pixel.stencil, state.stencil_reference);
      return false;
    }
  }
  const bool passes = !state.depth_test || depth_passes(state.depth, ends, *pixel.depth);
  if (state.stencil_test)
    *pixel.stencil = apply(passes ? state.depth_pass : state.depth_fail, *pixel.stencil, state.stencil_reference);
  if (!passes) return false;
  if (state.depth_test && state.depth_write) *pixel.depth = tests_far(state.depth) ? ends.far : ends.near;
  for (int channel = 0; channel < 4; ++channel)
    if ((state.color_mask >> channel & 1) != 0) (*pixel.color)[channel] = color[channel];
  return true;
}

}  // namespace sightline::papers::raster
