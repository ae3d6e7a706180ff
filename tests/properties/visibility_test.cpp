// The visibility cull takes away work, never a contact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;
using sightline::Axis;
using sightline::Contact;
using sightline::Report;
using sightline::Scene;
using sightline::Stage;
using sightline::VisibilityCull;

Report collide(const std::vector<Mesh>& objects, unsigned self, const Tuned& options) {
  Scene scene;
  for (std::size_t i = 0; i < objects.size(); ++i) scene.add(objects[i], {.self = (self >> i & 1) != 0});
  return collide(scene, options);
}

/// With the cull, for every axis, some cells and some numbers of threads, the contacts are those without.
void expect_unchanged(const std::vector<Mesh>& objects, unsigned self, const std::string& what) {
  const std::vector<Contact> expected = collide(objects, self, {.visibility = VisibilityCull::off}).contacts;
  for (const Axis axis : {Axis::automatic, Axis::x, Axis::y, Axis::z})
    for (const double cell : {0.0, 0.3, 10.0})
      for (const VisibilityCull when : {VisibilityCull::on, VisibilityCull::automatic}) {
        const unsigned threads = 1 + static_cast<unsigned>(axis) + (cell > 1 ? 2 : 0);
        const Report report =
            collide(objects, self, {.threads = threads, .axis = axis, .cell = cell, .visibility = when});
        EXPECT_EQ(difference(expected, report, views(objects)), "")
            << what << ", axis " << static_cast<int>(axis) << ", cell " << cell;
      }
}

const Stage& stage(const Report& report) {
  const auto& stages = report.stats.stages;
  const auto it = std::find_if(stages.begin(), stages.end(), [](const Stage& s) { return s.name == "visibility"; });
  EXPECT_NE(it, stages.end());
  return *it;
}

class Visibility : public testing::TestWithParam<std::size_t> {};

TEST_P(Visibility, ContactsStay) {
  const Mesh mesh = mesh_of(corpus()[GetParam()]);
  expect_unchanged(sliced(mesh, 2), 0, "two slices");
  expect_unchanged(sliced(mesh, 5), 0b01010, "five slices");
  expect_unchanged(dealt(mesh, 3), 0b001, "dealt to three");
}

INSTANTIATE_TEST_SUITE_P(Corpus, Visibility,
                         testing::ValuesIn(corpus_where([](const Item& item) { return !item.big && !item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });

/// A sheet of 2 n² triangles at depth z, with a bulge.
Mesh sheet(int n, double z, double bulge = 0) {
  Builder builder;
  const auto at = [&](int i, int j) { return Vec3d{1.0 * i, 1.0 * j, z + bulge * i * (n - i) * j * (n - j)}; };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) builder.corner(at(i, j));
  const auto corner = [n](int i, int j) { return static_cast<std::uint32_t>(i * (n + 1) + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      builder.indexed(corner(i, j), corner(i + 1, j), corner(i + 1, j + 1));
      builder.indexed(corner(i, j), corner(i + 1, j + 1), corner(i, j + 1));
    }
  return builder.mesh();
}

TEST(VisibilityCases, SheetsApartAreCulledAndTouchingOnesAreNot) {
  const std::vector<Mesh> apart{sheet(80, 0), sheet(80, 30)};
  const Report on = collide(apart, 0, {.visibility = VisibilityCull::on});
  EXPECT_TRUE(on.contacts.empty());
  EXPECT_EQ(stage(on).unit, "triangles culled");

  const std::vector<Mesh> bulging{sheet(80, 0, 5e-6), sheet(80, 8, -5e-6), sheet(80, 3)};
  expect_unchanged(bulging, 0, "bulging sheets");
  EXPECT_GT(stage(collide(bulging, 0, {.axis = Axis::z, .visibility = VisibilityCull::on})).count, 0u);
}

// Depths and places at multiples of the cell size: what touches, touches at borders of cells.
TEST(VisibilityCases, TouchingAtCellBorders) {
  for (const double step : {0.25, 1.0, 4.0})
    for (const int count : {2, 3, 6}) {
      std::vector<Mesh> stack;
      for (int i = 0; i < count; ++i) {
        const double z = step * i;
        Mesh made = sheet(12, z);
        stack.push_back(i % 2 == 0 ? made : as_double(transformed(made, [&](const Vec3d& p) {
          // A tent that stands with its corners exactly on the sheet below.
          const bool peak = std::fmod(p[0], 2) == 1 && std::fmod(p[1], 2) == 1;
          return Vec3d{p[0], p[1], peak ? z : z - step};
        })));
      }
      EXPECT_FALSE(collide(stack, 0, {.visibility = VisibilityCull::on}).contacts.empty());
      expect_unchanged(stack, 0, "stack");
      expect_unchanged(stack, 0b010, "stack with itself");
    }
}

TEST(VisibilityCases, LargeAndDegenerateTriangles) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<Mesh> objects;
    for (int o = 0; o < 4; ++o) {
      Builder builder;
      for (int i = 0; i < 60; ++i) {
        const double size = random.chance(0.1) ? 50 : 1;
        Vec3d c, p[3];
        for (double& x : c) x = random.below(20);
        for (Vec3d& q : p)
          for (int k = 0; k < 3; ++k) q[k] = c[k] + std::floor(size * random.in(-1, 1));
        if (random.chance(0.1)) p[2] = p[0];
        builder.triangle(p[0], p[1], p[2]);
      }
      objects.push_back(builder.mesh());
    }
    expect_unchanged(objects, static_cast<unsigned>(round) & 0xF, "round " + std::to_string(round));
  }
}

TEST(VisibilityCases, TheDecisionIsInTheReport) {
  const std::vector<Mesh> layers{sheet(150, 0, 1e-7), sheet(150, 40, -1e-7)}, woven{sheet(90, 0), sheet(90, 0.25)};
  EXPECT_EQ(stage(collide(layers, 0, {.visibility = VisibilityCull::off})).unit, "culled, switched off");
  EXPECT_EQ(stage(collide(woven, 0, {.visibility = VisibilityCull::automatic})).unit, "% expected, skipped");
  const std::vector<Mesh> waves{sheet(150, 0, 1e-6), sheet(150, 20, 1e-6)};
  const Report report = collide(waves, 0, {});
  EXPECT_EQ(stage(report).unit, "triangles culled");
  EXPECT_GT(stage(report).count, 0u);
  const Report self = sightline::self_intersections(waves[0]);  // one object: nothing to decide
  for (const Stage& s : self.stats.stages) EXPECT_NE(s.name, "visibility");
}

// Triangles of objects that are checked against themselves stay, whatever lies before them.
TEST(VisibilityCases, SelfContactsStay) {
  Mesh folded = sheet(60, 0);
  std::vector<Vec3d>& points = std::get<1>(folded.positions);
  for (Vec3d& p : points) p[2] = p[0] * 0.01 * ((static_cast<int>(p[1]) % 7) - 3);
  Builder twice;
  twice.append(folded);
  const Mesh turned = transformed(folded, [](const Vec3d& p) { return Vec3d{p[1], p[0], p[2]}; });
  twice.append(turned);
  const std::vector<Mesh> objects{twice.mesh(), sheet(60, 2)};
  const auto with_self = [](const Contact& c) { return c.object_a == c.object_b; };
  const Report on = collide(objects, 0b01, {.visibility = VisibilityCull::on});
  EXPECT_TRUE(std::any_of(on.contacts.begin(), on.contacts.end(), with_self));
  expect_unchanged(objects, 0b01, "first with itself");
  expect_unchanged(objects, 0b11, "both with themselves");
}

}  // namespace
