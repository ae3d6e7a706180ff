// What the leaves contribute to the answer: counts, and lists on the disk.
#pragma once

#include <functional>
#include <memory>

#include "parts/runs.h"
#include "sightline/huge.h"

namespace sightline {

/// Contacts have objects and triangles as their key, and as their payload the kind and the points.
struct HugeReport::Lists {
  Lists(const std::filesystem::path& folder, std::size_t memory)
      : scratch(folder), contacts(scratch, memory), degenerate(scratch, memory / 4), links(scratch, memory / 4) {}

  disk::ScratchFile scratch;
  scale::Runs contacts;
  scale::Runs degenerate;
  /// A triangle that several leaves have, and the component that it belongs to in one of them.
  scale::Runs links;
};

namespace scale {

/// Thrown after a cancel.
struct Stopped {};

/// The caller's cancel, which is remembered, and progress.
class Control {
 public:
  explicit Control(const HugeOptions& options) : options_(options) {}
  bool stop() const {
    if (!stopped_.load(std::memory_order_relaxed) && options_.cancel && options_.cancel())
      stopped_.store(true, std::memory_order_relaxed);
    return stopped_.load(std::memory_order_relaxed);
  }
  void check() const {
    if (stop()) throw Stopped{};
  }
  void progress(double done) const {
    if (options_.progress) options_.progress(done);
  }

 private:
  const HugeOptions& options_;
  mutable std::atomic<bool> stopped_{false};
};

/// The answer so far. Numbers add up over leaves.
struct Totals {
  HugeFacts facts;
  std::uint64_t counts[kKindCount] = {};
  std::uint64_t nodes = 0;  ///< components of leaves that have a link; others are in facts.components
  std::uint64_t leaves = 0, records = 0;
  std::uint64_t candidates = 0, decided_exact = 0, decided_filtered = 0, peak_bytes = 0;
  std::string_view simd;
  unsigned threads = 0;
};

/// The number of components that the linked components of leaves are parts of. `nodes` of them were numbered.
SIGHTLINE_API std::uint64_t joined_components(const Runs& links, std::uint64_t nodes);

}  // namespace scale
}  // namespace sightline
