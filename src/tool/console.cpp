#include "tool/console.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "sightline/mesh.h"

namespace sightline::tool {
namespace {

/// 0, or the error's number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

struct HeldText {
  std::string out, err;
};
std::optional<HeldText> held;  // the main thread's; no other one prints while it is set

bool colours() {
  static const bool answer = [] {
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return ::isatty(STDOUT_FILENO) && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
           std::string_view(term) != "dumb";
  }();
  return answer;
}

std::string padded(std::string_view cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, report::columns(cell)), ' ');
  return right ? space + std::string(cell) : std::string(cell) + space;
}

}  // namespace

void print_out(std::string_view text) {
  if (held) return void(held->out += text);
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) throw Error(fmt::format("standard output: cannot write: {}", std::strerror(error)));
}

void print_err(std::string_view text) {
  if (held) return void(held->err += text);
  write_all(STDERR_FILENO, text);
}

void hold_text() { held.emplace(); }

void release_text(bool print) {
  const HeldText text = std::exchange(held, {}).value_or(HeldText{});
  if (!print) return;
  print_out(text.out);
  print_err(text.err);
}

void print_error(std::string_view message) { print_err(fmt::format("sightline: {}\n", report::printable(message))); }

std::string ink(Ink ink, std::string_view text) {
  constexpr std::string_view kCodes[] = {"", "1", "2", "31", "33", "32", "34"};
  if (ink == Ink::plain || text.empty() || !colours()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<int>(ink)], text);
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped(number), one) : fmt::format("{} {}", grouped(number), many);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string shown(std::string_view name, std::size_t most) { return report::shorten(report::printable(name), most); }

void Table::add(std::vector<std::string> cells, Ink first_cell) { rows_.push_back({std::move(cells), first_cell}); }

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    std::size_t width = report::columns(titles_[i]);
    for (const Row& row : rows_) width = std::max(width, report::columns(row.cells[i]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells, Ink first) {
    std::size_t last = cells.size();
    while (last > 0 && cells[last - 1].empty()) --last;
    for (std::size_t i = 0; i < last; ++i) {
      const bool right = aligned_[i] == '>';
      const std::string field = padded(cells[i], i + 1 == last && !right ? 0 : widths[i], right);
      text += "  " + (i == 0 ? ink(first, field) : field);
    }
    text += "\n";
  };
  add_line(titles_, Ink::plain);
  for (const Row& row : rows_) add_line(row.cells, row.first);
  return text;
}

}  // namespace sightline::tool
