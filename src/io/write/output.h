// Output files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

#include "write/text.h"

namespace sightline::write {

/// A file under a temporary name in the folder of `path`, renamed to it by commit(). Without a commit it vanishes.
/// The constructor opens the file, so that a bad path is an error before the work, not after it. Devices and pipes
/// are written to directly; "-" is standard output. Every failure throws Error with the path and the reason.
class SIGHTLINE_API Output {
 public:
  explicit Output(std::filesystem::path path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes);
  void write(const Buffer& bytes) { write({bytes.data(), bytes.size()}); }
  void commit();
  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(int error) const;
  void flush();
  void put(std::string_view bytes);  // to the file itself

  std::filesystem::path path_;       // as the user wrote it, for messages
  std::filesystem::path target_;     // with symbolic links resolved
  std::filesystem::path temporary_;  // empty where the target is written to directly
  int file_ = -1;
  Buffer pending_;
};

/// Removes the temporary files of all living Outputs. For a program that a signal is about to end. After this call no
/// commit of this process succeeds.
SIGHTLINE_API void remove_unfinished() noexcept;

/// Thrown out of a writer after its `cancel` returned true.
struct Cancelled {};

/// How the long loops of the writers run.
struct WriteOptions {
  unsigned threads = 0;               ///< 0: one for each core
  std::function<bool()> cancel = {};  ///< true ends the writing by throwing Cancelled
  /// Called from any thread with the number of items that were written since the last call.
  std::function<void(std::uint64_t items)> progress = {};
};

/// Formats `count` items in parallel blocks and writes them in order: memory stays bounded, nothing is built whole.
/// `format(begin, end, bytes)` appends the items [begin, end).
using Format = std::function<void(std::size_t begin, std::size_t end, Buffer& bytes)>;
SIGHTLINE_API void write_items(Output& output, std::size_t count, const WriteOptions& options, const Format& format);

/// Runs `work(begin, end)` over blocks of [0, count) in parallel; each block but the last has kBlock items.
inline constexpr std::size_t kBlock = 2048;  // contacts as text: some 200 KB
SIGHTLINE_API void for_blocks(std::size_t count, const WriteOptions& options,
                              const std::function<void(std::size_t begin, std::size_t end)>& work);

/// PATH with `suffix` after its stem: out.ply, "_segments" → out_segments.ply.
SIGHTLINE_API std::filesystem::path beside(const std::filesystem::path& path, std::string_view suffix);

}  // namespace sightline::write
