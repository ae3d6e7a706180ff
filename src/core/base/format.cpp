#define FMT_HEADER_ONLY
#include "base/format.h"

#include <fmt/format.h>

namespace sightline {

std::string vformatted(fmt::string_view text, fmt::format_args values) { return fmt::vformat(text, values); }

}  // namespace sightline
