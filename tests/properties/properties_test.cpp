// What must not change the answer: threads, instruction set, image, and every change of the input that moves no point.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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
using sightline::Simd;

constexpr std::array kSimds{Simd::best, Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512};
constexpr std::array kAxes{Axis::automatic, Axis::x, Axis::y, Axis::z};

std::vector<std::uint32_t> permutation(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<int>(i))]);
  return order;
}

class Properties : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    mesh_ = mesh_of(corpus()[GetParam()]);
    baseline_ = sightline::self_intersections(mesh_).contacts;
  }
  void expect_same(const std::vector<Contact>& contacts, const std::string& what) const {
    const std::vector<MeshView> objects{mesh_};
    if (contacts == baseline_) return;
    ADD_FAILURE() << what << "\n" << difference(baseline_, contacts, objects);
  }
  void expect_same_with(const Tuned& options, const std::string& what) const {
    const Report report = sightline::self_intersections(mesh_, options);
    EXPECT_TRUE(report.complete);
    EXPECT_EQ(report.found, report.contacts.size());
    expect_same(report.contacts, what);
  }
  void expect_same_for(const Mesh& mesh, const std::string& what) const {
    expect_same(sightline::self_intersections(mesh).contacts, what);
  }

  void threads();
  void instruction_sets();
  void axes_and_cells();
  void cells_with_each_instruction_set();
  void two_runs_and_a_reused_report();
  void shuffled_triangles();
  void permuted_vertices();
  void winding_and_first_corner();
  void swapped_axes();
  void reflected();
  void scaled_by_powers_of_two();
  void stretched_by_powers_of_two();
  void float_and_double();
  void indexed_or_not();
  void unused_vertices();
  void one_object_of_a_scene();
  void objects_in_another_order();

  Mesh mesh_;
  std::vector<Contact> baseline_;
};

void Properties::threads() {
  for (const unsigned threads : {1u, 2u, 3u, 8u, 33u})
    expect_same_with({.threads = threads}, std::to_string(threads) + " threads");
}

void Properties::instruction_sets() {
  for (const Simd simd : kSimds)
    if (available(simd)) expect_same_with({.simd = simd}, std::string(to_string(simd)));
}

void Properties::axes_and_cells() {
  for (const Axis axis : kAxes) {
    const std::string name = "axis " + std::to_string(static_cast<int>(axis));
    expect_same_with({.axis = axis}, name);
    for (const double cell : {0.3, 1.0, 3.0, 10.0, 100.0})
      expect_same_with({.axis = axis, .cell = cell}, name + ", cell " + std::to_string(cell));
  }
}

void Properties::cells_with_each_instruction_set() {
  for (const Simd simd : kSimds)
    if (available(simd))
      for (const double cell : {0.3, 1.0, 10.0, 1000.0})
        expect_same_with({.threads = 2, .simd = simd, .cell = cell},
                         std::string(to_string(simd)) + ", cell " + std::to_string(cell));
}

void Properties::two_runs_and_a_reused_report() {
  Report report;
  report.contacts.assign(1000, Contact{7, 7, 7, 7, sightline::Kind::duplicate});
  report.cancelled = true;
  report.complete = false;
  for (int run = 0; run < 2; ++run) {
    sightline::self_intersections(mesh_, report);
    EXPECT_TRUE(report.complete);
    EXPECT_FALSE(report.cancelled);
    expect_same(report.contacts, "reused report");
  }
}

void Properties::shuffled_triangles() {
  const auto order = permutation(mesh_.triangles.size(), 1);  // new triangle i is old triangle order[i]
  Mesh shuffled = mesh_;
  for (std::size_t i = 0; i < order.size(); ++i) shuffled.triangles[i] = mesh_.triangles[order[i]];
  std::vector<Contact> contacts = sightline::self_intersections(shuffled).contacts;
  EXPECT_TRUE(std::is_sorted(contacts.begin(), contacts.end()));
  for (Contact& c : contacts) {
    const auto [a, b] = std::minmax(order[c.a], order[c.b]);
    c.a = a;
    c.b = b;
  }
  std::sort(contacts.begin(), contacts.end());
  expect_same(contacts, "shuffled triangles");
}

