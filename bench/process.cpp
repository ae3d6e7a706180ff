#include "bench/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <set>
#include <type_traits>

#include "bench/timer.h"

namespace sightline::bench {
namespace {

template <typename T>
void write(const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::fwrite(values, sizeof(T), count, stdout);
}
template <typename T>
void write(const T& value) {
  write(&value, 1);
}
void write_text(std::string_view text) {
  write(text.size());
  write(text.data(), text.size());
}

/// Reads what write() has written; throws Error at the end of the file.
struct Reader {
  std::FILE* file;
  std::string name;

  template <typename T>
  void read(T* values, std::size_t count) const {
    if (std::fread(values, sizeof(T), count, file) != count)
      throw Error(fmt::format("the process of {} ended before its answer was complete", name));
  }
  template <typename T>
  T value() const {
    T result{};
    read(&result, 1);
    return result;
  }
  /// The text stays until the program ends: Stage has views of literals.
  std::string_view text() const {
    std::string result(value<std::size_t>(), '\0');
    read(result.data(), result.size());
    static std::set<std::string> kept;
    return *kept.insert(std::move(result)).first;
  }
};

void write_run(const PeerRun& run) {
  const Stats& stats = run.report.stats;
  write(run.cpu_milliseconds);
  write(stats.milliseconds);
  write(stats.peak_bytes);
  write(stats.candidates);
  write(stats.decided_exact);
  write(stats.stages.size());
  for (const Stage& stage : stats.stages) {
    write_text(stage.name);
    write(stage.milliseconds);
  }
  write(run.report.contacts.size());
  write(run.report.contacts.data(), run.report.contacts.size());
  std::fflush(stdout);
}

PeerRun read_run(const Reader& reader) {
  PeerRun run;
  Stats& stats = run.report.stats;
  run.cpu_milliseconds = reader.value<double>();
  stats.milliseconds = reader.value<double>();
  stats.peak_bytes = reader.value<std::uint64_t>();
  stats.candidates = reader.value<std::uint64_t>();
  stats.decided_exact = reader.value<std::uint64_t>();
  stats.stages.resize(reader.value<std::size_t>());
  for (Stage& stage : stats.stages) {
    stage.name = reader.text();
    stage.milliseconds = reader.value<double>();
  }
  run.report.contacts.resize(reader.value<std::size_t>());
  reader.read(run.report.contacts.data(), run.report.contacts.size());
  return run;
}

}  // namespace

PeerProcess::PeerProcess(const Peer& peer, const std::vector<std::string>& command)
    : peer_(peer), requests_(nullptr, &std::fclose), answers_(nullptr, &std::fclose) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // an ended process is found when its answer is read
  std::array<int, 2> in, out;
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) throw Error("no pipe");
  process_ = ::fork();
  if (process_ < 0) throw Error("no process");
  if (process_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  requests_.reset(::fdopen(in[1], "w"));
  answers_.reset(::fdopen(out[0], "r"));
}

PeerProcess::~PeerProcess() {
  requests_.reset();
  answers_.reset();
  int status = 0;
  ::waitpid(process_, &status, 0);
}

PeerRun PeerProcess::run() {
  std::fputc('\n', requests_.get());
  std::fflush(requests_.get());
  return read_run({answers_.get(), peer_.name()});
}

void serve(Peer& peer, const BenchScene& scene) {
  while (std::getchar() != EOF) {
    const double before = cpu_milliseconds();
    PeerRun run = {peer.run(scene)};
    run.cpu_milliseconds = cpu_milliseconds() - before;
    write_run(run);
  }
}

}  // namespace sightline::bench
