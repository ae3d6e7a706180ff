// --ignore and --baseline: contacts that are known are left out, or told from new ones.
#pragma once

#include <optional>

#include "report/ignore.h"
#include "report/triage.h"
#include "tool/options.h"

namespace sightline::tool {

class Triager {
 public:
  /// Reads the lists; throws Error where one cannot be read or does not fit.
  explicit Triager(const Settings& settings);

  bool active() const { return ignore_ || baseline_; }
  /// The query must find all contacts; cuts come after this.
  void prepare(Options& options) const;
  /// Takes out what is ignored and compares the rest. Object numbers
  /// count through `parts`; `number` is the first part's on the command line. `pairs` may be null.
  report::Triage apply(std::span<const report::Part> parts, std::size_t number, Report& report,
                       std::vector<PartPair>* pairs = nullptr);
  /// Cuts the list as --first and --max-contacts say.
  void cut(Report& report, report::Triage& triage) const;
  /// Lines for the summary of a mesh or an assembly; nothing where nothing was asked for.
  std::string lines(const report::Triage& triage) const;

  /// After the last apply: entries that match nothing and old contacts of parts that are gone are told on standard
  /// error. Throws Error if the baseline is about other parts altogether.
  void finish();
  std::optional<report::IgnoreFacts> ignore_facts() const;

 private:
  const Settings& settings_;
  std::optional<report::IgnoreList> ignore_;
  std::optional<report::Baseline> baseline_;
  std::size_t parts_ = 0;
};

}  // namespace sightline::tool
