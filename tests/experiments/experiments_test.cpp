// The experiments' parts: pictures of sets, and the rows of Quick-CULLIDE's sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "experiments/figure.h"
#include "experiments/quick_cullide.h"
#include "scenes/scenes.h"

namespace {

using namespace sightline;
using namespace sightline::experiments;
using sightline::experiments::Report;
using sightline::experiments::Settings;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kPng = "\x89PNG\r\n";

/// Width and height in the head of a PNG file.
std::pair<std::uint32_t, std::uint32_t> size_of_png(const std::string& png) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(png[at + i]);
    return value;
  };
  return {number(16), number(20)};
}

struct TwoSpheres {
  TwoSpheres() : meshes{scenes::sphere(500), scenes::sphere(500, {1.2, 0.3, 0.2})} {
    for (const Mesh& mesh : meshes) {
      views.push_back(mesh);
      scene.add(mesh);
    }
  }
  Report run_with(MethodOptions options) {
    Settings settings;
    settings.threads = 1;
    MethodSettings all = options_of(settings, MethodName::quick_cullide, Precision::image);
    all.paper = options;
    return run(scene, all);
  }
  std::vector<Mesh> meshes;
  std::vector<MeshView> views;
  Scene scene;
};

std::size_t count(const Panel& panel, Ink ink) {
  std::size_t sum = 0;
  for (const FigureMesh& mesh : panel.meshes)
    sum += static_cast<std::size_t>(std::count(mesh.inks.begin(), mesh.inks.end(), ink));
  return sum;
}

TEST(Figure, PanelsShowTheSetsOfARun) {
  TwoSpheres spheres;
  MethodOptions options = published_options({{View{{0, 0, -1}}}, 256});
  options.record_dropped = true;
  const Report report = spheres.run_with(options);
  ASSERT_GT(report.method.pcs.size(), 0u);
  ASSERT_GT(report.method.dropped.size(), 0u);
  const std::size_t all = spheres.meshes[0].triangles.size() + spheres.meshes[1].triangles.size();
  EXPECT_EQ(count(plain_panel(spheres.views), Ink::plain), all);
  EXPECT_EQ(count(set_panel(spheres.views, report), Ink::set), report.method.pcs.size());
  EXPECT_EQ(count(set_panel(spheres.views, report, Ink::absent), Ink::absent), all - report.method.pcs.size());
  std::set<std::pair<std::uint32_t, std::uint32_t>> touched;
  for (const Contact& contact : report.contacts) {
    touched.insert({contact.object_a, contact.a});
    touched.insert({contact.object_b, contact.b});
  }
  EXPECT_EQ(count(contact_panel(spheres.views, report), Ink::contact), touched.size());
  for (std::size_t passes = 0; passes <= report.method.passes.size(); ++passes) {
    const std::uint64_t left = passes == 0 ? all : report.method.passes[passes - 1].pcs_after;
    EXPECT_EQ(count(pruning_panel(spheres.views, report, passes), Ink::plain), left) << passes;
  }
}

TEST(Figure, PanelsSideBySideInAFileOfLimitedSize) {
  TwoSpheres spheres;
  const std::vector<Panel> panels(3, plain_panel(spheres.views));
  Settings settings;
  settings.threads = 1;
  const Figure one = figure(settings, "name", "A caption.", panels);
  EXPECT_EQ(one.file, "name");
  EXPECT_EQ(one.caption, "A caption.");
  EXPECT_THAT(one.png, StartsWith(kPng));
  EXPECT_LE(one.png.size(), kMostBytes);
  const auto [width, height] = size_of_png(one.png);
  EXPECT_GE(width, 3 * kPanelWidth);
  EXPECT_EQ(height, kPanelHeight);
}

TEST(Figure, ThePageLinksToIt) {
  Section section;
  section.name = section.title = "name";
  section.figures.push_back({"some-figure", "A caption.", "bytes"});
  EXPECT_THAT(to_markdown({&section, 1}, "machine"), HasSubstr("![A caption.](papers/some-figure.png)"));
  EXPECT_THAT(to_json({&section, 1}, "machine"), HasSubstr("some-figure"));
}

TEST(Page, AVerdictIsYesNoOrMore) {
  Section section;
  section.name = section.title = "name";
  EXPECT_THAT(to_markdown({&section, 1}, "machine"), Not(HasSubstr("| claim |")));
  section.claims = {{"one", true, "1"}, {"two", false, "2"}, {"three", true, "9: why", true}};
  const std::string page = to_markdown({&section, 1}, "machine");
  EXPECT_THAT(page, HasSubstr("| claim | holds | measured |"));
  EXPECT_THAT(page, HasSubstr("| one | yes | 1 |"));
  EXPECT_THAT(page, HasSubstr("| two | **no** | 2 |"));
  EXPECT_THAT(page, HasSubstr("| three | more than the paper's | 9: why |"));
  EXPECT_THAT(to_json({&section, 1}, "machine"), HasSubstr("\"verdict\": \"more than the paper's\""));
}

