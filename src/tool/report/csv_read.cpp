#include "report/csv_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/names.h"
#include "report/text_file.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  CsvTable table() {
    CsvTable table;
    CsvRow row;
    while (next(row)) {
      if (table.header.empty()) {
        table.header = std::move(row.cells);
        continue;
      }
      if (row.cells.size() > table.header.size())
        fail(row.line, fmt::format("{} cells; the header has {}", row.cells.size(), table.header.size()));
      row.cells.resize(table.header.size());
      table.rows.push_back(std::move(row));
    }
    if (table.header.empty()) throw Error(fmt::format("{}: no header line", file_));
    return table;
  }

 private:
  bool next(CsvRow& row) {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#')) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      skip_end_of_line();
    }
    if (at_ >= text_.size()) return false;
    row = {line_, {}};
    for (;;) {
      row.cells.push_back(cell());
      if (at_ >= text_.size()) return true;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      skip_end_of_line();
      return true;
    }
  }

  void skip_end_of_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') {
      ++at_;
      ++line_;
    }
  }

  std::string cell() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted();
    const std::size_t end = std::min(text_.find_first_of(",\n\r", at_), text_.size());
    const std::string value = text_.substr(at_, end - at_);
    at_ = end;
    return value;
  }

  std::string quoted() {
    const std::uint64_t begun = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += text_[at_++];
      } else {
        ++at_;
        if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r')
          fail(line_, fmt::format("text after the closing quote: '{}'", printable(text_.substr(at_, 8))));
        return value;
      }
    }
    fail(begun, "a quote that does not end");
  }

  [[noreturn]] void fail(std::uint64_t line, const std::string& message) const {
    throw Error(fmt::format("{}:{}: {}", file_, line, message));
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

}  // namespace

int CsvTable::column(const std::string& name) const {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

CsvTable parse_csv(const std::string& text, const std::string& file) { return Parser(text, file).table(); }

CsvTable read_csv(const std::filesystem::path& path) {
  return parse_csv(read_text_file(path), printable(path.string()));
}

}  // namespace sightline::report
