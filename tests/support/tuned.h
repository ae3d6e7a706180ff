// Options and tuning in one flat record, for designated initialisers: self_intersections(mesh, Tuned{.simd = simd}).
#pragma once

#include "query/query.h"

namespace testing_support {

struct Tuned {
  unsigned threads = 0;
  bool first = false;
  std::uint64_t max_contacts = sightline::Options{}.max_contacts;
  std::function<void(double)> progress = {};
  std::function<bool()> cancel = {};
  sightline::Simd simd = sightline::Simd::best;
  sightline::Axis axis = sightline::Axis::automatic;
  double cell = 0;
  sightline::VisibilityCull visibility = sightline::VisibilityCull::automatic;
  sightline::UseRest rest = sightline::UseRest::automatic;
  bool stages = true;

  operator sightline::Settings() const {
    return {{.threads = threads, .first = first, .max_contacts = max_contacts, .progress = progress, .cancel = cancel},
            {.simd = simd, .axis = axis, .cell = cell, .visibility = visibility, .rest = rest, .stages = stages}};
  }
};

}  // namespace testing_support
