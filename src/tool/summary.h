// The text that `check` and `clash` print.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "read/sequence.h"
#include "report/csv.h"
#include "report/json.h"
#include "sightline/measure.h"
#include "tool/console.h"
#include "tool/options.h"

namespace sightline::tool {

/// "0.42 ms", "12.3 ms", "1.23 s".
std::string duration(double milliseconds);

/// The time since the last lap, as a stage of the run.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double milliseconds = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return milliseconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// "  label     text": the left column of all lines below a title.
std::string line(std::string_view label, std::string_view text);
/// "closed" or "open, 12 open edges".
std::string surface(const report::Facts& facts);
/// "2 degenerate triangles, 1 duplicate triangle", or "none".
std::string flaws(const report::Facts& facts);
/// "300 crossing, 12 touching", "all crossing", or nothing.
std::string by_kind(const report::KindCounts& counts);

/// The lines of a query that both commands have: contacts (and how many were left out), the first one with --first,
/// time.
std::string contact_lines(const Settings& settings, const Report& report, std::uint64_t kept,
                          const report::KindCounts& counts, const std::string& first);
/// The leaves and the scratch data of a run out of core.
std::string disk_line(const HugeReport& report);
/// The lines of the contacts alone, for `found` contacts of which the first `kept` are listed.
std::string contact_lines(const Settings& settings, std::uint64_t found, std::uint64_t kept,
                          const report::KindCounts& counts);
/// The lines of --details: the number and length of the curves, and the longest ones. `labels`: of the parts, if there
/// are several; `unit`: of lengths, or empty.
std::string curve_lines(std::span<const report::CurvesOf> curves, std::span<const std::string> labels,
                        std::string_view unit);
/// The same for a list of contacts that is not complete.
std::string no_curves_line();
/// One line; with `verbose` also the time of each stage, and where it ran.
std::string time_line(const Stats& stats, bool verbose);
/// What the engine chose by its estimates; nothing where it had no choice.
std::string choices_line(const Stats& stats);
/// The method and its passes; nothing for the exact engine.
std::string method_lines(const MethodReport& how);
/// "triangle 12 crosses triangle 345, from (0, 0, 1) to (0, 1, 1)"; the sides' names are given.
std::string sentence(const Contact& contact, const Intersection& geometry, std::string_view a, std::string_view b);

/// The first line of a mesh, which needs no contacts.
std::string check_title(const report::Part& part);
/// The lines that follow. `notes`: lines to follow those of the contacts.
std::string check_summary(const Settings& settings, const report::Part& part, const Report& report,
                          const std::string& notes = "");
/// The last line of a check of several meshes.
std::string check_total(std::size_t meshes, std::size_t with_contacts, std::size_t failed);

/// The output of `check` for a sequence: a line for each frame, and one for all of them.
class SequenceSummary {
 public:
  explicit SequenceSummary(const read::Sequence& sequence);

  std::string title() const;
  std::string frame(const std::string& label, const Report& report, const report::Triage& triage);
  /// `count` frames that could not be checked.
  std::string failed(const std::string& label, std::uint64_t count);
  std::string total() const;

  /// As SequenceFacts::found, so far.
  const std::vector<std::uint64_t>& found() const { return found_; }

 private:
  std::string name_;
  std::uint64_t frames_ = 0;
  int width_ = 0;
  std::vector<std::uint64_t> found_;
  std::uint64_t failed_ = 0;
  std::uint64_t added_ = 0;
  bool compared_ = false;
  std::string worst_;
  std::uint64_t most_ = 0;
  std::uint64_t unsure_ = 0;  ///< frames without a finding by a method that can miss some
  bool cut_ = false;          ///< some frame may have more contacts than were counted
  double milliseconds_ = 0;
};

struct ClashResult {
  std::vector<report::Part> parts;
  std::vector<std::string> names;   ///< of parts: report::labels
  std::vector<std::string> labels;  ///< the same, short and safe to print
  std::vector<PartPair> pairs;
  std::vector<Overlaps::Pair> overlaps;  ///< for the page; of closed parts
  bool pairs_known = false;              ///< false if --first ended the query
  report::KindCounts counts;             ///< of all contacts, cut or not
  std::uint64_t listed = 0;              ///< contacts after the cut
  std::vector<report::KindCounts> self;  ///< per part
  std::string first;
  std::string notes;  ///< lines to follow those of the contacts
  double tolerance = 0;
  std::string unit;  ///< as Assembly::unit
  bool wants_depth = false, wants_volume = false;

  /// True if the pair is a reason for exit status 1. With a tolerance, parts that touch are not.
  bool fails(const PartPair& pair) const { return !(tolerance > 0) || pair.relation != Relation::touch; }
};
/// The largest number of rows of a table; the rest is counted.
inline constexpr std::size_t kMostRows = 20;
/// "… and 12 more (use --csv)", or nothing.
std::string and_more(std::size_t rows, std::string_view option);
Ink relation_ink(Relation relation);
/// A row for each relation and pair of groups of names, the serious ones first, then those with the most pairs.
std::string grouped_pairs_table(const ClashResult& result);
std::string clash_summary(const Settings& settings, const ClashResult& result, const Report& report);

}  // namespace sightline::tool
