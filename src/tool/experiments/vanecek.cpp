// Vaněček: about half of the faces of two moving bodies need not be tested.
#include "experiments/support.h"
#include "scenes/random.h"
#include "scenes/scenes.h"

namespace sightline::experiments {
namespace {

struct Share {
  Average plain, spheres;
};

using Motions = std::vector<std::optional<Motion>>;

double culled(const Settings& settings, Scene& scene, const Motions& motions, bool bounding_spheres) {
  MethodSettings options = options_of(settings, MethodName::velocity, Precision::image);
  options.paper.precision = {};
  options.paper.motions = motions;
  options.paper.bounding_spheres = bounding_spheres;
  const Report report = run(scene, options);
  return static_cast<double>(report.method.culled) / static_cast<double>(report.stats.triangles);
}

void add(const Settings& settings, Scene& scene, const Motions& motions, Share& share) {
  share.plain.add(culled(settings, scene, motions, false));
  share.spheres.add(culled(settings, scene, motions, true));
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

}  // namespace

Section vanecek(const Settings& settings) {
  Section section;
  section.name = "vanecek";
  section.title = "Back-face culling applied to collision detection";
  section.citation = "G. Vaněček: Back-face culling applied to collision detection of polyhedra. CSD-TR-93-020, 1993.";
  section.setup = {
      "Method `velocity`: share of the triangles dropped before another method runs. The random motions are of "
      "bodies next to "
      "each other: two tori stacked, a tenth of a radius apart, or two bodies side by side."};
  const std::size_t n = settings.quick ? 400 : 4000;
  const int count = settings.quick ? 10 : 100;
  Table table{"Share of the faces culled",
              {"bodies", "motions", "paper", "ours", "least", "most", "with bounding spheres"},
              {}};
  const auto row = [&](const char* bodies, const char* motions, const char* paper, const Share& share) {
    table.rows.push_back({bodies, motions, paper, percent(share.plain.mean()), percent(share.plain.least),
                          percent(share.plain.most), percent(share.spheres.mean())});
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

  settings.progress("approaching tori");
  const auto animation = scenes::approaching_tori(n * 2);
  Share approach;
  Plot plot{"vanecek",
            "Faces culled while two tori approach",
            "frame",
            "share of the faces",
            false,
            false,
            {{"by velocity", {}}, {"with bounding spheres", {}}}};
  for (int frame = 0; frame < (settings.quick ? 5 : 40); ++frame, animation->advance()) {
    Scene scene = scene_of(animation->frame(), false);
    const Motions motions = motions_of(animation->frame());
    const double plain = culled(settings, scene, motions, false), spheres = culled(settings, scene, motions, true);
    approach.plain.add(plain);
    approach.spheres.add(spheres);
    plot.series[0].points.emplace_back(frame + 1, plain);
    plot.series[1].points.emplace_back(frame + 1, spheres);
  }
  row("two tori (figures 4 and 5)", "approaching, turning", "half", approach);
  section.tables.push_back(std::move(table));
  section.plots.push_back(std::move(plot));
  section.claims = {
      {"On average half of the faces are culled.", std::abs(straight.plain.mean() - 0.5) < 0.05,
       fmt::format("{} for tori in translation", percent(straight.plain.mean()))},
      {"With bounding spheres it is more than half (section 5).", straight.spheres.mean() > 0.5,
       percent(straight.spheres.mean())},
      {"Rotation culls somewhat less, as all points of a face must move away.",
       spinning.plain.mean() <= straight.plain.mean() + 0.01, percent(spinning.plain.mean())},
  };
  return section;
}

}  // namespace sightline::experiments
