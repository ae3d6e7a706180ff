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

/// Null where there is no unit of this name.
constexpr const LengthUnit* unit_called(std::string_view name) {
  for (const LengthUnit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}
/// "mm" for "millimeter"; empty where there is no such unit.
constexpr std::string_view unit_suffix(std::string_view name) {
  const LengthUnit* unit = unit_called(name);
  return unit == nullptr ? "" : unit->suffix;
}

}  // namespace sightline::tool
