// Entries of a zip archive in memory, inflated under a bound.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/read_memory.h"

struct zip;

namespace sightline::read {

class Archive {
 public:
  explicit Archive(const Source& source);

  /// Contents of an entry, found by name whatever its case; nothing if there is none. An entry that inflates past the
  /// source's limit, or to more than kMostRatio times the whole file, is an error, whatever size its header claims.
  std::optional<std::string> read(std::string name) const;

 private:
  static constexpr std::uint64_t kMostRatio = 256, kAlwaysAllowed = std::uint64_t{1} << 24;
  struct Close {
    void operator()(zip* archive) const;
  };
  const Source& source_;
  std::unique_ptr<zip, Close> zip_;
};

}  // namespace sightline::read
