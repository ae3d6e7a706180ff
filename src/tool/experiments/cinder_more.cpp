// CInDeR: the third demo, and the time over the number of solids.
#include "experiments/cinder.h"
#include "scenes/scenes.h"

namespace sightline::experiments {
namespace {

constexpr std::uint32_t kBody = 0;  ///< the bunny; the others are balls

/// The pairs of a ball and the bunny, over all queries of the response.
struct Bounce {
  std::size_t pairs = 0, missed = 0, wrong = 0, by_edges_of_body = 0;
  Average milliseconds;
};

Bounce bounce(const Settings& settings, const char* name, MethodSettings options) {
  const std::size_t frames = settings.quick ? 120 : 200;
  const auto animation = settings.quick ? scenes::bouncing(4000, 10)
                                        : scenes::bouncing(0, 30, 1, settings.bunny ? &*settings.bunny : nullptr);
  Bounce sum;
  animation->drive([&](Scene& scene, std::span<const Motion>, Report& found) {
    found = run(scene, options);
    ObjectPairs truth = exact_pairs(animation->frame(), scene.collide({.threads = settings.threads}));
    std::erase_if(truth, [](const ObjectPair& pair) { return pair.first != kBody; });
    ObjectPairs pairs = found_pairs(found.method), with_edges;
    for (const Penetration& p : found.method.penetrations)
      if (p.object_a == kBody) with_edges.emplace(p.object_a, p.object_b);
    // As published, the method draws all objects, balls in balls included; these are dropped afterwards.
    for (const ObjectPair& pair : truth) {
      sum.missed += pairs.contains(pair) ? 0 : 1;
      sum.by_edges_of_body += with_edges.contains(pair) ? 1 : 0;
    }
    for (const ObjectPair& pair : pairs) sum.wrong += truth.contains(pair) ? 0 : 1;
    sum.pairs += truth.size();
    sum.milliseconds.add(found.stats.milliseconds);
  });
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (frame % 20 == 0) settings.progress(fmt::format("bouncing balls, {}, frame {} of {}", name, frame + 1, frames));
    animation->advance();
  }
  return sum;
}

/// Balls of radius 1 in a square, each deep in its neighbours; then all of it as large as the square of one ball, so
/// that edges have the same length in the image.
std::vector<Mesh> sheet_of_balls(std::size_t side, std::size_t triangles) {
  constexpr double kDistance = 1.6;
  const double scale = 1 / static_cast<double>(side);
  std::vector<Mesh> balls;
  for (std::size_t i = 0; i < side * side; ++i)
    balls.push_back(scenes::sphere(
        triangles / (side * side),
        {scale * kDistance * static_cast<double>(i % side), scale * kDistance * static_cast<double>(i / side), 0},
        scale));
  return balls;
}

}  // namespace

Bounces bouncing_balls(const Settings& settings) {
  Bounces bounces;
  bounces.table = {
      "The third demo: balls that bounce off a bunny (section 5.3), driven by the method; pairs of a ball and the "
      "bunny",
      {"method", "pairs, over all frames", "missed", "not exact", "with edges of the bunny in the ball", "ms a frame"},
      {}};
  MethodSettings prevented = published_options(settings);
  prevented.paper.filter_self = false;
  const struct {
    const char* name;
    MethodSettings options;
  } ways[] = {{"as published", published_options(settings)},
              {"self-interferences prevented", prevented},
              {"all collisions, one pass", improved_options(settings)}};
  for (const auto& way : ways) {
    const Bounce b = bounce(settings, way.name, way.options);
    bounces.table.rows.push_back({way.name, number(b.pairs), number(b.missed), number(b.wrong),
                                  number(b.by_edges_of_body), ms(b.milliseconds.mean())});
    bounces.improved = {b.pairs, b.by_edges_of_body};
    if (bounces.table.rows.size() == 1) bounces.published = bounces.improved;
  }
  return bounces;
}

ManySolids number_of_solids(const Settings& settings) {
  ManySolids result;
  const std::size_t triangles = settings.quick ? 6400 : 102'400;
  result.table = {fmt::format("Time over the number of solids: balls in a square, each in its neighbours, {} triangles "
                              "in all, seen across the square",
                              triangles),
                  {"solids", "pairs", "samples of edges", "one pass, ms", "µs a sample", "as published, ms"},
                  {}};
  for (const std::size_t side : {4, 8, 16, 32}) {
    if (settings.quick && side > 8) break;
    settings.progress(fmt::format("{} solids", side * side));
    const std::vector<Mesh> balls = sheet_of_balls(side, triangles);
    Scene scene;
    for (const Mesh& ball : balls) scene.add(ball);
    MethodSettings one = improved_options(settings), published = published_options(settings);
    one.paper.views = published.paper.views = {View{{-0.05, -0.08, -1}}};
    double best = 1e300;
    Report report;
    for (int i = 0; i < (settings.quick ? 1 : 5); ++i) {
      report = run(scene, one);
      best = std::min(best, report.stats.milliseconds);
    }
    const double passes = run(scene, published).stats.milliseconds;
    const std::uint64_t samples = totals(report.method).fragments;
    const double each = 1e3 * best / static_cast<double>(std::max<std::uint64_t>(samples, 1));
    result.table.rows.push_back({number(balls.size()), number(found_pairs(report.method).size()), number(samples),
                                 ms(best), fmt::format("{:.2f}", each), ms(passes)});
    if (result.fewest == 0) result.fewest = balls.size();
    result.most = balls.size();
    result.fastest = std::min(result.fastest, each), result.slowest = std::max(result.slowest, each);
  }
  return result;
}

}  // namespace sightline::experiments
