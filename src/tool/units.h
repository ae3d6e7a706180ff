// Units of length.
#pragma once

#include <string_view>

namespace sightline::tool {

struct LengthUnit {
  std::string_view suffix;
  std::string_view name;  ///< as 3MF calls it
  double meters;
};
inline constexpr LengthUnit kUnits[] = {{"um", "micron", 1e-6}, {"mm", "millimeter", 1e-3}, {"cm", "centimeter", 1e-2},
                                        {"m", "meter", 1},      {"in", "inch", 0.0254},     {"ft", "foot", 0.3048}};

/// "mm" for "millimeter"; empty where there is no such unit.
constexpr std::string_view unit_suffix(std::string_view name) {
  for (const LengthUnit& unit : kUnits)
    if (unit.name == name) return unit.suffix;
  return "";
}

}  // namespace sightline::tool
