// A peer in a process of its own. In one process peers disturb each other: Embree takes 1.4 times as long after CGAL.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace sightline::bench {

struct PeerRun {
  Report report;
  double cpu_milliseconds = 0;  ///< of all threads, what the peer frees at its end included
};

class PeerProcess {
 public:
  /// `command` starts a program that calls serve(). Throws Error if it cannot be started.
  PeerProcess(const Peer& peer, const std::vector<std::string>& command);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  const Peer& peer() const { return peer_; }
  /// Throws Error if the process has ended.
  PeerRun run();

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  const Peer& peer_;
  pid_t process_ = 0;
  File requests_, answers_;
};

/// The other side: runs the peer for each byte of standard input, and writes what it found to standard output.
void serve(Peer& peer, const BenchScene& scene);

}  // namespace sightline::bench