void Properties::permuted_vertices() {
  const auto order = permutation(mesh_.view().positions.size(), 2);  // old vertex v is new vertex order[v]
  Mesh permuted = mesh_;
  std::visit(
      [&](auto& points) {
        const auto old = points;
        for (std::size_t v = 0; v < old.size(); ++v) points[order[v]] = old[v];
      },
      permuted.positions);
  for (Triangle& t : permuted.triangles)
    for (std::uint32_t& v : t) v = order[v];
  expect_same_for(permuted, "permuted vertices");
}

void Properties::winding_and_first_corner() {
  Random random(4);
  Mesh turned = mesh_;
  for (Triangle& t : turned.triangles) {
    std::rotate(t.begin(), t.begin() + random.below(3), t.end());
    if (random.chance(0.5)) std::swap(t[0], t[1]);
  }
  expect_same_for(turned, "turned triangles");
}

void Properties::swapped_axes() {
  const int orders[5][3] = {{1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
  for (const auto& order : orders)
    expect_same_for(transformed(mesh_,
                                [&](const Vec3d& p) {
                                  return Vec3d{p[order[0]], p[order[1]], p[order[2]]};
                                }),
                    "swapped axes");
}

void Properties::reflected() {
  for (int mask = 1; mask < 8; ++mask)
    expect_same_for(transformed(mesh_,
                                [&](Vec3d p) {
                                  for (int k = 0; k < 3; ++k)
                                    if (mask >> k & 1) p[k] = -p[k];
                                  return p;
                                }),
                    "reflected " + std::to_string(mask));
}

// Exact as long as nothing overflows or loses bits below the denormals: looked up by undoing it.
void Properties::scaled_by_powers_of_two() {
  for (const int exponent : {-1000, -300, -100, -30, -3, 1, 5, 40, 100, 500, 900}) {
    const double factor = std::ldexp(1.0, exponent);
    const Mesh scaled = transformed(mesh_, [&](const Vec3d& p) {
      return Vec3d{p[0] * factor, p[1] * factor, p[2] * factor};
    });
    const Mesh back = transformed(scaled, [&](const Vec3d& p) {
      return Vec3d{p[0] / factor, p[1] / factor, p[2] / factor};
    });
    if (back.positions != mesh_.positions) continue;
    expect_same_for(scaled, "scaled by 2^" + std::to_string(exponent));
  }
}

// Each axis by its own power: still the same contacts, in a scene of another shape.
void Properties::stretched_by_powers_of_two() {
  for (const Vec3d& by : {Vec3d{0x1p20, 1, 1}, Vec3d{1, 0x1p-30, 1}, Vec3d{0x1p-12, 1, 0x1p15}}) {
    const Mesh made = transformed(mesh_, [&](const Vec3d& p) {
      return Vec3d{p[0] * by[0], p[1] * by[1], p[2] * by[2]};
    });
    const Mesh back = transformed(made, [&](const Vec3d& p) {
      return Vec3d{p[0] / by[0], p[1] / by[1], p[2] / by[2]};
    });
    if (back.positions != mesh_.positions) continue;
    expect_same_for(made, "stretched");
  }
}

void Properties::float_and_double() {
  const Mesh single = as_float(mesh_);
  const auto is_finite = [](const Vec3f& p) {
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
  };
  const auto& points = std::get<0>(single.positions);
  if (!std::all_of(points.begin(), points.end(), is_finite)) return;  // past the largest float
  const Mesh same = as_double(single);
  const std::vector<MeshView> objects{same};
  EXPECT_EQ(difference(sightline::self_intersections(same).contacts, sightline::self_intersections(single), objects),
            "");
}

// Vertices 3 i, 3 i + 1, 3 i + 2 of triangle i are not looked up; one triangle that has others changes that.
void Properties::indexed_or_not() {
  Mesh separate = unindexed(mesh_);
  expect_same_for(separate, "unindexed");
  if (separate.triangles.size() < 2) return;
  const auto last = static_cast<std::uint32_t>(3 * separate.triangles.size() - 3);
  std::visit([last](auto& points) { std::swap(points[0], points[last]); }, separate.positions);
  separate.triangles.front()[0] = last;
  separate.triangles.back()[0] = 0;
  expect_same_for(separate, "unindexed, two corners in each other's place");
}

// Small meshes bear any distance; the big ones only what leaves the image some resolution, else they take minutes.
void Properties::unused_vertices() {
  const double far = corpus()[GetParam()].big ? 1e4 : 1e300;
  Mesh padded = as_double(mesh_);
  auto& points = std::get<1>(padded.positions);
  points.insert(points.begin(), {Vec3d{far, -far, far}, Vec3d{-far, 0, 0}});
  points.push_back({far / 2, far / 2, -far / 2});
  for (Triangle& t : padded.triangles)
    for (std::uint32_t& v : t) v += 2;
  expect_same_for(padded, "unused vertices far away");
}

void Properties::one_object_of_a_scene() {
  Scene scene;
  scene.add(mesh_, {.self = true});
  expect_same(scene.collide().contacts, "scene of one");
  expect_same(scene.collide().contacts, "scene of one, again");
}

void Properties::objects_in_another_order() {
  const std::vector<Mesh> parts = sliced(mesh_, 4);
  const std::array<bool, 4> self{true, false, true, true};
  const auto collide = [&](const std::array<std::uint32_t, 4>& order, const Tuned& options) {
    Scene scene;
    for (const std::uint32_t part : order) scene.add(parts[part], {.self = self[part]});
    std::vector<Contact> contacts = sightline::collide(scene, options).contacts;
    EXPECT_TRUE(std::is_sorted(contacts.begin(), contacts.end()));
    for (Contact& c : contacts) {
      c.object_a = order[c.object_a];
      c.object_b = order[c.object_b];
      if (c.object_a > c.object_b) {
        std::swap(c.object_a, c.object_b);
        std::swap(c.a, c.b);
      }
    }
    std::sort(contacts.begin(), contacts.end());
    return contacts;
  };
  const std::vector<MeshView> objects = views(parts);
  const auto expected = collide({0, 1, 2, 3}, {});
  EXPECT_EQ(difference(expected, collide({3, 1, 0, 2}, {}), objects), "");
  EXPECT_EQ(difference(expected, collide({2, 0, 3, 1}, {.threads = 3, .simd = Simd::scalar, .cell = 1}), objects), "");
}

// Four cases a mesh, not one a property: ctest starts a process for each.
TEST_P(Properties, Tuned) {
  threads();
  instruction_sets();
  axes_and_cells();
  cells_with_each_instruction_set();
}
TEST_P(Properties, Order) {
  shuffled_triangles();
  permuted_vertices();
  winding_and_first_corner();
  objects_in_another_order();
}
TEST_P(Properties, Frame) {
  swapped_axes();
  reflected();
  scaled_by_powers_of_two();
  stretched_by_powers_of_two();
}
TEST_P(Properties, Storage) {
  two_runs_and_a_reused_report();
  float_and_double();
  indexed_or_not();
  unused_vertices();
  one_object_of_a_scene();
}

class WideProperties : public Properties {};
TEST_P(WideProperties, AFew) {
  for (const Simd simd : kSimds)
    if (available(simd)) expect_same_with({.threads = 3, .simd = simd}, std::string(to_string(simd)));
  for (const Axis axis : kAxes) expect_same_with({.threads = 2, .axis = axis, .cell = 1}, "axis and cell");
  shuffled_triangles();
  winding_and_first_corner();
  indexed_or_not();
}

INSTANTIATE_TEST_SUITE_P(Corpus, Properties,
                         testing::ValuesIn(corpus_where([](const Item& item) { return !item.big && !item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });
INSTANTIATE_TEST_SUITE_P(Corpus, WideProperties,
                         testing::ValuesIn(corpus_where([](const Item& item) { return item.wide; })),
                         [](const auto& info) { return corpus()[info.param].name; });
INSTANTIATE_TEST_SUITE_P(Big, Properties, testing::ValuesIn(corpus_where([](const Item& item) { return item.big; })),
                         [](const auto& info) { return corpus()[info.param].name; });

}  // namespace
