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
  /// Of lengths in the files, such as "mm"; empty: not known.
  std::string unit = {};
  /// Length of that unit. BCF is in meters; where the unit is not known, it is taken as 1, and each topic states it.
  double meters = 1;
};

/// The same input gives the same bytes: the ids of topics follow from the names of parts, entries have no time, and the
/// date of a topic is that of the newest input file, or SOURCE_DATE_EPOCH. WriteOptions::progress counts contacts and
/// pairs.
void write_bcf(Output& output, const BcfInput& input, const WriteOptions& options);

}  // namespace sightline::report
