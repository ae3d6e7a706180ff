// Messages. Only base/format.cpp compiles fmt: as headers in each file, fmt took 3 s of each file's compilation.
#pragma once

#include <fmt/core.h>

#include <string>

#include "sightline/version.h"

namespace sightline {

SIGHTLINE_API std::string vformatted(fmt::string_view text, fmt::format_args values);

/// The result of fmt::format; the compiler checks `text`.
template <typename... Values>
std::string formatted(fmt::format_string<Values...> text, Values&&... values) {
  return vformatted(text, fmt::make_format_args(values...));
}

}  // namespace sightline
