#include "bench/bench.h"
#include "bench/timer.h"
#include "query/query.h"

namespace sightline::bench {
namespace {

class SightlinePeer : public Peer {
 public:
  SightlinePeer(Simd simd, unsigned threads) {
    options_.simd = simd;
    options_.threads = threads;
  }
  std::string name() const override { return kSightline + std::string(to_string(options_.simd)); }
  bool takes(const BenchScene&) const override { return true; }
  bool reports_kind() const override { return true; }

  /// A fresh scene and a fresh report each time: no storage is reused.
  Report run(const BenchScene& bench_scene) override {
    const Timer timer;
    Report report;
    if (bench_scene.self) {
      report = self_intersections(bench_scene.objects.front(), options_);
    } else {
      Scene scene;
      for (const Mesh& mesh : bench_scene.objects) scene.add(mesh);
      report = collide(scene, options_);
    }
    report.stats.milliseconds = timer.milliseconds();
    return report;
  }

 private:
  Settings options_;
};

}  // namespace

PeerPtr make_sightline(Simd simd, unsigned threads) { return std::make_unique<SightlinePeer>(simd, threads); }

}  // namespace sightline::bench
