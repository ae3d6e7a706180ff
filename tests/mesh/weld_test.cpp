// Welding against a map of positions.
#include "mesh/weld.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "support/random.h"

namespace {

using sightline::Vec3d;
using sightline::Vec3f;
using testing_support::Random;

/// The first position equal to each: std::map compares with <, for which -0 and +0 are one.
template <typename Point>
std::vector<std::uint32_t> first_equal(const std::vector<Point>& points) {
  std::map<Point, std::uint32_t> first;
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < points.size(); ++i) result.push_back(first.emplace(points[i], i).first->second);
  return result;
}

template <typename Point>
void expect_welded(const std::vector<Point>& points) {
  const std::vector<std::uint32_t> expected = first_equal(points);
  for (const unsigned threads : {1u, 2u, 3u, 16u}) {
    sightline::Workers workers(threads);
    EXPECT_EQ(sightline::weld(std::span<const Point>(points), workers), expected)
        << points.size() << " points, " << threads << " threads";
    // A number for each distinct position, and few more.
    std::vector<std::uint32_t> number(points.size());
    const std::uint64_t bound = sightline::weld([&](std::uint32_t i) { return points[i]; }, points.size(),
                                                number.data(), workers, {}, sightline::Equal::numbered);
    std::map<std::uint32_t, std::uint32_t> first_with;
    std::size_t wrong = 0;
    for (std::uint32_t i = 0; i < points.size(); ++i)
      wrong += first_with.emplace(number[i], i).first->second != expected[i] || number[i] >= bound;
    EXPECT_EQ(wrong, 0u) << points.size() << " points, " << threads << " threads";
    EXPECT_LE(bound, first_with.size() + 128 * (points.size() / (1 << 14) + 1));
  }
}

template <typename Point>
std::vector<Point> draw(Random& random, int count, int side) {
  using Scalar = typename Point::value_type;
  std::vector<Point> points(static_cast<std::size_t>(count));
  for (Point& p : points)
    for (Scalar& x : p) {
      x = static_cast<Scalar>((random.below(side) - side / 2) * 0.1);
      if (x == 0 && random.chance(0.5)) x = -x;
    }
  return points;
}

// Counts around the sizes at which a batch is full and the table grows; many equal, few equal, all different.
TEST(Weld, FindsTheFirstOfEqualPositions) {
  Random random(1);
  for (const int count : {0, 1, 2, 3, 63, 64, 65, 100, 127, 128, 129, 546, 1070, 2200, 9000})
    for (const int side : {1, 2, 5, 40, 1000000}) {
      expect_welded(draw<Vec3f>(random, count, side));
      expect_welded(draw<Vec3d>(random, count, side));
    }
}

