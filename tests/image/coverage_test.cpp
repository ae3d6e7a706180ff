// The image keeps a superset of the truth: wherever a point of a triangle falls, the triangle is entered there.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "image/selection.h"
#include "image/bin.h"
#include "oracle/rational.h"
#include "base/parallel.h"
#include "input/watch.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/random.h"
#include "support/tuned.h"

namespace {

using namespace testing_support;
using namespace sightline;

double uniform(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(state >> 11) * 0x1p-53;
}

/// Small triangles around a far corner, and a few giants through them: the grid covers the bulk only.
Mesh far_bulk_with_giants(double offset, std::uint64_t seed, std::size_t small, int giants) {
  Mesh mesh;
  std::vector<Vec3f> points;
  std::uint64_t state = seed;
  const auto add = [&](double size) {
    double center[3];
    for (double& c : center) c = offset + 400 * uniform(state);
    const auto first = static_cast<std::uint32_t>(points.size());
    for (int corner = 0; corner < 3; ++corner) {
      Vec3f p;
      for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(center[k] + size * (uniform(state) - 0.5));
      points.push_back(p);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  };
  for (std::size_t i = 0; i < small; ++i) add(40);
  for (int i = 0; i < giants; ++i) add(4e4);
  mesh.positions = std::move(points);
  return mesh;
}

struct Slabs {
  int near, far;
};

/// All entries as (column, triangle) -> slabs.
std::map<std::pair<std::size_t, std::uint32_t>, Slabs> entries_of(const Mesh& mesh, Frame& frame, double cell,
                                                                  Axis axis) {
  const QueryObject object{mesh, true};
  TriangleTable table;
  table.assign({&object, 1});
  Workers workers(2);
  const sightline::Settings options = Tuned{.axis = axis, .cell = cell};
  Watch watch(options);
  frame = make_frame(table, options, workers, watch);
  Bins bins;
  place_vertices(table, frame, workers, watch, bins);
  bin_triangles(table, frame, select_triangles(table, bins, workers), workers, watch, bins);
  std::map<std::pair<std::size_t, std::uint32_t>, Slabs> entries;
  for (std::size_t column = 0; column < frame.levels.columns(); ++column)
    for (std::uint64_t i = bins.column_begin[column]; i < bins.column_begin[column + 1]; ++i) {
      const Entry& e = bins.entries[i];
      const bool is_new = entries.emplace(std::pair{column, e.triangle}, Slabs{e.slab, e.slab + e.span()}).second;
      EXPECT_TRUE(is_new) << "triangle " << e.triangle << " twice in a column";
    }
  return entries;
}

TEST(Coverage, EveryPointOfATriangleIsEntered) {
  for (const double offset : {0.0, 1e5, 1e8, 1e30})
    for (const double cell : {0.1, 1.0, 4.0})
      for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
        const Mesh mesh = far_bulk_with_giants(offset, 7, 1500, 3);
        int levels = 0;
        Frame frame;
        const auto entries = entries_of(mesh, frame, cell, axis);
        std::uint64_t state = 99;
        const MeshView view = mesh;
        for (std::uint32_t t = 0; t < view.triangles.size(); ++t) {
          const auto corners = view.corners(t);
          const int samples = t + 3 >= view.triangles.size() ? 2000 : 8;
          for (int sample = 0; sample < samples; ++sample) {
            double a = uniform(state), b = uniform(state);
            if (a + b > 1) a = 1 - a, b = 1 - b;
            int cell_of[3];
            for (int k = 0; k < 3; ++k) {
              const int x = frame.axis[k];
              const auto [low, high] = std::minmax({corners[0][x], corners[1][x], corners[2][x]});
              const double p =
                  corners[0][x] + a * (corners[1][x] - corners[0][x]) + b * (corners[2][x] - corners[0][x]);
              // By the map for float32 input; rounding is monotone, so the rounded point is still between the corners.
              cell_of[k] =
                  rules::cell_of(static_cast<float>(std::clamp(p, low, high)), static_cast<float>(frame.origin[k]),
                                 static_cast<float>(frame.cells_per_unit[k]), frame.size[k] - 1);
            }
            // On exactly one level, in the column that holds the point's.
            int found = 0;
            for (int level = 0; level < frame.levels.count; ++level) {
              const int shift = rules::kLevelShift * level;
              const auto entry =
                  entries.find({frame.levels.column(level, cell_of[0] >> shift, cell_of[1] >> shift), t});
              if (entry == entries.end()) continue;
              ++found;
              levels = std::max(levels, level);
              EXPECT_LE(entry->second.near, cell_of[2]);
              EXPECT_GE(entry->second.far, cell_of[2]);
            }
            ASSERT_EQ(found, 1) << "triangle " << t << " is missing in a column that it covers";
          }
        }
        if (offset < 1e30) {
          EXPECT_GT(levels, 0) << "no giant was entered on a coarse level";
        }
      }
}

// Once the grid began at a number that float could not hold, and contacts with giants were lost.
TEST(Coverage, GridFarFromTheOriginIsOneGrid) {
  const Mesh mesh = far_bulk_with_giants(1e8, 7, 4000, 2);
  const std::vector<MeshView> objects{mesh};
  const auto expected = oracle::self_contacts(mesh);
  for (const double cell : {0.1, 0.3, 1.0})
    for (const Axis axis : {Axis::x, Axis::y, Axis::z})
      EXPECT_EQ(difference(expected, self_intersections(mesh, Tuned{.axis = axis, .cell = cell}), objects), "");
}

}  // namespace
