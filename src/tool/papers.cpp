// `sightline papers`: the papers' experiments.
#include <algorithm>
#include <fstream>

#include "experiments/experiment.h"
#include "sightline/io.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/outputs.h"
#include "tool/suggest.h"

namespace sightline::tool {
namespace {

std::vector<const experiments::Experiment*> chosen(const Settings& settings) {
  std::vector<const experiments::Experiment*> list;
  for (const std::string& name : settings.experiments)
    if (std::none_of(experiments::experiments().begin(), experiments::experiments().end(),
                     [&](const experiments::Experiment& e) { return e.name == name; }))
      throw Error(not_there("experiment", name, experiment_names(), "'sightline papers --help' lists them"));
  for (const experiments::Experiment& experiment : experiments::experiments())
    if (settings.experiments.empty() || std::ranges::count(settings.experiments, experiment.name) > 0)
      list.push_back(&experiment);
  return list;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  report::Output output(path);
  output.write(text);
  output.commit();
}

void write_page(const std::filesystem::path& path, std::span<const experiments::Section> sections,
                const std::string& machine) {
  const std::filesystem::path folder = path.parent_path() / "papers";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
  for (const experiments::Section& section : sections) {
    for (const experiments::Plot& plot : section.plots)
      write_file(folder / (plot.file + ".svg"), experiments::to_svg(plot));
    for (const experiments::Figure& figure : section.figures) write_file(folder / (figure.file + ".png"), figure.png);
  }
  write_file(path, experiments::to_markdown(sections, machine));
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const experiments::Experiment& experiment : experiments::experiments()) names.emplace_back(experiment.name);
  return names;
}

std::string experiment_list() {
  std::string text = "Experiments:";
  for (const experiments::Experiment& experiment : experiments::experiments())
    text += fmt::format("\n  {:<15}{}", experiment.name, experiment.what);
  return text;
}

int papers_command(const Settings& settings) {
  const std::vector<const experiments::Experiment*> list = chosen(settings);
  for (const experiments::Experiment* experiment : list)
    if (settings.device == "cuda" && !experiment->on_cuda)
      throw Error(fmt::format(
          "of the papers' methods only velocity runs on cuda: 'sightline papers vanecek --device cuda', and "
          "'sightline papers exact --device cuda' runs the exact engine on their scenes ('{}' was requested)",
          experiment->name));
  Progress progress(settings.prints_summary());
  experiments::Settings run;
  run.quick = settings.quick;
  run.threads = settings.threads;
  run.device = settings.chosen_device();
  run.renderer = settings.chosen_renderer();
  if (!settings.bunny.empty()) run.bunny = read_mesh(settings.bunny);
  if (!settings.dragon.empty()) run.dragon = read_mesh(settings.dragon);
  run.cancel = [] { return interrupt_signal() != 0; };
  const std::string machine = experiments::machine(run);
  std::vector<experiments::Section> sections;
  for (const experiments::Experiment* experiment : list) {
    run.progress = [&](const std::string& step) {
      stop_if_interrupted();
      progress.step(fmt::format("{}: {}", experiment->name, step));
    };
    sections.push_back(experiment->run(run));
    stop_if_interrupted();
    progress.clear();
    if (settings.prints_summary()) print_out(experiments::to_text(sections.back()));
  }
  if (!settings.json.empty()) write_file(settings.json, experiments::to_json(sections, machine));
  if (!settings.markdown.empty()) write_page(settings.markdown, sections, machine);
  return kClean;
}

}  // namespace sightline::tool
