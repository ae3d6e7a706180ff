#include <fstream>
#include <thread>

#include "experiments/figure.h"
#include "experiments/support.h"

namespace sightline::experiments {
namespace {

/// An experiment, and then the pictures of its paper; not those on a GPU, since the pictures are the same.
template <Section (*run)(const Settings&), void (*add_figures)(Section&, const Settings&)>
Section with_figures(const Settings& settings) {
  Section section = run(settings);
  if (settings.device.type() == Device::Type::cpu) add_figures(section, settings);
  return section;
}

}  // namespace

std::span<const Experiment> experiments() {
  static constexpr Experiment kExperiments[] = {
      {"boldt-meyer", "self-cullide on a deformed bunny and two cows (figures 6-12)",
       with_figures<boldt_meyer, add_boldt_meyer_figures>},
      {"quick-cullide", "Quick-CULLIDE against CULLIDE on three simulations (tables 1, 2, figures 4-8)", quick_cullide},
      {"peeling", "miss ratios over view directions, two simulations (figure 8, tables 1, 2)", peeling},
      {"cinder", "stairs and snow (the report's demos)", cinder},
      {"vanecek", "half of the faces of moving bodies, on cpu or cuda", with_figures<vanecek, add_vanecek_figures>,
       true},
      {"exact", "the exact engine on the papers' scenes, on cpu or cuda", exact_engine, true},
  };
  return kExperiments;
}

std::string machine(const Settings& settings) {
  std::string model = "unknown CPU";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      model = line.substr(line.find(':') + 2);
      break;
    }
  const unsigned threads = settings.threads != 0 ? settings.threads : std::thread::hardware_concurrency();
  const std::string cpu = fmt::format("{}, {} threads", model, threads);
  if (settings.device.type() == Device::Type::cuda)
    for (const DeviceInfo& device : devices())
      for (const auto& [what, value] : device.facts)
        if (device.name.starts_with("cuda") && what == "gpu") return fmt::format("{}, CUDA on {}", cpu, value);
  if (settings.renderer.type() == papers::Renderer::Type::cpu) return cpu;
  for (const auto& [what, value] : papers::gl_info().facts)
    if (what == "renderer")
      return fmt::format("{}, methods on OpenGL: {}, queries {}", cpu, value, to_string(settings.renderer.queries()));
  return cpu;
}

}  // namespace sightline::experiments
