// The inputs of `check`: the files of the command line, with sequences as their frames.
#pragma once

#include "read/sequence.h"
#include "tool/options.h"

namespace sightline::tool {

struct CheckItem {
  static constexpr std::size_t kAlone = ~std::size_t{0};
  std::filesystem::path path;     ///< as on the command line; for a frame, its file
  std::string label;              ///< for messages
  std::size_t sequence = kAlone;  ///< number of the sequence
  std::size_t frame = 0;          ///< in it
  std::size_t moment = 0;         ///< of an animated file
  std::string error = {};         ///< not empty: unreadable, reported and skipped
  std::uint64_t count = 1;        ///< length of a run of missing frames
};

struct CheckItems {
  /// Inputs that are no sequence and cannot be read become items with an error.
  explicit CheckItems(const Settings& settings);

  std::vector<CheckItem> list;
  std::vector<read::Sequence> sequences;
  /// The files that will be read, for the outputs: none of them may be written.
  std::vector<std::filesystem::path> files() const;
  /// Number of meshes and frames, including those that are missing.
  std::size_t count() const {
    std::size_t sum = 0;
    for (const CheckItem& item : list) sum += item.count;
    return sum;
  }
  bool one_sequence() const { return sequences.size() == 1 && sequences[0].frames.size() == list.size(); }
};

}  // namespace sightline::tool
