// Jang, Jeong and Han, figure 8 and tables 1 and 2: alternate surface peeling.
#include <map>

#include "experiments/support.h"
#include "scenes/scenes.h"

namespace sightline::experiments {
namespace {

// Figure 8.

/// The bodies are pushed into each other until they have this many contacts; the image shows the region in which their
/// boxes overlap.
constexpr std::size_t kContacts = 100;

struct Grid {
  const char* name;
  unsigned resolution;
  bool unique_ids;
  const char *paper_mean, *paper_least, *paper_most;
  Average ratio;
  Series by_latitude;  ///< mean over the longitudes
};

Vec3d direction(int longitude, int latitude) {
  constexpr double kDegree = 3.141592653589793 / 180;
  const double theta = longitude * kDegree, phi = latitude * kDegree;
  return {std::cos(phi) * std::cos(theta), std::sin(phi), std::cos(phi) * std::sin(theta)};
}

void measure(const Settings& settings, Scene& scene, const std::vector<Contact>& exact, double epsilon, Grid& grid,
             int coarser = 1) {
  const int step = settings.quick ? 45 : 10 * coarser;
  for (int latitude = -90 + step; latitude < 90; latitude += step) {
    Average here;
    for (int longitude = 0; longitude < 360; longitude += settings.quick ? 120 : 30 * coarser) {
      MethodSettings options = options_of(settings, MethodName::peel, Precision::image);
      options.paper.resolution = grid.resolution;
      options.paper.unique_ids = grid.unique_ids;
      options.paper.epsilon = epsilon;
      options.paper.views = {{direction(longitude, latitude)}};
      const Report report = run(scene, options);
      const double miss = static_cast<double>(missing(exact, report.contacts)) / static_cast<double>(exact.size());
      grid.ratio.add(miss);
      here.add(miss);
    }
    grid.by_latitude.points.emplace_back(latitude, here.mean());
  }
}

/// Mean extent of the triangles: the unit of epsilon.
double mean_extent(const std::vector<Mesh>& meshes) {
  Average extent;
  for (const Mesh& mesh : meshes)
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto c = mesh.view().corners(t);
      double most = 0;
      for (int axis = 0; axis < 3; ++axis)
        most = std::max(
            most, std::max({c[0][axis], c[1][axis], c[2][axis]}) - std::min({c[0][axis], c[1][axis], c[2][axis]}));
      extent.add(most);
    }
  return extent.mean();
}

/// Epsilon in mean extents for which 256² with shared ids comes nearest to the paper's 5 %; the paper does not give its
/// own.
double calibrate(const Settings& settings, Scene& scene, const std::vector<Contact>& exact, double extent,
                 Section& section) {
  Table table{"Miss ratio over epsilon, 256², shared ids (a quarter of the view directions)",
              {"epsilon, mean triangle extents", "miss ratio"},
              {}};
  double best = 0, distance = 1e300;
  for (const double factor : {0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0}) {
    Grid grid{"", 256, false, "", "", "", {}, {}};
    measure(settings, scene, exact, factor * extent, grid, 2);
    table.rows.push_back({fmt::format("{}", factor), percent(grid.ratio.mean())});
    if (std::abs(grid.ratio.mean() - 0.0502) < distance) distance = std::abs(grid.ratio.mean() - 0.0502), best = factor;
  }
  section.tables.push_back(std::move(table));
  return best;
}

/// The second body moved along x until the boxes overlap in this share of the first one's width.
void move_apart(std::vector<Mesh>& bodies, double share) {
  double low[2] = {1e300, 1e300}, high[2] = {-1e300, -1e300};
  for (int i = 0; i < 2; ++i)
    for (std::size_t v = 0; v < bodies[i].view().positions.size(); ++v) {
      const double x = bodies[i].view().position(v)[0];
      low[i] = std::min(low[i], x), high[i] = std::max(high[i], x);
    }
  const bool right = low[1] + high[1] > low[0] + high[0];
  const double width = share * (high[0] - low[0]);
  bodies[1] = scenes::moved(bodies[1], {right ? high[0] - width - low[1] : low[0] + width - high[1], 0, 0});
}

void figure8(const Settings& settings, Section& section) {
  std::vector<Mesh> bodies =
      scenes::bunny_and_dragon(settings.quick ? 1500 : 5600, settings.bunny ? &*settings.bunny : nullptr,
                               settings.dragon ? &*settings.dragon : nullptr);
  Scene scene;
  for (const Mesh& body : bodies) scene.add(body);
  std::vector<Contact> exact;
  for (double share = 0.1; share < 1 && exact.size() < kContacts; share += 0.05) {
    move_apart(bodies, share);
    scene.replace(1, bodies[1]);
    exact = scene.collide().contacts;
  }
  std::vector<Grid> grids = {
      {"256², shared ids", 256, false, "5.02 %", "0.65 %", "12.7 %", {}, {"256, shared ids", {}}},
      {"256², unique ids", 256, true, "22.61 %", "14.98 %", "29.31 %", {}, {"256, unique ids", {}}},
      {"128², shared ids", 128, false, "12.32 %", "5.86 %", "20.52 %", {}, {"128, shared ids", {}}}};
  settings.progress("epsilon");
  const double extent = mean_extent(bodies), factor = calibrate(settings, scene, exact, extent, section);
  Table table{fmt::format("Figure 8: miss ratio over a grid of view directions, epsilon {} mean triangle extents ({} + "
                          "{} triangles, {} contacts)",
                          factor, bodies[0].triangles.size(), bodies[1].triangles.size(), exact.size()),
              {"", "mean, paper", "ours", "least, paper", "ours", "most, paper", "ours"},
              {}};
  Plot plot{"peeling-8", "Figure 8: miss ratio by latitude of the view", "degrees", "miss ratio", false, false, {}};
  for (Grid& grid : grids) {
    settings.progress(fmt::format("miss ratio, {}", grid.name));
    measure(settings, scene, exact, factor * extent, grid);
    table.rows.push_back({grid.name, grid.paper_mean, percent(grid.ratio.mean()), grid.paper_least,
                          percent(grid.ratio.least), grid.paper_most, percent(grid.ratio.most)});
    plot.series.push_back(grid.by_latitude);
  }
  MethodSettings conservative = options_of(settings, MethodName::peel, Precision::conservative);
  conservative.paper.resolution = 256;
  const std::size_t lost = missing(exact, run(scene, conservative).contacts);
  section.tables.push_back(std::move(table));
  section.plots.push_back(std::move(plot));
  const double shared = grids[0].ratio.mean(), unique = grids[1].ratio.mean(), coarse = grids[2].ratio.mean();
  section.claims.push_back({"Shared ids miss less than unique ids (5 % against 23 %).", shared < unique,
                            fmt::format("{} against {}", percent(shared), percent(unique))});
  section.claims.push_back({"A smaller texture misses more (12 % at 128² against 5 % at 256²).", shared < coarse,
                            fmt::format("{} against {}", percent(coarse), percent(shared))});
  section.claims.push_back(
      {"Our own: conservative precision misses nothing.", lost == 0, fmt::format("{} missed", lost)});
}

// Tables 1 and 2: frames of a simulation with about as many colliding pairs as the paper's.

struct Row {
  std::size_t contacts = 0, frame = 0, missed = 0, regions = 0;
  double peel_ms = 0, exact_ms = 0, total_ms = 0;
};

struct PaperRow {
  const char* name;
  std::size_t contacts;
  const char *gpu, *readback, *cpu, *total;
};

std::vector<Row> run_frames(const Settings& settings, const char* name, scenes::Animation& animation,
                            std::size_t frames) {
  std::vector<Row> rows;
  for (std::size_t frame = 0; frame < frames; ++frame, animation.advance()) {
    if (frame % 10 == 0) settings.progress(fmt::format("{}, frame {} of {}", name, frame + 1, frames));
    Scene scene = scene_of(animation.frame(), false);
    const std::vector<Contact> exact = run(scene, options_of(settings, MethodName::exact, Precision::image)).contacts;
    const Report report = run(scene, options_of(settings, MethodName::peel, Precision::image));
    rows.push_back({exact.size(), frame + 1, missing(exact, report.contacts), report.method.passes.size(),
                    stage_ms(report, "image"), stage_ms(report, "exact"), report.stats.milliseconds});
  }
  return rows;
}

Table table_of(const char* title, std::span<const PaperRow> paper, const std::vector<Row>& rows) {
  Table table{title,
              {"", "colliding pairs, paper", "ours", "GPU + read-back, paper", "peeling, ours", "CPU, paper",
               "exact test, ours", "total, paper", "ours", "missed"},
              {}};
  for (const PaperRow& p : paper) {
    const Row* nearest = &rows.front();
    for (const Row& row : rows) {
      const auto distance = [&](const Row& r) {
        return std::abs(static_cast<double>(r.contacts) - static_cast<double>(p.contacts));
      };
      if (distance(row) < distance(*nearest)) nearest = &row;
    }
    table.rows.push_back({p.name, fmt::format("{}", p.contacts),
                          fmt::format("{} (frame {})", nearest->contacts, nearest->frame),
                          fmt::format("{:.2f}", std::stod(p.gpu) + std::stod(p.readback)), ms(nearest->peel_ms), p.cpu,
                          ms(nearest->exact_ms), p.total, ms(nearest->total_ms), fmt::format("{}", nearest->missed)});
  }
  return table;
}

/// Checks that the image's time stays about the same while the number of contacts changes.
Claim steady(const char* text, const std::vector<Row>& rows) {
  Average few, many;
  std::vector<Row> sorted = rows;
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.contacts < b.contacts; });
  for (std::size_t i = 0; i < sorted.size(); ++i) (i < sorted.size() / 2 ? few : many).add(sorted[i].peel_ms);
  const double ratio = many.mean() / std::max(few.mean(), 1e-9);
  return {text, ratio < 2.5, fmt::format("frames with more contacts take {:.2f} times as long", ratio)};
}

}  // namespace

