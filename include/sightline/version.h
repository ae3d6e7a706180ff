// The version of the library, and the macro that exports its symbols.
#pragma once

#define SIGHTLINE_VERSION_MAJOR 0
#define SIGHTLINE_VERSION_MINOR 2
#define SIGHTLINE_VERSION_PATCH 0
/// For comparisons in #if: 1.2.3 is 10203.
#define SIGHTLINE_VERSION (SIGHTLINE_VERSION_MAJOR * 10000 + SIGHTLINE_VERSION_MINOR * 100 + SIGHTLINE_VERSION_PATCH)

/// Everything else in a shared library is hidden.
#define SIGHTLINE_API __attribute__((visibility("default")))

namespace sightline {

/// The version of the library that is linked, such as "0.2.0". The macros above are those of the headers.
SIGHTLINE_API const char* version();

}  // namespace sightline
