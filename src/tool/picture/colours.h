// Colours in linear light. Light is encoded by its square root: close to sRGB, and the same on every machine.
#pragma once

#include <cmath>

#include "picture/model.h"
#include "picture/vector.h"

namespace sightline::picture {

/// From the bytes of a screen.
inline Vec3d linear(int red, int green, int blue) {
  const auto square = [](int byte) { return byte / 255.0 * (byte / 255.0); };
  return {square(red), square(green), square(blue)};
}
inline std::uint8_t encode(double light) {
  return static_cast<std::uint8_t>(std::sqrt(std::clamp(light, 0.0, 1.0)) * 255 + 0.5);
}

/// Restrained tones for the parts, warm and cool by turns; one part alone is grey.
inline Vec3d part_colour(std::uint32_t part, std::uint32_t parts) {
  static const Vec3d kTones[] = {linear(206, 208, 211), linear(158, 182, 204), linear(206, 190, 164),
                                 linear(168, 196, 178), linear(196, 176, 196), linear(180, 180, 172),
                                 linear(148, 176, 190), linear(208, 200, 180)};
  return parts <= 1 ? kTones[0] : kTones[part % std::size(kTones)];
}

// A triangle in contact has its colour near the contact, and a tint farther off: a table top of two triangles must not
// be all in the colour of a contact because a cup stands on it.
inline constexpr double kTint = 0.12;

/// `share`: how much of its colour is shown; `cluster`: the nearest.
inline Vec3d base_colour(const Model& model, std::uint32_t triangle, double share, std::uint32_t cluster) {
  if (!model.colour.empty()) return model.colour[triangle];
  const Vec3d tone = part_colour(model.part[triangle], model.parts);
  if (model.paint[triangle] == 0) return tone;
  const auto colour = [](report::Paint paint) {
    const auto [red, green, blue] = report::paint_colour(paint);
    return linear(red, green, blue);
  };
  const Vec3d tinted = mix(tone, colour(model.paint[triangle]), kTint);
  return share > 0 ? mix(tinted, colour(paint_near(model, triangle, cluster)), share) : tinted;
}

}  // namespace sightline::picture
