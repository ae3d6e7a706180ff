// The parts of the section on alternate surface peeling.
#pragma once

#include "experiments/support.h"

namespace sightline::experiments::peels {

/// The preset of the paper, and our method, both in image precision.
enum class Way : std::uint8_t { published, improved };

inline MethodSettings options_for(const Settings& settings, Way way) {
  MethodSettings options = options_of(settings, MethodName::peel, Precision::image);
  if (way == Way::published) options.paper = papers::method::as_published(MethodName::peel);
  return options;
}

/// Figure 8 (peeling.cpp) and tables 1 and 2 (peeling_tables.cpp).
void figure8(const Settings& settings, Section& section);
void tables(const Settings& settings, Section& section);

}  // namespace sightline::experiments::peels
