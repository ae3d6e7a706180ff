#include "write/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "sightline/mesh.h"

namespace sightline::write {
namespace {

constexpr std::size_t kFlushBytes = 1 << 18;

// Temporary files of this process. `ended` is set when a signal has removed them.
struct Registry {
  std::mutex mutex;
  std::set<std::string> names;
  bool ended = false;
};
Registry& registry() {
  static Registry* const kept = new Registry;  // never destroyed: a signal may come while the program ends
  return *kept;
}

std::filesystem::path resolve(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target;
}

// Only a regular file may be replaced by a rename: /dev/null and a pipe must stay what they are.
bool written_directly(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  using std::filesystem::file_type;
  if (type == file_type::character || type == file_type::fifo || type == file_type::block) return true;
  return path.string().starts_with("/dev/") || path.string().starts_with("/proc/");
}

std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter = 0;
  return target.parent_path() / formatted(".sightline-{}-{}.tmp", ::getpid(), counter++);
}

}  // namespace

Output::Output(std::filesystem::path path) : path_(std::move(path)) {
  if (path_ == "-" || written_directly(path_)) {
    file_ = path_ == "-" ? ::dup(STDOUT_FILENO) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  target_ = resolve(path_);
  std::error_code error;
  if (std::filesystem::is_directory(target_, error)) fail(EISDIR);
  if (target_.filename().empty()) fail(target_.empty() ? ENOENT : EISDIR);
  if (std::filesystem::exists(target_, error) && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  temporary_ = temporary_name(target_);
  const std::lock_guard lock(registry().mutex);
  file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_ < 0) fail(errno);
  registry().names.insert(temporary_.string());
}

Output::~Output() {
  if (file_ >= 0) ::close(file_);
  if (temporary_.empty()) return;
  const std::lock_guard lock(registry().mutex);
  if (registry().names.erase(temporary_.string()) > 0) ::unlink(temporary_.c_str());
}

void Output::fail(int error) const {
  const std::string name = path_ == "-" ? "standard output" : printable(path_.string());
  throw Error(formatted("{}: cannot write: {}", name, std::strerror(error)));
}

void Output::write(std::string_view bytes) {
  if (pending_.size() + bytes.size() < kFlushBytes) return append(pending_, bytes);
  flush();
  put(bytes);
}

void Output::flush() {
  put({pending_.data(), pending_.size()});
  pending_.clear();
}

void Output::put(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Output::commit() {
  flush();
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail(errno);  // some file systems report a full disk only here
  if (temporary_.empty()) return;
  const std::lock_guard lock(registry().mutex);
  if (registry().ended) throw Cancelled{};
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  registry().names.erase(temporary_.string());
}

void remove_unfinished() noexcept {
  const std::lock_guard lock(registry().mutex);
  registry().ended = true;
  for (const std::string& name : registry().names) ::unlink(name.c_str());
}

void write_items(Output& output, std::size_t count, const WriteOptions& options, const Format& format) {
  constexpr std::size_t kBlocksAtOnce = 32;
  Workers workers(options.threads, count);
  struct Batch {
    std::vector<Buffer> blocks = std::vector<Buffer>(kBlocksAtOnce);
    std::size_t used = 0;
  } batches[2];
  const auto fill = [&](Batch& batch, std::size_t begin) {
    const std::size_t end = std::min(count, begin + kBlock * kBlocksAtOnce);
    batch.used = begin < end ? (end - begin + kBlock - 1) / kBlock : 0;
    workers.for_each(batch.used, [&](std::size_t block) {
      batch.blocks[block].clear();
      const std::size_t first = begin + block * kBlock;
      format(first, std::min(end, first + kBlock), batch.blocks[block]);
    });
  };
  const auto put = [&](const Batch& batch) {
    for (std::size_t block = 0; block < batch.used; ++block) output.write(batch.blocks[block]);
  };
  // One batch is written while the next one is formatted.
  workers.isolated([&] {
    fill(batches[0], 0);
    for (std::size_t begin = 0, at = 0; begin < count; begin += kBlock * kBlocksAtOnce, at ^= 1) {
      if (options.cancel && options.cancel()) throw Cancelled{};
      workers.both([&] { put(batches[at]); }, [&] { fill(batches[at ^ 1], begin + kBlock * kBlocksAtOnce); });
      if (options.progress) options.progress(std::min(count - begin, kBlock * kBlocksAtOnce));
    }
  });
}

void for_blocks(std::size_t count, const WriteOptions& options,
                const std::function<void(std::size_t begin, std::size_t end)>& work) {
  std::atomic<bool> cancelled = false;
  const auto block = [&](std::size_t index) {
    if (cancelled.load(std::memory_order_relaxed)) return;
    if (options.cancel && options.cancel()) cancelled = true;
    work(index * kBlock, std::min(count, (index + 1) * kBlock));
    if (options.progress) options.progress(std::min(kBlock, count - index * kBlock));
  };
  Workers(options.threads).for_each((count + kBlock - 1) / kBlock, block);
  if (cancelled) throw Cancelled{};
}

std::filesystem::path beside(const std::filesystem::path& path, std::string_view suffix) {
  std::filesystem::path name = path.stem();
  name += suffix;
  name += path.extension();
  return path.parent_path() / name;
}

}  // namespace sightline::write
