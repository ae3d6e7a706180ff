// The steps of `clash` that one assembly and the frames of a sequence share.
#pragma once

#include <span>

#include "read/sequence.h"
#include "tool/progress.h"
#include "tool/summary.h"
#include "tool/triage.h"

namespace sightline::tool {

/// All contacts between parts, by the method of the settings. With --pairs there is no list: the report is empty.
Report collide(const Settings& settings, std::span<const report::Part> parts, const Triager& triager,
               Progress& progress);
/// --tolerance, --depth and --volume for parts in this unit (Assembly::unit), into the result.
void prepare_measures(const Settings& settings, const std::string& unit, ClashResult& result);
/// The relations of result.parts, unless the report is not complete; adds the stages to it.
void classify_pairs(const Settings& settings, ClashResult& result, Report& report, Progress& progress);

/// `clash` of an input that moves: which pairs meet, in which frames, and the worst frame of each.
int clash_over_time(const Settings& settings, const read::Sequence& sequence);

}  // namespace sightline::tool
