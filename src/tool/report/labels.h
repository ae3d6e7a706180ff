// Names of parts that tell parts apart, and patterns for names.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/document.h"

namespace sightline::report {

/// A label for each part that no other part has. It is the name of the part. A name that parts of several files have
/// follows its file, as in "left.stl:bolt". A name that is not unique in its file has the number of the part, as in
/// "bolt #12".
/// Labels differ also where bytes that are not UTF-8 become U+FFFD.
std::vector<std::string> labels(std::span<const Part> parts);

/// Labels of parts that become known one after the other: the first part of a name has the name.
class LabelsInOrder {
 public:
  std::string next(const Part& part);

 private:
  std::set<std::string> used_;
  std::size_t count_ = 0;
};

/// Whether `name` fits a pattern: * is any text, ? is any character, | separates alternatives.
bool fits(std::string_view pattern, std::string_view name);
/// True if fits() accepts more than the name that is equal to the pattern.
bool is_pattern(std::string_view text);

/// The name with * in place of each number: parts whose names differ in numbers only have one group. Where no number
/// occurs, it is the name. As a pattern it fits all names of the group.
std::string group_of(std::string_view name);

}  // namespace sightline::report
