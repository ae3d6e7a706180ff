// The papers' scenes on OpenGL: all queries of a pass together, against one query at a time, against the CPU. Every
// answer is compared with the CPU's before a time is printed; times are medians of several runs of one frame, and of
// the whole query (triangles gathered, images, exact test of what is left).
//   gl_bench [--quick] [--no-each] [--trace] [--resolution N] [--frame K] [NAME...]
// --trace also prints how long each pass of the last run took, and how long the device took for each step of one more
// query; the waits in between make that one slower.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gl/context.h"
#include "method/run.h"
#include "scenes/papers/papers.h"

namespace {

using namespace sightline;
using namespace sightline::papers;
using papers::Report;
using papers::method::MethodSettings;

struct Case {
  std::string name;
  const char* scene;
  std::size_t frame;
  MethodName method;
  Precision precision;
  unsigned resolution;
  std::vector<View> views;
  bool self;
  const char* paper;  ///< what the paper measured on its GeForce, ms
};

const View kX{{-1, 0, 0}}, kY{{0, -1, 0}}, kZ{{0, 0, -1}};

std::vector<Case> cases() {
  using enum MethodName;
  const std::vector<View> two = {kX, kZ}, three = {kX, kY, kZ};
  return {{"cloth, Quick-CULLIDE", "cloth-on-table", 60, quick_cullide, Precision::image, 4096, two, true, "21"},
          {"cloth, CULLIDE", "cloth-on-table", 60, cullide, Precision::image, 4096, two, true, "30"},
          {"breaking, Quick-CULLIDE", "breaking", 40, quick_cullide, Precision::image, 4096, three, true, "25"},
          {"breaking, CULLIDE", "breaking", 40, cullide, Precision::image, 4096, three, true, "35"},
          {"leaves, Quick-CULLIDE", "leaves", 40, quick_cullide, Precision::image, 4096, three, true, "25"},
          {"cloth, Quick-CULLIDE, conservative", "cloth-on-table", 60, quick_cullide, Precision::conservative, 1024,
           two, true, "-"},
          {"bunny, self-CULLIDE", "deformed-bunny", 0, self_cullide, Precision::image, 500, {}, true, "-"},
          {"bunny and dragon, peel", "bunny-dragon", 0, peel, Precision::image, 512, {}, false, "-"},
          {"stairs, cinder", "stairs", 60, cinder, Precision::image, 1024, {}, false, "-"}};
}

Scene scene_of(const scenes::AnimationFrame& frame, bool with_self) {
  Scene scene;
  for (const scenes::AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = with_self && object.self});
  return scene;
}

struct Measured {
  double all = 0, gather = 0, image = 0, exact = 0;
  std::size_t passes = 0;
};

double stage(const Report& report, std::string_view name) {
  double sum = 0;
  for (const Stage& s : report.stats.stages)
    if (s.name == name) sum += s.milliseconds;
  return sum;
}

Measured measure(Scene& scene, const MethodSettings& options, int runs, const Report* expected, Report& report) {
  std::vector<Measured> all;
  for (int i = 0; i <= runs; ++i) {  // the first run is a warm-up
    report = method::run(scene, options);
    if (expected != nullptr && (report.contacts != expected->contacts || report.method.pcs != expected->method.pcs)) {
      std::fputs("THE ANSWER DIFFERS FROM THE CPU'S\n", stderr);
      std::exit(1);
    }
    if (i > 0)
      all.push_back({report.stats.milliseconds, stage(report, "gather"), stage(report, "image"), stage(report, "exact"),
                     report.method.passes.size()});
  }
  std::sort(all.begin(), all.end(), [](const Measured& a, const Measured& b) { return a.all < b.all; });
  return all[all.size() / 2];
}

/// An idle GPU takes about a second to reach its clock rate.
void warm_up(Scene& scene, const MethodSettings& options) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500)) method::run(scene, options);
}

void print(const char* device, const Measured& m) {
  fmt::print("  {:<12}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", device, m.all, m.gather, m.image, m.exact);
  std::fflush(stdout);
}

