// --open: a file in the program that the desktop has for it.
#pragma once

#include <filesystem>

namespace sightline::tool {

/// Does not wait until the program ends. A failure is a warning: the file is written in any case.
void open_file(const std::filesystem::path& path);

}  // namespace sightline::tool
