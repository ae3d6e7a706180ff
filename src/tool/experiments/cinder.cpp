// Malmsten and Klasén, the demos: stairs with 50 and 250 balls, snow on a bunny. As published, and with all collisions.
#include "experiments/cinder.h"

namespace sightline::experiments {
namespace {

constexpr std::uint32_t kSteps = 11;  ///< the first objects of the stairs

/// A ball and a step, for which alone the paper's demo has a response.
bool with_step(const ObjectPair& pair) { return pair.first < kSteps && pair.second >= kSteps; }

constexpr std::array<unsigned, 4> kStages = {0, 1, 2, 4};
constexpr std::array<double, 5> kOffsets = {0, 0.0005, 0.002, 0.01, 0.05};  ///< a ball's radius is 0.12
constexpr std::array<unsigned, 7> kResolutions = {256, 512, 1024, 2048, 4096, 8192, 16384};

struct Demo {
  std::string name;
  std::unique_ptr<scenes::Animation> animation;
  std::size_t frames, every;
  bool stairs = false;              ///< with steps
  bool offsets = false;             ///< also with all offsets
  const char* paper_at_once = "-";  ///< collisions of a ball and a step, as the paper states
  const char* paper_missed = "-";
  const char* paper_lost = "-";
  std::size_t judged = 0, triangles = 0, pairs = 0, pairs_with_step = 0;
  std::size_t most_with_step = 0;  ///< pairs of a ball and a step in contact, of all frames
  std::size_t around_thirty = 0;   ///< frames with 25 to 35 of them
  std::size_t most_at_once = 0;    ///< pairs of all objects in contact
  Result published, improved, prevented;
  std::array<Result, kStages.size()> stages;
  std::array<Result, kOffsets.size()> offset;
  std::array<Result, kResolutions.size()> at;
};

/// How many balls are in a step at once: for each frame, also for those that no method is run on.
void count_at_once(const Report& exact, Demo& demo) {
  ObjectPairs pairs;
  for (const Contact& contact : exact.contacts) pairs.emplace(contact.object_a, contact.object_b);
  const auto count = static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), with_step));
  demo.most_with_step = std::max(demo.most_with_step, count);
  demo.most_at_once = std::max(demo.most_at_once, pairs.size());
  demo.around_thirty += count >= 25 && count <= 35 ? 1 : 0;
}

void judge(const Settings& settings, Demo& demo, Scene& scene, const Report& exact) {
  const ObjectPairs truth = exact_pairs(demo.animation->frame(), exact);
  demo.pairs += truth.size();
  demo.pairs_with_step += static_cast<std::size_t>(std::count_if(truth.begin(), truth.end(), with_step));
  demo.triangles = exact.stats.triangles;
  ++demo.judged;
  const auto add = [&](Result& result, const MethodSettings& options) {
    result.add(truth, run(scene, options), with_step);
  };
  add(demo.published, published_options(settings));
  add(demo.improved, improved_options(settings));
  MethodSettings prevented = published_options(settings);
  prevented.paper.mip_levels = 0;
  prevented.paper.filter_self = false;
  add(demo.prevented, prevented);
  for (std::size_t i = 0; i < kStages.size(); ++i) {
    MethodSettings options = published_options(settings);
    options.paper.mip_levels = kStages[i];
    add(demo.stages[i], options);
  }
  for (std::size_t i = 0; demo.offsets && i < kOffsets.size(); ++i) {
    MethodSettings options = published_options(settings);
    options.paper.mip_levels = 0;
    options.paper.edge_offset = kOffsets[i];
    add(demo.offset[i], options);
  }
  for (std::size_t i = 0; i < kResolutions.size(); ++i) {
    MethodSettings options = improved_options(settings);
    options.paper.resolution = kResolutions[i];
    if (!settings.quick || kResolutions[i] <= 1024) add(demo.at[i], options);
  }
}

