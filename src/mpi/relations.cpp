// The steps, which all ranks take together:
// 1. Each rank loads its share of the parts, one after the other, for their boxes and sizes; all ranks get these.
// 2. Pairs of boxes in reach are cut into one range for each rank, of about equal numbers of triangles.
// 3. Each rank answers the pairs of its range, with the relations of the core over the two parts.
// 4. All ranks get all pairs that are not clear.
#include <chrono>

#include "base/float_environment.h"
#include "mpi/ranks.h"
#include "parts/pairs.h"
#include "sightline/mpi.h"

namespace sightline::mpi {
namespace {

using scale::PartSize;

class Run {
 public:
  Run(const Ranks& ranks, PartSource& parts, const ClashOptions& options, std::uint64_t memory)
      : ranks_(ranks), parts_(parts), options_(options), memory_(memory) {}

  Clashes run() {
    const auto start = std::chrono::steady_clock::now();
    ranks_.together([&] { sightline::relations(std::span<const MeshView>(), options_); });  // throws for bad options
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
      for (std::size_t i = static_cast<std::size_t>(ranks_.rank()); i < parts_.size(); i += size)
        mine.push_back(scale::size_of_part(parts_, i, options_.query.threads));
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
    std::uint64_t all = 0, before = 0;
    const auto pairs = scale::pairs_in_reach(sizes_, options_.clearance);
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
    scale::PairAnswers answers(parts_, options_, {.kept = memory_});
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      const auto [a, b] = mine_[i];
      if (const std::optional<PartPair> pair = answers.answer(a, b, nullptr)) found_.push_back(*pair);
      if (options_.query.progress)
        options_.query.progress(static_cast<double>(i + 1) / static_cast<double>(mine_.size()));
    }
    threads_ = answers.threads();
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
