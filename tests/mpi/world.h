// What a rank holds, and lists of contacts that can be compared over ranks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "mpi/ranks.h"
#include "scenes/scenes.h"
#include "sightline/mpi.h"

namespace sightline::test {

inline const mpi::Ranks& world() {
  static const mpi::Ranks ranks(MPI_COMM_WORLD);
  return ranks;
}
inline int rank() { return world().rank(); }
inline int ranks() { return world().size(); }

/// The rank that holds a triangle.
struct Holder {
  const char* name;
  std::function<int(std::size_t triangle, std::size_t triangles)> rank_of;
};
inline std::vector<Holder> holders() {
  const auto n = static_cast<std::size_t>(ranks());
  return {{"dealt", [n](std::size_t i, std::size_t) { return static_cast<int>(i % n); }},
          {"in ranges", [n](std::size_t i, std::size_t all) { return static_cast<int>(i * n / all); }},
          {"all in the last rank", [n](std::size_t, std::size_t) { return static_cast<int>(n - 1); }},
          {"none in odd ranks", [n](std::size_t i, std::size_t) { return static_cast<int>(i % n / 2 * 2); }}};
}

/// A contact as numbers: both objects and triangles, kind, number of points, points bit for bit. Smaller is earlier.
using Record = std::array<std::uint64_t, 24>;
inline Record record_of(std::uint64_t object_a, std::uint64_t object_b, std::uint64_t a, std::uint64_t b, Kind kind,
                        const Intersection& geometry) {
  Record record{object_a, object_b, a, b, static_cast<std::uint64_t>(kind), geometry.size};
  std::size_t at = 6;
  for (const Vec3d& p : geometry.points())
    for (const double x : p) record[at++] = std::bit_cast<std::uint64_t>(x);
  return record;
}
inline std::vector<Record> records_of(const HugeReport& report) {
  std::vector<Record> records;
  report.for_contacts([&](const HugeContact& c) {
    records.push_back(record_of(c.object_a, c.object_b, c.a, c.b, c.kind, c.geometry));
    return true;
  });
  return records;
}

/// The first record that differs, with both versions; empty if none does.
inline std::string first_difference(const std::vector<Record>& expected, const std::vector<Record>& actual) {
  const auto text = [](const std::vector<Record>& list, std::size_t i) {
    std::string line;
    for (std::size_t k = 0; i < list.size() && k < 6; ++k) line += ' ' + std::to_string(list[i][k]);
    return i < list.size() ? line : " the end";
  };
  for (std::size_t i = 0; i < std::max(expected.size(), actual.size()); ++i)
    if (i >= expected.size() || i >= actual.size() || expected[i] != actual[i])
      return "contact " + std::to_string(i) + ", expected:" + text(expected, i) + ", actual:" + text(actual, i);
  return "";
}

}  // namespace sightline::test
