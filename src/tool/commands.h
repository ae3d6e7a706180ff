// The commands. Each returns its exit code; errors that end the run are thrown.
#pragma once

#include "input/settings.h"
#include "sightline/io.h"
#include "tool/options.h"
#include "tool/progress.h"

namespace sightline::tool {

int check(const Settings& settings);
/// `check --memory`: each mesh stays on the disk.
int check_huge(const Settings& settings);
int clash(const Settings& settings);
int papers_command(const Settings& settings);
int devices_command(const Settings& settings);
int demo(const Settings& settings);
int generate(const Settings& settings);
/// For the help text.
std::string experiment_list();
std::string demo_list();
std::string scene_list();
/// For suggestions and completion.
std::vector<std::string> experiment_names();
std::vector<std::string> demo_names();
std::vector<std::string> scene_names();

/// How files are read; each warning is printed once.
ReadOptions read_options(const Settings& settings);
/// The query's options, with progress and cancel connected.
papers::method::MethodSettings query_options(const Settings& settings, Progress& progress);

}  // namespace sightline::tool
