// Runs programs, and takes their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sightline::bench {

struct ChildRun {
  double wall_ms = 0, cpu_ms = 0;  ///< from the start of the process to its end; user and system time
  std::uint64_t peak_bytes = 0;    ///< the largest resident set
  int status = 0;                  ///< exit status; -1 if a signal ended it
  std::string output;              ///< standard output
};

/// Throws Error if the program cannot be started.
ChildRun run_child(const std::vector<std::string>& command);

/// The run with the least wall time.
ChildRun best_child(const std::vector<std::string>& command, int runs);

}  // namespace sightline::bench
