// Manual pages: man(7).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "tool/description.h"

namespace sightline::tool {
namespace {

/// Text in which roff has nothing to interpret: backslashes and dashes escaped, no line that begins a request.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string page_of(const CommandText& command) {
  return command.name.empty() ? "sightline" : "sightline-" + command.name;
}

void add_option(std::string& page, const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names)
    names.push_back((option.is_argument ? "\\fI" : "\\fB") + roff(name) + "\\fR");
  page += fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                      option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(option.value)), roff(option.text));
}

void add_options(std::string& page, const CommandText& command) {
  if (command.options.empty()) return;
  page += ".SH OPTIONS\n";
  std::vector<std::string> groups;
  for (const OptionText& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  for (const std::string& group : groups) {
    if (groups.size() > 1) page += fmt::format(".SS {}\n", roff(group));
    for (const OptionText& option : command.options)
      if (option.group == group) add_option(page, option);
  }
}

/// The text below a help: a line such as "Examples:" begins a section, and so does "Exit status: ...".
void add_footer(std::string& page, const std::string& footer) {
  std::istringstream lines(footer);
  bool open = false;
  const auto begin = [&](const std::string& title) {
    if (open) page += ".fi\n";
    page += fmt::format(".SH {}\n.nf\n", roff(upper(title)));
    open = true;
  };
  constexpr std::string_view kStatus = "Exit status: ";
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(':') && !line.starts_with(' ')) {
      begin(line.substr(0, line.size() - 1));
      continue;
    }
    if (line.starts_with(kStatus)) {
      begin("Exit status");
      line.erase(0, kStatus.size());
    } else if (!open) {
      begin("Notes");
    }
    page += roff(line) + "\n";
  }
  if (open) page += ".fi\n";
}

}  // namespace

std::string manual(const std::vector<CommandText>& commands, const CommandText& command, const std::string& version) {
  const std::string name = page_of(command);
  std::string page = fmt::format(".TH {} 1 \"\" \"sightline {}\" \"Sightline\"\n", roff(upper(name)), version);
  page += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR\n", roff(name), roff(command.text),
                      roff(command.usage));
  if (command.name.empty()) {
    page += ".SH COMMANDS\n";
    for (const CommandText& one : commands)
      if (!one.name.empty()) page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(one.name), roff(one.text));
  }
  add_options(page, command);
  add_footer(page, command.footer);
  page += ".SH SEE ALSO\n";
  std::vector<std::string> others;
  for (const CommandText& one : commands)
    if (one.name != command.name) others.push_back(fmt::format("\\fB{}\\fR(1)", roff(page_of(one))));
  return page + fmt::format("{}\n", fmt::join(others, ",\n"));
}

}  // namespace sightline::tool
