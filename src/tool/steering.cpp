#include "tool/steering.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string_view>

#include "report/csv.h"
#include "report/names.h"
#include "tool/progress.h"

namespace sightline::tool {
namespace {

using scenes::Placement;

constexpr std::size_t kMostFrames = 100'000;
constexpr double kFarthest = 100'000;
constexpr std::string_view kSpace = " \t\r";

/// A line of a path. Throws Error with what is wrong, without the file and the line.
Placement parse_line(std::string_view line) {
  std::array<double, 6> numbers{};
  std::size_t count = 0;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
    if (line.empty()) break;
    const std::string_view word = line.substr(0, line.find_first_of(kSpace));
    line.remove_prefix(word.size());
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::invalid_argument || end != word.data() + word.size())
      throw Error(fmt::format("'{}' is not a number", report::printable(word)));
    if (error != std::errc() || !(std::abs(value) <= kFarthest))
      throw Error(fmt::format("{} is not within {} of 0", report::printable(word), kFarthest));
    if (count < numbers.size()) numbers[count] = value;
    ++count;
  }
  if (count != 3 && count != 6)
    throw Error(fmt::format("{} number{}; a line has x y z or x y z rx ry rz", count, count == 1 ? "" : "s"));
  return {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

struct Key {
  std::string_view bytes;
  Placement step;
};

constexpr double kStep = 0.05, kTurn = 5;
constexpr Key kKeys[] = {
    {"\x1b[D", {{-kStep, 0, 0}, {}}},
    {"\x1bOD", {{-kStep, 0, 0}, {}}},  // left
    {"\x1b[C", {{kStep, 0, 0}, {}}},
    {"\x1bOC", {{kStep, 0, 0}, {}}},  // right
    {"\x1b[A", {{0, 0, -kStep}, {}}},
    {"\x1bOA", {{0, 0, -kStep}, {}}},  // up
    {"\x1b[B", {{0, 0, kStep}, {}}},
    {"\x1bOB", {{0, 0, kStep}, {}}},  // down
    {"\x1b[5~", {{0, kStep, 0}, {}}},
    {"\x1b[6~", {{0, -kStep, 0}, {}}},  // page up, page down
    {"a", {{}, {0, kTurn, 0}}},
    {"d", {{}, {0, -kTurn, 0}}},
    {"w", {{}, {-kTurn, 0, 0}}},
    {"s", {{}, {kTurn, 0, 0}}},
    {" ", {}},
};
constexpr std::string_view kEndKeys = "qQ\x04";  // Ctrl-D is a byte like the others here

/// The length of the control sequence that begins here; 0 if it may go on.
std::size_t unknown_sequence(std::string_view bytes) {
  if (bytes[0] != '\x1b') return 1;
  if (bytes.size() == 1) return 0;
  if (bytes[1] == 'O') return bytes.size() < 3 ? 0 : 3;
  if (bytes[1] != '[') return 1;
  for (std::size_t i = 2; i < bytes.size(); ++i)
    if (bytes[i] >= 0x40 && bytes[i] <= 0x7E) return i + 1;
  return bytes.size() < 32 ? 0 : bytes.size();
}

termios settings_before;  // written before terminal_changed is set
std::atomic<bool> terminal_changed = false;

}  // namespace

std::vector<Placement> parse_path(std::string_view text, const std::string& file) {
  std::vector<Placement> path;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find_first_not_of(kSpace);
    if (first == line.npos || line[first] == '#') continue;
    try {
      path.push_back(parse_line(line));
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", file, number, error.what()));
    }
    if (path.size() > kMostFrames) throw Error(fmt::format("{}:{}: more than {} places", file, number, kMostFrames));
  }
  if (path.empty()) throw Error(fmt::format("{}: there is no line with a place", file));
  return path;
}

std::vector<Placement> read_path(const std::filesystem::path& path) {
  return parse_path(report::read_text_file(path), report::printable(path.string()));
}

bool Keys::available() { return ::isatty(STDIN_FILENO) && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp(); }

std::string Keys::help() {
  return "arrows: left, right, away, nearer; page up and page down: up, down; a d w s: turn; space: wait; q: end\n";
}

Keys::Keys() {
  termios own = {};
  if (::tcgetattr(STDIN_FILENO, &own) != 0)
    throw Error(fmt::format("standard input: cannot read keys: {}", std::strerror(errno)));
  settings_before = own;
  terminal_changed = true;
  // Signals stay on: Ctrl-C ends the program as everywhere else.
  own.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  own.c_cc[VMIN] = 1;
  own.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &own);
}

Keys::~Keys() { restore_terminal(); }

void restore_terminal() {
  if (terminal_changed.exchange(false)) ::tcsetattr(STDIN_FILENO, TCSANOW, &settings_before);
}

bool Keys::read_more(int milliseconds) {
  pollfd file = {STDIN_FILENO, POLLIN, 0};
  const int ready = ::poll(&file, 1, milliseconds);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return false;
  char bytes[64];
  const ssize_t count = ready < 0 ? -1 : ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (count <= 0) ended_ = true;
  if (count > 0) bytes_.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

std::optional<Placement> Keys::next() {
  constexpr int kTick = 50;  // milliseconds: interrupts are seen this soon, and the bytes of one key come this fast
  for (;;) {
    while (bytes_.empty()) {
      stop_if_interrupted();
      if (!read_more(kTick) && ended_) return std::nullopt;
    }
    if (kEndKeys.find(bytes_[0]) != kEndKeys.npos) return std::nullopt;
    const auto key = std::ranges::find_if(kKeys, [&](const Key& known) { return bytes_.starts_with(known.bytes); });
    if (key != std::end(kKeys)) {
      bytes_.erase(0, key->bytes.size());
      for (std::size_t axis = 0; axis < 3; ++axis) {
        at_.offset[axis] += key->step.offset[axis];
        at_.degrees[axis] += key->step.degrees[axis];
      }
      return at_;
    }
    const std::size_t length = unknown_sequence(bytes_);
    if (length > 0)
      bytes_.erase(0, length);
    else if (!read_more(kTick))
      bytes_.clear();  // a lone escape
  }
}

}  // namespace sightline::tool
