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
  bool takes(const BenchScene& scene) const override { return !scene.relations; }
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

/// A pair that clashes has the kind `crossing`, one that touches has the kind `touching`.
class RelationsPeer : public Peer {
 public:
  RelationsPeer(unsigned threads, bool list) : list_(list) {
    options_.relations_only = !list;
    options_.query.threads = threads;
  }
  std::string name() const override { return kSightline + std::string(list_ ? "list" : "relations"); }
  bool takes(const BenchScene& scene) const override { return scene.relations; }
  bool reports_kind() const override { return true; }

  Report run(const BenchScene& scene) override {
    const Timer timer;
    Report report;
    Clashes found = clashes(scene.assembly, options_);
    report.stats = std::move(found.stats);
    report.stats.milliseconds = timer.milliseconds();
    for (const PartPair& pair : found.pairs)
      if (pair.relation == Relation::clash || pair.relation == Relation::touch)
        report.contacts.push_back(
            {pair.a, pair.b, 0, 0, pair.relation == Relation::clash ? Kind::crossing : Kind::touching});
    return report;
  }

 private:
  bool list_;
  ClashOptions options_;
};

}  // namespace

PeerPtr make_relations(unsigned threads, bool list) { return std::make_unique<RelationsPeer>(threads, list); }

PeerPtr make_sightline(Simd simd, unsigned threads) { return std::make_unique<SightlinePeer>(simd, threads); }

}  // namespace sightline::bench
