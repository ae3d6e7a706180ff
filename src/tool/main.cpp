// The sightline command-line tool.
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
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
          .warning = [seen](const std::string& message) {  // all ranks have the same ones
            if (launched_rank() == 0 && seen->insert(message).second) print_error("warning: " + message);
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
  if (launched_ranks() > 1 && settings.command != Command::check && settings.command != Command::clash)
    throw Error("only check and clash run over MPI");
}

// Before all other work, since only a Progress can end a read that waits for a pipe.
void read_standard_input(const Settings& settings) {
  if (std::ranges::find(settings.inputs, std::filesystem::path(read::kStandardInput)) == settings.inputs.end()) return;
  Progress progress(settings.prints_summary());
  progress.step("reading standard input");
  read::load_file(read::kStandardInput);
}

int run(const Settings& settings) {
  constexpr int (*kCommands[])(const Settings&) = {check, clash, generate, demo, papers_command, devices_command};
  read_standard_input(settings);
  if (launched_ranks() > 1) return settings.command == Command::clash ? clash_ranks(settings) : check_ranks(settings);
  return kCommands[static_cast<int>(settings.command)](settings);
}

int interrupted() {
  print_error("interrupted; no files were written");
  return 128 + interrupt_signal();
}

/// The exit status of `work`, or of its error.
template <typename Work>
int guarded(const Work& work) {
  try {
    return work();
  } catch (const Interrupted&) {
    return interrupted();
  } catch (const report::Cancelled&) {
    return interrupted();
  } catch (const std::bad_alloc&) {
    print_error("not enough memory");
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return kError;
}

/// The settings; none if the program ends here, with `status`.
std::optional<Settings> prepared(int argc, char** argv, int& status) {
  std::optional<Settings> settings;
  status = guarded([&] {
    std::variant<Settings, int> parsed = parse(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    check_settings(std::get<Settings>(parsed));
    settings = std::move(std::get<Settings>(parsed));
    return static_cast<int>(kClean);
  });
  return settings;
}

/// Rank 0 prints an error of all ranks. They must not end before: a launcher that sees one of them fail ends the
/// others.
int run_as_rank(int argc, char** argv) {
  if (launched_rank() > 0) hold_text();
  int status = kClean;
  const std::optional<Settings> settings = prepared(argc, argv, status);
  if (!settings && status == kClean) return status;  // --help, --version
  const RankSession session;
  if (const std::optional<int> end = session.agreed(settings ? std::nullopt : std::optional(status))) return *end;
  return guarded([&] { return run(*settings); });
}

}  // namespace
}  // namespace sightline::tool

int main(int argc, char** argv) {
  using namespace sightline::tool;
  catch_signals();
  if (launched_ranks() > 1) return run_as_rank(argc, argv);
  int status = kClean;
  const std::optional<Settings> settings = prepared(argc, argv, status);
  return settings ? guarded([&] { return run(*settings); }) : status;
}
