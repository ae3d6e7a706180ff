// Relations of two parts, case by case.
#include <gtest/gtest.h>

#include <cmath>

#include "solid/bodies.h"

namespace {

using namespace bodies;
using sightline::PartPair;
using sightline::Kind;
using sightline::Relation;

/// The relation must not depend on order, winding, welding or (for powers of two) scale.
Relation of(const Body& a, const Body& b) {
  const Relation expected = relation(a, b).relation;
  EXPECT_EQ(relation(b, a).relation, expected) << "swapped";
  EXPECT_EQ(relation(a.inverted(), b).relation, expected) << "inverted";
  EXPECT_EQ(relation(a.soup(), b.inverted().soup()).relation, expected) << "soup";
  EXPECT_EQ(relation(a.scaled(0x1p-996), b.scaled(0x1p-996)).relation, expected) << "tiny";
  EXPECT_EQ(relation(a.scaled(0x1p+996), b.scaled(0x1p+996)).relation, expected) << "huge";
  const Vec3d far{0x1p20, -0x1p21, 0x1p22};
  EXPECT_EQ(relation(a.moved(far), b.moved(far)).relation, expected) << "far";
  Body mixed = a;
  for (std::size_t i = 0; i < mixed.triangles.size(); i += 3) std::swap(mixed.triangles[i][0], mixed.triangles[i][1]);
  EXPECT_EQ(relation(mixed, b).relation, expected) << "mixed";
  const auto turned = [](const Vec3d& p) { return Vec3d{p[1], p[2], p[0]}; };
  EXPECT_EQ(relation(a.mapped(turned), b.mapped(turned)).relation, expected) << "turned";
  return expected;
}

const Body kCube = box({0, 0, 0}, {4, 4, 4});

TEST(Relation, Boxes) {
  EXPECT_EQ(of(kCube, box({5, 0, 0}, {6, 4, 4})), Relation::clear);
  EXPECT_EQ(of(kCube, box({2, 1, 1}, {6, 3, 3})), Relation::clash);    // crossing
  EXPECT_EQ(of(kCube, box({4, 0, 0}, {6, 4, 4})), Relation::touch);    // face to face, the same corners
  EXPECT_EQ(of(kCube, box({4, 1, 1}, {6, 2, 3})), Relation::touch);    // face in face
  EXPECT_EQ(of(kCube, box({4, -1, -2}, {6, 9, 9})), Relation::touch);  // face over face
  EXPECT_EQ(of(kCube, box({4, 2, 2}, {6, 9, 9})), Relation::touch);    // faces overlap
  EXPECT_EQ(of(kCube, box({4, 4, 0}, {6, 6, 4})), Relation::touch);    // along an edge
  EXPECT_EQ(of(kCube, box({4, 4, 4}, {6, 6, 6})), Relation::touch);    // at a corner
  EXPECT_EQ(of(kCube, box({1, 1, 1}, {3, 3, 3})), Relation::contains);
  EXPECT_EQ(of(kCube, kCube), Relation::clash);                      // all contacts coplanar, touching, duplicate
  EXPECT_EQ(of(kCube, box({2, 0, 0}, {6, 4, 4})), Relation::clash);  // in four common planes
  EXPECT_EQ(of(kCube, box({0, 0, 0}, {2, 4, 4})), Relation::clash);  // half of it
  EXPECT_EQ(of(kCube, box({0, 0, 0}, {2, 2, 2})), Relation::clash);  // a corner of it
}

TEST(Relation, InsideTouchingTheWall) {
  EXPECT_EQ(of(kCube, box({1, 1, 0}, {3, 3, 2})), Relation::clash);  // stands on the floor
  EXPECT_EQ(of(kCube, box({1, 1, 0}, {3, 3, 4})), Relation::clash);  // floor to ceiling
  EXPECT_EQ(of(kCube, octahedron({2, 2, 2}, 2)), Relation::clash);   // six corners touch six faces
  EXPECT_EQ(of(kCube, octahedron({2, 2, 1}, 1)), Relation::clash);   // one corner touches
  EXPECT_EQ(of(kCube, octahedron({6, 2, 2}, 2)), Relation::touch);   // one corner from outside
  EXPECT_EQ(of(kCube, tetrahedron({{{0, 0, 0}, {4, 0, 4}, {0, 4, 4}, {4, 4, 0}}})), Relation::clash);
}

TEST(Relation, ThroughAlongEdges) {
  const Body half_in = octahedron({2, 2, 4}, 1);  // its equator lies in the top face: nothing but touching contacts
  const PartPair clash = relation(kCube, half_in);
  EXPECT_EQ(clash.contacts[static_cast<int>(Kind::crossing)], 0u);
  EXPECT_EQ(of(kCube, half_in), Relation::clash);
  EXPECT_EQ(of(kCube, octahedron({2, 2, 4}, 2)), Relation::clash);  // the equator reaches the face's edges
  EXPECT_EQ(of(octahedron({0, 0, 0}, 2), octahedron({0, 0, 0}, 2)), Relation::clash);
  // Two tetrahedra over one triangle, on the same and on opposite sides of it.
  const Body up = tetrahedron({{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 3}}});
  EXPECT_EQ(of(up, tetrahedron({{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 2}}})), Relation::clash);
  EXPECT_EQ(of(up, tetrahedron({{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -2}}})), Relation::touch);
}