// Several blocks, in which threads meet the same positions in any order.
TEST(Weld, ManyBlocks) {
  Random random(3);
  for (const int side : {3, 20, 1000}) {
    expect_welded(draw<Vec3f>(random, 200'000, side));
    expect_welded(draw<Vec3d>(random, 60'000, side));
  }
}

// Above a million positions the first table has room for few distinct ones; the others need a second table, in which
// equal positions have new numbers. Numbers are taken 2048 at once, so each block may lose as many.
TEST(Weld, TheSmallTableMayFillUp) {
  const std::size_t size = std::size_t{1} << 20;
  for (const std::size_t distinct : {std::size_t{1000}, std::size_t{400'000}, size}) {
    std::vector<Vec3f> points(size);
    for (std::size_t i = 0; i < size; ++i) points[i] = {static_cast<float>(i % distinct), 0, -0.0f};
    for (const unsigned threads : {1u, 4u}) {
      sightline::Workers workers(threads);
      const std::vector<std::uint32_t> first = sightline::weld(std::span<const Vec3f>(points), workers);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < size; ++i) wrong += first[i] != i % distinct;
      EXPECT_EQ(wrong, 0u) << distinct << " distinct, " << threads << " threads";

      std::vector<std::uint32_t> number(size);
      const std::uint64_t bound = sightline::weld([&](std::uint32_t i) { return points[i]; }, size, number.data(),
                                                  workers, {}, sightline::Equal::numbered);
      EXPECT_GE(bound, distinct);
      EXPECT_LE(bound, distinct + 2048 * 8 * threads) << distinct << " distinct, " << threads << " threads";
      std::vector<std::uint32_t> position_of(bound, ~0u);
      wrong = 0;
      for (std::uint32_t i = 0; i < size; ++i) {
        const auto position = static_cast<std::uint32_t>(i % distinct);
        if (number[i] >= bound || (position_of[number[i]] != ~0u && position_of[number[i]] != position)) {
          ++wrong;
          continue;
        }
        position_of[number[i]] = position;
        wrong += number[i] != number[position];
      }
      EXPECT_EQ(wrong, 0u) << "numbers, " << distinct << " distinct, " << threads << " threads";
    }
  }
}

TEST(Weld, OneUnitInTheLastPlaceApartIsApart) {
  std::vector<Vec3d> points;
  for (const double x : {1.0, 0.0, 0x1p-1074, 1e308}) {
    const double above = std::nextafter(x, INFINITY), below = std::nextafter(x, -INFINITY);
    for (const double y : {x, above, below, x})
      for (int axis = 0; axis < 3; ++axis) {
        Vec3d p{2, 2, 2};
        p[axis] = y;
        points.push_back(p);
      }
  }
  expect_welded(points);
  EXPECT_EQ(sightline::weld(std::span<const Vec3d>(points))[9], 0u);
  EXPECT_EQ(sightline::weld(std::span<const Vec3d>(points))[3], 3u);
}

/// The corners of the triangles of a grid, one after the other, as in an STL file. Some zeros are negative.
template <typename Point>
std::vector<Point> separate_corners(int columns, int rows) {
  using Scalar = typename Point::value_type;
  std::vector<Point> points;
  const auto add = [&](int x, int y) {
    points.push_back({static_cast<Scalar>(x), static_cast<Scalar>(y), points.size() % 2 == 0 ? Scalar{0} : -Scalar{0}});
  };
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      add(x, y), add(x + 1, y), add(x, y + 1);
      add(x + 1, y), add(x + 1, y + 1), add(x, y + 1);
    }
  return points;
}

// Positions that are equal to others shortly before them are welded in two steps if numbers are wanted. Rows that are
// longer than what a thread keeps, and rows between the blocks of two threads, leave many for the second step.
TEST(Weld, SeparateTriangles) {
  for (const auto& [columns, rows] : {std::pair{40, 300}, std::pair{20'000, 2}}) {
    expect_welded(separate_corners<Vec3f>(columns, rows));
    expect_welded(separate_corners<Vec3d>(columns, rows));
  }
  // The sample of 4 times 2048 positions is such a list, and nothing else is.
  std::vector<Vec3f> points = separate_corners<Vec3f>(300, 100);
  const std::size_t size = points.size();
  for (std::size_t i = 0; i < size; ++i)
    if (i % (size / 4) >= 2048) points[i] = {static_cast<float>(i % 100'000), 1, 2};
  expect_welded(points);
}

// Coordinates whose bits differ only high up, as scales do: the hash must not care, the answer cannot.
TEST(Weld, PowersOfTwo) {
  Random random(2);
  std::vector<Vec3d> points;
  std::vector<Vec3f> floats;
  for (int i = 0; i < 6000; ++i) {
    Vec3d p;
    Vec3f q;
    for (int k = 0; k < 3; ++k) {
      p[k] = std::ldexp(random.chance(0.5) ? 1.0 : -1.0, random.below(2098) - 1074);
      q[k] = std::ldexp(random.chance(0.5) ? 1.0f : -1.0f, random.below(8) - 149);
    }
    points.push_back(p);
    floats.push_back(q);
    if (random.chance(0.3)) points.push_back(points[random.below(static_cast<int>(points.size()))]);
  }
  expect_welded(points);
  expect_welded(floats);
}

TEST(Weld, EqualPositionsHaveEqualHashes) {
  EXPECT_EQ(sightline::position_bits(Vec3d{0.0, -0.0, 1}), sightline::position_bits(Vec3d{-0.0, 0.0, 1}));
  EXPECT_EQ(sightline::position_bits(Vec3f{0.0f, -0.0f, 1}), sightline::position_bits(Vec3f{-0.0f, 0.0f, 1}));
}

}  // namespace
