// Output for other programs: annotations of GitHub's workflows, and JUnit's XML.
#pragma once

#include <string>
#include <vector>

#include "report/names.h"

namespace sightline::report {

/// Text that XML 1.0 can hold: other characters become U+FFFD.
std::string as_xml(std::string_view value);

/// One checked item: a mesh of `check`, or a pair of parts of `clash` that is not clear.
struct Finding {
  /// `unsure`: nothing was found, by a method that can miss contacts.
  enum class Result { passed, failed, error, unsure };
  Result result = Result::passed;
  std::string file = {};     ///< that the annotation belongs to
  std::string name = {};     ///< of the mesh, or "plate and pin"
  std::string message = {};  ///< one line
  std::vector<std::string> details = {};
  double milliseconds = 0;
};

/// A line for each finding that did not pass: ::error file=…,title=…::… , or ::warning for `unsure`. Names cannot end
/// the line or add a command.
void append_github(Buffer& text, const std::vector<Finding>& findings);

/// A document of one test suite with a test case for each finding; `unsure` counts as skipped. Characters that XML 1.0
/// does not allow become U+FFFD.
void append_junit(Buffer& text, std::string_view suite, const std::vector<Finding>& findings);

}  // namespace sightline::report
