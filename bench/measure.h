// Runs the peers over a scene, first to compare the answers, then to measure the times; and prints the results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bench.h"
#include "bench/process.h"

namespace sightline::bench {

struct PeerResult {
  std::string peer;
  std::vector<double> milliseconds;  ///< of each timed run, ascending
  double cpu_milliseconds = 0;       ///< least user and system time of all threads in one run, release included
  Stats stats;                       ///< of the best run
  std::uint64_t peak_bytes = 0;      ///< as measured from outside in a process of its own; 0 if not measured
  std::uint64_t peak_resident_bytes = 0;
  std::uint64_t missed = 0, invented = 0;  ///< against the exact set; always 0 for exact peers

  double best() const { return milliseconds.front(); }
  double median() const;
};

struct SceneResult {
  std::string scene;
  std::uint64_t triangles = 0, objects = 0, contacts = 0, hash = 0;
  std::vector<PeerResult> peers;

  /// Null if the peer did not run.
  const PeerResult* find(std::string_view peer) const;
  /// How many times as fast as `other` a peer is, by best times; 0 if either is missing.
  double ratio(std::string_view peer, std::string_view other) const;
  /// The same by cpu time.
  double cpu_ratio(std::string_view peer, std::string_view other) const;
};

/// Throws Error with counts and the first differing pairs if two exact peers do not agree as sets (and in kind, where
/// both have kinds). Then times the peers in turn, run by run, so that a disturbance of the machine affects all of
/// them.
SceneResult measure(const BenchScene& scene, std::span<const std::unique_ptr<PeerProcess>> peers, int runs);

void print_scene(const SceneResult& result);
/// `simd`: the instruction set that stands for "the best" where a target does not name one.
void print_targets(const std::vector<SceneResult>& results, const std::string& simd);
/// One row for each scene and peer. Throws Error if the file cannot be written.
void write_csv(const std::string& path, const std::vector<SceneResult>& results);

}  // namespace sightline::bench
