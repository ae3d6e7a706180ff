// The commands and options of the tool as plain data: the one source of manual pages and shell completions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sightline::tool {

struct OptionText {
  std::vector<std::string> names;  ///< "--json", "-q"; for an argument without a dash its name, such as MESH
  std::string value;               ///< such as PATH; empty: a flag
  std::string text;
  std::string group;
  std::vector<std::string> words;  ///< what the value can be; empty: not known
  bool is_argument = false;        ///< without a dash

  bool takes_path() const { return value == "PATH" || (is_argument && words.empty()); }
};

struct CommandText {
  std::string name;  ///< empty: the tool itself
  std::string text, usage, footer;
  std::vector<OptionText> options;
};

/// The help of the tool itself, also if a command was parsed: then App::help() is that of the command.
std::string own_help(const CLI::App& app);

/// The tool itself, then its commands in the order of the help.
std::vector<CommandText> command_texts(const CLI::App& app);

/// A manual page in the macros of man(7).
std::string manual(const std::vector<CommandText>& commands, const CommandText& command, const std::string& version);

/// Shells that completion() serves.
const std::vector<std::string>& shells();
/// A script for bash, zsh or fish.
std::string completion(const std::vector<CommandText>& commands, const std::string& shell);

}  // namespace sightline::tool
