// `sightline generate`: meshes for a first trial of the tool.
#pragma once

#include <string>

namespace sightline::tool {

struct Settings;

/// For the help text.
std::string scene_list();
int generate(const Settings& settings);

}  // namespace sightline::tool
