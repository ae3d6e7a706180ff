#include "tool/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "sightline/io.h"

namespace testing_support {
namespace {

[[noreturn]] void become_tool(const std::filesystem::path& folder, const std::vector<std::string>& arguments) {
  const bool shell = !arguments.empty() && arguments[0] == Program::kShell;
  std::vector<char*> argv = {const_cast<char*>("sightline")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::setenv("TERM", "xterm", 1);
  ::setenv("SIGHTLINE", SIGHTLINE_TOOL, 1);
  if (::chdir(folder.c_str()) == 0) ::execv(shell ? "/bin/bash" : SIGHTLINE_TOOL, argv.data() + shell);
  ::_exit(127);
}

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  }
  int ends[2];
};

}  // namespace

Program::Program(const std::filesystem::path& folder, const std::vector<std::string>& arguments, Where where) {
  if (where == Where::terminal) {
    winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = ::forkpty(&out_, nullptr, nullptr, &size);
    if (process_ == 0) become_tool(folder, arguments);
    return;
  }
  const Pipe out, err;
  process_ = ::fork();
  if (process_ == 0) {
    const int full = ::open("/dev/full", O_WRONLY);
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);  // no terminal, wherever the test runs
    ::dup2(where == Where::full_device ? full : out.ends[1], STDOUT_FILENO);
    ::dup2(err.ends[1], STDERR_FILENO);
    if (where == Where::closed_pipe) ::close(out.ends[0]);
    become_tool(folder, arguments);
  }
  ::close(out.ends[1]);
  ::close(err.ends[1]);
  err_ = err.ends[0];
  if (where == Where::closed_pipe)
    ::close(out.ends[0]);
  else
    out_ = out.ends[0];
}

Program::~Program() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  for (const int file : {out_, err_})
    if (file >= 0) ::close(file);
}

void Program::signal(int number) const { ::kill(process_, number); }

void Program::type(const std::string& text) const {
  if (::write(out_, text.data(), text.size()) < 0) throw std::runtime_error("write to the terminal");
}

bool Program::echoes() const {
  termios settings = {};
  return ::tcgetattr(out_, &settings) == 0 && (settings.c_lflag & ECHO) != 0 && (settings.c_lflag & ICANON) != 0;
}

// True if something was read or an end was seen; false after the time, or when both ends are closed.
bool Program::read_some(int milliseconds) {
  pollfd files[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};  // poll skips negative ones
  if ((out_ < 0 && err_ < 0) || ::poll(files, 2, milliseconds) <= 0) return false;
  for (int i = 0; i < 2; ++i) {
    if (files[i].revents == 0) continue;
    char bytes[1 << 16];
    const ssize_t count = ::read(files[i].fd, bytes, sizeof bytes);
    if (count > 0) {
      (i == 0 ? result_.out : result_.err).append(bytes, static_cast<std::size_t>(count));
    } else {
      ::close(files[i].fd);
      (i == 0 ? out_ : err_) = -1;
    }
  }
  return true;
}

bool Program::wait_for(const std::string& text, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto seen = [&] { return (result_.out + result_.err).find(text) != std::string::npos; };
  while (!seen() && (out_ >= 0 || err_ >= 0) && std::chrono::steady_clock::now() < end) read_some(50);
  return seen();
}

Result Program::finish() {
  while (out_ >= 0 || err_ >= 0) read_some(1000);
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return std::move(result_);
}

void Workshop::save(const std::string& name, const sightline::Mesh& mesh) const {
  sightline::Assembly assembly;
  assembly.add(mesh);
  save(name, assembly);
}

void Workshop::save(const std::string& name, const sightline::Assembly& assembly) const {
  sightline::write_assembly(folder_ / name, assembly);
}

void Workshop::save_long_work(const std::string& name) const {
  sightline::Mesh fan = {"fan", std::vector<sightline::Vec3f>(), {}};
  auto& positions = std::get<0>(fan.positions);
  constexpr std::uint32_t kCount = 5000;
  for (std::uint32_t i = 0; i < kCount; ++i) {  // each holds the z axis between its corners
    const float t = static_cast<float>(i) / kCount;
    positions.push_back({1, t, -1});
    positions.push_back({1, t, 1});
    positions.push_back({-1, -t / 2, 0});
    fan.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  save(name, fan);
}

}  // namespace testing_support
