#include "tool/open_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

#include "report/names.h"
#include "tool/console.h"

extern char** environ;

namespace sightline::tool {
namespace {

#ifdef __APPLE__
constexpr const char* kOpener = "open";
#else
constexpr const char* kOpener = "xdg-open";
#endif

/// In a session of its own, so that Ctrl-C in the terminal does not end it, and without our streams.
int spawn(pid_t& process, std::string file) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0);
  sigset_t usual;
  ::sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&usual, signal);  // which we ignore
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  short flags = POSIX_SPAWN_SETSIGDEF;
#ifdef POSIX_SPAWN_SETSID
  flags |= POSIX_SPAWN_SETSID;
#endif
  ::posix_spawnattr_setflags(&attributes, flags);
  std::string program = kOpener;
  char* arguments[] = {program.data(), file.data(), nullptr};
  const int error = ::posix_spawnp(&process, kOpener, &files, &attributes, arguments, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

void open_file(const std::filesystem::path& path) {
  const auto warn = [&](const std::string& reason) {
    print_error(fmt::format("warning: --open: {} was written, but {}; open it in a browser",
                            report::printable(path.string()), reason));
  };
  pid_t process = 0;
  if (const int error = spawn(process, std::filesystem::absolute(path).string()); error != 0)
    return warn(fmt::format("the program {} cannot be run: {}", kOpener, std::strerror(error)));
  // It usually ends at once; some desktops keep it until the browser is closed.
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == process) {
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        warn(fmt::format("{} found no program that opens it", kOpener));
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace sightline::tool
