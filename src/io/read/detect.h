// Telling a format from a file's first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sightline::read {

/// The count in the header accounts for the file's size.
bool is_binary_stl(std::span<const std::byte> bytes);
/// OFF with any of its prefixes, supported or not.
bool is_off_keyword(std::string_view word);

}  // namespace sightline::read