void print_passes(const Report& report) {
  fmt::print("  passes:");
  for (const Pass& pass : report.method.passes) fmt::print(" {} {:.2f};", pass.level, pass.milliseconds);
  fmt::print("\n");
}

/// One query with a wait after each step.
void print_steps(Scene& scene, const MethodSettings& options) {
  using Clock = std::chrono::steady_clock;
  std::map<std::string, std::pair<double, int>> steps;
  Clock::time_point last = Clock::now();
  {
    gl::Session session;  // it returns to the pool, and the query takes it from there
    session->trace = [&](const char* step) {
      const Clock::time_point now = Clock::now();
      auto& [sum, count] = steps[step];
      sum += std::chrono::duration<double, std::milli>(now - last).count();
      ++count;
      last = Clock::now();
    };
  }
  const Report report = method::run(scene, options);
  {
    gl::Session session;
    session->trace = {};
  }
  fmt::print("  steps with waits ({:.2f} ms):", report.stats.milliseconds);
  for (const auto& [name, step] : steps) fmt::print(" {} {:.2f} ({});", name, step.first, step.second);
  fmt::print("\n");
  double passes = 0;
  for (const Pass& pass : report.method.passes) passes += pass.milliseconds;
  fmt::print("  passes {:.2f} ms of the images' {:.2f}\n", passes, stage(report, "image"));
}

}  // namespace

int main(int argc, char** argv) try {
  bool quick = false, each = true, trace = false;
  unsigned resolution = 0;
  std::size_t frame = 0;
  std::set<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick")
      quick = true;
    else if (word == "--no-each")
      each = false;
    else if (word == "--trace")
      trace = true;
    else if (word == "--resolution" && i + 1 < argc)
      resolution = static_cast<unsigned>(std::stoul(argv[++i]));
    else if (word == "--frame" && i + 1 < argc)
      frame = std::stoul(argv[++i]);
    else
      names.insert(word);
  }
  std::vector<DeviceInfo> all = devices();
  all.push_back(gl_info());
  for (const DeviceInfo& device : all)
    for (const auto& [what, value] : device.facts)
      if (what == "renderer" || what == "version" || what == "threads")
        fmt::print("{} {}: {}\n", device.name, what, value);
  for (Case& c : cases()) {
    if (!names.empty() &&
        std::none_of(names.begin(), names.end(), [&](const auto& n) { return c.name.find(n) != std::string::npos; }))
      continue;
    const auto animation = scenes::find_paper_scene(c.scene)->make(quick ? 2000 : 0);
    for (std::size_t i = 0; i < (frame != 0 ? frame : c.frame); ++i) animation->advance();
    Scene scene = scene_of(animation->frame(), c.self);
    MethodSettings options;
    options.method = c.method;
    options.paper.precision = c.precision;
    options.paper.resolution = quick ? std::min(c.resolution, 256u) : c.resolution;
    if (resolution != 0) options.paper.resolution = resolution;
    options.paper.views = c.views;
    papers::Report cpu, gl;
    const Measured on_cpu = measure(scene, options, 1, nullptr, cpu);
    fmt::print(
        "\n{}: {} triangles, {}², {} passes, {} left, {} contacts; the paper: {} ms\n"
        "  device          all ms    gather    images     exact\n",
        c.name, cpu.stats.triangles, *options.paper.resolution, on_cpu.passes, cpu.method.pcs.size(),
        cpu.contacts.size(), c.paper);
    print("cpu", on_cpu);
    options.renderer = Renderer::gl();
    if (!quick) warm_up(scene, options);
    const Measured batched = measure(scene, options, quick ? 1 : 15, &cpu, gl);
    print("gl batched", batched);
    if (trace) {
      print_passes(gl);
      print_steps(scene, options);
    }
    if (!each) continue;
    options.renderer = Renderer::gl(GlQueries::each);
    const Measured one = measure(scene, options, quick ? 1 : 3, &cpu, gl);
    print("gl each", one);
    fmt::print("  batched is {:.1f} times as fast as one query at a time (images alone: {:.1f})\n",
               one.all / batched.all, one.image / batched.image);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "gl_bench: {}\n", error.what());
  return 1;
}
