// The command line of the benchmark.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "input/settings.h"

namespace sightline::bench {

struct BenchOptions {
  bool quick = false;
  bool list = false;
  bool help = false;
  bool memory = true;
  std::set<std::string> scenes;  ///< empty: all but those that run only with --scene
  std::set<std::string> without;
  int runs = 5;
  unsigned threads = 0;  ///< 0: one for each core
  std::optional<Simd> simd;
  std::string csv;
  std::string memory_of;  ///< internal: measure this peer's memory on the one scene and print it
};

extern const char* const kHelp;

/// Throws Error for an unknown option.
BenchOptions parse_options(int argc, char** argv);

}  // namespace sightline::bench
