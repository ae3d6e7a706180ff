#include "bench/child.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "sightline/mesh.h"

namespace sightline::bench {
namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 1 << 16> part;
  for (ssize_t got; (got = ::read(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

}  // namespace

ChildRun run_child(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> ends;
  if (::pipe(ends.data()) != 0) throw Error("no pipe");
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child < 0) throw Error("no process");
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  ChildRun run;
  run.output = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  rusage usage = {};
  ::wait4(child, &status, 0, &usage);
  run.wall_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  run.cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  run.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (run.status == 127) throw Error(fmt::format("{}: cannot be started", command[0]));
  return run;
}

ChildRun best_child(const std::vector<std::string>& command, int runs) {
  ChildRun best = run_child(command);
  for (int i = 1; i < runs; ++i)
    if (ChildRun run = run_child(command); run.wall_ms < best.wall_ms) best = std::move(run);
  return best;
}

}  // namespace sightline::bench
