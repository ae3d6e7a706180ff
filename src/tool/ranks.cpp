// `check`: each rank reads its share of the file, in the order of ranks. `clash`: rank 0 reads all files for the facts
// about the parts. Contacts: file i is read by rank i modulo the number of ranks, which hands over its triangles.
// Relations: a rank reads the files of its pairs.
#include "tool/ranks.h"

#include <csignal>

#include "mpi/ranks.h"
#include "sightline/mpi.h"
#include "tool/check_huge.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

mpi::MpiOptions mpi_options(const Settings& settings, bool intersections) {
  return {.threads = settings.threads,
          .intersections = intersections,
          .scratch = settings.scratch,
          .device = settings.device == "cuda" ? Device::Type::cuda : Device::Type::cpu,
          .gpu = settings.gpu_given ? settings.gpu : -1,
          .cuda = settings.cuda};
}

HugeAnswer find(const Settings& settings, const std::filesystem::path& path, bool intersections,
                const mpi::Ranks& ranks) {
  constexpr std::uint64_t kReaderMemory = std::uint64_t{64} << 20;
  Stopwatch watch;
  OpenOptions options;
  ranks.together([&] { options = open_options(settings, path, kReaderMemory); });
  const std::unique_ptr<TriangleSource> source = mpi::open_triangles(MPI_COMM_WORLD, path, options);
  const double read_ms = watch.lap();
  HugeReport report = mpi::self_intersections(MPI_COMM_WORLD, *source, mpi_options(settings, intersections));
  report.stats.stages.push_back({"ranks", watch.lap(), static_cast<std::uint64_t>(ranks.size()), "ranks"});
  report.stats.milliseconds += report.stats.stages.back().milliseconds;
  return {std::move(report), source->name(), read_ms};
}

/// A rank that is not rank 0 has no files to remove, and may wait for other ranks when the launcher ends it.
void end_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
}

/// The other ranks wait for this one, so an error outside of a step that they take together ends all of them.
template <typename Work>
int or_end_all(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    print_error(interrupt_signal() != 0 ? "interrupted; no files were written" : error.what());
  } catch (const Interrupted&) {
    print_error("interrupted; no files were written");
  }
  report::remove_unfinished();
  MPI_Abort(MPI_COMM_WORLD, kError);
  return kError;
}

/// What rank 0 sends to the others before the contacts and before the relations.
struct ClashPlan {
  std::uint64_t parts = 0;
  bool is_double = false;  ///< coordinates of any part
  double clearance = 0, tolerance = 0;
  bool depths = false, volumes = false, separations = false;
};

/// Parts of files. A file is in memory while one of its parts is, and until another one is read.
class FileParts : public mpi::PartSource {
 public:
  /// `inputs`: of each part, the first input of this name.
  FileParts(const Settings& settings, std::vector<std::uint32_t> inputs)
      : settings_(settings), inputs_(std::move(inputs)), files_(settings.inputs.size()) {
    for (const std::uint32_t input : inputs_) places_.push_back(files_[input].parts++);
  }
  std::size_t size() const override { return inputs_.size(); }
  std::uint32_t input(std::size_t part) const { return inputs_[part]; }
  MeshView load(std::size_t part) override {
    const std::uint32_t input = inputs_[part];
    File& file = files_[input];
    if (input != last_ && files_[last_].users == 0) files_[last_].assembly.reset();
    last_ = input;
    if (!file.assembly)
      file.assembly =
          read_assembly(settings_.inputs[input],
                        {.threads = settings_.threads, .part_per_primitive = settings_.primitives, .warning = {}});
    const std::size_t count = file.assembly->size();
    if (count == 0 || file.parts % count != 0)
      throw Error(fmt::format("{}: changed while it was used", settings_.inputs[input].string()));
    ++file.users;
    return file.assembly->view(places_[part] % count);  // an input may be given several times
  }
  /// No part is in use.
  void rest() {
    for (File& file : files_) file.assembly.reset();
  }
  void release(std::size_t part) override {
    File& file = files_[inputs_[part]];
    if (--file.users == 0 && inputs_[part] != last_) file.assembly.reset();
  }

 private:
  struct File {
    std::optional<Assembly> assembly;
    std::size_t parts = 0, users = 0;
  };
  const Settings& settings_;
  std::vector<std::uint32_t> inputs_;
  std::vector<File> files_;
  std::vector<std::size_t> places_;  ///< of each part among those of its file
  std::uint32_t last_ = 0;           ///< the file of the last load
};

/// The input of each part.
std::vector<std::uint32_t> inputs_of(const Settings& settings, std::span<const report::Part> parts) {
  std::vector<std::uint32_t> inputs;
  for (const report::Part& part : parts) {
    const auto input = std::ranges::find(settings.inputs, std::filesystem::path(part.file));
    inputs.push_back(static_cast<std::uint32_t>(input - settings.inputs.begin()));
  }
  return inputs;
}

void send(ClashPlan& plan, std::vector<std::uint32_t>& inputs) {
  MPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, MPI_COMM_WORLD);
  inputs.resize(plan.parts);
  MPI_Bcast(inputs.data(), static_cast<int>(inputs.size()), MPI_UINT32_T, 0, MPI_COMM_WORLD);
}

