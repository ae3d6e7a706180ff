// The output of the benchmark: tables and CSV.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/targets.h"

namespace sightline::bench {

void print_scene(const SceneResult& result);
void print_targets(const std::vector<TargetResult>& targets);
/// One row for each scene and peer. Throws Error if the file cannot be written.
void write_csv(const std::string& path, const std::vector<SceneResult>& results);

}  // namespace sightline::bench
