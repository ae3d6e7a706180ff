// Data that do not fit into memory: scratch files without a name, and the parts of input files that are read by place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "sightline/version.h"

namespace sightline::disk {

/// A file descriptor that closes itself.
class SIGHTLINE_API Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

/// A file in a folder, which no name leads to: the system removes it when the process ends, however it ends. Threads
/// may append, read and release at the same time. Every failure throws Error with the folder and the reason.
class SIGHTLINE_API ScratchFile {
 public:
  /// An empty path stands for the system's folder for temporary files.
  explicit ScratchFile(const std::filesystem::path& folder);

  /// The place of the bytes in the file.
  std::uint64_t append(std::span<const std::byte> bytes);
  void read(std::uint64_t at, std::span<std::byte> to) const;
  /// These bytes are not needed any more; their space on the disk becomes free.
  void release(std::uint64_t at, std::uint64_t bytes);
  /// Bytes appended so far, released ones included.
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  /// The most bytes that were held at a time.
  std::uint64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  const std::filesystem::path& folder() const { return folder_; }
  int descriptor() const { return file_.number(); }

 private:
  std::filesystem::path folder_;
  Descriptor file_;
  std::atomic<std::uint64_t> size_{0}, held_{0}, peak_{0};
};

/// Appends items of one type to a file through a buffer.
template <typename Item>
class ScratchWriter {
 public:
  ScratchWriter(ScratchFile& file, std::size_t buffer_bytes) : file_(file), most_(buffer_bytes / sizeof(Item) + 1) {}
  void add(const Item& item) {
    items_.push_back(item);
    if (items_.size() >= most_) flush();
  }
  void add(std::span<const Item> items) {
    for (const Item& item : items) add(item);
  }
  void flush() {
    if (!items_.empty()) file_.append(std::as_bytes(std::span(items_)));
    items_.clear();
  }

 private:
  ScratchFile& file_;
  std::size_t most_;
  std::vector<Item> items_;
};

/// A file of the user. Reads are by place: a file that another process cuts short is an Error.
class SIGHTLINE_API InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  std::uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return file_.number(); }
  void read(std::uint64_t at, std::span<std::byte> to) const;

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

/// All bytes of a file as memory that the system fills on use. The file must not be cut short while it is mapped: the
/// system ends the process by SIGBUS then.
class SIGHTLINE_API Mapping {
 public:
  explicit Mapping(const InputFile& file);
  /// All bytes that were appended so far.
  explicit Mapping(const ScratchFile& file);
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// The memory before `end` leaves the process; a later use fills it again.
  void drop_before(const void* end) const;
  /// The same for the pages that these bytes touch.
  void drop(std::span<const std::byte> bytes) const;

 private:
  void map(int descriptor, const std::filesystem::path& path);

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace sightline::disk
