// CSV: one table of contacts, one of parts, for `clash` one of pairs of parts, and one of the points of curves (columns
// in docs/tool.md); and a reader after RFC 4180, for lists that people write by hand or in a spreadsheet.
#pragma once

#include "report/document.h"
#include "sightline/curves.h"
#include "sightline/huge.h"

namespace sightline::report {

class CsvContacts {
 public:
  CsvContacts(Output& output, WriteOptions options);
  /// May be called for one mesh after the other.
  void add(const Contacts& contacts);
  /// The first `most` contacts of a list that is not in memory; its objects are the parts from `first` on.
  void add(std::span<const Part> parts, std::uint32_t first, const HugeReport& report, std::uint64_t most);

 private:
  Output& output_;
  WriteOptions options_;
};

void write_csv_parts(Output& output, std::span<const Part> parts);
/// What the table of pairs has beside relation and gap.
struct PairColumns {
  bool contacts = true;     ///< numbers of contacts; otherwise these columns are empty
  bool depth = false;       ///< more columns at the end: depth and its place,
  bool volume = false;      ///< the volume of the overlap,
  bool separation = false;  ///< the translation that ends all contact,
  bool nearest = false;     ///< the two points of the gap,
  bool tolerance = false;   ///< and whether the pair is `touch` by the tolerance only
};
void write_csv_pairs(Output& output, std::span<const Part> parts, std::span<const PartPair> pairs,
                     const PairColumns& columns = {});

/// The curves of the contacts of two parts, or of a part with itself (a == b).
struct CurvesOf {
  std::uint32_t a = 0, b = 0;
  bool are_closed = false;  ///< two closed parts
  Curves found;

  bool bounds_overlap(const Curve& curve) const { return are_closed && curve.closed && curve.crossing; }
};
/// Of a complete list of contacts in canonical order, for each pair of parts that has some. Where options.cancel
/// returns true, the rest is left out.
std::vector<CurvesOf> join_curves(const Contacts& contacts, const WriteOptions& options);

class CsvCurves {
 public:
  CsvCurves(Output& output, WriteOptions options);
  /// May be called for one mesh after the other.
  void add(std::span<const Part> parts, std::span<const CurvesOf> curves, std::span<const Contact> contacts);

 private:
  Output& output_;
  WriteOptions options_;
};

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

/// A whole text file. Throws Error with the file and the reason why it cannot be read.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace sightline::report
