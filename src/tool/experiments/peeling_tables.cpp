// Jang, Jeong and Han, tables 1 and 2: frames of a simulation with about as many colliding pairs as the paper's.
#include "experiments/peeling.h"

namespace sightline::experiments::peels {
namespace {

struct PaperRow {
  const char* name;
  std::size_t pairs;
  double aabb, gpu, read_back, cpu, total;
};
constexpr PaperRow kTable1[] = {{"(a)", 15, 0.07, 3.11, 0.11, 0.07, 3.36},
                                {"(b)", 33, 0.07, 3.08, 0.13, 0.14, 3.42},
                                {"(c)", 96, 0.07, 3.28, 0.15, 0.44, 3.94},
                                {"(d)", 173, 0.07, 3.02, 0.36, 0.68, 4.13}};
constexpr PaperRow kTable2[] = {{"(a)", 16, 0.03, 2.66, 0.12, 0.10, 2.91},  {"(b)", 115, 0.03, 3.05, 0.68, 0.66, 4.42},
                                {"(c)", 96, 0.03, 4.26, 0.39, 0.48, 5.16},  {"(d)", 39, 0.03, 2.39, 0.14, 0.36, 2.93},
                                {"(e)", 125, 0.03, 3.22, 0.73, 0.67, 4.65}, {"(f)", 222, 0.03, 2.38, 0.84, 0.95, 4.20},
                                {"(g)", 339, 0.03, 3.15, 0.92, 1.66, 5.75}, {"(h)", 262, 0.03, 2.90, 0.71, 1.17, 4.81}};

struct Simulation {
  const char *table, *name, *title;
  std::span<const PaperRow> paper;
  std::unique_ptr<scenes::Animation> (*make)(std::size_t triangles, unsigned threads);
  std::size_t quick_triangles, frames;
  bool rigid;  ///< all objects but the first are rigid: pairs of two of these are not peeled
};

/// A finer budget of pixels, to show what the paper's costs in misses.
constexpr unsigned kFine = 4096;

/// One frame, one way.
struct Times {
  double aabb = 1e300, gpu = 1e300, read_back = 1e300, cpu = 1e300;
  std::size_t id_pairs = 0, tested = 0, missed = 0;
  double total() const { return aabb + gpu + read_back + cpu; }
};

struct Row {
  std::size_t frame = 0, pairs = 0, missed_finely = 0;
  Times by[2];  ///< Way
};

double pass_ms(const Report& report, std::string_view level) {
  double sum = 0;
  for (const Pass& pass : report.method.passes)
    if (pass.level == level) sum += pass.milliseconds;
  return sum;
}

/// The contacts of pairs that are peeled.
std::vector<Contact> peeled(const Simulation& simulation, std::vector<Contact> contacts) {
  if (simulation.rigid) std::erase_if(contacts, [](const Contact& c) { return c.object_a != 0; });
  return contacts;
}

MethodSettings options_in(const Settings& settings, const Simulation& simulation, const Scene& scene, Way way) {
  MethodSettings options = options_for(settings, way);
  if (way == Way::published) options.paper.views = {{{0, -1, 0}}};
  for (ObjectId id = 1; simulation.rigid && id < scene.size(); ++id) options.paper.rigid.push_back(id);
  return options;
}

Times measure(const Settings& settings, const Simulation& simulation, Scene& scene, Way way,
              const std::vector<Contact>& exact) {
  const MethodSettings options = options_in(settings, simulation, scene, way);
  Times times;
  for (int i = 0; i < (settings.quick ? 1 : 5); ++i) {
    const Report report = run(scene, options);
    const double boxes = pass_ms(report, "boxes"), read_back = pass_ms(report, "read-back"),
                 pairs = pass_ms(report, "pairs");
    times.aabb = std::min(times.aabb, boxes);
    times.read_back = std::min(times.read_back, read_back);
    times.cpu = std::min(times.cpu, pairs + stage_ms(report, "exact"));
    times.gpu = std::min(times.gpu, stage_ms(report, "image") - boxes - read_back - pairs);
    times.tested = report.method.pairs_tested;
    times.missed = missing(exact, peeled(simulation, report.contacts));
    times.id_pairs = 0;
    for (const Pass& pass : report.method.passes)
      if (pass.level == "read-back") times.id_pairs += pass.pcs_after;
  }
  return times;
}

/// The number of colliding pairs of each frame.
std::vector<std::size_t> count_pairs(const Settings& settings, const Simulation& simulation) {
  const auto animation = simulation.make(settings.quick ? simulation.quick_triangles : 0, settings.threads);
  std::vector<std::size_t> pairs;
  for (std::size_t frame = 0; frame < (settings.quick ? 20 : simulation.frames); ++frame, animation->advance()) {
    if (frame % 20 == 0) settings.progress(fmt::format("{}, frame {}", simulation.name, frame + 1));
    Scene scene = scene_of(animation->frame(), false);
    pairs.push_back(peeled(simulation, scene.collide({.threads = settings.threads}).contacts).size());
  }
  return pairs;
}

/// For each row of the paper another frame: again and again the row and the frame that are nearest to each other.
std::vector<std::size_t> choose_frames(std::span<const PaperRow> paper, const std::vector<std::size_t>& pairs) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> chosen(paper.size(), kNone);
  std::vector<bool> used(pairs.size());
  for (std::size_t round = 0; round < paper.size(); ++round) {
    double least = 1e300;
    std::size_t row = 0, frame = 0;
    for (std::size_t r = 0; r < paper.size(); ++r)
      for (std::size_t f = 0; f < pairs.size() && chosen[r] == kNone; ++f) {
        const double distance = std::abs(static_cast<double>(pairs[f]) / static_cast<double>(paper[r].pairs) - 1);
        if (!used[f] && distance < least) least = distance, row = r, frame = f;
      }
    chosen[row] = frame;
    used[frame] = true;
  }
  return chosen;
}

std::vector<Row> measure_rows(const Settings& settings, const Simulation& simulation,
                              const std::vector<std::size_t>& frames) {
  const auto animation = simulation.make(settings.quick ? simulation.quick_triangles : 0, settings.threads);
  std::vector<Row> rows(frames.size());
  const std::size_t last = *std::max_element(frames.begin(), frames.end());
  for (std::size_t frame = 0; frame <= last; ++frame, animation->advance()) {
    const auto at = std::find(frames.begin(), frames.end(), frame);
    if (at == frames.end()) continue;
    settings.progress(fmt::format("{}, measuring frame {}", simulation.name, frame + 1));
    Scene scene = scene_of(animation->frame(), false);
    const std::vector<Contact> exact = peeled(simulation, scene.collide({.threads = settings.threads}).contacts);
    Row& row = rows[static_cast<std::size_t>(at - frames.begin())];
    row.frame = frame + 1;
    row.pairs = exact.size();
    for (const Way way : {Way::published, Way::improved})
      row.by[static_cast<std::size_t>(way)] = measure(settings, simulation, scene, way, exact);
    MethodSettings fine = options_in(settings, simulation, scene, Way::improved);
    fine.paper.resolution = settings.quick ? 512 : kFine;
    row.missed_finely = missing(exact, peeled(simulation, run(scene, fine).contacts));
  }
  return rows;
}

Table table_of(const Simulation& simulation, const std::vector<Row>& rows) {
  Table table{simulation.title,
              {"",
               "colliding pairs, paper",
               "ours (frame)",
               "AABB, paper",
               "ours",
               "GPU, paper",
               "as published",
               "improved",
               "read-back, paper",
               "as published",
               "improved",
               "CPU, paper",
               "as published",
               "improved",
               "total, paper",
               "as published",
               "improved",
               "pairs of ids, as published",
               "improved",
               "missed, as published",
               "improved",
               "improved, 4096²"},
              {}};
  const auto paper_ms = [](double value) { return fmt::format("{:.2f}", value); };
  const auto short_ms = [](double value) { return fmt::format("{:.3f}", value); };
  const auto number = [](std::size_t value) { return fmt::format("{}", value); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PaperRow& paper = simulation.paper[i];
    const Row& row = rows[i];
    const Times &published = row.by[0], &improved = row.by[1];
    table.rows.push_back({paper.name,
                          number(paper.pairs),
                          fmt::format("{} ({})", row.pairs, row.frame),
                          paper_ms(paper.aabb),
                          short_ms(published.aabb),
                          paper_ms(paper.gpu),
                          ms(published.gpu),
                          ms(improved.gpu),
                          paper_ms(paper.read_back),
                          short_ms(published.read_back),
                          short_ms(improved.read_back),
                          paper_ms(paper.cpu),
                          short_ms(published.cpu),
                          short_ms(improved.cpu),
                          paper_ms(paper.total),
                          ms(published.total()),
                          ms(improved.total()),
                          number(published.id_pairs),
                          number(improved.id_pairs),
                          number(published.missed),
                          number(improved.missed),
                          number(row.missed_finely)});
  }
  return table;
}

/// Correlation of two lists.
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  Average mean_x, mean_y;
  for (const double v : x) mean_x.add(v);
  for (const double v : y) mean_y.add(v);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x.mean(), dy = y[i] - mean_y.mean();
    xy += dx * dy, xx += dx * dx, yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// Checks that GPU times are within the same ratio as the paper's.
Claim steady(const Simulation& simulation, const std::vector<Row>& rows) {
  Average paper, ours[2];
  for (const PaperRow& row : simulation.paper) paper.add(row.gpu);
  for (const Row& row : rows)
    for (const std::size_t way : {0, 1}) ours[way].add(row.by[way].gpu);
  const double limit = paper.most / paper.least;
  const auto ratio = [](const Average& a) { return a.most / std::max(a.least, 1e-9); };
  const auto with_pairs = [&](std::size_t way) {
    std::vector<double> pairs, times;
    for (const Row& row : rows) {
      pairs.push_back(static_cast<double>(row.pairs));
      times.push_back(row.by[way].gpu);
    }
    return correlation(pairs, times);
  };
  return {
      fmt::format("{}: the GPU time is almost constant, whatever the number of colliding pairs ({:.2f} to {:.2f} ms: "
                  "the slowest row takes {:.2f} times as long as the fastest).",
                  simulation.table, paper.least, paper.most, limit),
      ratio(ours[0]) <= limit,
      fmt::format(
          "as published {:.2f} times (correlation of the time with the number of pairs {:.2f}), improved {:.2f} "
          "times ({:.2f})",
          ratio(ours[0]), with_pairs(0), ratio(ours[1]), with_pairs(1))};
}

/// Checks that a time follows the size of the PCS as closely as the paper's follows its number of pairs (its sizes of
/// the PCS are not published).
Claim follows(const Simulation& simulation, const std::vector<Row>& rows, const char* what, double PaperRow::*paper,
              double Times::*ours) {
  std::vector<double> paper_size, paper_ms, size[2], times[2];
  for (const PaperRow& row : simulation.paper) {
    paper_size.push_back(static_cast<double>(row.pairs));
    paper_ms.push_back(row.*paper);
  }
  for (const Row& row : rows)
    for (const std::size_t way : {0, 1}) {
      size[way].push_back(static_cast<double>(row.by[way].id_pairs));
      times[way].push_back(row.by[way].*ours);
    }
  const double limit = correlation(paper_size, paper_ms);
  return {
      fmt::format("{}: the {} time is proportional to the size of the PCS (correlation of the paper's rows with its "
                  "number of pairs: {:.2f}).",
                  simulation.table, what, limit),
      correlation(size[0], times[0]) >= limit,
      fmt::format("correlation with the pairs of ids, as published {:.2f}, improved {:.2f}",
                  correlation(size[0], times[0]), correlation(size[1], times[1]))};
}

}  // namespace

void tables(const Settings& settings, Section& section) {
  const Simulation simulations[] = {
      {"Table 1", "billiard", "Table 1: a lizard among 40 billiard balls", kTable1,
       [](std::size_t n, unsigned threads) { return scenes::billiard(n, 40, threads); }, 20'000, 300, false},
      {"Table 2", "torn cloth", "Table 2: a cloth torn by 40 falling objects", kTable2,
       [](std::size_t n, unsigned threads) { return scenes::torn_cloth(n, 40, threads); }, 10'000, 300, true}};
  for (const Simulation& simulation : simulations) {
    const std::vector<std::size_t> pairs = count_pairs(settings, simulation);
    const std::vector<Row> rows = measure_rows(settings, simulation, choose_frames(simulation.paper, pairs));
    section.tables.push_back(table_of(simulation, rows));
    section.claims.push_back(steady(simulation, rows));
    section.claims.push_back(follows(simulation, rows, "read-back", &PaperRow::read_back, &Times::read_back));
    section.claims.push_back(follows(simulation, rows, "CPU", &PaperRow::cpu, &Times::cpu));
  }
}

}  // namespace sightline::experiments::peels