TEST(Relation, StarOfDavid) {
  // Two triangles whose common part has six corners, none of them a corner of either.
  const std::array<Vec3d, 3> one{{{0, 0, 0}, {6, 0, 0}, {3, 6, 0}}}, two{{{0, 4, 0}, {6, 4, 0}, {3, -2, 0}}};
  const Body up = tetrahedron({{one[0], one[1], one[2], {3, 2, 5}}});
  EXPECT_EQ(of(up, tetrahedron({{two[0], two[1], two[2], {3, 2, -4}}})), Relation::touch);
  EXPECT_EQ(of(up, tetrahedron({{two[0], two[1], two[2], {3, 2, 4}}})), Relation::clash);
}

TEST(Relation, WedgesInAGroove) {
  // A ridge that fits a groove exactly, and one that is blunter: it cannot get in without overlap.
  const Body groove = [] {
    Body body = box({0, 0, 0}, {8, 8, 4});
    body.points.push_back({4, 0, 2});
    body.points.push_back({4, 8, 2});
    // The top face (corners 4 5 6 7) becomes two slopes; the ends at y = 0 and y = 8 become three triangles each.
    body.triangles = {{0, 2, 1}, {1, 2, 3}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}, {4, 8, 6}, {6, 8, 9},
                      {8, 5, 9}, {9, 5, 7}, {0, 1, 8}, {0, 8, 4}, {1, 5, 8}, {2, 9, 3}, {2, 6, 9}, {3, 9, 7}};
    return body;
  }();
  ASSERT_TRUE(topology(groove.view()).closed());
  const auto ridge = [](double width) {
    return Body{{{4, 0, 2}, {4, 8, 2}, {4 - width, 0, 4}, {4 - width, 8, 4}, {4 + width, 0, 4}, {4 + width, 8, 4}},
                {{0, 2, 4}, {1, 5, 3}, {0, 1, 2}, {1, 3, 2}, {0, 4, 1}, {1, 4, 5}, {2, 3, 4}, {3, 5, 4}}};
  };
  ASSERT_TRUE(topology(ridge(4).view()).closed());
  EXPECT_EQ(of(groove, ridge(4)), Relation::touch);
  EXPECT_EQ(of(groove, ridge(2)), Relation::touch);
  EXPECT_EQ(of(groove, ridge(5)), Relation::clash);
}

