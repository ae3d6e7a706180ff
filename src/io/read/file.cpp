#include "read/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

#include "base/format.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "read/text.h"

namespace sightline::read {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw Error(formatted("{}: {}", path.string(), what));
}

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC), path) {}
  /// Takes the number of an open file.
  Descriptor(int number, const std::filesystem::path& path) : number_(number) {
    if (number_ < 0) fail(path, formatted("cannot open: {}", std::strerror(errno)));
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }
  int number() const { return number_; }

 private:
  int number_;
};

/// False if the file ends before, or cannot be read there: another process changes it, or the disk has an error.
bool read_place(const Descriptor& file, std::uint64_t place, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = ::pread(file.number(), to.data(), to.size(), static_cast<off_t>(place));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    place += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

/// Reads the first `size` bytes of the file, in blocks that the threads share. False as above.
bool read_blocks(const Descriptor& file, std::byte* to, std::size_t size, unsigned threads,
                 const std::function<bool()>& cancel) {
  constexpr std::size_t kBlock = 1 << 20;
  std::atomic<bool> complete{true};
  Workers(threads).for_blocks(size, kBlock, [&](std::size_t first, std::size_t last) {
    const Poll poll(cancel);
    if (!read_place(file, first, {to + first, last - first})) complete = false;
  });
  return complete;
}

/// Bytes read into `to`, fewer than `most` only at the end of the file.
std::size_t read_up_to(const Descriptor& file, std::byte* to, std::size_t most, const std::filesystem::path& path) {
  std::size_t done = 0;
  while (done < most) {
    const ssize_t got = ::read(file.number(), to + done, std::min(most - done, std::size_t{1} << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, formatted("cannot read at byte {}: {}", done, std::strerror(errno)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

namespace {

/// All bytes from the descriptor's place on. `bytes` has room for `capacity` bytes, and grows.
void read_rest(const Descriptor& file, FileBytes& bytes, std::size_t capacity, const std::filesystem::path& path) {
  while (true) {
    bytes.size += read_up_to(file, bytes.data.get() + bytes.size, capacity - bytes.size, path);
    if (bytes.size < capacity) return;
    capacity = std::max<std::size_t>(2 * capacity, 1 << 16);
    std::shared_ptr<std::byte[]> larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
    std::memcpy(larger.get(), bytes.data.get(), bytes.size);
    bytes.data = std::move(larger);
  }
}

/// Without open(), which fails for a socket and would begin again at the start of a file.
const FileBytes& standard_input() {
  static const FileBytes kept = [] {
    FileBytes bytes{std::make_unique_for_overwrite<std::byte[]>(1), 0};
    read_rest(Descriptor(::dup(STDIN_FILENO), kStandardInput), bytes, 1, kStandardInput);
    return bytes;
  }();
  return kept;
}

}  // namespace

FileBytes load_file(const std::filesystem::path& path, unsigned threads, const std::function<bool()>& cancel) try {
  if (path == kStandardInput) return standard_input();
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) fail(path, formatted("cannot open: {}", std::strerror(errno)));
  if (S_ISDIR(info.st_mode)) fail(path, "is a directory, not a file");
  if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) fail(path, "is not a file or a pipe");
  const Descriptor file(path);
  // One byte more than the size shows the end of the file at once; a pipe, or a file that grows, takes more rounds.
  std::size_t capacity = (S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) : 0) + 1;
  FileBytes bytes{std::make_unique_for_overwrite<std::byte[]>(capacity), 0};
  advise_huge(bytes.data.get(), capacity);
  constexpr std::size_t kWorthThreads = 1 << 22;
  // If this fails, the loop below starts at the beginning.
  if (capacity > kWorthThreads && read_blocks(file, bytes.data.get(), capacity - 1, threads, cancel))
    bytes.size = static_cast<std::size_t>(::lseek(file.number(), static_cast<off_t>(capacity - 1), SEEK_SET));
  read_rest(file, bytes, capacity, path);
  return bytes;
} catch (const std::bad_alloc&) {
  fail(path, "not enough memory to read the file");
}

std::optional<Model> read_stl_file(const std::filesystem::path& path, const Source& source) try {
  struct stat info = {};
  if (path == kStandardInput || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const Descriptor file(path);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  std::byte head[128];
  const std::span<std::byte> start(head, static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof head)));
  if (!read_place(file, 0, start) || !begins_as_binary_stl(start, size)) return std::nullopt;
  return read_stl_by_place(
      size, [&file](std::uint64_t place, std::span<std::byte> to) { return read_place(file, place, to); }, source);
} catch (const Error&) {
  return std::nullopt;
} catch (const std::bad_alloc&) {
  return std::nullopt;
} catch (const std::length_error&) {
  return std::nullopt;
}

namespace {

FileBytes load_text_as_utf8(const std::filesystem::path& path, unsigned threads, const std::function<bool()>& cancel) {
  FileBytes bytes = load_file(path, threads, cancel);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data.get()), bytes.size);
  if (is_foreign(text)) return bytes;  // SketchUp's files begin like UTF-16
  const std::optional<std::string> converted = from_utf16(text, path.string());
  if (!converted) return bytes;
  FileBytes out{std::make_unique_for_overwrite<std::byte[]>(converted->size() + 1), converted->size()};
  std::memcpy(out.data.get(), converted->data(), converted->size());
  return out;
}

}  // namespace

FileSource::FileSource(const std::filesystem::path& path, unsigned threads, const std::function<bool()>& cancel)
    : bytes(load_text_as_utf8(path, threads, cancel)),
      source{.bytes = bytes.span(),
             .file = path.string(),
             .stem = path.stem().string(),
             .sibling =
                 [folder = path == kStandardInput ? std::filesystem::path() : path.parent_path(),
                  cancel](const std::string& relative) {
                   const FileBytes loaded = load_file(folder / relative, 0, cancel);
                   return std::vector<std::byte>(loaded.span().begin(), loaded.span().end());
                 },
             .threads = threads,
             .cancel = cancel} {}

}  // namespace sightline::read
