// --format: the output in place of the summary.
#pragma once

#include "report/baseline.h"
#include "report/formats.h"
#include "tool/options.h"
#include "tool/summary.h"

namespace sightline::tool {

/// Collects findings if the format is not text, and prints them at the end.
class Findings {
 public:
  explicit Findings(const Settings& settings) : settings_(settings) {}
  bool wanted() const { return settings_.format != Format::text; }

  /// `name` distinguishes this mesh from others: frames of a sequence often have one name in their files.
  void add_mesh(const report::Part& part, const std::string& name, const Report& report, const report::Triage& triage);
  void add_error(const std::string& file, const std::string& name, const std::string& message);
  void add_assembly(const ClashResult& result, const Report& report, const report::Triage& triage);
  void print() const;

 private:
  const Settings& settings_;
  std::vector<report::Finding> list_;
};

}  // namespace sightline::tool