TEST(Relation, Shells) {
  Body shell = kCube;
  shell.add(box({1, 1, 1}, {3, 3, 3}));                              // a cavity
  EXPECT_EQ(of(shell, box({1, 1, 1}, {3, 3, 3})), Relation::touch);  // fills the cavity
  EXPECT_EQ(of(shell, box({1, 1, 1}, {2, 2, 2})), Relation::touch);
  EXPECT_EQ(of(shell, box({1.5, 1.5, 1.5}, {2.5, 2.5, 2.5})), Relation::clear);
  EXPECT_EQ(of(shell, box({0.5, 0.5, 0.5}, {3.5, 3.5, 3.5})),
            Relation::contains);                                       // inside the wall, around the cavity
  EXPECT_EQ(of(shell, box({0.5, 1, 1}, {1, 3, 3})), Relation::clash);  // in the wall, on the cavity
  EXPECT_EQ(of(shell, shell), Relation::clash);
}

TEST(Relation, SeveralComponents) {
  Body two = box({1, 1, 1}, {2, 2, 2});
  two.add(box({9, 9, 9}, {10, 10, 10}));
  EXPECT_EQ(of(kCube, two), Relation::clash);  // one inside, one outside, no contact
  Body third = box({1, 1, 1}, {2, 2, 2});
  third.add(box({2.5, 2.5, 2.5}, {3, 3, 3}));
  EXPECT_EQ(of(kCube, third), Relation::contains);
  Body touching = box({1, 1, 1}, {2, 2, 2});
  touching.add(box({4, 0, 0}, {5, 1, 1}));  // touches from outside while the other component is inside
  EXPECT_EQ(of(kCube, touching), Relation::clash);
  // The pieces of two parts inside each other.
  Body mutual = box({1, 1, 1}, {2, 2, 2});
  mutual.add(box({20, 0, 0}, {24, 4, 4}));
  Body cubes = kCube;
  cubes.add(box({21, 1, 1}, {22, 2, 2}));
  EXPECT_EQ(of(cubes, mutual), Relation::clash);
}

TEST(Relation, InnerIsNamed) {
  EXPECT_EQ(relation(kCube, box({1, 1, 1}, {2, 2, 2})).inner, 1u);
  EXPECT_EQ(relation(box({1, 1, 1}, {2, 2, 2}), kCube).inner, 0u);
}

TEST(Relation, OpenParts) {
  const Body open = kCube.without(11);
  EXPECT_EQ(of(open, box({1, 1, 1}, {2, 2, 2})), Relation::clear);  // an open part has no inside
  EXPECT_EQ(of(open, kCube), Relation::touch);                      // coplanar, but no crossing
  EXPECT_EQ(of(open, box({-1, 1, 1}, {1, 2, 2})), Relation::clash);
  const Body small_open = box({1, 1, 1}, {2, 2, 2}).without(3);
  EXPECT_EQ(of(kCube, small_open), Relation::contains);
  Body in_and_out = small_open;
  in_and_out.add(box({9, 9, 9}, {10, 10, 10}));
  EXPECT_EQ(of(kCube, in_and_out), Relation::clear);  // the piece inside is open: no volume
  Body closed_in_open_out = box({1, 1, 1}, {2, 2, 2});
  closed_in_open_out.add(box({9, 9, 9}, {10, 10, 10}).without(0));
  EXPECT_EQ(of(kCube, closed_in_open_out), Relation::clash);
}

Body times(const Body& body, int count) {
  Body result;
  for (int i = 0; i < count; ++i) result.add(body);
  return result;
}

const Body kFar = box({20, 20, 20}, {21, 21, 21});

