// ./dev bench cliffs: scenes on which a grid may fall off, over a decade of sizes, beside a crumpled cloth that has as
// many triangles as the scene has triangles and contacts. See bench/README.md.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string_view>

#include "base/box_tree.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/timer.h"
#include "scenes/scenes.h"

namespace sightline::bench {
namespace {

constexpr double kMostCloths = 10;
constexpr double kMostGrowth = 1.2;
constexpr double kMostChecked = 2e7;  ///< pairs of overlapping boxes that Embree's exact test is given

struct Cliff {
  const char* name;
  std::function<BenchScene(std::size_t)> make;
  std::size_t least;       ///< size, and ten times that
  bool relations = false;  ///< the relations of all parts are computed, too
};

BenchScene self(Mesh mesh) {
  BenchScene scene;
  scene.objects.push_back(std::move(mesh));
  scene.self = true;
  return scene;
}
BenchScene between(std::vector<Mesh> objects) {
  BenchScene scene;
  scene.objects = std::move(objects);
  return scene;
}

std::vector<Cliff> cliffs() {
  using namespace scenes;
  const double half = std::sqrt(0.5);
  return {
      {"slope-1e4", [](std::size_t n) { return self(sheet_over_slope(n, 1e4)); }, 20'000},
      {"slope-1e5", [](std::size_t n) { return self(sheet_over_slope(n, 1e5)); }, 20'000},
      {"apart-1e9", [](std::size_t n) { return self(cloths_apart(n, 1e9)); }, 20'000},
      {"apart-1e11", [](std::size_t n) { return self(cloths_apart(n, 1e11)); }, 20'000},
      {"row-x", [](std::size_t n) { return between(row_of_boxes(n / 12, 0)); }, 96'000},
      {"row-y", [](std::size_t n) { return between(row_of_boxes(n / 12, 1)); }, 96'000},
      {"row-z", [](std::size_t n) { return between(row_of_boxes(n / 12, 2)); }, 96'000},
      {"walls", [](std::size_t n) { return self(specks_under_walls(n, 100)); }, 100'000},
      {"grating-0", [](std::size_t n) { return self(grating(n / 12, 1, 0)); }, 12'000},
      {"grating-45", [half](std::size_t n) { return self(grating(n / 12, half, half)); }, 12'000},
      {"grating-37", [](std::size_t n) { return self(grating(n / 12, 0.8, 0.6)); }, 12'000},
      {"disc", [](std::size_t n) { return self(disc(n)); }, 4'000},
      {"disc-soup", [](std::size_t n) { return self(to_soup(to_float(disc(n)))); }, 4'000},
      {"cone", [](std::size_t n) { return self(disc(n, 0.4)); }, 4'000},
      {"cylinder", [](std::size_t n) { return self(cylinder(n)); }, 4'000},
      {"cylinder-rings", [](std::size_t n) { return self(cylinder(n, 8)); }, 18'000},
      {"gear", [](std::size_t n) { return self(gear(n)); }, 10'000},
      {"drilled", [](std::size_t n) { return self(drilled_plates(n)); }, 10'000},
      {"crossed-bars", [](std::size_t n) { return self(crossed_bars(n / 12)); }, 12'000},
      {"needles-sheet", [](std::size_t n) { return self(needles_through_sheet(n)); }, 10'000},
      {"nested-boxes", [](std::size_t n) { return between(nested_boxes(n / 12)); }, 9'600},
      {"dust", [](std::size_t n) { return self(boxes_with_dust(n / 12)); }, 12'000},
      {"plates", [](std::size_t n) { return between(turned_plates(n)); }, 12'000, true},
  };
}

/// Pairs of triangles whose boxes overlap, within the one mesh or between objects. Sets of boxes that all overlap each
/// other are counted at once, so a disc of a million triangles around one hub takes no time.
class Overlaps {
 public:
  explicit Overlaps(const BenchScene& scene) : one_(scene.self) {
    for (std::uint32_t object = 0; object < scene.objects.size(); ++object) {
      const MeshView view = scene.objects[object].view();
      for (const Triangle& t : view.triangles) {
        Box box;
        for (const std::uint32_t corner : t) box.add(view.positions.stored(corner));
        boxes_.push_back(box);
        object_.push_back(object);
      }
    }
    tree_ = BoxTree(boxes_);
    common_.resize(tree_.nodes().size());
    for (std::size_t at = common_.size(); at-- > 0;) {
      const BoxTree::Node& node = tree_.nodes()[at];
      common_[at] = node.right == 0 ? common_of(node) : meet(common_[at + 1], common_[node.right]);
    }
  }
  double count() const { return boxes_.empty() ? 0 : within(0); }

 private:
  /// The greatest low and the least high corner.
  struct Common {
    Vec3d low, high;
  };
  static Common meet(const Common& a, const Common& b) {
    Common c;
    for (int k = 0; k < 3; ++k) c.low[k] = std::max(a.low[k], b.low[k]), c.high[k] = std::min(a.high[k], b.high[k]);
    return c;
  }
  Common common_of(const BoxTree::Node& node) const {
    Common all{boxes_[tree_.items()[node.begin]].low, boxes_[tree_.items()[node.begin]].high};
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const Box& box = boxes_[tree_.items()[i]];
      all = meet(all, {box.low, box.high});
    }
    return all;
  }
  static bool all_meet(const Common& a, const Common& b) {
    bool all = true;
    for (int k = 0; k < 3; ++k) all = all && a.low[k] <= b.high[k] && b.low[k] <= a.high[k];
    return all;
  }
  bool counts(std::uint32_t a, std::uint32_t b) const {
    return (one_ || object_[a] != object_[b]) && boxes_[a].meets(boxes_[b]);
  }

  double within(std::uint32_t at) const {
    const BoxTree::Node& node = tree_.nodes()[at];
    const double items = node.end - node.begin;
    if (one_ && all_meet(common_[at], common_[at])) return items * (items - 1) / 2;
    if (node.right != 0) return within(at + 1) + within(node.right) + across(at + 1, node.right);
    double sum = 0;
    for (std::uint32_t i = node.begin; i < node.end; ++i)
      for (std::uint32_t j = i + 1; j < node.end; ++j) sum += counts(tree_.items()[i], tree_.items()[j]);
    return sum;
  }
  double across(std::uint32_t a, std::uint32_t b) const {
    const BoxTree::Node &left = tree_.nodes()[a], &right = tree_.nodes()[b];
    if (!left.box.meets(right.box)) return 0;
    const double m = left.end - left.begin, n = right.end - right.begin;
    if (one_ && all_meet(common_[a], common_[b])) return m * n;
    if (left.right != 0 && (right.right == 0 || m >= n)) return across(a + 1, b) + across(left.right, b);
    if (right.right != 0) return across(a, b + 1) + across(a, right.right);
    double sum = 0;
    for (std::uint32_t i = left.begin; i < left.end; ++i)
      for (std::uint32_t j = right.begin; j < right.end; ++j) sum += counts(tree_.items()[i], tree_.items()[j]);
    return sum;
  }

  bool one_;
  std::vector<Box> boxes_;
  std::vector<std::uint32_t> object_;
  BoxTree tree_;
  std::vector<Common> common_;
};

struct Time {
  double wall = 0, cpu = 0;
};

class Bench {
 public:
  Bench(unsigned threads, int runs)
      : runs_(runs), ours_(make_sightline(Simd::best, threads)), embree_(make_embree(threads, false)) {}

  /// Returns false if a limit was missed.
  bool run(const Cliff& cliff, double part) {
    bool ok = true;
    Time first;
    double first_size = 0, growth = 0, growth_by_cpu = 0;
    for (int step = 0; step < 3; ++step) {
      const auto n = static_cast<std::size_t>(static_cast<double>(cliff.least) * part * std::pow(10, 0.5 * step));
      const BenchScene scene = cliff.make(n);
      const double overlaps = Overlaps(scene).count();
      const Report report = ours_->run(scene);
      Assembly assembly;
      if (cliff.relations)
        for (const Mesh& mesh : scene.objects) assembly.add(mesh);
      const Time time = measured([&] { cliff.relations ? void(clashes(assembly)) : void(ours_->run(scene)); });
      const bool checked = overlaps <= kMostChecked;
      if (checked) check(cliff.name, scene, report);
      const double size = static_cast<double>(scene.triangles() + report.contacts.size());
      const Time cloth = cloth_of(size);
      const bool near = time.wall <= kMostCloths * cloth.wall;
      if (step == 0) first = time, first_size = size;
      if (step == 2) {
        growth = std::log(time.wall / first.wall) / std::log(size / first_size);
        growth_by_cpu = std::log(time.cpu / first.cpu) / std::log(size / first_size);
      }
      fmt::print("{:<15} {:>9} {:>9} {:>12.0f} {:>11} {:>9} {:>9.2f} {:>8.2f} {:>6.1f} {:>6.1f}  {:<6} {}\n",
                 cliff.name, scene.triangles(), report.contacts.size(), overlaps, report.stats.candidates,
                 report.stats.decided_exact, time.wall, cloth.wall, time.wall / cloth.wall, time.cpu / cloth.cpu,
                 near ? "ok" : "MISSED", checked ? "equal to Embree" : "not checked at this size");
      std::fflush(stdout);
      ok = ok && near;
    }
    fmt::print("{:<15} grows with n^{:.2f} (n^{:.2f} by cpu time)  {}\n", cliff.name, growth, growth_by_cpu,
               growth <= kMostGrowth ? "ok" : "MISSED");
    std::fflush(stdout);
    return ok && growth <= kMostGrowth;
  }

 private:
  /// The least of the runs; slow ones are not repeated.
  template <typename Call>
  Time measured(const Call& call) const {
    constexpr double kSlow = 2000;
    Time least;
    for (int i = 0; i < runs_; ++i) {
      const Timer timer;
      const double before = cpu_milliseconds();
      call();
      const Time time{timer.milliseconds(), cpu_milliseconds() - before};
      least = i == 0 ? time : Time{std::min(least.wall, time.wall), std::min(least.cpu, time.cpu)};
      if (time.wall > kSlow) break;
    }
    return least;
  }
  Time cloth_of(double triangles) {
    const BenchScene scene = self(scenes::crumpled_cloth(static_cast<std::size_t>(triangles)));
    return measured([&] { ours_->run(scene); });
  }
  void check(const char* name, const BenchScene& scene, const Report& report) {
    std::vector<Contact> expected = embree_->run(scene).contacts;
    const auto same = [](const Contact& a, const Contact& b) {
      return a.object_a == b.object_a && a.object_b == b.object_b && a.a == b.a && a.b == b.b;
    };
    std::sort(expected.begin(), expected.end());
    if (!std::equal(expected.begin(), expected.end(), report.contacts.begin(), report.contacts.end(), same))
      throw Error(fmt::format("{}, {} triangles: {} contacts where Embree with the exact test finds {}", name,
                              scene.triangles(), report.contacts.size(), expected.size()));
  }

  const int runs_;
  PeerPtr ours_, embree_;
};

constexpr const char* kHelp =
    R"(sightline_cliffs_bench [--part X] [--runs K] [--threads N] [SCENE...]

Each scene at three sizes, a decade apart in all, beside a crumpled cloth of as many triangles as the scene has triangles
and contacts. --part scales all sizes (default 1). Exit code: 0, 1 if a limit was missed or an answer is wrong, 2 for an
error in the options.
)";

int run(int argc, char** argv) {
  double part = 1;
  int runs = 3;
  unsigned threads = 0;
  std::vector<std::string_view> names;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--help" || option == "-h") return std::fputs(kHelp, stdout), 0;
    if (option.substr(0, 2) != "--") {
      names.push_back(option);
      continue;
    }
    if (i + 1 == argc) return fmt::print(stderr, "{}: a value is missing; see --help\n", option), 2;
    const double value = std::atof(argv[++i]);
    if (!(value > 0)) return fmt::print(stderr, "{}: {} is not a positive number\n", option, argv[i]), 2;
    if (option == "--part")
      part = value;
    else if (option == "--runs")
      runs = static_cast<int>(std::ceil(value));
    else if (option == "--threads")
      threads = static_cast<unsigned>(value);
    else
      return fmt::print(stderr, "{}: not an option; see --help\n", option), 2;
  }
  const std::vector<Cliff> all = cliffs();
  for (const std::string_view name : names)
    if (std::none_of(all.begin(), all.end(), [&](const Cliff& c) { return c.name == name; }))
      return fmt::print(stderr, "{}: there is no such scene\n", name), 2;
  Bench bench(threads, runs);
  fmt::print("{:<15} {:>9} {:>9} {:>12} {:>11} {:>9} {:>9} {:>8} {:>6} {:>6}\n", "scene", "triangles", "contacts",
             "boxes meet", "candidates", "exact", "ms", "cloth", "times", "by cpu");
  bool ok = true;
  for (const Cliff& cliff : all)
    if (names.empty() || std::find(names.begin(), names.end(), cliff.name) != names.end())
      ok = bench.run(cliff, part) && ok;
  fmt::print("At most {} times the cloth, and no faster than n^{}: {}\n", kMostCloths, kMostGrowth,
             ok ? "ok" : "MISSED");
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace sightline::bench

int main(int argc, char** argv) {
  try {
    return sightline::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
