// Text for people: numbers, plurals, tables and colours, and the streams that it is written to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/names.h"

namespace sightline::tool {

/// To standard output. A reader that closed the pipe is no error, as in `sightline … | head`; a full disk is one
/// (Error).
void print_out(std::string_view text);
void print_err(std::string_view text);
/// From now on, text for both streams is kept. Over MPI one rank prints the error that all of them have.
void hold_text();
/// Ends it, and prints the text or drops it.
void release_text(bool print);
/// `sightline: message` on standard error, control characters escaped.
void print_error(std::string_view message);

/// Colours where standard output is a terminal, unless NO_COLOR or TERM=dumb is set.
enum class Ink { plain, bold, dim, red, yellow, green, blue };
std::string ink(Ink ink, std::string_view text);

/// 1234567 → 1,234,567.
std::string grouped(std::uint64_t number);
/// "1 triangle", "2,000 triangles"; `many` where an s is not enough.
std::string counted(std::uint64_t number, std::string_view one, std::string_view many = {});
/// "a, b and c".
std::string listed(const std::vector<std::string>& words);
/// A name of at most `most` columns, safe to print.
std::string shown(std::string_view name, std::size_t most = 48);

/// Rows aligned by column: '<' to the left, '>' to the right (numbers).
class Table {
 public:
  Table(std::string_view aligned, std::vector<std::string> titles) : aligned_(aligned), titles_(std::move(titles)) {}
  void add(std::vector<std::string> cells, Ink first_cell = Ink::plain);
  /// Two spaces before each line and between columns, none at the end of a line.
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Ink first;
  };
  std::string_view aligned_;
  std::vector<std::string> titles_;
  std::vector<Row> rows_;
};

}  // namespace sightline::tool