/// A closed piece counts however often its faces are there (shared/cases/doubled.py is the first of these for two).
TEST(Relation, RepeatedFaces) {
  for (const int count : {1, 2, 3, 4}) {
    const Body small = times(box({1, 1, 1}, {2, 2, 2}), count), standing = times(box({1, 1, 0}, {3, 3, 2}), count);
    EXPECT_EQ(of(Body(kFar).add(small), kCube), Relation::clash) << count;  // inside, without contact
    EXPECT_EQ(of(small, kCube), Relation::contains) << count;
    EXPECT_EQ(of(Body(kFar).add(standing), kCube), Relation::clash) << count;  // stands on the floor
    EXPECT_EQ(of(standing, kCube), Relation::clash) << count;
    EXPECT_EQ(of(times(box({4, 1, 1}, {5, 2, 2}), count), kCube), Relation::touch) << count;  // outside, on the wall
    EXPECT_EQ(of(times(box({6, 1, 1}, {7, 2, 2}), count), kCube), Relation::clear) << count;
    // One piece is inside, another one touches from outside.
    EXPECT_EQ(of(box({4, 1, 1}, {5, 2, 2}).add(small), kCube), Relation::clash) << count;
    // The outer part decides what is inside: with its faces there an even number of times, nothing is.
    const Body outer = times(kCube, count);
    const bool has_inside = count % 2 != 0;
    EXPECT_EQ(of(outer, box({1, 1, 1}, {2, 2, 2})), has_inside ? Relation::contains : Relation::clear) << count;
    EXPECT_EQ(of(outer, Body(kFar).add(small)), has_inside ? Relation::clash : Relation::clear) << count;
    EXPECT_EQ(of(outer, box({1, 1, 0}, {3, 3, 2})), has_inside ? Relation::clash : Relation::touch) << count;
    EXPECT_EQ(of(outer, kCube), has_inside ? Relation::clash : Relation::touch) << count;
  }
}

TEST(Relation, SheetsWithoutVolume) {
  // Two copies of one triangle are closed by the definition and have no inside. They are a closed piece all the same.
  const Body flap{{{1, 1, 1}, {2, 1, 1}, {1, 2, 1}}, {{0, 1, 2}, {0, 2, 1}}};
  EXPECT_EQ(of(kCube, flap), Relation::contains);
  EXPECT_EQ(of(kCube, flap.moved({0, 0, 3})), Relation::touch);
  EXPECT_EQ(of(kCube, Body(flap).add(kFar)), Relation::clash);
  EXPECT_EQ(of(kCube, Body(flap.moved({0, 0, 3})).add(kFar)), Relation::touch);
  const Body upright{{{1, 1, 4}, {2, 1, 4}, {1, 1, 3}}, {{0, 1, 2}, {0, 2, 1}}};  // hangs from the ceiling
  EXPECT_EQ(of(kCube, upright), Relation::clash);
  EXPECT_EQ(of(kCube, upright.moved({0, 0, 1})), Relation::touch);  // stands on the roof
  // In a wall between two rooms of one part, which is there twice: on its surface, not inside.
  const Body rooms = box({0, 0, 0}, {4, 4, 1}).add(box({0, 0, 1}, {4, 4, 4}));
  EXPECT_EQ(of(rooms, flap), Relation::touch);
  EXPECT_EQ(of(rooms, Body{{{1, 1, 1}, {9, 1, 1}, {1, 2, 1}}, {{0, 1, 2}, {0, 2, 1}}}), Relation::touch);
}

/// A part is closed or not as a whole, but a closed piece of an open part counts.
TEST(Relation, ClosedPiecesOfOpenParts) {
  const Body open = kFar.without(0);
  EXPECT_EQ(of(Body(open).add(box({1, 1, 1}, {2, 2, 2})), kCube), Relation::clash);
  EXPECT_EQ(of(Body(open).add(box({1, 1, 0}, {3, 3, 2})), kCube), Relation::clash);  // stands on the floor
  EXPECT_EQ(of(Body(open).add(box({4, 1, 1}, {5, 2, 2})), kCube), Relation::touch);  // on the wall, outside
  EXPECT_EQ(of(Body(open).add(kCube), kCube), Relation::touch);  // no point inside, and no inside of its own
  EXPECT_EQ(of(Body(open).add(box({1, 1, 0}, {3, 3, 2}).without(0)), kCube), Relation::touch);  // the piece is open
  Body touching = box({4, 1, 1}, {5, 2, 2}).without(0);
  EXPECT_EQ(of(Body(touching).add(box({1, 1, 1}, {2, 2, 2})), kCube), Relation::clash);
  EXPECT_EQ(of(touching, kCube), Relation::touch);
  // Degenerate triangles are no piece, and do not open one.
  const Body segment{{{1, 1, 1}, {2, 2, 2}}, {{0, 1, 1}}};
  EXPECT_EQ(of(Body(kFar).add(segment), kCube), Relation::clear);
  Body spiked = box({1, 1, 1}, {2, 2, 2});
  spiked.triangles.insert(spiked.triangles.begin(), {0, 7, 7});
  EXPECT_EQ(of(Body(kFar).add(spiked), kCube), Relation::clash);
}

