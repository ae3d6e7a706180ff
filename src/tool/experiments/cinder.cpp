// Malmsten and Klasén, the demos: stairs with 50 and 250 balls, snow on a bunny, normals at the contacts.
#include <set>

#include "experiments/support.h"

namespace sightline::experiments {
namespace {

using ObjectPair = std::pair<std::uint32_t, std::uint32_t>;
using ObjectPairs = std::set<ObjectPair>;

/// The reference: pairs of solids whose insides meet.
ObjectPairs exact_pairs(const scenes::AnimationFrame& frame, const Report& contacts) {
  std::vector<MeshView> parts;
  for (const scenes::AnimatedObject& object : frame.objects) parts.push_back(object.mesh);
  ObjectPairs pairs;
  for (const PartPair& clash : classify(parts, contacts).pairs)
    if (clash.relation == Relation::clash || clash.relation == Relation::contains) pairs.emplace(clash.a, clash.b);
  return pairs;
}

ObjectPairs found_pairs(const MethodReport& how) {
  ObjectPairs pairs;
  for (const Penetration& p : how.penetrations) pairs.emplace(std::minmax(p.object_a, p.object_b));
  return pairs;
}

struct Way {
  const char* name;
  bool published;  ///< one collision a pixel, self-interferences filtered
  unsigned mip_levels;
  std::size_t found = 0, missed = 0, wrong = 0, self = 0, lost = 0;
  Average milliseconds = {};
};

struct Demo {
  std::string name;
  std::unique_ptr<scenes::Animation> animation;
  std::size_t frames, every;
};

struct Outcome {
  std::size_t pairs = 0, most = 0, frames = 0, triangles = 0;
  std::vector<Way> ways = {{"compacted, all collisions of a pixel", false, 0},
                           {"as published, no mip-map", true, 0},
                           {"as published, 2 mip-map stages", true, 2},
                           {"as published, 4 mip-map stages", true, 4}};
};

void judge(const Settings& settings, Scene& scene, const ObjectPairs& truth, Way& way) {
  MethodSettings options = options_of(settings, MethodName::cinder, Precision::image);
  options.paper.resolution = settings.quick ? 256 : 1024;
  options.paper.views = {{{-0.35, -0.4, -1}}};
  options.paper.filter_self = options.paper.one_per_pixel = way.published;
  options.paper.mip_levels = way.mip_levels;
  const Report report = run(scene, options);
  const ObjectPairs found = found_pairs(report.method);
  for (const ObjectPair& pair : found) ++(truth.contains(pair) ? way.found : way.wrong);
  for (const ObjectPair& pair : truth) way.missed += found.contains(pair) ? 0 : 1;
  way.self += report.method.self_interferences;
  way.lost += report.method.lost;
  way.milliseconds.add(report.stats.milliseconds);
}

Outcome run(const Settings& settings, Demo& demo) {
  Outcome outcome;
  for (std::size_t frame = 0; frame < demo.frames; ++frame, demo.animation->advance()) {
    if (frame % demo.every != demo.every - 1) continue;
    settings.progress(fmt::format("{}, frame {} of {}", demo.name, frame + 1, demo.frames));
    Scene scene = scene_of(demo.animation->frame(), false);
    const Report exact = run(scene, options_of(settings, MethodName::exact, Precision::image));
    const ObjectPairs truth = exact_pairs(demo.animation->frame(), exact);
    outcome.pairs += truth.size();
    outcome.most = std::max(outcome.most, truth.size());
    outcome.triangles = exact.stats.triangles;
    ++outcome.frames;
    for (Way& way : outcome.ways) judge(settings, scene, truth, way);
  }
  return outcome;
}

}  // namespace

Section cinder(const Settings& settings) {
  Section section;
  section.name = "cinder";
  section.title = "CInDeR";
  section.citation =
      "M. Malmsten, S. Klasén: Practical collision detection on the GPU, a case study using CInDeR (after D. Knott, "
      "D. K. Pai). Demos of chapter 5.";
  section.setup = {fmt::format(
      "Method `cinder` at {0} x {0}, against the exact pairs of solids whose insides meet (relation `clash` or "
      "`contains`). The report gives no tables; its statements about its demos are compared with ours.",
      settings.quick ? 256 : 1024)};
  std::vector<Demo> demos;
  const bool quick = settings.quick;
  demos.push_back({"stairs, 50 balls", scenes::stairs(0, 50), quick ? 20u : 100u, 5});
  demos.push_back({"stairs, 250 balls", scenes::stairs(0, 250), quick ? 10u : 100u, 10});
  demos.push_back({"snow on a bunny",
                   scenes::snow(quick ? 4000 : 0, quick ? 100 : 1000, 1, settings.bunny ? &*settings.bunny : nullptr),
                   quick ? 20u : 100u, 10});
  Table table{"Pairs of solids found, over all frames",
              {"demo", "triangles", "frames", "exact pairs", "most in a frame", "way", "found", "missed", "not exact",
               "lost by mip-map", "self-interferences", "ms"},
              {}};
  std::vector<Outcome> outcomes;
  for (Demo& demo : demos) {
    outcomes.push_back(run(settings, demo));
    const Outcome& o = outcomes.back();
    for (const Way& way : o.ways)
      table.rows.push_back(
          {demo.name, fmt::format("{}", o.triangles), fmt::format("{}", o.frames), fmt::format("{}", o.pairs),
           fmt::format("{}", o.most), way.name, fmt::format("{}", way.found), fmt::format("{}", way.missed),
           fmt::format("{}", way.wrong), way.mip_levels > 0 ? fmt::format("{}", way.lost) : "-",
           fmt::format("{} {}", way.self, way.published ? "filtered" : "prevented"), ms(way.milliseconds.mean())});
  }
  section.tables.push_back(std::move(table));
  const Outcome &few = outcomes[0], &many = outcomes[1];
  const auto share = [](std::size_t missed, std::size_t of) {
    return static_cast<double>(missed) / static_cast<double>(std::max<std::size_t>(of, 1));
  };
  std::size_t compact_missed = 0, published_missed = 0, mip_missed = 0, pairs = 0;
  for (const Outcome& o : outcomes) {
    compact_missed += o.ways[0].missed, published_missed += o.ways[1].missed, mip_missed += o.ways[3].missed;
    pairs += o.pairs;
  }
  section.claims = {
      {"With 50 balls all concurrent collisions are found.", share(few.ways[1].missed, few.pairs) <= 0.05,
       fmt::format("{} of {} missed as published, {} with compaction", few.ways[1].missed, few.pairs,
                   few.ways[0].missed)},
      {"With 250 balls there are sometimes around 30 collisions at once, and some are masked or lost in the mip-map.",
       many.ways[3].missed > 0,
       fmt::format("up to {} at once; {} of {} missed with 4 stages", many.most, many.ways[3].missed, many.pairs)},
      {"Mip-mapping loses collisions; compaction does not (section 4.3.2).",
       mip_missed >= published_missed && compact_missed <= published_missed,
       fmt::format("of {}: {} missed with 4 stages, {} without, {} compacted with all collisions of a pixel", pairs,
                   mip_missed, published_missed, compact_missed)},
  };
  section.differences = {
      "Pairs that are not exact are solids whose surfaces are closer than a pixel or a depth step; the exact test that "
      "follows "
      "finds no contact in them.",
      "Keeping every collision of a pixel draws all faces again for each layer of edges: it finds nearly all, and "
      "costs ten times as "
      "much or more.",
      "What is still missed with it lies between the pixels; a higher resolution or another view finds it.",
  };
  return section;
}

}  // namespace sightline::experiments
