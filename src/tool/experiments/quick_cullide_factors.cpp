// Quick-CULLIDE: rounds, levels and orders, and the factors of section 5.1.3.
#include <array>

#include "experiments/quick_cullide.h"
#include "method/kept.h"
#include "scenes/random.h"

namespace sightline::experiments {

MethodOptions published_options(const Shots& shots) {
  MethodOptions options = papers::method::as_published(MethodName::quick_cullide);  // CULLIDE's preset is the same
  options.views = shots.views;
  options.resolution = shots.resolution;
  return options;
}

MethodOptions improved_options(const Shots& shots) {
  MethodOptions options;
  options.precision = Precision::image;
  options.views = shots.views;
  options.resolution = shots.resolution;
  return options;
}

Both run_both(const Settings& settings, Scene& scene, const MethodOptions& options) {
  Both both;
  for (const MethodName method : {MethodName::quick_cullide, MethodName::cullide}) {
    MethodSettings all = options_of(settings, method, Precision::image);
    all.paper = options;
    (method == MethodName::cullide ? both.plain : both.quick) = run(scene, all);
  }
  return both;
}

namespace {

constexpr const char *kObjects = "objects, then triangles", *kTriangles = "triangles",
                     *kSelf = "triangles, each against all (section 3.2)";
constexpr unsigned kRounds[4] = {1, 2, 3, 0};  // 0: all

/// The size of the set after so many rounds over triangles; 0: after all.
double size_after(const MethodReport& how, unsigned rounds) {
  double size = 0;
  for (const Pass& pass : how.passes)
    if (pass.level == "triangle" && (rounds == 0 || pass.iteration < rounds))
      size = static_cast<double>(pass.pcs_after);
  return size;
}

}  // namespace

SweepRow& Sweep::row(const std::string& simulation, const std::string& levels, bool back_to_front) {
  const std::string order = back_to_front ? "back to front" : "input";
  for (SweepRow& row : rows_)
    if (row.simulation == simulation && row.levels == levels && row.order == order) return row;
  return rows_.emplace_back(SweepRow{simulation, levels, order});
}

/// One run without a limit passes through the sets of all smaller numbers of rounds.
void Sweep::add_triangles(const Settings& settings, SweepRow& row, Scene& scene, MethodOptions options) {
  options.object_level = false;
  options.rounds = 0;
  const Both both = run_both(settings, scene, options);
  subset_ &= both.subset();
  for (std::size_t i = 0; i < 4; ++i) {
    row.quick[i].add(size_after(both.quick.method, kRounds[i]));
    row.plain[i].add(size_after(both.plain.method, kRounds[i]));
    subset_ &= size_after(both.quick.method, kRounds[i]) <= size_after(both.plain.method, kRounds[i]);
  }
}

/// The limit holds at both levels, so that each number of rounds is a run of its own.
void Sweep::add_objects(const Settings& settings, SweepRow& row, Scene& scene, MethodOptions options) {
  for (std::size_t i = 0; i < 4; ++i) {
    options.rounds = kRounds[i];
    const Both both = run_both(settings, scene, options);
    subset_ &= both.subset();
    row.quick[i].add(size_of(both.quick));
    row.plain[i].add(size_of(both.plain));
  }
}

void Sweep::add(const Settings& settings, const std::string& simulation, Scene& scene, const Shots& shots, bool upper) {
  MethodOptions options = published_options(shots);
  for (const bool object_level : {true, false}) {
    if (object_level && !upper) continue;
    for (const bool back_to_front : {true, false}) {
      options.back_to_front = back_to_front;
      SweepRow& into = row(simulation, object_level ? kObjects : kTriangles, back_to_front);
      into.published = back_to_front && object_level == upper;
      if (object_level)
        add_objects(settings, into, scene, options);
      else
        add_triangles(settings, into, scene, options);
    }
  }
}

void Sweep::add_self(const Settings& settings, const std::string& simulation, const scenes::AnimationFrame& frame,
                     const Shots& shots) {
  Scene scene;
  for (const scenes::AnimatedObject& object : frame.objects) scene.add(object.mesh, {.self = true});
  add_triangles(settings, row(simulation, kSelf, true), scene, published_options(shots));
}

const SweepRow& Sweep::row_of(const std::string& simulation, Levels levels) const {
  const std::string name = levels == Levels::self ? kSelf : kTriangles;
  for (const SweepRow& row : rows_) {
    const bool right = levels == Levels::published ? row.published : row.levels == name;
    if (row.simulation == simulation && row.order == "back to front" && right) return row;
  }
  throw Error(fmt::format("experiments: the sweep has no such row of '{}'", simulation));
}

bool Sweep::plain_ignores_order() const {
  for (const SweepRow& a : rows_)
    for (const SweepRow& b : rows_)
      if (a.simulation == b.simulation && a.levels == b.levels)
        for (std::size_t i = 0; i < 4; ++i)
          if (a.plain[i].sum != b.plain[i].sum) return false;
  return true;
}

bool Sweep::back_to_front_is_best() const {
  for (const SweepRow& a : rows_)
    for (const SweepRow& b : rows_)
      if (a.simulation == b.simulation && a.levels == b.levels && a.order == "back to front" &&
          a.quick[0].sum > b.quick[0].sum)
        return false;
  return true;
}

Average Sweep::input_order() const {
  Average factors;
  for (const SweepRow& a : rows_)
    for (const SweepRow& b : rows_)
      if (a.simulation == b.simulation && a.levels == b.levels && a.order == "back to front" && b.order == "input")
        factors.add(times(b.quick[0].mean(), a.quick[0].mean()));
  return factors;
}

Average Sweep::ratios() const {
  Average factors;
  for (const SweepRow& row : rows_)
    for (std::size_t i = 0; i < row.quick.size(); ++i) factors.add(times(row.plain[i].mean(), row.quick[i].mean()));
  return factors;
}

Table Sweep::table() const {
  Table table{
      "Average size of the set after 1, 2, 3 and all rounds of the views, by levels and order of drawing",
      {"simulation", "levels", "order", "Quick, 1", "2", "3", "all", "CULLIDE, 1", "2", "3", "all", "ratio, 1", "all"},
      {}};
  for (const SweepRow& row : rows_) {
    std::vector<std::string> cells = {row.simulation, row.levels, row.order + (row.published ? " (published)" : "")};
    for (const auto* method : {&row.quick, &row.plain})
      for (const Average& size : *method) cells.push_back(whole(size.mean()));
    for (const std::size_t i : {std::size_t{0}, std::size_t{3}})
      cells.push_back(fmt::format("{:.1f}", times(row.plain[i].mean(), row.quick[i].mean())));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

namespace {

struct NamedViews {
  const char* name;
  std::vector<View> views;
};
/// Along one, two and three axes, and along these and the diagonals between them.
const std::vector<NamedViews>& view_choices() {
  static const View x{{-1, 0, 0}}, y{{0, -1, 0}}, z{{0, 0, -1}};
  static const std::vector<NamedViews> kChoices = {{"x", {x}},
                                                   {"x, z", {x, z}},
                                                   {"x, y, z", {x, y, z}},
                                                   {"nine",
                                                    {x, y, z, View{{-1, -1, 0}}, View{{-1, 1, 0}}, View{{0, -1, -1}},
                                                     View{{0, -1, 1}}, View{{-1, 0, -1}}, View{{-1, 0, 1}}}}};
  return kChoices;
}

}  // namespace

void ViewCounts::add(const Settings& settings, const std::string& simulation, Scene& scene, unsigned resolution) {
  Row row{simulation, {}, {}};
  const auto cell = [](const Report& report) {
    return Cell{size_of(report), report.stats.milliseconds, static_cast<double>(totals(report.method).fragments)};
  };
  for (const NamedViews& choice : view_choices()) {
    const Both both = run_both(settings, scene, published_options({choice.views, resolution}));
    row.quick.push_back(cell(both.quick));
    row.plain.push_back(cell(both.plain));
  }
  rows_.push_back(std::move(row));
}

Table ViewCounts::table() const {
  Table table{"Number of views (section 5.1.3), as published on one frame: size of the set, millions of fragments, ms",
              {"simulation", "views", "Quick-CULLIDE", "CULLIDE", "ratio", "Quick-CULLIDE, fragments", "CULLIDE",
               "Quick-CULLIDE, ms", "CULLIDE"},
              {}};
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < view_choices().size(); ++i) {
      const Cell &quick = row.quick[i], &plain = row.plain[i];
      table.rows.push_back({row.simulation, view_choices()[i].name, whole(quick.size), whole(plain.size),
                            fmt::format("{:.2f}", row.ratio(i)), fmt::format("{:.1f}", quick.fragments / 1e6),
                            fmt::format("{:.1f}", plain.fragments / 1e6), ms(quick.milliseconds),
                            ms(plain.milliseconds)});
    }
  return table;
}

bool ViewCounts::approaches() const {
  for (const Row& row : rows_)
    for (std::size_t i = 0; i + 1 < row.quick.size(); ++i)
      if (row.ratio(row.quick.size() - 1) > row.ratio(i)) return false;
  return true;
}

bool ViewCounts::costs_more() const {
  for (const Row& row : rows_)
    for (std::size_t i = 1; i < row.quick.size(); ++i)
      if (row.quick[i].fragments < row.quick[i - 1].fragments || row.plain[i].fragments < row.plain[i - 1].fragments)
        return false;
  return true;
}

std::pair<Average, Average> ViewCounts::growth() const {
  std::pair<Average, Average> factors;
  for (const Row& row : rows_) {
    factors.first.add(row.quick.back().fragments / row.quick.front().fragments);
    factors.second.add(row.plain.back().fragments / row.plain.front().fragments);
  }
  return factors;
}

std::string ViewCounts::ratios() const {
  std::string text;
  for (const Row& row : rows_) {
    text += (text.empty() ? "" : "; ") + row.simulation + ":";
    for (std::size_t i = 0; i < row.quick.size(); ++i)
      text += fmt::format("{} {:.2f}", i == 0 ? "" : ",", row.ratio(i));
  }
  return text;
}

void MissesByResolution::add(const Settings& settings, const std::string& simulation, Scene& scene,
                             const Shots& shots) {
  const Report exact = run(scene, options_of(settings, MethodName::exact, Precision::image));
  for (unsigned resolution = shots.resolution / 4; resolution <= 2 * shots.resolution; resolution *= 2) {
    const Both both = run_both(settings, scene, published_options({shots.views, resolution}));
    const auto missed = [&](const Report& report) {
      return percent(static_cast<double>(missing(exact.contacts, report.contacts)) /
                     std::max(static_cast<double>(exact.contacts.size()), 1.0));
    };
    table_.rows.push_back({simulation, fmt::format("{}", resolution), fmt::format("{}", exact.contacts.size()),
                           missed(both.quick), missed(both.plain)});
  }
}

void Coherence::add(const Settings& settings, const std::string& simulation, Scene& scene, const Shots& shots) {
  if (rows_.empty() || rows_.back().simulation != simulation)
    rows_.emplace_back(Row{simulation, std::make_shared<papers::method::Kept>(), 0, {}, {}, {}});
  Row& row = rows_.back();
  MethodSettings options = options_of(settings, MethodName::quick_cullide, Precision::conservative);
  options.paper.views = shots.views;
  const Report runs[] = {run(scene, options), run(scene, options, *row.kept)};
  same_ = same_ && runs[0].contacts == runs[1].contacts;
  if (++row.frames == 1) return;
  for (const std::size_t i : {0, 1}) {
    row.fragments[i].add(static_cast<double>(totals(runs[i].method).fragments));
    row.milliseconds[i].add(runs[i].stats.milliseconds);
    row.set[i].add(size_of(runs[i]));
  }
}

std::size_t Coherence::frames() const {
  std::size_t sum = 0;
  for (const Row& row : rows_) sum += row.frames;
  return sum;
}

Table Coherence::table() const {
  Table table{
      "Temporal coherence, ours: Quick-CULLIDE in conservative precision on frames one after the other, alone and "
      "in a session",
      {"simulation", "frames", "millions of fragments, alone", "session", "ms, alone", "session", "set, alone",
       "session"},
      {}};
  for (const Row& row : rows_)
    table.rows.push_back({row.simulation, fmt::format("{}", row.frames),
                          fmt::format("{:.1f}", row.fragments[0].mean() / 1e6),
                          fmt::format("{:.1f}", row.fragments[1].mean() / 1e6), ms(row.milliseconds[0].mean()),
                          ms(row.milliseconds[1].mean()), whole(row.set[0].mean()), whole(row.set[1].mean())});
  return table;
}

namespace {

/// A square sheet at a height, with waves much higher than the distance of two sheets.
Mesh sheet(double height) {
  constexpr std::uint32_t kCells = 16;
  std::vector<Vec3d> points;
  Mesh mesh;
  for (std::uint32_t i = 0; i <= kCells; ++i)
    for (std::uint32_t j = 0; j <= kCells; ++j) {
      const double x = 2.0 * i / kCells - 1, y = 2.0 * j / kCells - 1;
      points.push_back({x, y, height + x * x * y});
    }
  for (std::uint32_t i = 0; i < kCells; ++i)
    for (std::uint32_t j = 0; j < kCells; ++j) {
      const std::uint32_t at = i * (kCells + 1) + j, next = at + kCells + 1;
      mesh.triangles.push_back({at, next, next + 1});
      mesh.triangles.push_back({at, next + 1, at + 1});
    }
  mesh.positions = std::move(points);
  return mesh;
}

/// Objects that one round of the views over whole objects leaves.
std::uint64_t objects_left(const Report& report) {
  std::uint64_t left = 0;
  for (const Pass& pass : report.method.passes)
    if (pass.level == "object") left = pass.elements_after;
  return left;
}

}  // namespace

DepthComplexity depth_complexity(const Settings& settings) {
  settings.progress("depth complexity");
  DepthComplexity result;
  result.table = {
      "Depth complexity (section 5.1.3): sheets above each other that touch nowhere, one view along the "
      "stack, one round. Objects left",
      {"sheets", "Quick-CULLIDE, back to front", "input order", "CULLIDE"},
      {}};
  result.plot = {"quick-cullide-depth",
                 "Objects left of a stack that touches nowhere",
                 "depth complexity",
                 "objects left",
                 false,
                 false,
                 {{"Quick, back to front", {}}, {"Quick, input order", {}}, {"CULLIDE", {}}}};
  const Shots shots{{View{{0, 0, -1}}}, settings.quick ? 128u : 1024u};
  for (const std::uint32_t count : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
    std::vector<double> heights;
    for (std::uint32_t i = 0; i < count; ++i) heights.push_back(0.05 * i);
    scenes::Random random(count);  // the input's order is random
    for (std::uint32_t i = count; i > 1; --i) std::swap(heights[i - 1], heights[random.below(i)]);
    std::vector<Mesh> sheets;
    for (const double height : heights) sheets.push_back(sheet(height));
    Scene scene;
    for (const Mesh& mesh : sheets) scene.add(mesh);
    MethodOptions options = published_options(shots);
    const Both ordered = run_both(settings, scene, options);
    options.back_to_front = false;
    const Both unordered = run_both(settings, scene, options);
    result.most = count;
    result.quick_left = objects_left(ordered.quick);
    result.quick_left_unordered = objects_left(unordered.quick);
    result.plain_left = objects_left(ordered.plain);
    const std::size_t left[3] = {result.quick_left, result.quick_left_unordered, result.plain_left};
    std::vector<std::string> cells = {fmt::format("{}", count)};
    for (std::size_t i = 0; i < 3; ++i) {
      cells.push_back(fmt::format("{}", left[i]));
      result.plot.series[i].points.emplace_back(count, static_cast<double>(left[i]));
    }
    result.table.rows.push_back(std::move(cells));
  }
  return result;
}

}  // namespace sightline::experiments
