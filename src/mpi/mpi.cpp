// The steps, which all ranks take together:
// 1. A sample of all triangles, the same on each rank, decides about the cuts and gives each leaf to a rank.
// 2. Rounds of all-to-all exchanges bring each triangle to the ranks whose leaves its box reaches (distribution.h).
// 3. Each rank answers its leaves (scale/parts/leaf.h).
// 4. Numbers add up; contacts and degenerate triangles go to rank 0 or to the ranks that hold the triangles, links of
//    components to rank 0 (collect.h).
#include "sightline/mpi.h"

#include "base/float_environment.h"
#include "mpi/collect.h"
#include "mpi/device.h"
#include "mpi/distribution.h"
#include "parts/leaf.h"

namespace sightline::mpi {
namespace {

using scale::Totals;
using scale::Triangles;

template <typename Scalar>
void answer(const Distribution<Scalar>& distribution, Received<Scalar> received, const MpiOptions& options,
            const Device& device, Totals& totals, HugeReport::Lists& lists) {
  const HugeOptions none;
  const scale::Control control(none);
  const std::unique_ptr<sightline::Scene> engine = scale::leaf_engine(device);
  const scale::LeafOptions leaf_options{.threads = options.threads,
                                        .intersections = options.intersections,
                                        .most_contacts = std::numeric_limits<std::uint64_t>::max(),
                                        .engine = engine.get()};
  for (std::size_t leaf = 0; leaf < received.leaves(); ++leaf) {
    Triangles<Scalar> triangles = received.take(leaf);
    if (triangles.size() == 0) continue;
    sort_by_number(triangles, [](std::uint64_t number) { return formatted("triangle {}", number); });
    scale::answer_leaf(triangles, distribution.region(leaf), leaf_options, control, totals, lists);
  }
}

/// `done()`: no triangle is taken any more.
template <typename Scalar, typename Done>
HugeReport run(const Ranks& ranks, Supply<Scalar>& supply, const MpiOptions& options, const Done& done) {
  std::shared_ptr<HugeReport::Lists> lists;
  Totals totals;
  totals.facts.triangles = supply.size();
  ranks.together([&] {
    lists = std::make_shared<HugeReport::Lists>(options.scratch, static_cast<std::size_t>(options.list_memory));
  });
  const Device device = device_of(ranks, options);
  const Distribution<Scalar> distribution(ranks, supply, kLeafTriangles);
  Received<Scalar> received = distribution.exchange(supply, options.contacts_to == ContactsTo::owner);
  done();
  ranks.together([&] { answer(distribution, std::move(received), options, device, totals, *lists); });
  return collected(ranks, options, totals, std::move(lists));
}

template <typename Scalar>
HugeReport run(const Ranks& ranks, const Held<Scalar>& held, const MpiOptions& options) {
  ranks.together([&] { check(held, ""); });
  HeldSupply<Scalar> supply({&held, 1});
  return run(ranks, supply, options, [] {});
}

template <typename Scalar>
HugeReport run(const Ranks& ranks, std::vector<std::uint64_t> numbers, std::vector<scale::Corners<Scalar>> corners,
               const MpiOptions& options) {
  const Held<Scalar> held{numbers, corners};
  ranks.together([&] { check(held, ""); });
  SpentSupply<Scalar> supply({&held, 1}, numbers, corners);
  return run(ranks, supply, options, [&] { numbers = {}, corners = {}; });
}

template <typename Scalar>
HugeReport run(const Ranks& ranks, TriangleSource& source, const MpiOptions& options) {
  const auto begin = [&](int rank) {
    const auto all = static_cast<std::uint64_t>(ranks.size()), mine = static_cast<std::uint64_t>(rank);
    return source.size() / all * mine + std::min(mine, source.size() % all);
  };
  const std::uint64_t first = begin(ranks.rank());
  SourceSupply<Scalar> supply(source, first, begin(ranks.rank() + 1) - first);
  return run(ranks, supply, options, [&source] { source.rest(); });
}

}  // namespace

namespace {

/// True if the coordinates of all ranks are float64.
bool is_wide(const Ranks& ranks, std::size_t f32, std::size_t f64) {
  const bool wide = ranks.max(f64) > 0;
  ranks.together([&] {
    if (wide && f32 > 0) throw Error("float32 corners, where another rank has float64 corners");
  });
  return wide;
}

}  // namespace

HugeReport self_intersections_of_owned(MPI_Comm comm, OwnedShare share, const MpiOptions& options) {
  const FloatEnvironment environment;
  const Ranks ranks(comm);
  return is_wide(ranks, share.f32.size(), share.f64.size())
             ? run<double>(ranks, std::move(share.numbers), std::move(share.f64), options)
             : run<float>(ranks, std::move(share.numbers), std::move(share.f32), options);
}

HugeReport self_intersections(MPI_Comm comm, const Share& share, const MpiOptions& options) {
  const FloatEnvironment environment;
  const Ranks ranks(comm);
  return is_wide(ranks, share.f32.size(), share.f64.size()) ? run<double>(ranks, {share.numbers, share.f64}, options)
                                                            : run<float>(ranks, {share.numbers, share.f32}, options);
}

namespace {

/// The steps of ranks that open one file: each gives its state to all others. A rank that fails takes one more step,
/// and the others stop at the step where they are.
class Opening {
 public:
  enum State : std::uint64_t { failed, bad, good, opened };
  explicit Opening(const Ranks& ranks) : ranks_(ranks) {}