void play(const Settings& settings, Demo& demo) {
  for (std::size_t frame = 0; frame < demo.frames; ++frame, demo.animation->advance()) {
    const bool judged = frame % demo.every == demo.every - 1;
    if (!judged && !demo.stairs) continue;
    settings.progress(fmt::format("{}, frame {} of {}", demo.name, frame + 1, demo.frames));
    Scene scene = scene_of(demo.animation->frame(), false);
    const Report exact = run(scene, options_of(settings, MethodName::exact, Precision::image));
    count_at_once(exact, demo);
    if (judged) judge(settings, demo, scene, exact);
  }
}

Table demos_table(const std::vector<Demo>& demos) {
  Table table{"The demos: pairs of solids, over all frames",
              {"demo", "quantity", "paper", "as published", "all collisions, one pass"},
              {}};
  for (const Demo& d : demos) {
    const Result &p = d.published, &i = d.improved;
    const auto row = [&](const char* quantity, const char* paper, const std::string& published,
                         const std::string& improved) {
      table.rows.push_back({d.name, quantity, paper, published, improved});
    };
    row("triangles", "-", number(d.triangles), number(d.triangles));
    row("frames", "-", number(d.judged), number(d.judged));
    if (d.stairs)
      row("balls in a step at once, at most", d.paper_at_once, number(d.most_with_step), number(d.most_with_step));
    row("pairs missed", d.paper_missed, of(p.missed, d.pairs), of(i.missed, d.pairs));
    if (d.stairs)
      row("of these a ball and a step", d.paper_missed, of(p.missed_with_step, d.pairs_with_step),
          of(i.missed_with_step, d.pairs_with_step));
    row("pairs that are not exact", "-", number(p.wrong), number(i.wrong));
    row("pairs lost by the mip-map", d.paper_lost, number(p.lost), number(i.lost));
    row("self-interferences", "filtered", fmt::format("{} filtered", p.self), number(i.self));
    row("undecided, since open", "-", "refused", number(i.unbalanced));
    row("ms a frame", "-", ms(p.milliseconds.mean()), ms(i.milliseconds.mean()));
  }
  return table;
}

Table stages_table(const std::vector<Demo>& demos) {
  Table table{"Stages of the mip-map, all else as published",
              {"demo", "stages", "found", "missed", "not exact", "lost by mip-map", "ms"},
              {}};
  for (const Demo& d : demos)
    for (std::size_t i = 0; i < kStages.size(); ++i) {
      const Result& r = d.stages[i];
      table.rows.push_back({d.name, number(kStages[i]), number(r.found), number(r.missed), number(r.wrong),
                            number(r.lost), ms(r.milliseconds.mean())});
    }
  return table;
}

Table prevention_table(const std::vector<Demo>& demos) {
  Table table{"Self-interferences filtered afterwards (section 4.3.1.2) or prevented (4.3.1.3), no mip-map",
              {"demo", "pairs", "filtered: found", "missed", "not exact", "prevented: found", "missed", "not exact"},
              {}};
  for (const Demo& d : demos) {
    const Result &f = d.stages[0], &p = d.prevented;
    table.rows.push_back({d.name, number(d.pairs), number(f.found), number(f.missed), number(f.wrong), number(p.found),
                          number(p.missed), number(p.wrong)});
  }
  return table;
}

Table offsets_table(const Demo& demo) {
  Table table{"Edges moved out of their solid (section 4.3.1.1), stairs with 50 balls of radius 0.12, no mip-map",
              {"offset", "self-interferences", "found", "missed", "not exact"},
              {}};
  for (std::size_t i = 0; i < kOffsets.size(); ++i) {
    const Result& r = demo.offset[i];
    table.rows.push_back(
        {fmt::format("{}", kOffsets[i]), number(r.self), number(r.found), number(r.missed), number(r.wrong)});
  }
  return table;
}

