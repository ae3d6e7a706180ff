// `sightline generate`: meshes to try the tool with.
#pragma once

#include <string>

namespace sightline::tool {

struct Settings;

/// For the help text.
std::string scene_list();
int generate(const Settings& settings);

}  // namespace sightline::tool
