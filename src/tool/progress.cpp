#include "tool/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "report/names.h"
#include "tool/console.h"
#include "tool/steering.h"

namespace sightline::tool {
namespace {

using namespace std::chrono_literals;
constexpr auto kTick = 50ms;
constexpr auto kQuietTime = 500ms;  // no line for steps shorter than this
constexpr auto kPatience = 300ms;   // from the interrupt to the forced end

std::atomic<int> noted_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may store only into lock-free atomics");

void note_signal(int signal) { noted_signal.store(signal, std::memory_order_relaxed); }

int terminal_columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // a signal ignored by nohup stays ignored
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of the write
}

int interrupt_signal() { return noted_signal.load(std::memory_order_relaxed); }

void stop_if_interrupted() {
  if (interrupt_signal() != 0) throw Interrupted{};
}

Progress::Progress(bool visible) : visible_(visible && ::isatty(STDERR_FILENO)), thread_([this] { run(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    erase();
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::step(std::string label, std::uint64_t items) {
  const std::lock_guard lock(mutex_);
  items_ = items;
  items_done_ = 0;
  label_ = std::move(label);
  since_ = Clock::now();
  done_ = -1;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  erase();
  label_.clear();
}

void Progress::erase() {
  if (drawn_) print_err("\r\x1b[K");
  drawn_ = false;
}

void Progress::draw() {
  if (!visible_ || label_.empty() || Clock::now() - since_ < kQuietTime) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  const double done = std::clamp(done_.load(std::memory_order_relaxed), -1.0, 1.0);
  std::string bar;
  if (done >= 0) {
    constexpr int kWidth = 24;
    const int full = static_cast<int>(done * kWidth);
    bar = fmt::format(" [{}{}] {:3.0f}%", std::string(full, '#'), std::string(kWidth - full, '.'), 100 * done);
  }
  const std::string tail = fmt::format("{} {:.1f} s", bar, seconds);
  const int room = std::max(8, terminal_columns() - 1 - static_cast<int>(tail.size()));
  print_err(fmt::format("\r\x1b[K{}{}", report::shorten(label_, static_cast<std::size_t>(room)), tail));
  drawn_ = true;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point interrupted = {};
  while (!ending_) {
    wake_.wait_for(lock, kTick);
    if (ending_) return;
    draw();
    if (interrupt_signal() == 0) continue;
    if (interrupted == Clock::time_point{}) interrupted = Clock::now();
    if (Clock::now() - interrupted < kPatience) continue;
    erase();
    report::remove_unfinished();
    restore_terminal();
    print_error("interrupted");
    std::_Exit(128 + interrupt_signal());
  }
}

}  // namespace sightline::tool
