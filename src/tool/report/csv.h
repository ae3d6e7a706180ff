// CSV: one table of contacts, one of parts and, for `clash`, one of pairs of parts (columns in docs/tool.md).
#pragma once

#include "report/document.h"

namespace sightline::report {

class CsvContacts {
 public:
  CsvContacts(Output& output, WriteOptions options);
  /// May be called for one mesh after the other.
  void add(const Contacts& contacts);

 private:
  Output& output_;
  WriteOptions options_;
};

void write_csv_parts(Output& output, std::span<const Part> parts);
void write_csv_pairs(Output& output, std::span<const Part> parts, std::span<const PartPair> pairs);

}  // namespace sightline::report
