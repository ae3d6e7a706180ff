// A reader of CSV after RFC 4180: for lists that people write by hand or in a spreadsheet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sightline::report {

struct CsvRow {
  std::uint64_t line = 0;  ///< where it begins, from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  /// The column of this name, or -1.
  int column(const std::string& name) const;
};

/// Lines that are empty or begin with # are skipped. Throws Error with the file, the line and the reason: no header, a
/// quote that does not end, text after a quoted cell, more cells than the header has.
CsvTable read_csv(const std::filesystem::path& path);
CsvTable parse_csv(const std::string& text, const std::string& file);

}  // namespace sightline::report
