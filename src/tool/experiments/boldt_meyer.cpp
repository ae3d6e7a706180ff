// Boldt and Meyer, figures 8 to 11: a deformed bunny and two cows as one object, self-cullide at 500 x 500. As
// published, with what this library adds to it, and in conservative precision, which the paper leaves open.
#include <map>

#include "experiments/support.h"

namespace sightline::experiments {
namespace {

constexpr unsigned kPixels = 500;  ///< the paper's

enum class Variant { published, improved, conservative };
constexpr Variant kVariants[] = {Variant::published, Variant::improved, Variant::conservative};

MethodSettings settings_of(const Settings& settings, Variant variant, unsigned resolution) {
  const bool conservative = variant == Variant::conservative;
  MethodSettings options =
      options_of(settings, MethodName::self_cullide, conservative ? Precision::conservative : Precision::image);
  if (variant == Variant::published) options.paper = papers::method::as_published(MethodName::self_cullide);
  options.paper.resolution = resolution;
  return options;
}

struct Run {
  Report report;
  double prune_ms = 0;          ///< all passes
  std::vector<Contact> missed;  ///< contacts of the exact engine that it did not find
};

std::vector<Contact> exact_contacts(const Settings& settings, const Mesh& mesh) {
  return papers::method::run(mesh, options_of(settings, MethodName::exact, Precision::image)).contacts;
}

/// The fastest of some runs.
Run run(const Mesh& mesh, const std::vector<Contact>& exact, const MethodSettings& options, int repeats = 1) {
  Run best;
  for (int i = 0; i < repeats; ++i) {
    Report report = papers::method::run(mesh, options);
    const double milliseconds = stage_ms(report, "image");
    if (i > 0 && milliseconds >= best.prune_ms) continue;
    best.prune_ms = milliseconds;
    best.report = std::move(report);
  }
  const std::vector<Contact>& found = best.report.contacts;
  std::set_difference(exact.begin(), exact.end(), found.begin(), found.end(), std::back_inserter(best.missed));
  return best;
}

struct Model {
  std::string name;
  Mesh mesh;
  std::vector<Contact> exact;
  Run runs[3];  ///< by variant
  const Run& of(Variant variant) const { return runs[static_cast<int>(variant)]; }
  std::size_t triangles() const { return mesh.triangles.size(); }
};

Model measure(const Settings& settings, const char* name, Mesh mesh, int repeats) {
  settings.progress(fmt::format("{} of {} triangles", name, mesh.triangles.size()));
  Model model{name, std::move(mesh), {}, {}};
  model.exact = exact_contacts(settings, model.mesh);
  for (const Variant variant : kVariants) {
    MethodSettings options = settings_of(settings, variant, kPixels);
    model.runs[static_cast<int>(variant)] = run(model.mesh, model.exact, options, repeats);
  }
  return model;
}

// ---- figures 8 to 11

Table figure_8(const std::vector<Model>& models, bool quick) {
  Table table{"Figure 8: pruning time (ms), triangles left (PCS) and contacts missed",
              {"model", "triangles", "contacts", "paper, ms", "as published, ms", "PCS", "missed", "improved, ms",
               "PCS", "missed", "conservative, ms", "PCS", "missed"},
              {}};
  for (const Model& model : models) {
    const bool cows = model.name == "cows", small = &model - models.data() < 2, large = &models.back() - &model < 2;
    const char* paper = quick ? "" : small ? (cows ? "35" : "20") : large ? (cows ? "1000" : "600") : "";
    std::vector<std::string> row = {model.name, fmt::format("{}", model.triangles()),
                                    fmt::format("{}", model.exact.size()), paper};
    for (const Run& r : model.runs) {
      row.push_back(ms(r.prune_ms));
      row.push_back(fmt::format("{}", r.report.method.pcs.size()));
      row.push_back(fmt::format("{}", r.missed.size()));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Plot plot_8(const std::vector<Model>& models) {
  Plot plot{
      "boldt-meyer-8",
      "Figure 8: pruning time",
      "triangles",
      "ms",
      true,
      true,
      {{"bunny, paper", {{5000, 20}, {270'000, 600}}, true}, {"cows, paper", {{3000, 35}, {270'000, 1000}}, true}}};
  for (const Variant variant : {Variant::published, Variant::improved})
    for (const char* name : {"bunny", "cows"}) {
      Series series{fmt::format("{}, {}", name, variant == Variant::published ? "as published" : "improved"), {}};
      for (const Model& model : models)
        if (model.name == name)
          series.points.emplace_back(static_cast<double>(model.triangles()), model.of(variant).prune_ms);
      plot.series.push_back(std::move(series));
    }
  return plot;
}

/// A pass of the paper: reducePCS in several directions at one depth of the hierarchy.
struct PaperPass {
  std::uint64_t calls = 0, triangles = 0, before = 0, after = 0, queries = 0;
  double milliseconds = 0;
  std::size_t last_call = 0;  ///< number in the report, and one more
};
std::vector<PaperPass> passes_of(const MethodReport& how) {
  std::vector<PaperPass> sums;
  for (std::size_t i = 0; i < how.passes.size(); ++i) {
    const Pass& call = how.passes[i];
    if (call.level == "hand-over") break;
    if (i == 0 || call.iteration != how.passes[i - 1].iteration || call.level != how.passes[i - 1].level) {
      sums.emplace_back();
      sums.back().before = call.pcs_before;
    }
    PaperPass& sum = sums.back();
    ++sum.calls;
    sum.triangles += call.triangles;
    sum.queries += call.queries;
    sum.milliseconds += call.milliseconds;
    sum.after = call.pcs_after;
    sum.last_call = i + 1;
  }
  return sums;
}

void add_passes(Section& section, const char* figure, const char* file, const Model& model) {
  Table table{fmt::format("{}: passes on the {} of {} triangles, as published", figure, model.name, model.triangles()),
              {"pass", "calls of reducePCS", "ms", "triangles rendered", "queries", "PCS before", "PCS after"},
              {}};
  Plot plot{file, table.title, "pass", "share of the whole", false, false, {{"time", {}}, {"triangles rendered", {}}}};
  const std::vector<PaperPass> passes = passes_of(model.of(Variant::published).report.method);
  double time = 0, triangles = 0;
  for (const PaperPass& pass : passes) time += pass.milliseconds, triangles += static_cast<double>(pass.triangles);
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const PaperPass& pass = passes[i];
    table.rows.push_back({fmt::format("{}", i + 1), fmt::format("{}", pass.calls), ms(pass.milliseconds),
                          fmt::format("{}", pass.triangles), fmt::format("{}", pass.queries),
                          fmt::format("{}", pass.before), fmt::format("{}", pass.after)});
    const double x = static_cast<double>(i + 1);
    plot.series[0].points.emplace_back(x, pass.milliseconds / std::max(time, 1e-9));
    plot.series[1].points.emplace_back(x, static_cast<double>(pass.triangles) / std::max(triangles, 1.0));
  }
  section.tables.push_back(std::move(table));
  section.plots.push_back(std::move(plot));
}

/// Figure 11: share of the pruned triangles against share of the time (or of the queries), pass by pass.
Series progress_of(const std::string& name, const Run& r, bool queries = false) {
  Series series{name, {}};
  const std::vector<PaperPass> passes = passes_of(r.report.method);
  if (passes.empty()) return series;
  const auto cost = [&](const PaperPass& pass) { return queries ? double(pass.queries) : pass.milliseconds; };
  double total = 0, done = 0;
  for (const PaperPass& pass : passes) total += cost(pass);
  const double all = static_cast<double>(passes.front().before - passes.back().after);
  for (const PaperPass& pass : passes) {
    done += cost(pass);
    const double pruned = static_cast<double>(passes.front().before - pass.after);
    series.points.emplace_back(all > 0 ? pruned / all : 1, total > 0 ? done / total : 1);
  }
  return series;
}

/// Share that went into the last `share` of the pruned triangles, on the lines of figure 11.
double share_for_last(const Series& series, double share) {
  double x0 = 0, y0 = 0;
  for (const auto& [x, y] : series.points) {
    if (x > 1 - share) return 1 - (x > x0 ? y0 + (y - y0) * (1 - share - x0) / (x - x0) : y0);
    x0 = x, y0 = y;
  }
  return 0;
}

// ---- hierarchies

/// Random against connectivity.
struct Ratios {
  double queries = 0, time = 0;
};

Ratios compare_hierarchies(const Settings& settings, const Model& model, const char* device,
                           const papers::Renderer& renderer, int repeats, Table& table) {
  settings.progress(fmt::format("hierarchies, {}", device));
  double queries[2], milliseconds[2];
  for (const bool random : {false, true}) {
    MethodSettings options = settings_of(settings, Variant::published, kPixels);
    options.paper.random_hierarchy = random;
    options.renderer = renderer;
    const Run r = run(model.mesh, model.exact, options, repeats);
    const PassTotals sum = totals(r.report.method);
    table.rows.push_back({random ? "random" : "connectivity", device, fmt::format("{}", model.triangles()),
                          ms(r.prune_ms), fmt::format("{}", sum.triangles), fmt::format("{}", sum.queries),
                          fmt::format("{}", r.report.method.pcs.size())});
    queries[random ? 1 : 0] = static_cast<double>(sum.queries);
    milliseconds[random ? 1 : 0] = r.prune_ms;
  }
  return {queries[1] / std::max(queries[0], 1.0), milliseconds[1] / std::max(milliseconds[0], 1e-9)};
}

// ---- misses

/// The least and the greatest coordinates of some points.
struct Bounds {
  Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  void add(std::span<const Vec3d> points) {
    for (const Vec3d& p : points)
      for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  bool meets(const Bounds& b) const {
    for (int k = 0; k < 3; ++k)
      if (low[k] > b.high[k] || b.low[k] > high[k]) return false;
    return true;
  }
};

/// Mean area of a triangle in pixels of an image along the longest side of the mesh.
double mean_pixels(const Mesh& mesh, unsigned resolution) {
  Bounds box;
  double area = 0;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = mesh.view().corners(t);
    Vec3d n;
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      n[k] = (c[1][i] - c[0][i]) * (c[2][j] - c[0][j]) - (c[1][j] - c[0][j]) * (c[2][i] - c[0][i]);
    }
    area += std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    box.add(c);
  }
  double longest = 0;
  for (int k = 0; k < 3; ++k) longest = std::max(longest, box.high[k] - box.low[k]);
  const double side = longest * (1 + 1.0 / 32) / resolution;  // with the margins of the camera
  return area / static_cast<double>(mesh.triangles.size()) / (side * side);
}

std::string of_all(std::size_t missed, std::size_t all) { return fmt::format("{} of {}", missed, all); }

Table misses_by_resolution(const Settings& settings, std::span<const Model* const> models) {
  Table table{
      "Contacts missed over resolutions",
      {"model", "triangles", "resolution", "mean triangle, pixels", "as published", "calls", "improved", "calls"},
      {}};
  for (const Model* model : models)
    for (unsigned resolution = 125; resolution <= (settings.quick ? 500u : 4000u); resolution *= 2) {
      settings.progress(fmt::format("misses of the {} at {}", model->name, resolution));
      std::vector<std::string> row = {model->name, fmt::format("{}", model->triangles()), fmt::format("{}", resolution),
                                      fmt::format("{:.1f}", mean_pixels(model->mesh, resolution))};
      for (const Variant variant : {Variant::published, Variant::improved}) {
        const Run r = run(model->mesh, model->exact, settings_of(settings, variant, resolution));
        row.push_back(of_all(r.missed.size(), model->exact.size()));
        row.push_back(fmt::format("{}", r.report.method.passes.size()));
      }
      table.rows.push_back(std::move(row));
    }
  return table;
}

/// All 26 directions along the axes and between them, the axes first.
std::vector<View> all_directions() {
  std::vector<View> views;
  for (int axes = 1; axes <= 3; ++axes)
    for (int i = 0; i < 27; ++i) {
      const Vec3d d = {double(i % 3 - 1), double(i / 3 % 3 - 1), double(i / 9 - 1)};
      if (std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]) == axes) views.push_back({d});
    }
  return views;
}

Table misses_by_calls(const Settings& settings, const Model& model) {
  Table table{fmt::format("Contacts missed by the number of calls: {} of {} triangles, {} x {}, as published",
                          model.name, model.triangles(), kPixels, kPixels),
              {"directions a pass", "calls", "PCS left", "missed"},
              {}};
  const std::vector<View> all = all_directions();
  for (const std::size_t count : {1, 2, 3, 6, 14, 26}) {
    settings.progress(fmt::format("misses with {} directions", count));
    MethodSettings options = settings_of(settings, Variant::published, kPixels);
    options.paper.views.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    const Run r = run(model.mesh, model.exact, options);
    table.rows.push_back({fmt::format("{}", count), fmt::format("{}", r.report.method.passes.size()),
                          fmt::format("{}", r.report.method.pcs.size()), of_all(r.missed.size(), model.exact.size())});
  }
  return table;
}

/// In which pass the first triangle of a missed contact left.
Table misses_by_pass(const Settings& settings, const Model& model) {
  Table table{fmt::format("Contacts lost, pass by pass: {} of {} triangles, {} x {}, as published", model.name,
                          model.triangles(), kPixels, kPixels),
              {"pass", "mean node, pixels", "PCS before", "PCS after", "contacts lost", "lost so far"},
              {}};
  MethodSettings options = settings_of(settings, Variant::published, kPixels);
  options.paper.record_dropped = true;
  const Run r = run(model.mesh, model.exact, options);
  std::vector<std::size_t> left_in(model.triangles(), r.report.method.passes.size());
  for (const papers::Dropped& d : r.report.method.dropped) left_in[d.triangle.triangle] = d.pass;
  std::size_t first = 0, lost = 0;
  for (const PaperPass& pass : passes_of(r.report.method)) {
    std::size_t here = 0;
    for (const Contact& c : r.missed) {
      const std::size_t call = std::min(left_in[c.a], left_in[c.b]);
      here += first <= call && call < pass.last_call ? 1 : 0;
    }
    lost += here;
    const Pass& call = r.report.method.passes[first];
    const double pixels = mean_pixels(model.mesh, kPixels) * static_cast<double>(call.pcs_before) /
                          static_cast<double>(std::max<std::uint64_t>(call.elements_before, 1));
    first = pass.last_call;
    table.rows.push_back({fmt::format("{}", table.rows.size() + 1), whole(pixels), fmt::format("{}", pass.before),
                          fmt::format("{}", pass.after), fmt::format("{}", here), of_all(lost, model.exact.size())});
  }
  return table;
}

// ---- conservative precision

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Pair> neighbours(const Mesh& mesh) {
  std::map<Vec3d, std::vector<std::uint32_t>> at;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (const Vec3d& p : mesh.view().corners(t)) at[p].push_back(t);
  std::vector<Pair> pairs;
  for (const auto& [position, triangles] : at)
    for (std::size_t i = 0; i < triangles.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (triangles[j] != triangles[i]) pairs.push_back(std::minmax(triangles[i], triangles[j]));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::uint64_t pairs_of_boxes(const Mesh& mesh) {
  std::vector<Bounds> boxes(mesh.triangles.size());
  for (std::uint32_t t = 0; t < boxes.size(); ++t) boxes[t].add(mesh.view().corners(t));
  std::sort(boxes.begin(), boxes.end(), [](const Bounds& a, const Bounds& b) { return a.low[0] < b.low[0]; });
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size() && boxes[j].low[0] <= boxes[i].high[0]; ++j)
      count += boxes[i].meets(boxes[j]) ? 1 : 0;
  return count;
}

/// Pairs of triangles whose boxes meet, by what decides them: a proof of a patch that holds both (neighbours), the
/// image (others), or the exact test.
Table decided_by(const Settings& settings, std::span<const Model* const> models) {
  Table table{"Conservative precision: pairs of triangles whose boxes meet, by what decides them",
              {"model", "triangles", "resolution", "triangles left", "pairs", "by a proof", "by the image",
               "by the exact test", "missed"},
              {}};
  for (const Model* model : models) {
    const std::vector<Pair> adjacent = neighbours(model->mesh);
    const std::uint64_t all = pairs_of_boxes(model->mesh);
    for (const unsigned resolution : {32u, 125u, kPixels, 1000u, 2000u}) {
      settings.progress(fmt::format("conservative, {} at {}", model->name, resolution));
      const Run r = run(model->mesh, model->exact, settings_of(settings, Variant::conservative, resolution));
      std::vector<std::uint8_t> left(model->triangles(), 0);
      for (const papers::TriangleRef& t : r.report.method.pcs) left[t.triangle] = 1;
      std::uint64_t proven = 0;
      for (const auto& [a, b] : adjacent) proven += left[a] == 0 || left[b] == 0 ? 1 : 0;
      const std::uint64_t tested = r.report.method.pairs_tested, rest = all - std::min(all, proven + tested);
      const double total = static_cast<double>(std::max<std::uint64_t>(all, 1));
      table.rows.push_back(
          {model->name, fmt::format("{}", model->triangles()), fmt::format("{}", resolution),
           percent(static_cast<double>(r.report.method.pcs.size()) / static_cast<double>(model->triangles())),
           fmt::format("{}", all), percent(static_cast<double>(proven) / total),
           percent(static_cast<double>(rest) / total), percent(static_cast<double>(tested) / total),
           fmt::format("{}", r.missed.size())});
    }
  }
  return table;
}

std::size_t missed_in(const std::vector<Model>& models, Variant variant) {
  std::size_t sum = 0;
  for (const Model& model : models) sum += model.of(variant).missed.size();
  return sum;
}

}  // namespace

Section boldt_meyer(const Settings& settings) {
  Section section;
  section.name = "boldt-meyer";
  section.title = "Self-intersections with Cullide";
  section.citation =
      "N. Boldt, J. Meyer: Self-intersections with Cullide. Figures 8 to 11; Pentium 4 2.8 GHz, GeForce FX 5900 Ultra.";
  section.setup = {
      "Method `self-cullide`, 500 x 500, 24-bit depth; the fastest of three runs. Bodies are generated (an ear bent "
      "into the back; two cows in one mesh) at the paper's sizes.",
      "*As published* (`--as-published`) is figure 1 with the modified reducePCS: every pass looks both ways along the "
      "axes, leaves are single triangles, and passes over the leaves are repeated until one removes nothing.",
      "*Improved* (`--precision image`) chooses directions and leaves, protects steep triangles and hands over to the "
      "exact test when pruning stops paying. *Conservative* (the default) misses nothing."};
  const std::vector<std::size_t> sizes = settings.quick
                                             ? std::vector<std::size_t>{1000, 3000}
                                             : std::vector<std::size_t>{5000, 20'000, 70'000, 140'000, 270'000};
  const int repeats = settings.quick ? 1 : 3;
  const Mesh* bunny = settings.bunny ? &*settings.bunny : nullptr;
  std::vector<Model> models;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    models.push_back(measure(settings, "bunny", scenes::deformed_body(sizes[i], bunny), repeats));
    const std::size_t cows = i == 0 && !settings.quick ? 3000 : sizes[i];
    models.push_back(measure(settings, "cows", scenes::two_cows(cows), repeats));
  }
  section.tables.push_back(figure_8(models, settings.quick));
  section.plots.push_back(plot_8(models));
  const Model &small_bunny = models[0], &small_cows = models[1], &bunny_20k = models[2], &cows_20k = models[3];
  add_passes(section, "Figure 9", "boldt-meyer-9", small_bunny);
  add_passes(section, "Figure 10", "boldt-meyer-10", small_cows);
  const std::string no_gl = papers::gl_info().missing;
  Plot figure_11{"boldt-meyer-11",
                 "Figure 11: time against triangles pruned, as published",
                 "share of the pruned triangles",
                 "share of the time",
                 false,
                 false,
                 {progress_of("bunny, CPU", small_bunny.of(Variant::published)),
                  progress_of("cows, CPU", small_cows.of(Variant::published))}};
  Table hierarchy{"Hierarchy from connectivity against a random one (section 6.1), as published",
                  {"hierarchy", "device", "triangles", "ms", "triangles rendered", "queries", "PCS left"},
                  {}};
  const Ratios on_cpu = compare_hierarchies(settings, small_bunny, "CPU", papers::Renderer::cpu(), repeats, hierarchy);
  Ratios on_gl;
  if (no_gl.empty()) {
    const papers::Renderer each = papers::Renderer::gl(papers::GlQueries::each);
    on_gl = compare_hierarchies(settings, small_bunny, "OpenGL, one query each", each, repeats, hierarchy);
    for (const Model* model : {&small_bunny, &small_cows}) {
      settings.progress(fmt::format("{} on OpenGL, one query each", model->name));
      MethodSettings options = settings_of(settings, Variant::published, kPixels);
      options.renderer = each;
      figure_11.series.push_back(
          progress_of(model->name + ", one query each", run(model->mesh, model->exact, options, repeats)));
    }
  }
  const std::vector<Series> progress = figure_11.series;  // bunny and cows on the CPU; then on OpenGL
  section.plots.push_back(std::move(figure_11));
  section.tables.push_back(std::move(hierarchy));

