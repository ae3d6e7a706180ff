// The sightline command-line tool.
#include <exception>
#include <new>

#include "report/names.h"
#include "sightline/mesh.h"
#include "tool/commands.h"
#include "tool/console.h"

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

namespace {

void check_settings(const Settings& settings) {
  for (const std::filesystem::path& input : settings.inputs) {
    if (input == "-") throw Error("'-': standard input cannot be read; give the name of a file");
    if (input.empty()) throw Error("'': a file name is empty");
  }
  if (!available(settings.simd))
    throw Error(fmt::format("--simd {}: this machine does not have this instruction set", to_string(settings.simd)));
  settings.chosen_device();  // a missing device is an error before anything is read
  settings.chosen_renderer();
}

int run(const Settings& settings) {
  constexpr int (*kCommands[])(const Settings&) = {check, clash, generate, demo, papers_command, devices_command};
  check_settings(settings);
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