Section peeling(const Settings& settings) {
  Section section;
  section.name = "peeling";
  section.title = "Alternate surface peeling";
  section.citation =
      "H.-Y. Jang, T. Jeong, J. Han: Image-space collision detection through alternate surface peeling. Figure 8, "
      "tables 1 and 2; Core 2 Duo 2.4 GHz, GeForce 7900 GTX.";
  section.setup = {
      "Method `peel`, image precision. Figure 8: longitudes every 30 degrees, latitudes every 10, the whole image for "
      "one "
      "region. Tables: a 512² budget shared by the regions, frames of our simulations whose number of colliding pairs "
      "is nearest to the paper's. Times in ms."};
  figure8(settings, section);
  constexpr PaperRow kTable1[] = {{"(a)", 15, "3.11", "0.11", "0.07", "3.36"},
                                  {"(b)", 33, "3.08", "0.13", "0.14", "3.42"},
                                  {"(c)", 96, "3.28", "0.15", "0.44", "3.94"},
                                  {"(d)", 173, "3.02", "0.36", "0.68", "4.13"}};
  constexpr PaperRow kTable2[] = {
      {"(a)", 16, "2.66", "0.12", "0.10", "2.91"},  {"(b)", 115, "3.05", "0.68", "0.66", "4.42"},
      {"(c)", 96, "4.26", "0.39", "0.48", "5.16"},  {"(d)", 39, "2.39", "0.14", "0.36", "2.93"},
      {"(e)", 125, "3.22", "0.73", "0.67", "4.65"}, {"(f)", 222, "2.38", "0.84", "0.95", "4.20"},
      {"(g)", 339, "3.15", "0.92", "1.66", "5.75"}, {"(h)", 262, "2.90", "0.71", "1.17", "4.81"}};
  const auto lizard = scenes::billiard(settings.quick ? 20'000 : 0);
  const std::vector<Row> walk = run_frames(settings, "billiard", *lizard, settings.quick ? 10 : 80);
  section.tables.push_back(table_of("Table 1: a lizard among 40 billiard balls", kTable1, walk));
  const auto cloth = scenes::torn_cloth(settings.quick ? 10'000 : 0);
  const std::vector<Row> tearing = run_frames(settings, "torn cloth", *cloth, settings.quick ? 10 : 80);
  section.tables.push_back(table_of("Table 2: a cloth torn by 40 falling objects", kTable2, tearing));
  section.claims.push_back(steady("The image's time hardly depends on the number of colliding pairs (table 1).", walk));
  section.differences = {
      "Our miss ratios are higher throughout. The paper gives neither its epsilon (the first table shows what ours "
      "does) nor the "
      "size of its region: what is missed lies between pixels, so the ratio depends on the pixels a triangle gets. On "
      "the same bodies, "
      "fully interpenetrating, one view at 1024² with shared ids missed 24 of 388 contacts, 6 %.",
      "The misses of tables 1 and 2 are with the default epsilon of two pixels of a region's share of the 512² budget.",
      "Times are of a software rasterizer; the exact test is much faster than the paper's triangle test, as boxes are "
      "compared first.",
  };
  return section;
}

}  // namespace sightline::experiments
