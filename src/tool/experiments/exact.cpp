// The papers' workloads by the exact engine, on the CPU or on a GPU: the time of their scenes today, with nothing
// missed.
#include "experiments/support.h"

namespace sightline::experiments {
namespace {

struct Workload {
  const char *name, *paper, *paper_ms;
  std::unique_ptr<scenes::Animation> animation;
  std::size_t frames;
  bool is_still = false;  ///< every frame has the same positions: they are given again as new ones
};

struct Result {
  Average milliseconds, on_device, contacts, tested;
  std::size_t triangles = 0;
  bool same = true;  ///< as the cpu's, in every frame
};

bool same_triangles(const MeshView& a, const MeshView& b) { return std::ranges::equal(a.triangles, b.triangles); }

/// A scene that is kept from frame to frame: objects move, or are replaced where their triangles changed.
class Kept {
 public:
  explicit Kept(Device device) : scene_(device) {}
  /// `all_move`: positions that are equal are given again, too, so that nothing rests and the query is answered anew.
  void update(const scenes::AnimationFrame& frame, bool all_move) {
    std::vector<Mesh> now;
    for (const scenes::AnimatedObject& object : frame.objects) now.push_back(object.mesh);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i >= held_.size())
        scene_.add(now[i], {.self = frame.objects[i].self});
      else if (!all_move && same_triangles(held_[i], now[i]) && now[i].positions == held_[i].positions)
        now[i] = std::move(held_[i]);  // it rests: the scene's views stay valid
      else if (same_triangles(held_[i], now[i]))
        triangles_kept(i, now[i]);
      else
        scene_.replace(static_cast<ObjectId>(i), now[i]);
    }
    held_ = std::move(now);  // moving a vector leaves its elements in place
  }
  Scene& scene() { return scene_; }

 private:
  /// Only positions changed: the triangles that the scene refers to are kept.
  void triangles_kept(std::size_t i, Mesh& now) {
    now.triangles = std::move(held_[i].triangles);
    scene_.move(static_cast<ObjectId>(i), now.view().positions);
  }
  Scene scene_;
  std::vector<Mesh> held_;
};

Result run(const Settings& settings, Workload& workload) {
  Result result;
  Kept kept(settings.device), cpu(Device::cpu());
  MethodSettings options = options_of(settings, MethodName::exact, Precision::image);
  Report report, expected;
  for (std::size_t frame = 0; frame < workload.frames; ++frame, workload.animation->advance()) {
    settings.progress(fmt::format("{}, frame {} of {}", workload.name, frame + 1, workload.frames));
    kept.update(workload.animation->frame(), workload.is_still);
    report = run(kept.scene(), options);
    if (settings.device.type() != Device::Type::cpu) {
      cpu.update(workload.animation->frame(), workload.is_still);
      expected = run(cpu.scene(), options);
      result.same = result.same && report.contacts == expected.contacts;
    }
    result.triangles = report.stats.triangles;
    if (frame == 0 && workload.frames > 1) continue;  // the first frame allocates memory
    result.milliseconds.add(report.stats.milliseconds);
    result.on_device.add(report.stats.milliseconds - stage_ms(report, "upload") - stage_ms(report, "download"));
    result.contacts.add(static_cast<double>(report.contacts.size()));
    result.tested.add(static_cast<double>(report.stats.candidates));
  }
  return result;
}

std::unique_ptr<scenes::Animation> scene(const char* name, std::size_t triangles) {
  return scenes::find_paper_scene(name)->make(triangles);
}

}  // namespace

Section exact_engine(const Settings& given) {
  Settings settings = given;
  if (settings.device.type() != Device::Type::cuda) settings.device = Device::cpu();  // named in section.setup
  Section section;
  section.name = "exact";
  section.title = "The exact engine on the papers' scenes";
  section.citation = "Workloads of Quick-CULLIDE (table 2) and of Self-intersections with Cullide (figure 8).";
  const bool gpu = settings.device.type() == Device::Type::cuda;
  section.setup = {
      fmt::format("All contacts, those of a cloth or body with itself included, decided exactly, on the device {}. A "
                  "scene is kept from frame to "
                  "frame and only what moved is given again; the mean of all frames but the first. The body and the "
                  "cows are given again in every frame, as new positions, so every frame is a whole query; *pairs "
                  "tested* is the least of the frames. The papers' times are of one method on one scene of that size: "
                  "GeForce FX 5900 Ultra (Boldt and Meyer), GeForce FX 6800 Ultra (Quick-CULLIDE); they find what "
                  "their pixels show.{}",
                  gpu ? "cuda" : "cpu", gpu ? " Every answer was compared with the CPU's." : "")};
  const std::size_t size = settings.quick ? 5000 : 0, body = settings.quick ? 5000 : 271'000;
  const auto frames = [&](std::size_t n) { return settings.quick ? std::min<std::size_t>(n, 4) : n; };
  std::vector<Workload> list;
  list.push_back({"cloth on a table", "Quick-CULLIDE", "21", scene("cloth-on-table", size), frames(120)});
  list.push_back({"breaking bodies", "Quick-CULLIDE", "25", scene("breaking", size), frames(40)});
  list.push_back(
      {"body with one self-intersection", "Boldt and Meyer", "600", scene("deformed-bunny", body), frames(20), true});
  list.push_back({"two cows in each other", "Boldt and Meyer", "1000", scene("two-cows", body), frames(20), true});
  Table table{
      "Time of a frame, ms",
      {"workload", "triangles", "paper", "paper, ms", "whole query", "without copying", "contacts", "pairs tested"},
      {}};
  bool same = true;
  for (Workload& workload : list) {
    const Result result = run(settings, workload);
    same = same && result.same;
    const auto time = [](double value) { return fmt::format("{:.3f}", value); };
    table.rows.push_back({workload.name, std::to_string(result.triangles), workload.paper, workload.paper_ms,
                          time(result.milliseconds.mean()), time(result.on_device.mean()),
                          whole(result.contacts.mean()), whole(result.tested.least)});
  }
  section.tables.push_back(std::move(table));
  if (gpu)
    section.claims.push_back(
        {"Our own: the contacts are the CPU's.", same, same ? "in every frame" : "NOT in every frame"});
  return section;
}

}  // namespace sightline::experiments
