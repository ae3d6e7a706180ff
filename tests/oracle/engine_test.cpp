// The engine against exact brute force: contact sets with kinds.
#include <gtest/gtest.h>

#include "oracle/rational.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/corpus.h"
#include "support/sizes.h"

namespace {

using namespace testing_support;
using sightline::Contact;
using sightline::Report;
using sightline::Scene;

class Engine : public testing::TestWithParam<std::size_t> {};

Report collide(const std::vector<MeshView>& objects, const std::vector<bool>& self) {
  Scene scene;
  for (std::size_t i = 0; i < objects.size(); ++i) scene.add(objects[i], {.self = self[i]});
  return scene.collide();
}

TEST_P(Engine, FindsTheSelfIntersections) {
  const Mesh mesh = mesh_of(corpus()[GetParam()]);
  const std::vector<MeshView> objects{mesh};
  EXPECT_EQ(difference(oracle::self_contacts(mesh), sightline::self_intersections(mesh), objects), "");
}

// Dealt like cards, the parts lie in each other's midst and share corners, which counts between objects.
TEST_P(Engine, FindsTheContactsOfObjects) {
  const std::vector<Mesh> parts = dealt(mesh_of(corpus()[GetParam()]), 3);
  const std::vector<MeshView> objects = views(parts);
  const std::vector<bool> self{true, false, true};
  EXPECT_EQ(difference(oracle::contacts(objects, self), collide(objects, self), objects), "");
}

INSTANTIATE_TEST_SUITE_P(Corpus, Engine, testing::ValuesIn(corpus_where([](const Item& item) { return !item.big; })),
                         [](const auto& info) { return corpus()[info.param].name; });

TEST(EngineScene, ObjectsOfBothPrecisionsAndAllSizes) {
  std::vector<Mesh> parts;
  for (const char* name : {"soup_dense", "empty", "one_triangle", "lattice_tenth_float", "degenerates_tenth", "needles",
                           "positions_without_triangles", "two_triangles", "signed_zeros"})
    parts.push_back(mesh_of(corpus_item(name)));
  const std::vector<MeshView> objects = views(parts);
  const std::vector<bool> self{true, true, true, true, false, false, true, true, true};
  EXPECT_EQ(difference(oracle::contacts(objects, self), collide(objects, self), objects), "");
}

TEST(EngineScene, OneTriangleEach) {
  const Mesh mesh = mesh_of(corpus_item("lattice_field"));
  const std::vector<Mesh> parts = dealt(mesh, mesh.triangles.size());
  const std::vector<MeshView> objects = views(parts);
  const std::vector<bool> self(objects.size(), true);
  EXPECT_EQ(difference(oracle::contacts(objects, self), collide(objects, self), objects), "");
}

TEST(EngineScene, TheSameObjectTwice) {
  const Mesh mesh = mesh_of(corpus_item("bumpy_body"));
  const std::vector<MeshView> objects{mesh, mesh};
  const std::vector<bool> self{false, false};
  EXPECT_EQ(difference(oracle::contacts(objects, self), collide(objects, self), objects), "");
}

// Thousands of triangles with one common point: every pair is a contact, no split of space separates them.
TEST(EngineScene, ThousandsInOneSpot) {
  Random random(11);
  Builder builder;
  const auto count = smaller<std::uint32_t>(1500, 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    Vec3d d, e, f;
    for (int k = 0; k < 3; ++k) {
      d[k] = random.below(2001) - 1000;
      e[k] = random.below(2001) - 1000;
      f[k] = -d[k] - e[k];  // the centroid is the origin
    }
    builder.triangle(d, e, f);
  }
  const Mesh mesh = builder.mesh();
  const Report report = sightline::self_intersections(mesh);
  ASSERT_EQ(report.contacts.size(), std::size_t(count) * (count - 1) / 2);
  std::size_t next = 0;
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = a + 1; b < count; ++b, ++next) {
      ASSERT_EQ(report.contacts[next].a, a);
      ASSERT_EQ(report.contacts[next].b, b);
      ASSERT_EQ(report.contacts[next].kind, sightline::Kind::crossing);
    }
}

// The same as coincident triangles: one spot that is also one shape.
TEST(EngineScene, ThousandsOfTheSameTriangle) {
  Builder builder;
  const int count = smaller(1200, 4);
  for (int i = 0; i < count; ++i) builder.triangle({0.1, 0.2, 0.3}, {1, 0.5, 0.2}, {0.4, 0.9, 0.8});
  const Mesh mesh = builder.mesh();
  const Report report = sightline::self_intersections(mesh);
  EXPECT_EQ(report.contacts.size(), std::size_t(count) * (count - 1) / 2);
  for (const Contact& contact : report.contacts) ASSERT_EQ(contact.kind, sightline::Kind::duplicate);
}

// A fan of thousands about one vertex, as at the pole of a sphere: all share it, none is in contact.
TEST(EngineScene, ThousandsAboutOneVertex) {
  Builder builder;
  const int count = 3000;
  const std::uint32_t apex = builder.corner({0, 0, 1});
  for (int i = 0; i < count; ++i) builder.corner({double(i), double(i) * i / 64, 0});  // exact, convex
  for (int i = 0; i + 1 < count; ++i) builder.indexed(apex, apex + 1 + i, apex + 2 + i);
  const Mesh mesh = builder.mesh();
  EXPECT_EQ(sightline::self_intersections(mesh).contacts.size(), 0u);
}

}  // namespace
