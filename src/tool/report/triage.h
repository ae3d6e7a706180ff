// The effect of an ignore list and a baseline on a list of contacts, for the JSON report.
#pragma once

#include "report/baseline.h"

namespace sightline::report {

struct Triage {
  bool ignoring = false;
  std::uint64_t ignored = 0;       ///< contacts that an ignore list removed
  const OldReport* old = nullptr;  ///< null: no baseline
  Comparison comparison;

  std::uint64_t added() const { return comparison.added + comparison.pairs_added; }
};

/// For the whole run.
struct IgnoreFacts {
  std::string file;
  std::size_t entries = 0;
  std::vector<std::uint64_t> unused_lines;
};

}  // namespace sightline::report
