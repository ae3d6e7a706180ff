// The targets of the project for speed, growth and memory, and whether a run meets them.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"

namespace sightline::bench {

struct TargetResult {
  std::string what;
  double wanted = 0;
  double got = 0;
  double by_cpu_time = 0;  ///< `got` from cpu time, for a busy machine; 0 where cpu time is no measure
  bool at_least = true;    ///< else at most
  bool measured = false;

  bool met() const { return at_least ? got >= wanted : got <= wanted; }
};

/// `simd`: the instruction set that stands for "the best" where a target does not name one.
std::vector<TargetResult> check_targets(const std::vector<SceneResult>& results, const std::string& simd);

}  // namespace sightline::bench
