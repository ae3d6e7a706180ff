// Pairs of triangles drawn from families that are each hard in one way.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sightline/mesh.h"
#include "support/random.h"

namespace testing_support {

using Corners = std::array<sightline::Vec3d, 3>;
using Pair = std::array<Corners, 2>;

inline double ulps_away(double x, int ulps) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (; ulps > 0; --ulps) x = std::nextafter(x, infinity);
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -infinity);
  return x;
}

/// Every corner on the lattice {0 … side − 1}³; corners of b are often corners of a, and corners repeat.
inline Pair lattice_pair(Random& random, int side) {
  Pair pair;
  for (Corners& t : pair)
    for (auto& p : t)
      for (double& x : p) x = random.below(side);
  for (auto& p : pair[1])
    if (random.chance(0.25)) p = pair[0][random.below(3)];
  if (random.chance(0.05)) pair[0][1] = pair[0][0];
  if (random.chance(0.05)) pair[1][2] = pair[1][1];
  if (random.chance(0.1))  // one line
    for (int k = 0; k < 3; ++k) pair[1][2][k] = 2 * pair[1][1][k] - pair[1][0][k];
  return pair;
}

template <class Map>
Pair mapped(Pair pair, Map map) {
  // The map is applied once for each distinct position, so that common corners stay common.
  std::vector<std::pair<sightline::Vec3d, sightline::Vec3d>> seen;
  for (Corners& t : pair)
    for (auto& p : t) {
      bool known = false;
      for (const auto& [from, to] : seen)
        if (from == p) {
          p = to;
          known = true;
          break;
        }
      if (known) continue;
      const sightline::Vec3d from = p;
      p = map(p);
      seen.emplace_back(from, p);
    }
  return pair;
}

inline Pair jogged_pair(Random& random, const Pair& pair, int ulps) {
  return mapped(pair, [&](sightline::Vec3d p) {
    for (double& x : p)
      if (random.chance(0.3)) x = ulps_away(x, random.below(2 * ulps + 1) - ulps);
    return p;
  });
}

/// b goes through a point that lies on a up to rounding: inside, on an edge or at a corner of either.
inline Pair meeting_pair(Random& random) {
  Pair pair;
  for (auto& p : pair[0]) p = {random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)};
  double u = random.unit(), v = random.unit() * (1 - u);
  if (random.chance(0.4)) v = 0;
  sightline::Vec3d x;
  for (int k = 0; k < 3; ++k)
    x[k] = pair[0][0][k] + u * (pair[0][1][k] - pair[0][0][k]) + v * (pair[0][2][k] - pair[0][0][k]);
  const sightline::Vec3d d{random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)};
  const sightline::Vec3d e{random.in(-1, 1), random.in(-1, 1), random.in(-1, 1)};
  const int how = random.below(4);
  for (int k = 0; k < 3; ++k) {
    pair[1][0][k] = how == 0 ? x[k] : x[k] - d[k];
    pair[1][1][k] = how == 1 ? x[k] + d[k] - e[k] : x[k] + d[k];
    pair[1][2][k] = x[k] + e[k];
  }
  if (how == 3) pair[1][0] = pair[0][0];  // a common corner, and perhaps another meeting
  return pair;
}

struct Family {
  std::string name;
  std::function<Pair(Random&)> draw;
  int count;
};

