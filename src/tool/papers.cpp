// `sightline papers`: the papers' experiments.
#include <algorithm>
#include <fstream>

#include "experiments/experiment.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/outputs.h"

namespace sightline::tool {
namespace {

std::vector<const papers::Experiment*> chosen(const Settings& settings) {
  std::vector<const papers::Experiment*> list;
  for (const std::string& name : settings.experiments)
    if (std::none_of(papers::experiments().begin(), papers::experiments().end(),
                     [&](const papers::Experiment& e) { return e.name == name; }))
      throw Error(fmt::format("there is no experiment '{}'; 'sightline papers --help' lists them", name));
  for (const papers::Experiment& experiment : papers::experiments())
    if (settings.experiments.empty() || std::ranges::count(settings.experiments, experiment.name) > 0)
      list.push_back(&experiment);
  return list;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  report::Output output(path);
  output.write(text);
  output.commit();
}

void write_page(const std::filesystem::path& path, std::span<const papers::Section> sections,
                const std::string& machine) {
  const std::filesystem::path folder = path.parent_path() / "papers";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: cannot make this folder: {}", folder.string(), error.message()));
  for (const papers::Section& section : sections)
    for (const papers::Plot& plot : section.plots) write_file(folder / (plot.file + ".svg"), papers::to_svg(plot));
  write_file(path, papers::to_markdown(sections, machine));
}

}  // namespace

std::string experiment_list() {
  std::string text = "Experiments:";
  for (const papers::Experiment& experiment : papers::experiments())
    text += fmt::format("\n  {:<15}{}", experiment.name, experiment.what);
  return text;
}

int papers_command(const Settings& settings) {
  const std::vector<const papers::Experiment*> list = chosen(settings);
  for (const papers::Experiment* experiment : list)
    if (settings.device == "cuda" && experiment->name != "exact")
      throw Error(
          fmt::format("the papers' methods do not run on cuda: 'sightline papers exact --device cuda' runs the exact "
                      "engine on their scenes ('{}' was asked for)",
                      experiment->name));
  Progress progress(settings.prints_summary());
  papers::Settings run;
  run.quick = settings.quick;
  run.threads = settings.threads;
  run.device = settings.chosen_device();
  run.gl_queries = settings.gl_queries;
  if (!settings.bunny.empty()) run.bunny = read_mesh(settings.bunny);
  if (!settings.dragon.empty()) run.dragon = read_mesh(settings.dragon);
  run.cancel = [] { return interrupt_signal() != 0; };
  const std::string machine = papers::machine(run);
  std::vector<papers::Section> sections;
  for (const papers::Experiment* experiment : list) {
    run.progress = [&](const std::string& step) {
      stop_if_interrupted();
      progress.step(fmt::format("{}: {}", experiment->name, step));
    };
    sections.push_back(experiment->run(run));
    stop_if_interrupted();
    progress.clear();
    if (settings.prints_summary()) print_out(papers::to_text(sections.back()));
  }
  if (!settings.json.empty()) write_file(settings.json, papers::to_json(sections, machine));
  if (!settings.markdown.empty()) write_page(settings.markdown, sections, machine);
  return kClean;
}

}  // namespace sightline::tool
