#include "tool/description.h"

#include <CLI/CLI.hpp>

#include "tool/choices.h"

namespace sightline::tool {
namespace {

std::vector<std::string> words_of(const CLI::Option& option) {
  try {  // CLI11 has no const access to validators
    const std::string name = const_cast<CLI::Option&>(option).get_validator(0)->get_name();
    return name.empty() ? std::vector<std::string>() : CLI::detail::split(name, kBetweenWords);
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  text.is_argument = !option.nonpositional();
  if (text.is_argument) text.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_items_expected_max() > 0 && !text.is_argument) text.value = option.get_type_name();
  text.text = option.get_description();
  text.group = option.get_group();
  text.words = words_of(option);
  return text;
}

}  // namespace

std::string own_help(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

namespace {

CommandText command_text(const CLI::App& app, bool is_tool) {
  CommandText command;
  command.name = is_tool ? "" : app.get_name();
  command.text = app.get_description();
  const std::string help = own_help(app), title = "Usage: ";
  if (const std::size_t at = help.find(title); at != std::string::npos)
    command.usage = CLI::detail::trim_copy(help.substr(at + title.size(), help.find('\n', at) - at - title.size()));
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) command.options.push_back(option_text(*option));
  return command;
}

}  // namespace

std::vector<CommandText> command_texts(const CLI::App& app) {
  std::vector<CommandText> commands = {command_text(app, true)};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command_text(*command, false));
  return commands;
}

}  // namespace sightline::tool