Table resolutions_table(const std::vector<Demo>& demos) {
  Table table{"All collisions in one pass, by resolution: pairs equal the exact ones once the resolution suffices",
              {"demo", "pixels a side", "exact pairs", "found", "missed", "not exact", "ms"},
              {}};
  for (const Demo& d : demos)
    for (std::size_t i = 0; i < kResolutions.size(); ++i) {
      const Result& r = d.at[i];
      if (r.milliseconds.count == 0) continue;
      table.rows.push_back({d.name, number(kResolutions[i]), number(d.pairs), number(r.found), number(r.missed),
                            number(r.wrong), ms(r.milliseconds.mean())});
    }
  return table;
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
      "Method `cinder` at {0} x {0} along its default view, against the exact pairs of solids whose insides meet "
      "(relation `clash` or `contains`). *As published* is the preset `--as-published`: one collision a pixel, "
      "self-interferences filtered afterwards, two stages of the mip-map. *All collisions, one pass* is the method's "
      "default. The paper has no tables and states neither resolution nor view; its statements about its demos are "
      "in the column *paper*.",
      settings.quick ? 256 : 1024)};
  const bool quick = settings.quick;
  std::vector<Demo> demos(3);
  demos[0].name = "stairs, 50 balls", demos[0].animation = scenes::stairs(0, 50);
  demos[0].frames = quick ? 20 : 100, demos[0].every = 5, demos[0].stairs = true;
  demos[0].paper_missed = "0", demos[0].offsets = true;
  demos[1].name = "stairs, 250 balls", demos[1].animation = scenes::stairs(0, 250);
  demos[1].frames = quick ? 10 : 100, demos[1].every = 10, demos[1].stairs = true;
  demos[1].paper_at_once = "around 30", demos[1].paper_missed = demos[1].paper_lost = "some";
  demos[2].name = "snow on a bunny";
  demos[2].animation =
      scenes::snow(quick ? 4000 : 0, quick ? 100 : 1000, 1, settings.bunny ? &*settings.bunny : nullptr);
  demos[2].frames = quick ? 20 : 100, demos[2].every = 10;
  for (Demo& demo : demos) play(settings, demo);
  section.tables = {demos_table(demos), stages_table(demos), prevention_table(demos), offsets_table(demos[0]),
                    resolutions_table(demos)};
  const Bounces bounces = bouncing_balls(settings);
  section.tables.push_back(bounces.table);
  const ManySolids many_solids = number_of_solids(settings);
  section.tables.push_back(many_solids.table);

  const Demo &few = demos[0], &many = demos[1];
  std::size_t pairs = 0, missed = 0, missed_without = 0, missed_four = 0, improved = 0, self = 0, prevented = 0;
  for (const Demo& d : demos) {
    prevented += d.prevented.missed;
    pairs += d.pairs, missed += d.published.missed, improved += d.improved.missed, self += d.published.self;
    missed_without += d.stages.front().missed, missed_four += d.stages.back().missed;
  }
  section.claims = {
      {"With 50 balls all concurrent collisions are found.", few.published.missed == 0,
       fmt::format("missed as published: {}, of these {} of a ball and a step; with all collisions of a pixel: {}",
                   of(few.published.missed, few.pairs), few.published.missed_with_step, few.improved.missed)},
      {"With 250 balls there are sometimes around 30 collisions at once.", many.around_thirty > 0,
       fmt::format("25 to 35 balls in a step in {} frames, at most {} at once; with balls in balls at most {}",
                   of(many.around_thirty, many.frames), many.most_with_step, many.most_at_once)},
      {"With 250 balls some collisions are masked by others, and some are lost in the mip-map.",
       many.stages.front().missed > 0 && many.published.missed > many.stages.front().missed,
       fmt::format("missed without mip-map: {}; with two stages: {}", of(many.stages.front().missed, many.pairs),
                   many.published.missed)},
      {"Mip-mapping loses collisions, and more the more stages there are (section 4.3.2.2).",
       missed_four > missed && missed > missed_without,
       fmt::format("of {} pairs missed: {} without, {} with two stages, {} with four", pairs, missed_without, missed,
                   missed_four)},
      {"The larger the offset of edges, the fewer self-interferences remain (section 4.3.1.1).",
       std::is_sorted(few.offset.rbegin(), few.offset.rend(),
                      [](const Result& a, const Result& b) { return a.self < b.self; }) &&
           few.offset.back().self < few.offset.front().self,
       fmt::format("{} without an offset, {} with 0.002, {} with 0.05", few.offset[0].self, few.offset[2].self,
                   few.offset[4].self)},
      {"The larger the offset of edges, the more true collisions are missed, and the more false ones are detected "
       "(section 4.3.1.1).",
       few.offset.back().missed > few.offset.front().missed && few.offset.back().wrong > few.offset.front().wrong,
       fmt::format("without: {} missed and {} false; with 0.05: {} and {}", few.offset.front().missed,
                   few.offset.front().wrong, few.offset.back().missed, few.offset.back().wrong)},
      {"Self-interferences occur, and the filter removes all of them (section 4.3.1.2).", self > 0,
       fmt::format("{} filtered; no pair of an object with itself is reported", self)},
      {"Filtered self-interferences overwrite true collisions; prevented ones do not (section 4.3.1.3).",
       prevented < missed_without,
       fmt::format("of {} pairs {} are missed with the filter, {} with prevention", pairs, missed_without, prevented)},
      {"The third demo takes only the bunny's edges in balls; with its dense mesh this is no big issue (section "
       "5.3.2).",
       bounces.published.all > 0 && bounces.published.by_edges_of_body * 100 >= bounces.published.all * 95,
       fmt::format("edges of the bunny are found in the ball for {} pairs as published (one collision a pixel), for {} "
                   "with all collisions of a pixel",
                   of(bounces.published.by_edges_of_body, bounces.published.all),
                   of(bounces.improved.by_edges_of_body, bounces.improved.all))},
      {"Our own: in one pass the time of a sample does not depend on the number of solids (1.5 times at most).",
       many_solids.slowest <= 1.5 * many_solids.fastest,
       fmt::format("{:.2f} to {:.2f} µs for {} to {} solids", many_solids.fastest, many_solids.slowest,
                   many_solids.fewest, many_solids.most)},
  };
  section.differences = {
      fmt::format(
          "As published, {} of {} pairs with 50 balls are missed: an edge of another object, drawn later in the "
          "same pixel, hides the one that penetrates, or a self-interference does. The paper's balls have an "
          "unknown number of triangles; ours have 500, and their edges fill more pixels.",
          few.published.missed, few.pairs),
      "The paper's scene is not published. Of our balls fewer are in a step at once, since most are in the air; many "
      "more "
      "are in another ball.",
      "The offset moves edges out of their solid, along the normals, so that solids grow: more is found, and most of "
      "it "
      "is false. What is missed as published is missed since one edge hides another, and not by an offset this way.",
      "The paper ignores balls that hit balls. Here all pairs count, and the table has those of a ball and a step "
      "beside "
      "them.",
      fmt::format("With all collisions of a pixel, {} of {} pairs are missed at this resolution. They lie between the "
                  "samples; the table of resolutions has the one that finds them.",
                  improved, pairs),
      fmt::format(
          "In one pass, 250 balls take {:.0f} times as long as 50, not 5 times: of 50 balls in flight few have a "
          "box that meets another's, and the rest are left out at once, of 250 most. The time follows the "
          "edges near other solids and the faces above them, as the last table shows, where only the number of "
          "solids differs.",
          many.improved.milliseconds.mean() / std::max(few.improved.milliseconds.mean(), 1e-9)),
      "The third demo is driven by the method: each ball bounces along the normals that the method returned in that "
      "frame. Pairs of two balls are not looked for, as in the report. Ours also finds the pairs in which only the "
      "ball "
      "has edges in the bunny; the response uses the bunny's edges, as in the report.",
      "The report takes the depth of an edge and of a face at different points of a pixel, so solids that are closer "
      "than "
      "a pixel may be reported. Both are taken at one point in the one pass, and depths that differ by less than the "
      "snapping of corners to 1/256 pixel do not count.",
  };
  return section;
}

}  // namespace sightline::experiments
