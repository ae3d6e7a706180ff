// The steps of `clash` that one assembly and the frames of a sequence share.
#pragma once

#include <optional>
#include <span>

#include "read/sequence.h"
#include "sightline/huge.h"
#include "tool/part_store.h"
#include "tool/progress.h"
#include "tool/summary.h"
#include "tool/triage.h"

namespace sightline::tool {

/// All contacts between parts, by the method of the settings. With --pairs there is no list: the report is empty.
Report collide(const Settings& settings, std::span<const report::Part> parts, const Triager& triager,
               Progress& progress);
/// --tolerance, --depth and --volume for parts in this unit (Assembly::unit), into the result.
void prepare_measures(const Settings& settings, const std::string& unit, ClashResult& result);
/// The options of the relations; they call the progress.
ClashOptions relation_options(const Settings& settings, const ClashResult& result, Progress& progress);
/// The relations of result.parts, unless the report is not complete; adds the stages to it.
void classify_pairs(const Settings& settings, ClashResult& result, Report& report, Progress& progress);
/// Their pairs into the result, and their stages into the report.
void set_pairs(ClashResult& result, Clashes found, Report& report);

/// Contacts and relations of parts on the disk, by this process or over MPI: pairs and counts of the result, the report
/// without a list, and the list. With --pairs there is none.
std::optional<HugeReport> clash_stored(const Settings& settings, PartStore& parts, ClashResult& result, Report& report,
                                       Progress& progress);

/// `clash` of an input that moves: which pairs meet, in which frames, and the worst frame of each.
int clash_over_time(const Settings& settings, const read::Sequence& sequence);

}  // namespace sightline::tool
