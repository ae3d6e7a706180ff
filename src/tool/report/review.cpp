#include "report/review.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "sightline/assembly.h"

namespace sightline::report {
namespace {

constexpr std::string_view kBegin = "<pre id=\"review\" hidden>\n# sightline review 1";
constexpr std::string_view kEnd = "</pre>";
constexpr std::uint64_t kMostParts = 50'000'000;

// The page writes &, < and > as numbers of characters.
std::string unescaped(std::string_view html) {
  constexpr std::pair<std::string_view, char> kCodes[] = {{"&#38;", '&'}, {"&#60;", '<'}, {"&#62;", '>'}};
  std::string text;
  text.reserve(html.size());
  while (!html.empty()) {
    const auto code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                   [&](const auto& one) { return html.starts_with(one.first); });
    const bool found = code != std::end(kCodes);
    text += found ? code->second : html.front();
    html.remove_prefix(found ? code->first.size() : 1);
  }
  return text;
}

CsvTable table_of(const std::string& html, const std::string& file) {
  const std::size_t begin = html.find(kBegin);
  const std::size_t end = begin == std::string::npos ? begin : html.find(kEnd, begin);
  if (end == std::string::npos)
    throw Error(fmt::format("{}: is a page without a review; choose 'Save page' in the page to save one", file));
  const std::size_t line = html.find('\n', begin);  // of the element; its text begins after it
  return parse_csv(unescaped(std::string_view(html).substr(line + 1, end - line - 1)), file);
}

std::uint32_t part_number(const std::string& file, const CsvRow& row, const std::string& cell) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || value > kMostParts)
    throw Error(fmt::format("{}: review, line {}: '{}' is not the number of a part", file, row.line, printable(cell)));
  return static_cast<std::uint32_t>(value);
}

Relation relation_of(const std::string& file, const CsvRow& row, const std::string& cell) {
  for (const Relation relation : {Relation::clash, Relation::contains, Relation::touch, Relation::near})
    if (to_string(relation) == cell) return relation;
  throw Error(fmt::format("{}: review, line {}: '{}' is not a relation", file, row.line, printable(cell)));
}

}  // namespace

bool is_page(const std::string& text) { return text.starts_with("<!doctype html>"); }

CsvTable read_list(const std::filesystem::path& path) {
  const std::string text = read_text_file(path), file = printable(path.string());
  return is_page(text) ? table_of(text, file) : parse_csv(text, file);
}

bool has_statuses(const CsvTable& table) { return table.column("status") >= 0 && table.column("relation") >= 0; }

bool is_list_of_page(const CsvTable& table) { return has_statuses(table) && table.column("label_a") < 0; }

OldReport review_report(const std::string& html, const std::string& file) {
  const CsvTable table = table_of(html, file);
  OldReport report;
  report.file = file;
  report.command = "clash";
  report.has_contacts = false;
  report.reviewed = true;
  report.outlines.start.push_back(0);
  constexpr const char* kTitles[] = {"part_a", "part_b", "label_a", "label_b", "relation"};
  int columns[5];
  for (int i = 0; i < 5; ++i) {
    columns[i] = table.column(kTitles[i]);
    if (columns[i] < 0) throw Error(fmt::format("{}: the review has no column {}", file, kTitles[i]));
  }
  for (const CsvRow& row : table.rows) {
    const auto cell = [&](int i) { return row.cells[static_cast<std::size_t>(columns[i])]; };
    if (cell(4).empty()) continue;  // contacts of a part with itself
    PartPair pair{.a = part_number(file, row, cell(0)), .b = part_number(file, row, cell(1))};
    pair.relation = relation_of(file, row, cell(4));
    const std::size_t parts = std::size_t{std::max(pair.a, pair.b)} + 1;
    if (report.parts.size() < parts) report.parts.resize(parts), report.files.resize(parts);
    report.parts[pair.a] = cell(2);
    report.parts[pair.b] = cell(3);
    report.pairs.push_back(pair);
  }
  return report;
}

}  // namespace sightline::report
