// Pages that the tool alone would not make, for the viewer's tests: hostile names, frames that change in every way that
// they may, passes of a method, a model that is too large. Writes them into the folder that is its argument.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "page/page.h"
#include "report/geometry.h"
#include "scenes/scenes.h"
#include "viewer/shell.h"

namespace {

using namespace sightline;

report::Part part_of(const Mesh& mesh, const std::string& name, const std::string& file = "made.obj") {
  return {.file = file, .name = name, .mesh = mesh, .facts = report::facts(mesh)};
}

Report collide(std::span<const report::Part> parts) {
  Scene scene;
  for (const report::Part& part : parts) scene.add(part.mesh);
  return scene.collide();
}

report::PageFrame frame_of(std::span<const report::Part> parts, const Report& report) {
  return {.parts = parts, .contacts = report.contacts, .found = report.found, .milliseconds = 1.25};
}

class Page {
 public:
  Page(const std::filesystem::path& path, report::PageInfo info, report::PageLimits limits = {})
      : output_(path), writer_(output_, *viewer::shell(), std::move(info), {}, limits) {}
  report::PageWriter& operator*() { return writer_; }
  report::PageWriter* operator->() { return &writer_; }
  void finish() {
    writer_.finish();
    output_.commit();
  }

 private:
  report::Output output_;
  report::PageWriter writer_;
};

void hostile(const std::filesystem::path& folder) {
  const std::string names[] = {"<script>alert(1)</script>",
                               "\"><img src=x onerror=alert(2)>",
                               "</script><script>alert(3)</script>",
                               "<!--<script>",
                               std::string(5000, 'x') + "<b>end</b>",
                               "\xE2\x80\xAE"
                               "gnp.tluafed \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D",
                               "\xF0\x9F\x92\xA5 boom \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80",
                               std::string("nul\0 and \x1b[31m and bad \xFF\xC0", 27),
                               "javascript:alert(4)",
                               "line\nbreak\ttab \\ ${alert(5)} `"};
  std::vector<Mesh> meshes;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const double at = 0.8 * static_cast<double>(i);
    meshes.push_back(scenes::box({at, 0, 0}, {at + 1, 1, 1 + 0.1 * static_cast<double>(i)}));
  }
  std::vector<report::Part> parts;
  for (std::size_t i = 0; i < meshes.size(); ++i) parts.push_back(part_of(meshes[i], names[i], "dir/" + names[i]));
  const Report report = collide(parts);
  Page page(folder / "hostile.html", {.title = "</title><script>alert(6)</script>",
                                      .command = "clash",
                                      .version = "<i>1</i>",
                                      .errors = {"<img src=x onerror=alert(7)>: cannot be read"},
                                      .notes = {"</script><svg onload=alert(8)>"}});
  report::PageFrame frame = frame_of(parts, report);
  frame.label = "<script>alert(9)</script>";
  page->frame(frame);
  page.finish();
}

// A ball goes through a plate that rests. In frame 6 a third part appears, in frame 8 the ball is another mesh, frame 9
// could not be read, from frame 10 on the plate is gone.
constexpr int kFrames = 12;
void frames(const std::filesystem::path& folder) {
  const Mesh plate = scenes::box({-2, -2, -0.1}, {2, 2, 0.1});
  const Mesh late = scenes::box({1.5, 1.5, -1}, {3, 3, 1});
  Page page(folder / "frames.html", {.title = "ball and plate",
                                     .command = "demo",
                                     .version = "test",
                                     .expected_frames = kFrames,
                                     .frames_per_second = 50});
  for (int i = 0; i < kFrames; ++i) {
    const Mesh ball = scenes::sphere(i < 8 ? 2000 : 500, {0, 0, 1.6 - 0.3 * i}, 0.7);
    std::vector<report::Part> parts = {part_of(ball, "ball"), part_of(plate, "plate")};
    if (i >= 6) parts.push_back(part_of(late, "late"));
    if (i >= 10) parts[1].mesh = {};
    if (i == 9) {
      page->frame({.label = "frame 9", .complete = false, .error = "frame_0009.obj: cannot be read: No such file"});
      continue;
    }
    const Report report = collide(parts);
    // Passes that drop the ball's triangles from above and from below, until those near the plate are left.
    report::PagePruning pruning = {.method = "quick-cullide", .passes = {}, .dropped_by = {{}, {}}};
    std::uint64_t in_set = parts[0].mesh.triangles.size() + parts[1].mesh.triangles.size();
    pruning.dropped_by[0].assign(parts[0].mesh.triangles.size(), report::PagePruning::kStays);
    pruning.dropped_by[1].assign(parts[1].mesh.triangles.size(), report::PagePruning::kStays);
    for (std::uint16_t pass = 0; pass < 4; ++pass) {
      const double near = 0.8 - 0.2 * pass;
      const std::uint64_t before = in_set;
      for (std::size_t t = 0; t < parts[0].mesh.triangles.size(); ++t) {
        std::uint16_t& dropped = pruning.dropped_by[0][t];
        if (dropped != report::PagePruning::kStays || std::abs(parts[0].mesh.corners(t)[0][2]) < near) continue;
        dropped = pass;
        --in_set;
      }
      pruning.passes.push_back({.label = "triangles, view -z", .before = before, .after = in_set, .milliseconds = 0.5});
    }
    report::PageFrame frame = frame_of(parts, report);
    frame.label = fmt::format("t = {:.2f} s", 0.04 * i);
    frame.pruning = &pruning;
    page->frame(frame);
  }
  page.finish();
}