inline std::vector<Family> pair_families() {
  const auto scaled = [](const Pair& pair, const sightline::Vec3d& by) {
    return mapped(pair, [&](const sightline::Vec3d& p) {
      return sightline::Vec3d{p[0] * by[0], p[1] * by[1], p[2] * by[2]};
    });
  };
  const auto power = [](Random& random, int reach) { return std::ldexp(1.0, random.below(2 * reach + 1) - reach); };
  return {
      {"lattice2", [](Random& r) { return lattice_pair(r, 2); }, 20000},
      {"lattice3", [](Random& r) { return lattice_pair(r, 3); }, 40000},
      {"lattice4", [](Random& r) { return lattice_pair(r, 4); }, 40000},
      {"lattice17", [](Random& r) { return lattice_pair(r, 17); }, 10000},
      {"planar",
       [](Random& r) {
         return mapped(lattice_pair(r, 5), [](const sightline::Vec3d& p) {
           return sightline::Vec3d{p[0], p[1], 2 * p[0] - 3 * p[1]};
         });
       },
       20000},
      {"planar_by_axis",
       [](Random& r) {
         const int axis = r.below(3);
         return mapped(lattice_pair(r, 4), [&](sightline::Vec3d p) { return p[axis] = 1, p; });
       },
       20000},
      {"collinear",
       [](Random& r) {
         return mapped(lattice_pair(r, 6), [](const sightline::Vec3d& p) {
           return sightline::Vec3d{p[0], -2 * p[0], 3 * p[0]};
         });
       },
       5000},
      {"tenth",
       [=](Random& r) {
         return scaled(lattice_pair(r, 4), {0.1, 0.1, 0.1});
       },
       15000},
      {"third",
       [=](Random& r) {
         return scaled(lattice_pair(r, 4), {1.0 / 3, 1.0 / 7, 0.3});
       },
       10000},
      {"one_ulp",
       [](Random& r) {
         return jogged_pair(r,
                            mapped(lattice_pair(r, 4),
                                   [](const sightline::Vec3d& p) {
                                     return sightline::Vec3d{(p[0] + 1) / 3, (p[1] + 1) / 3, (p[2] + 1) / 3};
                                   }),
                            1);
       },
       15000},
      {"one_ulp_of_integers",
       [](Random& r) {
         return jogged_pair(r,
                            mapped(lattice_pair(r, 4),
                                   [](const sightline::Vec3d& p) {
                                     return sightline::Vec3d{p[0] + 1, p[1] + 5, p[2] - 7};
                                   }),
                            1);
       },
       15000},
      {"ulp_at_zero", [](Random& r) { return jogged_pair(r, lattice_pair(r, 3), 1); }, 3000},
      {"far",
       [=](Random& r) {
         const double distance = std::pow(10.0, 3 + r.below(13));
         return mapped(lattice_pair(r, 4), [&](const sightline::Vec3d& p) {
           return sightline::Vec3d{p[0] * 0.1 + distance, p[1] * 0.1 - 0.7 * distance, p[2] * 0.1 + 0.3 * distance};
         });
       },
       10000},
      {"powers_of_two",
       [=](Random& r) {
         return scaled(lattice_pair(r, 4), {power(r, 1000), power(r, 1000), power(r, 1000)});
       },
       4000},
      {"tiny_1e_300",
       [=](Random& r) {
         return scaled(lattice_pair(r, 4), {1e-300, 1e-300, 1e-300});
       },
       5000},
      {"huge_1e300",
       [=](Random& r) {
         return scaled(lattice_pair(r, 4), {1e300, -1e300, 1e300});
       },
       5000},
      {"largest",
       [](Random& r) {
         return mapped(lattice_pair(r, 3), [](sightline::Vec3d p) {
           for (double& x : p) x = std::clamp(x - 1, -1.0, 1.0) * std::numeric_limits<double>::max();
           return p;
         });
       },
       5000},
      {"denormal",
       [=](Random& r) {
         return scaled(lattice_pair(r, 5), {0x1p-1074, -0x1p-1074, 0x1p-1073});
       },
       10000},
      {"around_least_normal",
       [=](Random& r) {
         return jogged_pair(r, scaled(lattice_pair(r, 4), {0x1p-1022, 0x1p-1023, 0x1p-1021}), 2);
       },
       5000},
      {"both_magnitudes",
       [](Random& r) {
         return mapped(lattice_pair(r, 3), [&](sightline::Vec3d p) {
           for (double& x : p) x = (x - 1) * (r.chance(0.5) ? 1e300 : 1e-300);
           return p;
         });
       },
       3000},
      {"any_exponent",
       [](Random& r) {
         return mapped(lattice_pair(r, 4), [&](sightline::Vec3d p) {
           for (double& x : p) x = std::ldexp(r.in(-1, 1), r.below(2000) - 1000);
           return p;
         });
       },
       2000},
      {"word_edges",
       [](Random& r) {  // mantissas that just fit, or just miss, the integer widths
         const int bits = std::array{14, 15, 16, 17, 39, 40, 41, 42, 52, 53}[r.below(10)];
         const int low = r.below(12);
         return mapped(lattice_pair(r, 4), [&](sightline::Vec3d p) {
           for (double& x : p)
             x = (x - 1.5) * std::ldexp(1.0, bits - 1) +
                 std::copysign(std::ldexp(double(r.below(3)), r.chance(0.5) ? 0 : -low), x - 1.5);
           return p;
         });
       },
       20000},
      {"meeting", [](Random& r) { return meeting_pair(r); }, 15000},
      {"meeting_far",
       [](Random& r) {
         const double distance = std::pow(2.0, 5 + r.below(30));
         return mapped(meeting_pair(r), [&](sightline::Vec3d p) {
           for (double& x : p) x += distance;
           return p;
         });
       },
       8000},
      {"meeting_stretched",
       [=](Random& r) {
         return scaled(meeting_pair(r), {power(r, 40), power(r, 40), power(r, 40)});
       },
       8000},
      {"random",
       [](Random& r) {
         return mapped(lattice_pair(r, 100), [&](sightline::Vec3d p) {
           for (double& x : p) x = r.in(-1, 1);
           return p;
         });
       },
       15000},
  };
}

}  // namespace testing_support
