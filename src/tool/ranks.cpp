// Each rank reads its share of the file, in the order of ranks.
#include "tool/ranks.h"

#include <csignal>

#include "mpi/ranks.h"
#include "sightline/mpi.h"
#include "tool/check_huge.h"
#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

struct Session {
  Session() { MPI_Init(nullptr, nullptr); }
  ~Session() { MPI_Finalize(); }
};

/// The triangles of one rank.
struct ReadShare {
  std::string name;
  std::vector<std::uint64_t> numbers;
  std::vector<CornersF> f32;
  std::vector<CornersD> f64;

  void read(const Settings& settings, const std::filesystem::path& path, const mpi::Ranks& ranks) {
    constexpr std::uint64_t kReaderMemory = std::uint64_t{256} << 20;
    const std::unique_ptr<TriangleSource> source = open_huge(settings, path, kReaderMemory);
    name = source->name();
    const auto begin = [&](int rank) {
      const auto all = static_cast<std::uint64_t>(ranks.size()), mine = static_cast<std::uint64_t>(rank);
      return source->size() / all * mine + std::min(mine, source->size() % all);
    };
    const std::uint64_t first = begin(ranks.rank()), count = begin(ranks.rank() + 1) - first;
    for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(first + i);
    if (source->is_double()) {
      f64.resize(count);
      if (count > 0) source->read(first, f64);
    } else {
      f32.resize(count);
      if (count > 0) source->read(first, f32);
    }
  }
};

HugeAnswer find(const Settings& settings, const std::filesystem::path& path, bool intersections,
                const mpi::Ranks& ranks) {
  Stopwatch watch;
  ReadShare share;
  ranks.together([&] { share.read(settings, path, ranks); });
  const double read_ms = watch.lap();
  HugeReport report = mpi::self_intersections(
      MPI_COMM_WORLD, {share.numbers, share.f32, share.f64},
      {.threads = settings.threads,
       .intersections = intersections,
       .scratch = settings.scratch,
       .device = settings.device == "cuda" ? Device::Type::cuda : Device::Type::cpu,
       .gpu = settings.gpu_given ? settings.gpu : -1,
       .cuda = settings.cuda});
  report.stats.stages.push_back({"ranks", watch.lap(), static_cast<std::uint64_t>(ranks.size()), "ranks"});
  report.stats.milliseconds += report.stats.stages.back().milliseconds;
  return {std::move(report), share.name, read_ms};
}

}  // namespace

int check_ranks(const Settings& settings) {
  const Session session;
  const mpi::Ranks ranks(MPI_COMM_WORLD);
  const bool intersections = !settings.json.empty() || !settings.csv.empty();
  if (ranks.rank() != 0) {
    // It has no files to remove, and may wait for other ranks when the launcher ends it.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    for (const std::filesystem::path& path : settings.inputs) {
      try {
        find(settings, path, intersections, ranks);
      } catch (const Error&) {  // rank 0 prints it
      }
    }
    return kClean;
  }
  // The other ranks wait for this one, so an error outside of `find` ends all of them.
  try {
    return check_huge(settings, [&](const std::filesystem::path& path, bool, Progress& progress) {
      progress.step("checking " + report::printable(path.filename().string()));
      return find(settings, path, intersections, ranks);
    });
  } catch (const std::exception& error) {
    print_error(error.what());
  } catch (const Interrupted&) {
    print_error("interrupted; no files were written");
  }
  report::remove_unfinished();
  MPI_Abort(MPI_COMM_WORLD, kError);
  return kError;
}

}  // namespace sightline::tool
