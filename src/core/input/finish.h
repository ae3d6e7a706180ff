// The end of each query, on every device.
#pragma once

#include <algorithm>

#include "sightline/query.h"

namespace sightline {

/// How many contacts the options leave in the list.
inline std::uint64_t most_contacts(const Options& options) {
  return options.first ? std::min<std::uint64_t>(1, options.max_contacts) : options.max_contacts;
}

/// Cuts the list and sets `found`, `complete` and `cancelled`. `found` counts the list before any cut.
inline void finish_report(Report& report, const Options& options, std::uint64_t found, bool stopped) {
  const std::uint64_t most = most_contacts(options);
  report.cancelled = stopped;
  report.complete = !stopped && found <= most && !(options.first && found > 0);
  if (report.contacts.size() > most) report.contacts.resize(most);
  report.found = options.first ? std::min<std::uint64_t>(found, 1) : found;
}

}  // namespace sightline
