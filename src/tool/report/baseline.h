// A comparison with an earlier report: what is new, what is gone, what stayed (docs/json.md, "Baseline").
//
// Parts are the same if they have the same name; of several parts of one name the first is compared with the first, the
// second with the second. A contact is the same if its parts, its kind and its triangles' numbers are, or else if its
// parts, its kind and its common points are, coordinate by coordinate: a mesh that was written with its triangles in
// another order keeps its contacts.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/geometry.h"

namespace sightline::report {

/// What a comparison needs of an earlier report. The objects of its contacts and the sides of its pairs are numbers of
/// `parts`.
struct OldReport {
  std::string file, command;
  std::vector<std::string> parts;  ///< names
  std::vector<std::string> files;  ///< per part: the name of its file, without folders
  std::vector<Contact> contacts;
  Outlines outlines;
  std::vector<PartPair> pairs;
  bool has_contacts = true;  ///< false: a report of --pairs, or the review of a page
  bool reviewed = false;     ///< the review of a page
};

struct Comparison {
  std::vector<bool> is_new;  ///< per contact of the list
  std::uint64_t added = 0, stayed = 0;
  std::vector<std::uint64_t> gone;  ///< numbers of OldReport::contacts, ascending
  std::vector<bool> pair_is_new;    ///< per pair: it was not in the old report, or had another relation
  std::uint64_t pairs_added = 0, pairs_gone = 0;
};

class Baseline {
 public:
  /// Throws Error with file and reason: not JSON, not this schema, a list that was cut, the report of another command.
  Baseline(const std::filesystem::path& path, std::string_view command);
  const OldReport& old() const { return old_; }
  /// Compares pairs only.
  void drop_contacts();

  /// The next parts of this run; those of one name are counted through all calls.
  void add_parts(std::span<const Part> parts);
  /// Compares the contacts of the parts of the last add_parts call; their numbers count through these.
  Comparison compare(const Contacts& contacts, const WriteOptions& options = {}, std::span<const PartPair> pairs = {});
  /// Old contacts whose parts no call has named: parts that are missing in this run.
  std::vector<std::uint64_t> without_part() const;
  /// Whether any part of this run is in the old report.
  bool knows_any() const { return std::find(named_.begin(), named_.end(), true) != named_.end(); }

 private:
  OldReport old_;
  /// The key of a part from run to run.
  std::string key_of(const std::string& file, const std::string& name) const;

  bool by_file_ = false;                                                 ///< the key has the file's name, too
  std::set<std::string> files_;                                          ///< of old parts
  std::multimap<std::string, std::uint32_t> names_;                      ///< old parts by name alone
  std::map<std::pair<std::string, std::size_t>, std::uint32_t> number_;  ///< old part by key and occurrence
  std::map<std::string, std::size_t> seen_;                              ///< names of this run so far
  std::vector<std::uint32_t> part_;                                      ///< old number per part of the last call
  std::vector<bool> named_;                                              ///< per old part
};

/// The effect of an ignore list and a baseline on a list of contacts, for the JSON report.
struct Triage {
  bool ignoring = false;
  std::uint64_t ignored = 0;       ///< contacts that an ignore list removed; with --pairs: pairs
  const OldReport* old = nullptr;  ///< null: no baseline
  Comparison comparison;

  std::uint64_t added() const { return comparison.added + comparison.pairs_added; }
};

/// The ignore list of the whole run.
struct IgnoreFacts {
  std::string file;
  std::size_t entries = 0;
  std::vector<std::uint64_t> unused_lines;
};

}  // namespace sightline::report
