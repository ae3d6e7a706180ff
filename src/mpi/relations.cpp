// The steps, which all ranks take together:
// 1. Each rank loads its share of the parts, one after the other, for their boxes and sizes; all ranks get these.
// 2. Pairs of boxes in reach are cut into one range for each rank, of about equal numbers of triangles.
// 3. Each rank answers the pairs of its range, with the relations of the core over the two parts.
// 4. All ranks get all pairs that are not clear.
#include <chrono>
#include <list>
#include <map>

#include "base/box_tree.h"
#include "base/float_environment.h"
#include "mpi/ranks.h"
#include "sightline/mpi.h"

namespace sightline::mpi {
namespace {

struct PartSize {
  Box box;
  std::uint64_t triangles = 0;
};

Box box_of(const MeshView& part) {
  Box box;
  for (std::size_t i = 0; i < part.triangles.size(); ++i)
    for (const Vec3d& corner : part.corners(i)) box.add(corner);
  return box;
}

/// Parts that are loaded; the least recently used ones are released first.
class LoadedParts {
 public:
  LoadedParts(PartSource& source, std::uint64_t most) : source_(source), most_(most) {}
  LoadedParts(const LoadedParts&) = delete;
  LoadedParts& operator=(const LoadedParts&) = delete;
  ~LoadedParts() {
    for (const auto& [number, part] : parts_) source_.release(number);
  }

  /// The two parts of a pair. They stay loaded until the next call.
  std::array<MeshView, 2> both(std::size_t a, std::size_t b) {
    const std::array<MeshView, 2> views{load(a), load(b)};
    while (bytes_ > most_ && parts_.size() > 2) release(used_.back());
    return views;
  }

 private:
  struct Part {
    MeshView view;
    std::list<std::size_t>::iterator place;
  };
  static std::uint64_t bytes_of(const MeshView& view) {
    const Positions& p = view.positions;
    return p.size() * (p.is_double() ? sizeof(Vec3d) : sizeof(Vec3f)) + view.triangles.size() * sizeof(Triangle);
  }
  const MeshView& load(std::size_t number) {
    const auto at = parts_.find(number);
    if (at != parts_.end()) {
      used_.splice(used_.begin(), used_, at->second.place);
      return at->second.view;
    }
    // One part and those before it may not fit together: room is made before the next one comes.
    while (bytes_ > most_ && parts_.size() > 1) release(used_.back());
    const MeshView view = source_.load(number);
    used_.push_front(number);
    bytes_ += bytes_of(view);
    return parts_.emplace(number, Part{view, used_.begin()}).first->second.view;
  }
  void release(std::size_t number) {
    const auto at = parts_.find(number);
    bytes_ -= bytes_of(at->second.view);
    used_.erase(at->second.place);
    parts_.erase(at);
    source_.release(number);
  }

  PartSource& source_;
  std::uint64_t most_, bytes_ = 0;
  std::map<std::size_t, Part> parts_;
  std::list<std::size_t> used_;  ///< the last one first
};

class Run {
 public:
  Run(const Ranks& ranks, PartSource& parts, const ClashOptions& options, std::uint64_t memory)
      : ranks_(ranks), parts_(parts), options_(options), memory_(memory) {}

  Clashes run() {
    const auto start = std::chrono::steady_clock::now();
    ranks_.together([&] { sightline::relations({}, options_); });  // throws for bad options
    const std::uint64_t count = parts_.size();
    const std::vector<std::uint64_t> limits = ranks_.max({count, ~count});
    ranks_.together([&] {
      if (limits[0] != ~limits[1]) throw Error(formatted("{} parts, and another rank has another number", count));
    });
    measure_parts();
    share_pairs();
    ranks_.together([&] { answer(); });
    Clashes result;
    result.pairs = ranks_.gathered(found_);
    std::sort(result.pairs.begin(), result.pairs.end(),
              [](const PartPair& x, const PartPair& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - start;
    result.stats.milliseconds = passed.count();
    result.stats.stages.push_back({"ranks", passed.count(), static_cast<std::uint64_t>(ranks_.size()), "ranks"});
    result.stats.triangles = triangles_;
    result.stats.threads = static_cast<unsigned>(ranks_.max(threads_));
    return result;
  }

 private:
  void measure_parts() {
    const auto size = static_cast<std::size_t>(ranks_.size());
    std::vector<PartSize> mine;
    ranks_.together([&] {
      for (std::size_t i = static_cast<std::size_t>(ranks_.rank()); i < parts_.size(); i += size) {
        const MeshView part = parts_.load(i);
        validate(part, formatted("part {}", i), options_.query.threads);
        mine.push_back({box_of(part), part.triangles.size()});
        parts_.release(i);
      }
    });
    const std::vector<PartSize> all = ranks_.gathered(mine);
    // Rank r has the parts r, r + size, …; its first one stands after those of the ranks before it.
    sizes_.resize(parts_.size());
    std::size_t place = 0;
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t i = r; i < sizes_.size(); i += size) sizes_[i] = all[place++];
    for (const PartSize& part : sizes_) triangles_ += part.triangles;
  }

  void share_pairs() {
    std::vector<Box> boxes;
    for (const PartSize& part : sizes_) boxes.push_back(part.box);
    const auto reach = [&](const Box& a, const Box& b) { return a.in_reach(b, options_.clearance); };
    std::uint64_t all = 0, before = 0;
    const auto pairs = pairs_of_boxes(boxes, reach);
    const auto work = [&](const auto& pair) { return sizes_[pair[0]].triangles + sizes_[pair[1]].triangles + 1; };
    for (const auto& pair : pairs) all += work(pair);
    const auto ranks = static_cast<double>(ranks_.size());
    for (const auto& pair : pairs) {
      const double middle = static_cast<double>(before) + static_cast<double>(work(pair)) / 2;
      const int rank = std::min(ranks_.size() - 1, static_cast<int>(middle / static_cast<double>(all) * ranks));
      if (rank == ranks_.rank()) mine_.push_back(pair);
      before += work(pair);
    }
  }

  void answer() {
    LoadedParts loaded(parts_, memory_);
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      const auto [a, b] = mine_[i];
      const std::array<MeshView, 2> views = loaded.both(a, b);
      ClashOptions options = options_;
      options.query.progress = {};
      const Clashes found = sightline::relations(views, options);
      threads_ = std::max<std::uint64_t>(threads_, found.stats.threads);
      for (PartPair pair : found.pairs) {
        if (pair.relation == Relation::contains) pair.inner = pair.inner == 0 ? a : b;
        pair.a = a, pair.b = b;
        found_.push_back(pair);
      }
      if (options_.query.progress)
        options_.query.progress(static_cast<double>(i + 1) / static_cast<double>(mine_.size()));
    }
  }

  const Ranks& ranks_;
  PartSource& parts_;
  const ClashOptions& options_;
  std::uint64_t memory_;
  std::vector<PartSize> sizes_;
  std::vector<std::array<std::uint32_t, 2>> mine_;
  std::vector<PartPair> found_;
  std::uint64_t triangles_ = 0, threads_ = 0;
};

}  // namespace

Clashes relations(MPI_Comm comm, PartSource& parts, const ClashOptions& options, std::uint64_t memory) {
  const FloatEnvironment environment;
  return Run(Ranks(comm), parts, options, memory).run();
}

}  // namespace sightline::mpi
