// A whole text file, for lists and reports that are read back.
#pragma once

#include <filesystem>
#include <string>

namespace sightline::report {

/// Throws Error with the file and the reason why it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace sightline::report
