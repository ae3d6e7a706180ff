// Vaněček: about half of the faces of two moving bodies need not be tested; as a front end this about doubles the
// speed.
#include <chrono>

#include "experiments/support.h"
#include "method/kept.h"
#include "scenes/papers/placing.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::experiments {
namespace {

using Motions = std::vector<std::optional<Motion>>;

MethodSettings culling(const Settings& settings, bool published) {
  MethodSettings options = options_of(settings, MethodName::velocity, Precision::image);
  options.paper = published ? papers::method::as_published(MethodName::velocity) : MethodOptions{};
  return options;
}

// ---- share of the faces

struct Share {
  Average published, improved;
};

double culled(const Settings& settings, Scene& scene, const Motions& motions, bool published) {
  MethodSettings options = culling(settings, published);
  options.paper.motions = motions;
  const Report report = run(scene, options);
  return static_cast<double>(report.method.culled) / static_cast<double>(report.stats.triangles);
}

void add(const Settings& settings, Scene& scene, const Motions& motions, Share& share) {
  share.published.add(culled(settings, scene, motions, true));
  share.improved.add(culled(settings, scene, motions, false));
}

/// Two bodies close to each other that fly in random directions, with or without a spin.
Share random_flights(const Settings& settings, const Mesh& a, const Mesh& b, const Vec3d& center_b, double spin,
                     int count) {
  scenes::Random random(7);
  Share share;
  for (int i = 0; i < count; ++i) {
    Scene scene;
    scene.add(a);
    scene.add(b);
    const Vec3d velocity_a = random.in_cube(1), spin_a = random.in_cube(spin);
    const Vec3d velocity_b = random.in_cube(1), spin_b = random.in_cube(spin);
    add(settings, scene, {Motion{{0, 0, 0}, velocity_a, spin_a}, Motion{center_b, velocity_b, spin_b}}, share);
  }
  return share;
}

// ---- the whole query

/// Rigid bodies that move: each frame gives them other poses.
struct Bodies {
  std::string name;
  std::vector<Mesh> meshes;
  std::vector<scenes::Pose> poses;
  std::vector<Motion> motions;  ///< of a frame
  int skip, frames, step;       ///< frames that are left out first, frames that are measured, and every how many
};

Transform transform_of(const scenes::Pose& pose) {
  Transform transform;
  for (int k = 0; k < 3; ++k) {
    Vec3d axis = {0, 0, 0};
    axis[k] = 1;
    const Vec3d column = pose.rotated(axis);
    for (int i = 0; i < 3; ++i) transform.rows[i][k] = column[i];
  }
  for (int i = 0; i < 3; ++i) transform.rows[i][3] = pose.center[i];
  return transform;
}

/// The tori of figures 4 and 5, from their first contact until one is half through the other.
Bodies tori(std::size_t n) {
  const Mesh torus = scenes::torus(n / 2);
  return {"two tori (figures 4 and 5), from touching to half through each other",
          {torus, torus},
          {scenes::Pose{.center = {-2.1, 0, 0}, .rotation = scenes::rotation_about({1, 0, 0}, 0.3)},
           scenes::Pose{.center = {2.1, 0.15, 0.2}, .rotation = scenes::rotation_about({1, 0.3, 0}, 1)}},
          {{.velocity = {0.02, 0.001, 0}, .angular_velocity = {0.005, 0.02, 0.01}},
           {.velocity = {-0.02, 0, -0.001}, .angular_velocity = {-0.01, 0.004, 0.025}}},
          36,
          8,
          6};
}

/// Tori linked as in a chain, which swing without a contact or with few.
Bodies chain(std::size_t n) {
  const Mesh torus = scenes::torus(n / 2, {0, 0, 0}, 1, 0.25);
  return {"two links of a chain",
          {torus, torus},
          {scenes::Pose{.center = {0, 0, 0}},
           scenes::Pose{.center = {1, 0, 0}, .rotation = scenes::rotation_about({1, 0, 0}, 1)}},
          {{.velocity = {0.004, 0, 0.002}, .angular_velocity = {0.004, 0.002, 0}},
           {.velocity = {-0.004, 0.001, 0}, .angular_velocity = {0, 0.004, 0.004}}},
          0,
          8,
          6};
}

/// A ball that turns and shifts in a hollow one: every face is close to the other body.
Bodies bearing(std::size_t n) {
  Mesh inner = scenes::sphere(n / 3, {0, 0, 0}, 1.02);
  for (Triangle& t : inner.triangles) std::swap(t[0], t[1]);
  const Mesh shell = scenes::merged(std::vector<Mesh>{scenes::sphere(n / 3, {0, 0, 0}, 1.2), inner});
  return {"a ball in a hollow ball",
          {scenes::sphere(n / 3), shell},
          {scenes::Pose{}, scenes::Pose{}},
          {{.velocity = {0.0005, 0.0002, 0}, .angular_velocity = {0.001, 0.001, 0}}, {}},
          0,
          8,
          6};
}

/// Two bodies that run into each other side by side.
Bodies bumpy(std::size_t n) {
  return {"two bumpy bodies that run into each other",
          {scenes::bumpy_body(n / 2), scenes::bumpy_body(n / 2, {0, 0, 0}, 1, 2)},
          {scenes::Pose{.center = {-1, 0, 0}}, scenes::Pose{.center = {1, 0.1, 0}}},
          {{.velocity = {0.015, 0, 0}, .angular_velocity = {0, 0.01, 0}},
           {.velocity = {-0.015, 0, 0}, .angular_velocity = {0.005, 0, 0.01}}},
          0,
          8,
          6};
}

/// Balls in a heap, each with a velocity and a spin of its own.
Bodies heap(std::size_t n) {
  Bodies bodies{"a heap of 100 balls", scenes::spheres(100, std::max<std::size_t>(n / 100, 80)), {}, {}, 0, 4, 6};
  scenes::Random random(3);
  for (Mesh& mesh : bodies.meshes) {
    const Vec3d center = scenes::box_of(mesh).center();
    mesh = scenes::moved(mesh, scenes::times(-1, center));
    bodies.poses.push_back({.center = center});
    bodies.motions.push_back({.velocity = random.in_cube(0.01), .angular_velocity = random.in_cube(0.01)});
  }
  return bodies;
}

/// Means of the frames, in milliseconds.
struct Times {
  Average without, front, whole, first, contacts_without, contacts, culled;
  double factor() const { return without.sum / whole.sum; }
};

struct Measured {
  std::size_t triangles = 0;
  Times published, improved;
  Average copying;   ///< on a GPU, of `without`: positions there, contacts back
  bool same = true;  ///< on a GPU: culled faces and contacts are those of the CPU
};

double milliseconds_of(const auto& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The bodies on a device, with what the methods keep from frame to frame there.
struct Staged {
  Staged(const Device& device, const Bodies& bodies) : scene(device) {
    for (const Mesh& mesh : bodies.meshes) scene.add(mesh);
  }
  void place(const std::vector<scenes::Pose>& poses) {
    for (std::size_t i = 0; i < poses.size(); ++i) scene.place(static_cast<ObjectId>(i), transform_of(poses[i]));
  }
  Scene scene;
  papers::method::Kept kept[2], kept_without;
};

/// A frame that is repeated would end pruning where it ended the last time.
void forget_sets(papers::method::Kept& kept) {
  for (papers::method::Kept::Pruned& pruned : kept.pruned) pruned = {};
}

/// The same frames with and without the front end, the best of a few runs of each, in turn. The scene and what the
/// methods keep stay from frame to frame. Each run is preceded by new places: a scene keeps what rests.
Measured measure(const Settings& settings, const Bodies& bodies, MethodName then = MethodName::exact) {
  Measured result;
  Staged staged(settings.device, bodies);
  std::optional<Staged> on_cpu;
  if (settings.device.type() != Device::Type::cpu) on_cpu.emplace(Device::cpu(), bodies);
  for (const Mesh& mesh : bodies.meshes) result.triangles += mesh.triangles.size();
  const int runs = settings.quick ? 1 : result.triangles > 300'000 ? 3 : 7;
  std::vector<scenes::Pose> poses = bodies.poses;
  std::vector<Motion> motions = bodies.motions;
  for (int frame = 0; frame < bodies.skip + bodies.frames * bodies.step; ++frame) {
    for (std::size_t i = 0; i < poses.size(); ++i) {
      motions[i].center = poses[i].center;
      poses[i] = scenes::stepped(poses[i], motions[i]);
      motions[i].center = poses[i].center;
    }
    if (frame < bodies.skip || (frame - bodies.skip) % bodies.step != 0) continue;
    if (frame > bodies.skip && settings.quick) break;
    settings.progress(fmt::format("{}, {} triangles, frame {}", bodies.name, result.triangles, frame));
    if (on_cpu) on_cpu->place(poses);
    MethodSettings plain = options_of(settings, then, Precision::conservative);
    double best = 1e300, copying = 0;
    Report report;
    for (int run_number = 0; run_number < runs + 1; ++run_number) {
      staged.place(poses);
      forget_sets(staged.kept_without);
      const double time = milliseconds_of([&] { report = run(staged.scene, plain, staged.kept_without); });
      if ((run_number == 0 && runs > 1) || time >= best) continue;
      best = time;
      copying = stage_ms(report, "upload") + stage_ms(report, "download");
    }
    result.copying.add(copying);
    for (const bool published : {true, false}) {
      Times& times = published ? result.published : result.improved;
      times.without.add(best);
      times.contacts_without.add(static_cast<double>(report.contacts.size()));
    }
    for (const bool published : {true, false}) {
      Times& times = published ? result.published : result.improved;
      MethodSettings options = culling(settings, published);
      options.paper.then = then;
      if (then != MethodName::exact) options.renderer = settings.renderer;
      options.paper.motions.assign(motions.begin(), motions.end());
      double whole_best = 1e300, front_best = 1e300;
      Report culled_report;
      for (int run_number = 0; run_number < runs + 1; ++run_number) {
        staged.place(poses);
        forget_sets(staged.kept[published]);
        const double time =
            milliseconds_of([&] { culled_report = run(staged.scene, options, staged.kept[published]); });
        if (stage_ms(culled_report, "faces") > times.first.most) times.first.add(stage_ms(culled_report, "faces"));
        if (run_number == 0 && runs > 1) continue;
        whole_best = std::min(whole_best, time);
        front_best = std::min(front_best, stage_ms(culled_report, "velocity"));
      }
      times.whole.add(whole_best);
      times.front.add(front_best);
      times.contacts.add(static_cast<double>(culled_report.contacts.size()));
      times.culled.add(static_cast<double>(culled_report.method.culled) / static_cast<double>(result.triangles));
      if (!on_cpu) continue;
      const Report expected = run(on_cpu->scene, options, on_cpu->kept[published]);
      result.same = result.same && expected.contacts == culled_report.contacts &&
                    expected.method.culled == culled_report.method.culled;
    }
  }
  return result;
}

std::string times_as_fast(double factor) { return fmt::format("{:.2f}", factor); }
std::string fine(double value) { return fmt::format("{:.{}f}", value, value < 1 ? 3 : value < 10 ? 2 : 1); }

/// What the front end computes in a frame after each way to change a torus.
Table ways_to_move(const Settings& settings, std::size_t n) {
  Table table{fmt::format("What a frame of two tori, {} faces, computes after one of them changed: ms", n),
              {"change", "topology, winding, faces", "front end"},
              {}};
  const Bodies bodies = tori(n);
  const Mesh &torus = bodies.meshes[0], copy = torus;
  const Mesh moved = scenes::moved(torus, {0.25, 0, 0}), larger = scenes::scaled(torus, 1.25);
  Scene scene;
  scene.add(torus.view().placed(transform_of(bodies.poses[0])));
  scene.add(torus.view().placed(transform_of(bodies.poses[1])));
  MethodSettings options = culling(settings, false);
  options.paper.motions.assign(bodies.motions.begin(), bodies.motions.end());
  papers::method::Kept kept;
  const auto row = [&](const char* name, const auto& change) {
    Average faces, front;
    for (int i = 0; i < (settings.quick ? 2 : 6); ++i) {
      change(i);
      const Report report = run(scene, options, kept);
      if (i == 0) continue;  // memory, and the tori themselves
      faces.add(stage_ms(report, "faces"));
      front.add(stage_ms(report, "velocity"));
    }
    table.rows.push_back({name, fine(faces.least), fine(front.least)});
  };
  row("`Scene::place`: another transform", [&](int i) {
    scenes::Pose pose = bodies.poses[0];
    pose.center[0] += 0.01 * i;
    scene.place(0, transform_of(pose));
  });
  row("`Scene::move`: the positions after a rigid motion",
      [&](int i) { scene.move(0, (i % 2 == 0 ? moved : torus).view().positions); });
  row("`Scene::move`: the body is deformed",
      [&](int i) { scene.move(0, (i % 2 == 0 ? larger : torus).view().positions); });
  row("`Scene::replace`: another mesh",
      [&](int i) { scene.replace(0, (i % 2 == 0 ? copy : torus).view().placed(transform_of(bodies.poses[0]))); });
  return table;
}

/// The columns of times behind `first`; on a GPU with the part of the time without the front end that copying takes.
std::vector<std::string> columns(const Settings& settings, std::vector<std::string> first) {
  first.push_back("without");
  if (settings.device.type() != Device::Type::cpu) first.push_back("without: copying");
  for (const char* variant : {"published", "improved"})
    for (const char* what : {"culled", "front end", "whole query", "times as fast"})
      first.push_back(fmt::format("{}: {}", variant, what));
  return first;
}
void add_times(const Settings& settings, const Measured& m, std::vector<std::string>& row) {
  row.push_back(fine(m.improved.without.mean()));
  if (settings.device.type() != Device::Type::cpu) row.push_back(fine(m.copying.mean()));
  for (const Times* t : {&m.published, &m.improved})
    for (const std::string& cell :
         {percent(t->culled.mean()), fine(t->front.mean()), fine(t->whole.mean()), times_as_fast(t->factor())})
      row.push_back(cell);
}

struct Growth {
  double exponent = 0;
  double per_face = 0;  ///< nanoseconds, at the largest size
};
Growth growth(const Measured& small, const Measured& large, Times Measured::*of) {
  const auto size = [](const Measured& m) { return static_cast<double>(m.triangles); };
  const double x = (small.*of).front.mean(), y = (large.*of).front.mean();
  return {std::log(y / x) / std::log(size(large) / size(small)), 1e6 * y / size(large)};
}

void share_of_faces(const Settings& settings, Section& section) {
  const std::size_t n = settings.quick ? 400 : 4000;
  const int count = settings.quick ? 10 : 100;
  Table table{"Share of the faces culled",
              {"bodies", "motions", "paper", "as published", "least", "most", "improved: with bounding volumes"},
              {}};
  const auto row = [&](const char* bodies, const char* motions, const char* paper, const Share& share) {
    table.rows.push_back({bodies, motions, paper, percent(share.published.mean()), percent(share.published.least),
                          percent(share.published.most), percent(share.improved.mean())});
  };
  const Vec3d above = {0.1, 0, 0.85}, beside = {2.2, 0, 0};  // bounding spheres overlap, bodies do not
  settings.progress("random flights");
  const Share straight = random_flights(settings, scenes::torus(n), scenes::torus(n, above), above, 0, count);
  row("two tori", "translation, random", "half", straight);
  const Share spinning = random_flights(settings, scenes::torus(n), scenes::torus(n, above), above, 0.5, count);
  row("two tori", "translation and rotation, random", "half", spinning);
  const Share bodies =
      random_flights(settings, scenes::bumpy_body(n), scenes::bumpy_body(n, beside, 1, 2), beside, 0.5, count);
  row("two bumpy bodies", "translation and rotation, random", "half", bodies);
  const Share boxes = random_flights(settings, scenes::box({-1, -1, -1}, {1, 1, 1}),
                                     scenes::box({1.2, -1, -1}, {3.2, 1, 1}), beside, 0.5, count);
  row("two boxes, six faces of two triangles each", "translation and rotation, random", "half", boxes);

  settings.progress("approaching tori");
  const auto animation = scenes::approaching_tori(n * 2);
  Share approach;
  Plot plot{"vanecek",
            "Faces culled while two tori approach",
            "frame",
            "share of the faces",
            false,
            false,
            {{"by velocity", {}}, {"with bounding volumes", {}}}};
  for (int frame = 0; frame < (settings.quick ? 5 : 40); ++frame, animation->advance()) {
    Scene scene = scene_of(animation->frame(), false);
    const Motions motions = motions_of(animation->frame());
    const double plain = culled(settings, scene, motions, true), spheres = culled(settings, scene, motions, false);
    approach.published.add(plain);
    approach.improved.add(spheres);
    plot.series[0].points.emplace_back(frame + 1, plain);
    plot.series[1].points.emplace_back(frame + 1, spheres);
  }
  row("two tori (figures 4 and 5)", "approaching, turning", "half", approach);
  section.tables.push_back(std::move(table));
  section.plots.push_back(std::move(plot));
  section.claims.push_back({"On average half of the faces are culled.",
                            std::abs(straight.published.mean() - 0.5) < 0.05,
                            fmt::format("{} for tori in translation", percent(straight.published.mean()))});
  section.claims.push_back({"With bounding volumes it is more than half (section 5).", straight.improved.mean() > 0.5,
                            percent(straight.improved.mean())});
  section.claims.push_back({"Rotation culls somewhat less, as all points of a face must move away.",
                            spinning.published.mean() <= straight.published.mean() + 0.01,
                            percent(spinning.published.mean())});
}

/// Tori of each size.
std::vector<Measured> by_size(const Settings& settings, const std::vector<std::size_t>& sizes, Section& section) {
  Table table{"Two tori (figures 4 and 5), from touching to half through each other: ms a frame",
              columns(settings, {"faces", "made once"}),
              {}};
  Plot plot{"vanecek-time",
            "Whole query of two moving tori",
            "faces",
            "ms",
            true,
            true,
            {{"without the front end", {}},
             {"with it, as published", {}},
             {"with it, improved", {}},
             {"front end alone, as published", {}},
             {"front end alone, improved", {}}}};
  std::vector<Measured> measured;
  for (const std::size_t size : sizes) {
    const Measured& m = measured.emplace_back(measure(settings, tori(size)));
    std::vector<std::string> row = {std::to_string(m.triangles), fine(m.improved.first.most)};
    add_times(settings, m, row);
    table.rows.push_back(row);
    const double y[] = {m.improved.without.mean(), m.published.whole.mean(), m.improved.whole.mean(),
                        m.published.front.mean(), m.improved.front.mean()};
    for (std::size_t i = 0; i < plot.series.size(); ++i)
      plot.series[i].points.emplace_back(static_cast<double>(m.triangles), y[i]);
  }
  section.tables.push_back(std::move(table));
  section.plots.push_back(std::move(plot));
  return measured;
}

/// How many times as fast the query is with the front end, over kinds of solids.
struct Factors {
  Average published, improved;
  std::string each;  ///< improved: a factor for each kind of solids
  bool same = true;  ///< Measured::same
};
Factors by_solids(const Settings& settings, std::size_t n, Section& section) {
  Table table{fmt::format("Solids of about {} faces in all: ms a frame", n),
              columns(settings, {"solids", "contacts without", "contacts with"}),
              {}};
  Factors factors;
  for (const Bodies& bodies : {tori(n), chain(n), bumpy(n), bearing(n), heap(n)}) {
    const Measured m = measure(settings, bodies);
    std::vector<std::string> row = {bodies.name, whole(m.improved.contacts_without.mean()),
                                    whole(m.improved.contacts.mean())};
    add_times(settings, m, row);
    table.rows.push_back(row);
    factors.published.add(m.published.factor());
    factors.improved.add(m.improved.factor());
    factors.each += fmt::format("{}{:.2f} {}", factors.each.empty() ? "" : "; ", m.improved.factor(), bodies.name);
    factors.same = factors.same && m.same;
  }
  section.tables.push_back(std::move(table));
  return factors;
}

Claim linear_time(const Measured& small, const Measured& large) {
  const Growth as_published = growth(small, large, &Measured::published),
               ours = growth(small, large, &Measured::improved);
  return {"The front end takes linear time (section 4).", as_published.exponent <= 1.1 && ours.exponent <= 1.1,
          fmt::format("from {} to {} faces it grows with the power {:.2f}; improved {:.2f}; {:.1f} and "
                      "{:.1f} ns a face at the end",
                      small.triangles, large.triangles, as_published.exponent, ours.exponent, as_published.per_face,
                      ours.per_face)};
}
std::string text_of(const Average& factors) {
  return fmt::format("{:.2f} times, {:.2f} to {:.2f}", factors.mean(), factors.least, factors.most);
}

void whole_query(const Settings& settings, Section& section) {
  const std::vector<Measured> measured =
      by_size(settings,
              settings.quick ? std::vector<std::size_t>{1000, 4000}
                             : std::vector<std::size_t>{1000, 10'000, 100'000, 1'000'000},
              section);
  const Factors factors = by_solids(settings, settings.quick ? 3000 : 200'000, section);

  const std::size_t few = settings.quick ? 1000 : 20'000;
  Table by_method{fmt::format("Two tori of {} faces, then another method, conservative: ms a frame", few),
                  columns(settings, {"then"}),
                  {}};
  std::string by_each;
  Average then_factors;
  for (const MethodName then : {MethodName::exact, MethodName::cullide, MethodName::quick_cullide, MethodName::peel}) {
    const Measured m = measure(settings, tori(few), then);
    std::vector<std::string> row = {std::string(to_string(then))};
    add_times(settings, m, row);
    by_method.rows.push_back(row);
    then_factors.add(m.improved.factor());
    by_each += fmt::format("{}{:.2f} {}", by_each.empty() ? "" : ", ", m.improved.factor(), to_string(then));
  }
  section.tables.push_back(std::move(by_method));
  settings.progress("ways to move");
  section.tables.push_back(ways_to_move(settings, settings.quick ? 1000 : 100'000));

  const Measured &small = measured[measured.size() / 2 - 1], &large = measured.back();
  const double per_face = growth(small, large, &Measured::published).per_face;
  section.claims.push_back(linear_time(small, large));
  section.claims.push_back(
      {"As a front end it makes the collision test about twice as fast on average (section 1).",
       factors.published.mean() >= 2,
       fmt::format("as published {}, before the exact engine, on five kinds of solids", text_of(factors.published))});
  section.claims.push_back({"The same, improved.", factors.improved.mean() >= 2, text_of(factors.improved)});
  section.claims.push_back({"Our own: improved, the whole query is at least 1.5 times as fast for each kind of solids.",
                            factors.improved.least >= 1.5, factors.each});
  section.claims.push_back(
      {"Our own: improved, it is at least 1.5 times as fast before each method.", then_factors.least >= 1.5, by_each});
  section.differences = {
      fmt::format(
          "As published, the front end looks at each point of each face ({:.0f} ns a face at {} faces); without "
          "it the exact engine takes {:.0f} ns a face for everything, since boxes leave most faces out at once. "
          "So it cannot double this speed; before a method that draws its faces it comes closer. The paper's "
          "contact analysis, a set operation on boundary representations, took far longer for a face.",
          per_face, large.triangles, 1e6 * large.published.without.mean() / static_cast<double>(large.triangles)),
      "As published, the front end does the same work for each face at every size. Its time grows faster than linear "
      "where the faces no longer fit the caches: then a face costs what it takes to bring it from memory.",
      "The improved front end gains by what it keeps: blocks of faces have bounds of their normals and positions in "
      "the "
      "body's own coordinates, so most blocks go or stay by one test. It gains least where two bodies run deep into "
      "each other: there most of the time goes to pairs of faces that both advance.",
      "A method over images fits its image to what is left of the bodies: after the improved front end this is a small "
      "part of them, whose triangles cover more pixels. So these methods gain less by it than the exact engine does.",
      "In a heap nearly every face advances towards one of the many other bodies, so that without bounding volumes "
      "none goes. With them most go, but each face is compared with every ball near it, so the front end takes more of "
      "the query than for two bodies, and the gain is the least of the five.",
      "A box has six faces, each of which goes or stays as a whole: with a spin, less than half of them go."};
}

// ---- on a GPU

void on_gpu(const Settings& settings, Section& section) {
  const std::vector<Measured> measured =
      by_size(settings,
              settings.quick ? std::vector<std::size_t>{1000, 4000}
                             : std::vector<std::size_t>{1000, 10'000, 100'000, 1'000'000, 4'000'000},
              section);
  const std::size_t few = settings.quick ? 3000 : 200'000, many = settings.quick ? 6000 : 1'000'000;
  const Factors small = by_solids(settings, few, section), large = by_solids(settings, many, section);
  const bool same = small.same && large.same &&
                    std::all_of(measured.begin(), measured.end(), [](const Measured& m) { return m.same; });
  section.claims.push_back({"Culled faces and contacts are those of the CPU, in every frame, published and improved.",
                            same, same ? "all equal" : "NOT EQUAL"});
  section.claims.push_back(linear_time(measured[measured.size() - 2], measured.back()));
  section.claims.push_back(
      {"With the front end, improved, the whole query is at least 1.5 times as fast.",
       small.improved.least >= 1.5 && large.improved.least >= 1.5,
       fmt::format("{} at {} faces; {} at {}", text_of(small.improved), few, text_of(large.improved), many)});
  section.claims.push_back(
      {"The same, as published.", small.published.least >= 1.5 && large.published.least >= 1.5,
       fmt::format("{} at {} faces; {} at {}", text_of(small.published), few, text_of(large.published), many)});
  section.differences = {
      "Without the front end, the host transforms all positions and copies them to the GPU in each frame (*copying*). "
      "With it, faces, triangles and stored points stay on the GPU, and a frame sends transforms only. So a part of "
      "the "
      "gain is less copying.",
      "A query of few faces takes as long as its launches do, and the front end adds some."};
}

}  // namespace

Section vanecek(const Settings& settings) {
  Section section;
  section.name = "vanecek";
  section.title = "Back-face culling applied to collision detection";
  section.citation = "G. Vaněček: Back-face culling applied to collision detection of polyhedra. CSD-TR-93-020, 1993.";
  section.setup = {
      "Method `velocity`: faces that move away are dropped before another method runs. The random motions are of "
      "bodies "
      "next to each other: two tori stacked, a tenth of a radius apart, or two bodies side by side.",
      "*As published*: each face by at most eight points that bound it, at this instant, in double. *Improved*: also "
      "bounding spheres, boxes and cells over them, and blocks of 64 faces in float with a margin that leaves open "
      "cases to "
      "double.",
      "Times are of the whole query, from a scene whose bodies have new transforms to the list of contacts, without "
      "and "
      "with the front end; the exact engine finds the contacts of what is left. Both keep their memory from frame to "
      "frame, and the front end its topology, winding and faces (*made once*). The mean over the frames of the best of "
      "a few runs. With the front end, contacts of faces that move away are not in the list: this is what the method "
      "is for."};
  if (settings.device.type() == Device::Type::cuda) {
    section.title += ", on a GPU";
    on_gpu(settings, section);
    return section;
  }
  share_of_faces(settings, section);
  whole_query(settings, section);
  return section;
}

}  // namespace sightline::experiments
