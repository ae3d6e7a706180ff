// A whole file in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "read/read_memory.h"

namespace sightline::read {

struct FileBytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// A copy rather than a mapping: a file that another process cuts short must not end this one by SIGBUS. The copy is
/// made by all threads, block by block. Reads files and pipes.
FileBytes load_file(const std::filesystem::path& path, unsigned threads = 0);

/// A file and the source that shows it. The files that it refers to are read from its folder.
struct FileSource {
  explicit FileSource(const std::filesystem::path& path, unsigned threads = 0);
  FileBytes bytes;
  Source source;
};

}  // namespace sightline::read
