// Completion scripts for bash, zsh and fish. A script has all words: no program runs while the user types.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sightline/mesh.h"
#include "tool/description.h"

namespace sightline::tool {
namespace {

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In single quotes, as bash and zsh read it.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
/// In single quotes of fish.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::vector<std::string> names_of(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands)
    if (!command.name.empty()) names.push_back(command.name);
  return names;
}

std::vector<std::string> dashed(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options)
    if (!option.is_argument) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<OptionText> arguments_of(const CommandText& command) {
  std::vector<OptionText> list;
  for (const OptionText& option : command.options)
    if (option.is_argument) list.push_back(option);
  return list;
}

constexpr std::string_view kBashFiles = "COMPREPLY+=($(compgen -f -- \"$current\")); compopt -o filenames 2>/dev/null";

std::string bash_words(const std::vector<std::string>& words) {
  return fmt::format("COMPREPLY+=($(compgen -W {} -- \"$current\"))", quoted(fmt::format("{}", fmt::join(words, " "))));
}

std::string bash_command(const CommandText& command) {
  std::string text = fmt::format("    {})\n      case $previous in\n", command.name);
  for (const OptionText& option : command.options) {
    if (option.is_argument || option.value.empty()) continue;
    const std::string action = option.takes_path()     ? std::string(kBashFiles)
                               : !option.words.empty() ? bash_words(option.words)
                                                       : ":";
    text += fmt::format("        {}) {}; return ;;\n", fmt::join(option.names, "|"), action);
  }
  text += fmt::format("      esac\n      if [[ $current == -* ]]; then {}\n", bash_words(dashed(command)));
  const std::vector<OptionText> arguments = arguments_of(command);
  if (!arguments.empty()) text += "      else\n";
  for (const OptionText& argument : arguments)
    text += fmt::format("        {}\n", argument.words.empty() ? std::string(kBashFiles) : bash_words(argument.words));
  return text + "      fi ;;\n";
}

std::string bash(const std::vector<CommandText>& commands) {
  std::vector<std::string> first = names_of(commands);
  const std::vector<std::string> own = dashed(commands.front());
  first.insert(first.end(), own.begin(), own.end());
  std::string text = fmt::format(R"(# bash completion for sightline
_sightline() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    {}
    return
  fi
  case ${{COMP_WORDS[1]}} in
)",
                                 bash_words(first));
  for (const CommandText& command : commands)
    if (!command.name.empty()) text += bash_command(command);
  return text + "  esac\n}\ncomplete -F _sightline sightline\n";
}

std::string zsh_action(const OptionText& option) {
  if (!option.words.empty()) return fmt::format("({})", fmt::join(option.words, " "));
  return option.takes_path() ? "_files" : " ";
}

/// Text inside of an argument of _arguments.
std::string zsh_text(const std::string& text) {
  return replaced(replaced(replaced(replaced(text, "\\", "\\\\"), "[", "\\["), "]", "\\]"), ":", "\\:");
}

std::string zsh_command(const CommandText& command) {
  std::string text = fmt::format("    {})\n      _arguments -s", command.name);
  const auto add = [&text](const std::string& argument) { text += " \\\n        " + quoted(argument); };
  for (const OptionText& option : command.options)
    for (const std::string& name : option.is_argument ? std::vector<std::string>() : option.names)
      add(fmt::format("*{}[{}]", name, zsh_text(option.text)) +
          (option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option))));
  const std::vector<OptionText> arguments = arguments_of(command);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    add(fmt::format("{}:{}:{}", arguments.size() == 1 ? "*" : std::to_string(i + 1), zsh_text(arguments[i].names[0]),
                    zsh_action(arguments[i])));
  return text + " ;;\n";
}

std::string zsh(const std::vector<CommandText>& commands) {
  std::string text = "#compdef sightline\n_sightline() {\n  local -a commands=(\n";
  for (const CommandText& command : commands)
    if (!command.name.empty()) text += fmt::format("    {}\n", quoted(command.name + ":" + zsh_text(command.text)));
  text += fmt::format(R"(  )
  if ((CURRENT == 2)); then
    _describe command commands
    compadd -- {}
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
)",
                      fmt::join(dashed(commands.front()), " "));
  for (const CommandText& command : commands)
    if (!command.name.empty()) text += zsh_command(command);
  return text + "  esac\n}\n_sightline \"$@\"\n";
}

std::string fish_option(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.words.empty())
    text += fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(option.words, " "))));
  else if (option.takes_path())
    text += " -r -F";
  else if (!option.value.empty())
    text += " -x";
  return text + fmt::format(" -d {}", fish_quoted(option.text));
}

std::string fish(const std::vector<CommandText>& commands) {
  std::string text = "# fish completion for sightline\ncomplete -c sightline -f\n";
  for (const CommandText& command : commands) {
    const bool is_tool = command.name.empty();
    const std::string when =
        is_tool ? "__fish_use_subcommand" : fmt::format("'__fish_seen_subcommand_from {}'", command.name);
    if (!is_tool)
      text += fmt::format("complete -c sightline -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          fish_quoted(command.text));
    for (const OptionText& option : command.options)
      if (!option.is_argument) text += fmt::format("complete -c sightline -n {}{}\n", when, fish_option(option));
    for (const OptionText& argument : arguments_of(command))
      text +=
          fmt::format("complete -c sightline -n {} {}\n", when,
                      argument.words.empty() ? std::string("-F")
                                             : "-a " + fish_quoted(fmt::format("{}", fmt::join(argument.words, " "))));
  }
  return text;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> kShells = {"bash", "zsh", "fish"};
  return kShells;
}

std::string completion(const std::vector<CommandText>& commands, const std::string& shell) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  throw Error(fmt::format("there is no completion for the shell '{}'", shell));
}

}  // namespace sightline::tool
