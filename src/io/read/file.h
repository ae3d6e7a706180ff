// A whole file in memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "read/read_memory.h"

namespace sightline::read {

/// The path of standard input.
inline constexpr const char* kStandardInput = "/dev/stdin";

struct FileBytes {
  std::shared_ptr<std::byte[]> data;
  std::size_t size = 0;
  std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// A copy rather than a mapping: a file that another process cuts short must not end this one by SIGBUS. The copy is
/// made by all threads, block by block. Reads files and pipes. Standard input is read once and kept: all calls return
/// the same bytes.
SIGHTLINE_API FileBytes load_file(const std::filesystem::path& path, unsigned threads = 0,
                                  const std::function<bool()>& cancel = {});

/// A binary STL file, piece by piece: the file is not in memory beside the mesh. Nothing for other files, and for what
/// cannot be read; load_file and the reader have the reason. `source` has no bytes.
std::optional<Model> read_stl_file(const std::filesystem::path& path, const Source& source);

/// A file and the source that shows it. The files that it refers to are read from its folder.
struct FileSource {
  /// `cancel`: as in ReadOptions.
  explicit FileSource(const std::filesystem::path& path, unsigned threads = 0,
                      const std::function<bool()>& cancel = {});
  FileBytes bytes;  ///< of UTF-16 text: as UTF-8
  Source source;
};

}  // namespace sightline::read