  /// The least state of all ranks.
  State step(State mine) const {
    const std::vector<std::uint64_t> limits = ranks_.max({mine, opened - mine});
    const auto least = static_cast<State>(opened - limits[1]);
    if (least == failed) throw Stop{};
    if (limits[0] == opened && least != opened) throw Error("the file has other contents for another rank");
    return least;
  }
  /// Another rank has the error.
  struct Stop {};

 private:
  const Ranks& ranks_;
};

}  // namespace

std::unique_ptr<TriangleSource> open_triangles(MPI_Comm comm, const std::filesystem::path& path,
                                               const OpenOptions& options) {
  const Ranks ranks(comm);
  const Opening opening(ranks);
  std::unique_ptr<TriangleSource> source;
  std::exception_ptr failure;
  bool knows = false;  // the other ranks have this failure, or one of their own
  OpenOptions own = options;
  own.share = static_cast<std::uint32_t>(ranks.rank());
  own.shares = static_cast<std::uint32_t>(ranks.size());
  const auto step = [&](Opening::State mine) {
    try {
      return opening.step(mine);
    } catch (...) {
      knows = true;
      throw;
    }
  };
  own.agreed = [&](bool good) { return step(good ? Opening::good : Opening::bad) == Opening::good; };
  try {
    source = sightline::open_triangles(path, own);
    step(Opening::opened);
  } catch (const Opening::Stop&) {
  } catch (...) {
    failure = std::current_exception();
    if (!knows) {
      try {
        opening.step(Opening::failed);
      } catch (const Opening::Stop&) {
      }
    }
  }
  ranks.together([&] {
    if (failure) std::rethrow_exception(failure);
  });
  return source;
}

HugeReport self_intersections(MPI_Comm comm, TriangleSource& source, const MpiOptions& options) {
  const FloatEnvironment environment;
  const Ranks ranks(comm);
  // Of the number of triangles and the type of coordinates, the greatest and the least.
  const std::uint64_t mine = source.size() << 1 | std::uint64_t{source.is_double()};
  const std::vector<std::uint64_t> limits = ranks.max({mine, ~mine});
  ranks.together([&] {
    if (limits[0] != ~limits[1])
      throw Error(formatted("{}: {} triangles, and another rank has another number or type of coordinates",
                            source.file(), source.size()));
  });
  return source.is_double() ? run<double>(ranks, source, options) : run<float>(ranks, source, options);
}

}  // namespace sightline::mpi