// Boxes that come to rest one after the other, some of them broken in two on the way. Frame i of resting.json has the
// least y of each part.
void resting(const std::filesystem::path& folder) {
  constexpr int kParts = 60, kSteps = 90;
  Page page(folder / "resting.html", {.title = "resting", .version = "test", .expected_frames = kSteps});
  std::ofstream json(folder / "resting.json");
  for (int frame = 0; frame < kSteps; ++frame) {
    std::vector<Mesh> meshes;
    std::vector<report::Part> parts;
    json << (frame == 0 ? "[[" : ",\n[");
    for (int i = 0; i < kParts; ++i) {
      const double x = 2.0 * i, y = 0.125 * std::min(frame, i);
      const Mesh box = scenes::box({x, y, 0}, {x + 1, y + 1, 1});
      const std::vector<Mesh> halves = {box, scenes::box({x, y, 2}, {x + 1, y + 1, 3})};
      meshes.push_back(i % 3 == 0 && frame >= i / 2 ? scenes::merged(halves) : box);
      json << fmt::format("{}{}", i == 0 ? "" : ",", y);
    }
    json << "]";
    for (int i = 0; i < kParts; ++i) parts.push_back(part_of(meshes[i], fmt::format("part {}", i)));
    page->frame(frame_of(parts, Report{}));
  }
  json << "]\n";
  page.finish();
}

void reduced(const std::filesystem::path& folder) {
  const Mesh mesh = scenes::crumpled_cloth(60'000);
  const std::vector<report::Part> parts = {part_of(mesh, "cloth")};
  const Report report = self_intersections(mesh);
  Page page(folder / "reduced.html", {.title = "too large", .version = "test"},
            {.triangles = 30'000, .contacts = 1000});
  page->frame(frame_of(parts, report));
  page.finish();
}

// So many contacts and so little room that some triangles in contact are not in the page's mesh. The points of all
// contacts are in crowded.json.
void crowded(const std::filesystem::path& folder) {
  const Mesh mesh = scenes::uniform_soup(5000);
  const std::vector<report::Part> parts = {part_of(mesh, "soup")};
  const Report report = self_intersections(mesh);
  Page page(folder / "crowded.html", {.title = "crowded", .version = "test"}, {.triangles = 500, .contacts = 1000});
  page->frame(frame_of(parts, report));
  page.finish();
  const report::Outlines outlines = report::outlines({parts, report.contacts}, {});
  std::ofstream json(folder / "crowded.json");
  json << "[";
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    json << fmt::format("{}[{},{}", i == 0 ? "" : ",\n", report.contacts[i].a, report.contacts[i].b);
    for (std::uint64_t p = outlines.start[i]; p < outlines.start[i + 1]; ++p)
      json << fmt::format(",[{}]", fmt::join(outlines.points[p], ","));
    json << "]";
  }
  json << "]\n";
}

// More contacts than are listed, compared with a baseline: in the first frame what is new fits, in the second not.
void compared(const std::filesystem::path& folder) {
  const Mesh a = scenes::to_double(scenes::crumpled_cloth(10'000));
  Mesh b = a;
  for (Vec3d& p : std::get<std::vector<Vec3d>>(b.positions)) std::swap(p[0], p[1]);
  const std::vector<report::Part> parts = {part_of(a, "a"), part_of(b, "b")};
  const Report report = collide(parts);
  Page page(folder / "compared.html",
            {.title = "compared", .version = "test", .expected_frames = 2, .baseline = "old.json"}, {.contacts = 1000});
  for (const std::size_t every : {report.contacts.size() / 500, std::size_t{1}}) {
    report::PageFrame frame = frame_of(parts, report);
    std::vector<bool> is_new(report.contacts.size());
    for (std::size_t i = 0; i < is_new.size(); ++i) frame.added += is_new[i] = i % every == every / 2;
    frame.stayed = is_new.size() - frame.added;
    frame.is_new = &is_new;
    page->frame(frame);
  }
  page.finish();
}

// Far from the origin, and tiny: what is drawn must not depend on it.
void far_away(const std::filesystem::path& folder) {
  for (const auto& [name, scale, offset] :
       {std::tuple{"far.html", 1.0, 1e9}, std::tuple{"huge.html", 1e300, 0.0}, std::tuple{"tiny.html", 1e-300, 0.0}}) {
    const auto placed = [scale = scale, offset = offset](double from) {
      Mesh mesh = scenes::to_double(scenes::box({from, from, from}, {from + 1, from + 1, from + 1}));
      for (Vec3d& p : std::get<std::vector<Vec3d>>(mesh.positions))
        for (double& x : p) x = x * scale + offset;
      return mesh;
    };
    const Mesh a = placed(0), b = placed(0.5);
    const std::vector<report::Part> parts = {part_of(a, "a"), part_of(b, "b")};
    const Report report = collide(parts);
    Page page(folder / name, {.title = name, .command = "clash", .version = "test"});
    page->frame(frame_of(parts, report));
    page.finish();
  }
}

void nothing(const std::filesystem::path& folder) {
  Page page(folder / "nothing.html", {.title = "nothing", .version = "test", .errors = {"gone.stl: cannot be read"}});
  page->frame({.complete = false, .error = "gone.stl: cannot be read"});
  page.finish();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 || viewer::shell() == nullptr) {
    std::fputs("usage: viewer_samples FOLDER (in a build with the viewer)\n", stderr);
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  hostile(argv[1]);
  frames(argv[1]);
  resting(argv[1]);
  reduced(argv[1]);
  crowded(argv[1]);
  compared(argv[1]);
  far_away(argv[1]);
  nothing(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "viewer_samples: %s\n", error.what());
  return 1;
}
