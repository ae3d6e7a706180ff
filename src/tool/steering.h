// Where the body of a scene goes that a user moves: a path from a file, or the keys of a terminal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/papers/papers.h"

namespace sightline::tool {

/// The places of a body, frame by frame: a line `x y z` or `x y z rx ry rz` (degrees) for each. Lines that are empty or
/// begin with # are skipped. Throws Error with the file, the line and the value.
std::vector<scenes::Placement> read_path(const std::filesystem::path& path);
std::vector<scenes::Placement> parse_path(std::string_view text, const std::string& file);

/// The keys of the terminal at standard input, one by one and without echo as long as the object lives.
class Keys {
 public:
  /// True if standard input is a terminal and this process may read from it.
  static bool available();
  /// A line that names the keys.
  static std::string help();

  Keys();
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  /// Waits for a key and returns the body's new place; nothing at the end (the key q, or the end of the input). Throws
  /// Interrupted.
  std::optional<scenes::Placement> next();

 private:
  /// More bytes from the terminal; false after this time without any, or at the end of the input.
  bool read_more(int milliseconds);

  std::string bytes_;  ///< read, not yet used
  bool ended_ = false;
  scenes::Placement at_;
};

/// Puts the terminal back if Keys changed it. From any thread, for an end of the program without destructors.
void restore_terminal();

}  // namespace sightline::tool
