// The sightline command-line tool.
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <set>

#include "read/file.h"
#include "report/names.h"
#include "sightline/mesh.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/ranks.h"

namespace sightline::tool {

papers::method::MethodSettings query_options(const Settings& settings, Progress& progress) {
  papers::method::MethodSettings options;
  options.renderer = settings.chosen_renderer();
  options.threads = settings.threads;
  options.first = settings.first;
  options.max_contacts = settings.max_contacts;
  options.progress = [&progress](double done) { progress.fraction(done); };
  options.cancel = [] { return interrupt_signal() != 0; };
  options.method = settings.method.method;
  options.paper = settings.method.paper;
  options.simd = settings.simd;
  options.axis = settings.axis;
  options.cell = settings.cell;
  options.visibility = settings.visibility;
  options.stages = true;
  return options;
}

ReadOptions read_options(const Settings& settings) {
  const auto seen = std::make_shared<std::set<std::string>>();
  return {.threads = settings.threads,
          .part_per_primitive = settings.primitives,
          .warning = [seen](const std::string& message) {
            if (seen->insert(message).second) print_error("warning: " + message);
          }};
}

namespace {

void check_settings(Settings& settings) {
  for (std::filesystem::path& input : settings.inputs) {
    if (input.empty()) throw Error("'': a file name is empty");
    if (input != "-") continue;
    if (::isatty(STDIN_FILENO))
      throw Error("'-': standard input is a terminal; give it a file, as in 'sightline check - < part.stl'");
    input = read::kStandardInput;
  }
  if (!available(settings.simd))
    throw Error(fmt::format("--simd {}: this machine does not have this instruction set", to_string(settings.simd)));
  // A missing device is an error before anything is read. Over MPI the ranks find it together.
  if (launched_ranks() == 1) settings.chosen_device();
  settings.chosen_renderer();
}

// Before all other work, since only a Progress can end a read that waits for a pipe.
void read_standard_input(const Settings& settings) {
  if (std::ranges::find(settings.inputs, std::filesystem::path(read::kStandardInput)) == settings.inputs.end()) return;
  Progress progress(settings.prints_summary());
  progress.step("reading standard input");
  read::load_file(read::kStandardInput);
}

int run(Settings settings) {
  constexpr int (*kCommands[])(const Settings&) = {check, clash, generate, demo, papers_command, devices_command};
  check_settings(settings);
  read_standard_input(settings);
  if (launched_ranks() > 1) {
    if (settings.command == Command::clash) return clash_ranks(settings);
    if (settings.command != Command::check) throw Error("only check and clash --pairs run over MPI");
    return check_ranks(settings);
  }
  return kCommands[static_cast<int>(settings.command)](settings);
}

int interrupted() {
  print_error("interrupted; no files were written");
  return 128 + interrupt_signal();
}

}  // namespace
}  // namespace sightline::tool

int main(int argc, char** argv) {
  using namespace sightline::tool;
  catch_signals();
  try {
    const std::variant<Settings, int> parsed = parse(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return run(std::get<Settings>(parsed));
  } catch (const Interrupted&) {
    return interrupted();
  } catch (const sightline::report::Cancelled&) {
    return interrupted();
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kError;
}
