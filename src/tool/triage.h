// --ignore and --baseline: known contacts are left out, or distinguished from new ones.
#pragma once

#include <optional>

#include "report/baseline.h"
#include "report/ignore.h"
#include "tool/options.h"

namespace sightline::tool {

class Triager {
 public:
  /// Reads the lists; throws Error where one cannot be read or is of another command.
  explicit Triager(const Settings& settings);

  bool active() const { return ignore_ || baseline_; }
  /// The query must find all contacts; cuts come after this.
  void prepare(Options& options) const;
  /// Removes the ignored contacts and compares the rest. Object numbers count through `parts`; `number` is the first
  /// part's on the command line. `pairs` may be null.
  report::Triage apply(std::span<const report::Part> parts, std::size_t number, Report& report,
                       std::vector<PartPair>* pairs = nullptr);
  /// Cuts the list by --first and --max-contacts.
  void cut(Report& report, report::Triage& triage) const;
  /// Lines for the summary of a mesh or an assembly; empty without --ignore and --baseline.
  std::string lines(const report::Triage& triage) const;

  /// After the last apply: reports on standard error the entries that match nothing and the old contacts of parts that
  /// are gone. Throws Error if no part of the baseline is in this run.
  void finish();
  std::optional<report::IgnoreFacts> ignore_facts() const;

 private:
  const Settings& settings_;
  std::optional<report::IgnoreList> ignore_;
  std::optional<report::Baseline> baseline_;
  std::size_t parts_ = 0;
};

}  // namespace sightline::tool
