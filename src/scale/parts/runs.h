// Records in ascending order of three numbers, more than fit into memory: sorted runs on the disk, merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "disk/scratch.h"

namespace sightline::scale {

struct Key {
  std::uint64_t objects = 0;  ///< of a contact in a scene: object a times 2^32, plus object b
  std::uint64_t a = 0, b = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

class SIGHTLINE_API Runs {
 public:
  static constexpr std::size_t kMostPayload = 255;
  /// Called with records in order; false ends the walk.
  using Visit = std::function<bool(const Key&, std::span<const std::byte> payload)>;

  /// `memory`: bytes for the buffers, at least a few thousand.
  Runs(disk::ScratchFile& file, std::size_t memory) : file_(file), memory_(memory) {}

  void add(const Key& key, std::span<const std::byte> payload = {});
  /// After the last add. Frees the memory if anything is on the disk.
  void finish();
  std::uint64_t size() const { return count_; }
  /// After finish(). Records with equal keys keep no order.
  void for_each(const Visit& visit) const;

 private:
  struct Run {
    std::uint64_t at = 0, bytes = 0;
  };
  struct Entry {
    Key key;
    std::size_t at = 0;  ///< of the record in bytes_
  };
  class Reader;
  class Writer;
  void sort();
  void spill();
  void merge(std::span<const Run> runs, std::size_t memory, const Visit& visit) const;

  disk::ScratchFile& file_;
  std::size_t memory_;
  std::uint64_t count_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<Entry> entries_;
  std::vector<Run> runs_;
};

}  // namespace sightline::scale