/// A body that never moves is no scene at rest here: each frame is a whole query.
TEST(ExactEngine, EveryFrameIsAnswered) {
  Settings settings;
  settings.quick = true;
  settings.threads = 1;
  const Section section = exact_engine(settings);
  ASSERT_EQ(section.tables.size(), 1u);
  const Table& table = section.tables[0];
  ASSERT_EQ(table.columns.back(), "pairs tested");
  ASSERT_EQ(table.rows.size(), 4u);
  for (const std::size_t i : {2, 3}) EXPECT_GT(std::stoul(table.rows[i].back()), 0u) << table.rows[i][0];
}

/// Figure 12: the pictures differ, and are counted in passes of the paper, as in figure 9.
TEST(BoldtMeyer, TheSequenceHasOtherSetsAndPassesOfThePaper) {
  Settings settings;
  settings.quick = true;
  settings.threads = 1;
  Section section;
  add_boldt_meyer_figures(section, settings);
  ASSERT_EQ(section.figures.size(), 2u);
  const std::string& caption = section.figures[1].caption;
  const std::regex after("(\\d+) after pass (\\d+)");
  unsigned long left = std::stoul(caption.substr(caption.rfind(": ") + 2));
  unsigned long pass = 0, pictures = 0;
  for (std::sregex_iterator it(caption.begin(), caption.end(), after), end; it != end; ++it, ++pictures) {
    EXPECT_LT(std::stoul((*it)[1]), left) << caption;
    EXPECT_GT(std::stoul((*it)[2]), pass) << caption;
    left = std::stoul((*it)[1]);
    pass = std::stoul((*it)[2]);
  }
  EXPECT_GT(pictures, 0u);
  EXPECT_LE(pass, 15u) << caption;  // calls of reducePCS: six a pass
}

/// A row has the sets of single runs: both levels limited to the same number of rounds.
TEST(Sweep, RowsAreTheSetsOfSingleRuns) {
  std::vector<Mesh> meshes = scenes::spheres(20, 200);
  Scene scene;
  for (const Mesh& mesh : meshes) scene.add(mesh);
  Settings settings;
  settings.threads = 1;
  const Shots shots{{View{{-1, 0, 0}}, View{{0, 0, -1}}}, 256};
  Sweep sweep;
  sweep.add(settings, "spheres", scene, shots, true);
  ASSERT_EQ(sweep.rows().size(), 4u);
  EXPECT_TRUE(sweep.subset());
  EXPECT_TRUE(sweep.plain_ignores_order());
  std::size_t published = 0;
  for (const SweepRow& row : sweep.rows()) {
    SCOPED_TRACE(row.levels + ", " + row.order);
    published += row.published ? 1 : 0;
    for (std::size_t i = 0; i < 4; ++i) {
      MethodOptions options = published_options(shots);
      options.object_level = row.levels == "objects, then triangles";
      options.back_to_front = row.order == "back to front";
      options.rounds = i < 3 ? static_cast<unsigned>(i) + 1 : 0;
      const Both both = run_both(settings, scene, options);
      EXPECT_EQ(row.quick[i].mean(), size_of(both.quick));
      EXPECT_EQ(row.plain[i].mean(), size_of(both.plain));
      if (i == 0 && row.published) {
        EXPECT_EQ(size_of(both.quick), size_of(run_both(settings, scene, published_options(shots)).quick));
      }
    }
    EXPECT_LE(row.quick[0].mean(), row.plain[0].mean());
  }
  EXPECT_EQ(published, 1u);
}

TEST(DepthComplexity, CullidePrunesOneOfAStackAndQuickCullideAll) {
  Settings settings;
  settings.quick = true;
  settings.threads = 1;
  const DepthComplexity stack = depth_complexity(settings);
  EXPECT_EQ(stack.most, 64u);
  EXPECT_EQ(stack.plain_left, 63u);
  EXPECT_EQ(stack.quick_left, 0u);
  EXPECT_GT(stack.quick_left_unordered, 0u);
}

TEST(QuickCullide, SectionHasTablesSweepAndFigures) {
  Settings settings;
  settings.quick = true;
  const Section section = quick_cullide(settings);
  ASSERT_GE(section.tables.size(), 7u);
  for (const Table& table : section.tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
  EXPECT_EQ(section.tables[0].rows.size(), 3u);
  // Cloth 2; breaking and leaves 2 levels, 2 orders and each triangle against all; crumpled cloth 2 and the other
  // program's 2.
  EXPECT_EQ(section.tables[2].rows.size(), 2u + 5 + 5 + 2 + 2);
  EXPECT_EQ(section.tables[3].rows.size(), 3u * 4);
  EXPECT_EQ(section.figures.size(), 3u);
  for (const Figure& one : section.figures) EXPECT_LE(one.png.size(), kMostBytes) << one.file;
  // What is missed is stated for each simulation, and each claim has a number.
  std::size_t misses = 0;
  for (const Claim& claim : section.claims) {
    misses += claim.measured.find("Quick-CULLIDE misses") != std::string::npos ? 1 : 0;
    EXPECT_NE(claim.measured.find_first_of("0123456789"), std::string::npos) << claim.text;
    if (claim.text.find("conservative precision misses nothing") != std::string::npos) {
      EXPECT_TRUE(claim.holds) << claim.measured;
    }
    if (claim.more) {
      EXPECT_NE(claim.measured.find(": "), std::string::npos) << claim.text;
    }
  }
  EXPECT_EQ(misses, 3u);
}

}  // namespace
