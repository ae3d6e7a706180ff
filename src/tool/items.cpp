#include "tool/items.h"

#include <optional>

#include "sightline/mesh.h"

namespace sightline::tool {

CheckItems::CheckItems(const Settings& settings) {
  for (const std::filesystem::path& path : settings.inputs) {
    std::optional<read::Sequence> found;
    try {
      found = read::find_sequence(path, settings.frame_rate, settings.rest_only);
    } catch (const Error& error) {
      list.push_back({.path = path, .label = path.filename().string(), .error = error.what()});
      continue;
    }
    if (!found) {
      list.push_back({.path = path, .label = path.filename().string()});
      continue;
    }
    for (std::size_t i = 0; i < found->frames.size(); ++i) {
      const read::SequenceFrame& frame = found->frames[i];
      list.push_back({.path = frame.path,
                      .label = frame.label,
                      .sequence = sequences.size(),
                      .frame = i,
                      .moment = frame.moment,
                      .error = frame.error,
                      .count = frame.count});
    }
    sequences.push_back(std::move(*found));
  }
}

std::vector<std::filesystem::path> CheckItems::files() const {
  std::vector<std::filesystem::path> files;
  for (const CheckItem& item : list)
    if (files.empty() || files.back() != item.path) files.push_back(item.path);
  return files;
}

}  // namespace sightline::tool