/// All ranks call it.
template <typename Scalar>
HugeReport contacts_of(const Settings& settings, FileParts& parts, bool intersections) {
  using Corners = typename mpi::ObjectShare<Scalar>::Corners;
  const mpi::Ranks ranks(MPI_COMM_WORLD);
  std::vector<std::vector<Corners>> corners(parts.size());
  std::vector<std::uint64_t> numbers;
  ranks.together([&] {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (static_cast<int>(parts.input(part) % static_cast<std::uint32_t>(ranks.size())) != ranks.rank()) continue;
      const MeshView mesh = parts.load(part);
      corners[part].resize(mesh.triangles.size());
      for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const std::array<Vec3d, 3> exact = mesh.corners(i);
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t axis = 0; axis < 3; ++axis) corners[part][i][k][axis] = static_cast<Scalar>(exact[k][axis]);
      }
      parts.release(part);
      for (std::uint64_t i = numbers.size(); i < mesh.triangles.size(); ++i) numbers.push_back(i);
    }
    parts.rest();
  });
  mpi::Scene<Scalar> scene(MPI_COMM_WORLD, {mpi_options(settings, intersections)});
  for (const std::vector<Corners>& part : corners)
    scene.add({std::span(numbers).first(part.size()), part}, {.self = settings.self});
  return scene.collide();
}

HugeReport contacts_of(const Settings& settings, const ClashPlan& plan, const std::vector<std::uint32_t>& inputs) {
  FileParts parts(settings, inputs);
  const bool intersections = !settings.json.empty() || !settings.csv.empty();
  return plan.is_double ? contacts_of<double>(settings, parts, intersections)
                        : contacts_of<float>(settings, parts, intersections);
}

}  // namespace

RankSession::RankSession() { MPI_Init(nullptr, nullptr); }
RankSession::~RankSession() { MPI_Finalize(); }

std::optional<int> RankSession::agreed(std::optional<int> end) const {
  const mpi::Ranks ranks(MPI_COMM_WORLD);
  const std::vector<int> all = ranks.gathered(std::vector{end.value_or(-1)});
  const auto first = std::ranges::find_if(all, [](int status) { return status >= 0; });
  release_text(first - all.begin() == ranks.rank());
  return first == all.end() ? std::nullopt : std::optional(*first);
}

namespace {

int check_with_rank_0(const Settings& settings, const mpi::Ranks& ranks, bool intersections) {
  end_on_signals();
  for (const std::filesystem::path& path : settings.inputs) {
    try {
      find(settings, path, intersections, ranks);
    } catch (const Error&) {  // rank 0 prints it
    }
  }
  return kClean;
}

int clash_with_rank_0(const Settings& settings) {
  end_on_signals();
  ClashPlan plan;
  std::vector<std::uint32_t> inputs;
  try {
    if (!settings.pairs) {
      send(plan, inputs);
      contacts_of(settings, plan, inputs);
    }
    send(plan, inputs);
    FileParts parts(settings, std::move(inputs));
    mpi::relations(MPI_COMM_WORLD, parts,
                   {.clearance = plan.clearance,
                    .tolerance = plan.tolerance,
                    .depths = plan.depths,
                    .volumes = plan.volumes,
                    .separations = plan.separations,
                    .query = {.threads = settings.threads}});
  } catch (const Error&) {  // rank 0 prints it
  }
  return kClean;
}

}  // namespace

int check_ranks(const Settings& settings) {
  return or_end_all([&] {
    const mpi::Ranks ranks(MPI_COMM_WORLD);
    const bool intersections = !settings.json.empty() || !settings.csv.empty();
    if (ranks.rank() != 0) return check_with_rank_0(settings, ranks, intersections);
    return check_huge(settings, [&](const std::filesystem::path& path, bool, Progress& progress) {
      progress.step("checking " + report::printable(path.filename().string()));
      return find(settings, path, intersections, ranks);
    });
  });
}

int clash_ranks(const Settings& settings) {
  return or_end_all([&] { return launched_rank() == 0 ? clash(settings) : clash_with_rank_0(settings); });
}

HugeReport contacts_over_ranks(const Settings& settings, std::span<const report::Part> parts) {
  ClashPlan plan{.parts = parts.size()};
  for (const report::Part& part : parts) plan.is_double = plan.is_double || part.mesh.positions.is_double();
  std::vector<std::uint32_t> inputs = inputs_of(settings, parts);
  send(plan, inputs);
  return contacts_of(settings, plan, inputs);
}

Clashes relations_over_ranks(const Settings& settings, std::span<const report::Part> parts, PartSource& source,
                             const ClashOptions& options) {
  ClashPlan plan{parts.size(),   false,           options.clearance,  options.tolerance,
                 options.depths, options.volumes, options.separations};
  std::vector<std::uint32_t> inputs = inputs_of(settings, parts);
  send(plan, inputs);
  return mpi::relations(MPI_COMM_WORLD, source, options);
}

}  // namespace sightline::tool
