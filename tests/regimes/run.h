// A scene of a regime through the engine, held against brute force.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "oracle/brute.h"
#include "sightline/query.h"
#include "support/compare.h"
#include "support/regimes.h"
#include "support/sizes.h"
#include "support/tuned.h"

namespace testing_support {

using sightline::Axis;
using sightline::Contact;
using sightline::Report;
using sightline::Scene;
using sightline::Simd;
using sightline::VisibilityCull;

inline std::vector<Contact> truth(const RegimeScene& scene) {
  return oracle::brute_contacts(views(scene.objects), scene.self);
}

inline Report collide(const RegimeScene& scene, const Tuned& options) {
  Scene engine;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) engine.add(scene.objects[i], {.self = scene.self[i]});
  return collide(engine, options);
}

inline std::string describe(const Tuned& o) {
  return "axis " + std::to_string(static_cast<int>(o.axis)) + ", cell " + std::to_string(o.cell) + ", simd " +
         std::string(to_string(o.simd)) + ", threads " + std::to_string(o.threads) + ", visibility " +
         std::to_string(static_cast<int>(o.visibility));
}

/// 16 rows in which every two values of two different options meet: an orthogonal array, from the lines of the plane
/// over the field of four elements.
inline std::vector<Tuned> covering_options() {
  constexpr Axis axes[4] = {Axis::automatic, Axis::x, Axis::y, Axis::z};
  constexpr double cells[4] = {0, 0.3, 1, 30};
  constexpr Simd simds[4] = {Simd::scalar, Simd::sse4, Simd::avx2, Simd::avx512};
  constexpr unsigned threads[4] = {1, 2, 7, 1};
  constexpr VisibilityCull visibility[4] = {VisibilityCull::automatic, VisibilityCull::on, VisibilityCull::off,
                                            VisibilityCull::on};
  constexpr int twice[4] = {0, 2, 3, 1}, thrice[4] = {0, 3, 1, 2};  // times x and x + 1 in that field
  std::vector<Tuned> rows;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      Tuned o;
      o.axis = axes[a];
      o.cell = cells[b];
      o.simd = available(simds[a ^ b]) ? simds[a ^ b] : Simd::best;
      o.threads = threads[a ^ twice[b]];
      o.visibility = visibility[a ^ thrice[b]];
      rows.push_back(o);
    }
  return rows;
}

/// Compares each run with the expected list. All failures are counted, few are printed.
inline void expect_exact(const RegimeScene& scene, const std::vector<Tuned>& runs, const std::string& what) {
  const std::vector<Contact> expected = truth(scene);
  const std::vector<MeshView> objects = views(scene.objects);
  int failures = 0;
  for (const Tuned& options : runs) {
    std::string text;
    try {
      text = difference(expected, collide(scene, options), objects);
    } catch (const std::exception& error) {
      text = std::string("throws: ") + error.what() + "\n";
    }
    if (text.empty()) continue;
    if (++failures <= 2) ADD_FAILURE() << what << ": " << describe(options) << "\n" << text;
  }
  EXPECT_EQ(failures, 0) << what << ": so many of " << runs.size() << " runs are wrong";
}

}  // namespace testing_support