TEST(Relation, DegenerateTriangles) {
  Body spiked = box({1, 1, 1}, {2, 2, 2});
  spiked.points.push_back({4, 2, 2});
  spiked.triangles.push_back({7, 8, 7});  // a whisker from a corner to the wall: a contact, but no volume
  EXPECT_EQ(of(kCube, spiked), Relation::clash);
  const Body segment{{{1, 1, 1}, {2, 2, 2}}, {{0, 1, 1}}};
  EXPECT_EQ(of(kCube, segment), Relation::contains);
  EXPECT_EQ(of(segment, segment), Relation::touch);
}

TEST(Relation, CountsByKind) {
  const PartPair clash = relation(kCube, kCube);
  EXPECT_EQ(clash.contacts[static_cast<int>(Kind::duplicate)], 12u);
  EXPECT_EQ(clash.contacts[static_cast<int>(Kind::crossing)], 0u);
  EXPECT_GT(clash.contacts[static_cast<int>(Kind::touching)], 0u);
  EXPECT_EQ(clash.gap, 0);
}

TEST(Relation, ManyPartsSorted) {
  sightline::Assembly assembly;
  for (int i = 0; i < 40; ++i) {  // a row of touching boxes, in an order of its own
    const double x = (i * 7) % 40;
    const Body b = box({x, 0, 0}, {x + 1, 1, 1});
    assembly.add({std::to_string(i), b.points, b.triangles});
  }
  for (const unsigned threads : {1u, 2u, 5u}) {
    const auto all = sightline::clashes(assembly, {.clearance = 1.5, .query = {.threads = threads}}).pairs;
    std::size_t touch = 0, near = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) {
        EXPECT_LT(std::pair(all[i - 1].a, all[i - 1].b), std::pair(all[i].a, all[i].b));
      }
      touch += all[i].relation == Relation::touch;
      near += all[i].relation == Relation::near;
      if (all[i].relation == Relation::near) {
        EXPECT_EQ(all[i].gap, 1);
      }
    }
    EXPECT_EQ(touch, 39u);
    EXPECT_EQ(near, 38u);
    EXPECT_EQ(all, sightline::clashes(assembly, {.clearance = 1.5, .query = {}}).pairs);
  }
}

TEST(Relation, RefusesWhatItCannotAnswer) {
  const std::array<MeshView, 2> parts{kCube.view(), kCube.view()};
  sightline::Report report;
  report.complete = false;
  EXPECT_THROW(classify(parts, report), sightline::Error);
  report = {};
  report.cancelled = true;
  EXPECT_THROW(classify(parts, report), sightline::Error);
  report = {};
  EXPECT_THROW(classify(parts, report, {.clearance = -1, .query = {}}), sightline::Error);
  EXPECT_THROW(classify(parts, report, {.clearance = NAN, .query = {}}), sightline::Error);
  report.contacts = {{0, 1, 0, 99, Kind::touching}};
  EXPECT_THROW(classify(parts, report), sightline::Error);
  report.contacts = {{0, 2, 0, 0, Kind::touching}};
  EXPECT_THROW(classify(parts, report), sightline::Error);
  report.contacts = {};
  EXPECT_TRUE(classify({}, report).pairs.empty());
  const std::array<MeshView, 2> empty{};
  EXPECT_TRUE(classify(empty, report, {.clearance = 1, .query = {}}).pairs.empty());
}

}  // namespace
