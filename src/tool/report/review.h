// The review inside a page: what people decided about its pairs. The page writes it as a CSV table when it is saved
// (viewer/src/review.js), and the exported list has the same columns.
#pragma once

#include <filesystem>
#include <string>

#include "report/baseline.h"
#include "report/csv.h"

namespace sightline::report {

/// The status of pairs that --ignore leaves out.
inline constexpr const char* kAccepted = "accepted";

/// Whether this text is a page of --report.
bool is_page(const std::string& text);
/// The table of a CSV file, or of the review in a page. Throws Error with the file and the reason: a page that was
/// never saved with a review, or what read_csv throws.
CsvTable read_list(const std::filesystem::path& path);
/// True if the table has relations and statuses: only rows with the status kAccepted are entries of an ignore list.
bool has_statuses(const CsvTable& table);
/// True for the list that a page exports (viewer/src/files.js), whose texts are safe for spreadsheets.
bool is_list_of_page(const CsvTable& table);

/// The pairs of a page as an earlier report without contacts. Throws Error as read_list does, and where a number of a
/// part or a relation is not valid.
OldReport review_report(const std::string& html, const std::string& file);

}  // namespace sightline::report