  const Model* const middle[] = {&bunny_20k, &cows_20k};
  section.tables.push_back(misses_by_resolution(settings, middle));
  section.tables.push_back(misses_by_calls(settings, bunny_20k));
  section.tables.push_back(misses_by_pass(settings, bunny_20k));
  const Model* const four[] = {&small_bunny, &small_cows, &bunny_20k, &cows_20k};
  section.tables.push_back(decided_by(settings, four));

  const auto late = [&](std::size_t model) {
    const auto shares = [](const Series& series) {
      return fmt::format("{} and {}", percent(share_for_last(series, 0.02)), percent(share_for_last(series, 0.03)));
    };
    const Run& r = (model == 0 ? small_bunny : small_cows).of(Variant::published);
    return fmt::format("into the last 2 and 3 %: {} of the time on the CPU, {}, {} of the queries",
                       shares(progress[model]),
                       no_gl.empty() ? shares(progress[2 + model]) + " of it on OpenGL with one query each"
                                     : fmt::format("not measured on OpenGL ({})", no_gl),
                       shares(progress_of("", r, true)));
  };
  const auto is_late = [&](std::size_t model) {
    return share_for_last(progress[no_gl.empty() ? 2 + model : model], 0.03) >= 0.4;
  };
  const Model &big_bunny = models[models.size() - 2], &big_cows = models.back();
  const double bunny_ms = big_bunny.of(Variant::published).prune_ms, cows_ms = big_cows.of(Variant::published).prune_ms;
  section.claims = {
      {"The bunny is pruned faster than the cows of the same size (figure 8).", bunny_ms < cows_ms,
       fmt::format("{} against {} ms at {} triangles", ms(bunny_ms), ms(cows_ms), big_bunny.triangles())},
      {"A hierarchy from connectivity needs far fewer queries than a random one (6.1).", on_cpu.queries > 2,
       fmt::format("random needs {:.1f} times as many", on_cpu.queries)},
      {"A hierarchy from connectivity is significantly faster where a query is a draw call (6.1).", on_gl.time > 1.5,
       no_gl.empty()
           ? fmt::format("random takes {:.2f} times as long on OpenGL with one query each, {:.2f} times on the CPU",
                         on_gl.time, on_cpu.time)
           : fmt::format("not measured: no OpenGL here ({}); {:.2f} times on the CPU", no_gl, on_cpu.time)},
      {"For the cows, about 40 % of the time goes into the last 2 to 3 % of the pruned triangles (figure 11).",
       is_late(1), late(1)},
      {"The same tendency holds for the bunny.", is_late(0), late(0)},
      {"No intersecting triangle is pruned (section 7, open in the paper): conservative precision.",
       missed_in(models, Variant::conservative) == 0,
       fmt::format("{} missed", missed_in(models, Variant::conservative))},
  };
  std::size_t contacts = 0;
  for (const Model& model : models) contacts += model.exact.size();
  section.differences = {
      fmt::format("As published {} of {} contacts are missed, improved {}. The paper does not count its misses. Large "
                  "triangles do not prevent them: a contact is lost if in one of all views the part of one triangle "
                  "that lies behind the other falls between the samples, and each call is one more chance. So misses "
                  "grow with the number of calls, most of them happen in the passes over single triangles, and a finer "
                  "image has fewer. Every miss is checked against the bound of section 5 in "
                  "tests/method/self_cullide_test.cpp.",
                  missed_in(models, Variant::published), contacts, missed_in(models, Variant::improved)),
      "From 70 000 triangles on, a triangle is a few pixels or less at 500 x 500: as published nearly everything "
      "leaves, true contacts included.",
      "The paper gives neither the number of directions and children nor the size of leaves; six, eight and one "
      "triangle are our reading.",
      "The last per cents of the pruned triangles (figure 11) take a larger share of the queries than of the time: a "
      "query costs our rasterizers little more than its fragments, where the paper's hardware waited for it.",
      "A random hierarchy shows in the number of queries. In time it shows where a query costs more than its "
      "fragments; on OpenGL without a GPU (llvmpipe) fragments are most of the cost. On the OpenGL of an NVIDIA H200, "
      "random took 2.0 times as long ([performance](performance.md#on-opengl)): there the claim holds.",
      "Conservative precision: a pair of neighbours is decided by the proof that a patch with both of them does not "
      "meet itself (Volino and Magnenat-Thalmann), other pairs by the image, the rest by the exact test.",
  };
  return section;
}

}  // namespace sightline::experiments
