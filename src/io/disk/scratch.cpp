#include "disk/scratch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/format.h"
#include "sightline/mesh.h"

namespace sightline::disk {
namespace {

/// True after all bytes are moved; false at the end of the file. A system error throws fail(errno).
template <typename Move, typename Fail>
bool move_all(std::uint64_t at, std::size_t bytes, const Move& move, const Fail& fail) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = move(done, std::min(bytes - done, kMost), static_cast<off_t>(at + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail(errno);
    if (moved == 0) return false;
    done += static_cast<std::size_t>(moved);
  }
  return true;
}

int open_nameless(const std::filesystem::path& folder) {
#ifdef O_TMPFILE
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
#endif
  std::string name = (folder / ".sightline-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}
Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

ScratchFile::ScratchFile(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code none;
  if (folder_.empty()) folder_ = std::filesystem::temp_directory_path(none);
  if (folder_.empty()) folder_ = "/tmp";
  file_ = Descriptor(open_nameless(folder_));
  if (file_.number() < 0)
    throw Error(formatted("{}: cannot make a scratch file: {}", folder_.string(), std::strerror(errno)));
}

std::uint64_t ScratchFile::append(std::span<const std::byte> bytes) {
  const std::uint64_t at = size_.fetch_add(bytes.size(), std::memory_order_relaxed);
  const std::uint64_t held = held_.fetch_add(bytes.size(), std::memory_order_relaxed) + bytes.size();
  std::uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (held > peak && !peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
  const auto fail = [&](int error) {
    throw Error(formatted("{}: cannot write scratch data: {}; the scratch file held {} bytes", folder_.string(),
                          std::strerror(error), held));
  };
  const auto write = [&](std::size_t done, std::size_t most, off_t place) {
    return ::pwrite(file_.number(), bytes.data() + done, most, place);
  };
  if (!move_all(at, bytes.size(), write, fail)) fail(ENOSPC);
  return at;
}

void ScratchFile::read(std::uint64_t at, std::span<std::byte> to) const {
  const auto fail = [&](int error) {
    throw Error(formatted("{}: cannot read scratch data: {}", folder_.string(), std::strerror(error)));
  };
  const auto read_some = [&](std::size_t done, std::size_t most, off_t place) {
    return ::pread(file_.number(), to.data() + done, most, place);
  };
  if (!move_all(at, to.size(), read_some, fail)) fail(EIO);
}

void ScratchFile::release(std::uint64_t at, std::uint64_t bytes) {
  held_.fetch_sub(bytes, std::memory_order_relaxed);
#ifdef FALLOC_FL_PUNCH_HOLE
  // A file system that has no holes keeps the space until the file is closed.
  if (bytes > 0)
    (void)::fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
                      static_cast<off_t>(bytes));
#endif
}

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  struct stat info = {};
  const auto fail = [&](const std::string& what) { throw Error(formatted("{}: {}", path.string(), what)); };
  if (::stat(path.c_str(), &info) != 0) fail(formatted("cannot open: {}", std::strerror(errno)));
  if (S_ISDIR(info.st_mode)) fail("is a directory, not a file");
  if (!S_ISREG(info.st_mode)) fail("is not a file; only a file can be read in pieces");
  file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.number() < 0) fail(formatted("cannot open: {}", std::strerror(errno)));
  size_ = static_cast<std::uint64_t>(info.st_size);
}

void InputFile::read(std::uint64_t at, std::span<std::byte> to) const {
  const auto fail = [&](int error) {
    throw Error(formatted("{}: cannot read at byte {}: {}", path_.string(), at, std::strerror(error)));
  };
  const auto read_some = [&](std::size_t done, std::size_t most, off_t place) {
    return ::pread(file_.number(), to.data() + done, most, place);
  };
  if (!move_all(at, to.size(), read_some, fail))
    throw Error(formatted("{}: the file became shorter than {} bytes while it was read", path_.string(), size_));
}

Mapping::Mapping(const InputFile& file) : size_(static_cast<std::size_t>(file.size())) {
  map(file.descriptor(), file.path());
  if (size_ > 0) ::madvise(const_cast<std::byte*>(data_), size_, MADV_SEQUENTIAL);
}

Mapping::Mapping(const ScratchFile& file) : size_(static_cast<std::size_t>(file.size())) {
  map(file.descriptor(), file.folder());
}

void Mapping::map(int descriptor, const std::filesystem::path& path) {
  if (size_ == 0) return;
  void* const data = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED)
    throw Error(formatted("{}: cannot map {} bytes: {}", path.string(), size_, std::strerror(errno)));
  data_ = static_cast<const std::byte*>(data);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

namespace {
constexpr std::size_t kPage = 4096;
}

void Mapping::drop(std::span<const std::byte> bytes) const {
  if (bytes.empty()) return;
  const auto begin = static_cast<std::size_t>(bytes.data() - data_) / kPage * kPage;
  const auto end = static_cast<std::size_t>(bytes.data() + bytes.size() - data_);
  ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void Mapping::drop_before(const void* end) const {
  const auto bytes = static_cast<std::size_t>(static_cast<const std::byte*>(end) - data_) / kPage * kPage;
  if (bytes > 0) ::madvise(const_cast<std::byte*>(data_), bytes, MADV_DONTNEED);
}

}  // namespace sightline::disk
