// BCF 2.1 (BIM Collaboration Format, buildingSMART): a zip archive with a topic and a viewpoint for each pair of parts.
#pragma once

#include <string>

#include "report/document.h"

namespace sightline::report {

struct BcfInput {
  std::span<const Part> parts;
  std::span<const std::string> labels;  ///< of parts
  std::span<const PartPair> pairs;
  std::span<const Contact> contacts;  ///< may be empty
  std::string author;
  int up = 2;  ///< axis
};

/// The same input gives the same bytes: the ids of topics follow from the names of parts, entries have no time, and the
/// date of a topic is that of the newest input file, or SOURCE_DATE_EPOCH.
void write_bcf(Output& output, const BcfInput& input, const WriteOptions& options);

}  // namespace sightline::report
