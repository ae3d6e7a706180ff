// The targets of the project for speed, growth and memory, and whether a run meets them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/measure.h"
#include "bench/scene_list.h"

namespace sightline::bench {
namespace {

struct TargetResult {
  std::string what;
  double wanted = 0;
  double got = 0;
  double by_cpu_time = 0;  ///< `got` from cpu time, for a busy machine; 0 where cpu time is no measure
  bool at_least = true;    ///< else at most
  bool measured = false;

  bool met() const { return at_least ? got >= wanted : got <= wanted; }
};

const SceneResult* find(const std::vector<SceneResult>& results, std::string_view scene) {
  const auto it = std::find_if(results.begin(), results.end(), [&](const SceneResult& r) { return r.scene == scene; });
  return it == results.end() ? nullptr : &*it;
}

struct SpeedTarget {
  const char* scene;
  const char* simd;  ///< an instruction set, or "relations"
  const char* other;
  double times;
};
constexpr SpeedTarget kSpeedTargets[] = {
    {kCloth, "avx512", kEmbree, 15},
    {kCloth, "avx512", kCgal, 60},
    {kBodies, "avx512", kEmbree, 15},
    {kBodies, "avx512", kCgal, 60},
    {kFlatScenes[0], "avx512", kEmbree, 15},
    {kFlatScenes[0], "avx512", kCgal, 60},
    {kTori, "avx512", kEmbree, 10},
    {kSoup, "avx512", kEmbree, 10},
    {kClothScenes[3], "avx512", kEmbree, 10},
    {kHeavySoup, "avx512", kEmbree, 10},
    {kClustered, "avx512", kEmbree, 7},
    {kNeedles, "avx512", kEmbree, 7},
    {kLattices[0], "avx512", kEmbree, 7},
    {kLattices[1], "avx512", kEmbree, 7},
    {kSpheres, "avx512", kEmbree, 4},
    {kSpheres, "avx512", kEmbreeOneScene, 5},
    {kTwoObjects, "avx512", kEmbree, 1},
    {kCubes, "avx512", kEmbree, 1.5},
    {kCubeObjects, "avx512", kEmbree, 2.5},
    {kCubeObjects, "avx512", kEmbreeOneScene, 2.5},
    {kCloth, "avx2", "sightline-avx512", 0.8},
    {kBodies, "avx2", "sightline-avx512", 0.8},
    {kBuilding, "relations", kFclYesNo, 3},
    {kFlatBuilding, "relations", kFclYesNo, 3},
};

constexpr double kGrowth = 1.1;
constexpr double kBytesPerTriangle = 22;
constexpr double kPercentLeft = 0.1;

TargetResult growth(const std::vector<SceneResult>& results, const std::string& peer) {
  const SceneResult* small = find(results, std::begin(kClothScenes)[0]);
  const SceneResult* large = find(results, std::end(kClothScenes)[-1]);
  TargetResult target{.what = "cloth, 20k to 4M triangles: exponent of growth", .wanted = kGrowth, .at_least = false};
  if (small == nullptr || large == nullptr || small->find(peer) == nullptr || large->find(peer) == nullptr)
    return target;
  target.got = std::log(large->find(peer)->best() / small->find(peer)->best()) /
               std::log(static_cast<double>(large->triangles) / static_cast<double>(small->triangles));
  target.measured = true;
  return target;
}

/// A ratio of two numbers of a scene's row, which is to be at most `wanted`. A divisor of 0: not measured.
template <typename Measure>
TargetResult at_most(double wanted, const char* what, const SceneResult* result, const char* scene,
                     const std::string& peer, const Measure& measure) {
  TargetResult target{.what = fmt::format("{}: {}", scene, what), .wanted = wanted, .at_least = false};
  const PeerResult* row = result == nullptr ? nullptr : result->find(peer);
  if (row == nullptr) return target;
  const auto [amount, of] = measure(*result, *row);
  target.measured = of > 0;
  if (target.measured) target.got = static_cast<double>(amount) / static_cast<double>(of);
  return target;
}
using Share = std::pair<std::uint64_t, std::uint64_t>;
Share bytes_per_triangle(const SceneResult& result, const PeerResult& row) {
  return {row.peak_bytes, row.peak_bytes > 0 ? result.triangles : 0};
}
Share percent_left(const SceneResult&, const PeerResult& row) {
  return {100 * row.stats.decided_exact, row.stats.candidates};
}

std::vector<TargetResult> check_targets(const std::vector<SceneResult>& results, const std::string& simd) {
  std::vector<TargetResult> targets;
  for (const SpeedTarget& speed : kSpeedTargets) {
    TargetResult target{.what = fmt::format("{}, {}: times as fast as {}", speed.scene, speed.simd, speed.other),
                        .wanted = speed.times};
    if (const SceneResult* result = find(results, speed.scene)) {
      target.got = result->ratio(std::string(kSightline) + speed.simd, speed.other);
      target.by_cpu_time = result->cpu_ratio(std::string(kSightline) + speed.simd, speed.other);
    }
    target.measured = target.got > 0;
    targets.push_back(std::move(target));
  }
  targets.push_back(growth(results, kSightline + simd));
  for (const char* scene : kFlatScenes)
    targets.push_back(at_most(kPercentLeft, "per cent of the candidates beyond the float filter", find(results, scene),
                              scene, kSightline + simd, percent_left));
  for (const char* scene : {kCloth, kBodies})
    targets.push_back(at_most(kBytesPerTriangle, "bytes per triangle above the input", find(results, scene), scene,
                              kSightline + simd, bytes_per_triangle));
  return targets;
}

}  // namespace

void print_targets(const std::vector<SceneResult>& results, const std::string& simd) {
  fmt::print("\nTargets\n");
  for (const TargetResult& target : check_targets(results, simd)) {
    const char* verdict = !target.measured ? "not measured" : target.met() ? "ok" : "MISSED";
    const std::string got = target.measured ? fmt::format("{:.2f}", target.got) : "-";
    const std::string by_cpu = target.by_cpu_time > 0 ? fmt::format("  ({:.2f} by cpu time)", target.by_cpu_time) : "";
    fmt::print("  {:<62} {} {:>5}  got {:>7}  {}{}\n", target.what, target.at_least ? ">=" : "<=", target.wanted, got,
               verdict, by_cpu);
  }
}

}  // namespace sightline::bench
