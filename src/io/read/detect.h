// Finds the format of a file by its first bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sightline::read {

/// The count in the header agrees with the size of the file.
bool is_binary_stl(std::span<const std::byte> bytes);
/// OFF with any of its prefixes, supported or not.
bool is_off_keyword(std::string_view word);

}  // namespace sightline::read
