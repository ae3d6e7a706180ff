#include "parts/joined.h"

#include <algorithm>

#include "base/format.h"

namespace sightline::scale {
namespace {

void read_piece(TriangleSource& source, std::uint64_t first, std::span<CornersF> to) { source.read(first, to); }

/// Each float is a double.
void read_piece(TriangleSource& source, std::uint64_t first, std::span<CornersD> to) {
  if (source.is_double()) return source.read(first, to);
  constexpr std::size_t kAtOnce = 4096;
  std::vector<CornersF> narrow(std::min(kAtOnce, to.size()));
  for (; !to.empty(); to = to.subspan(narrow.size())) {
    narrow.resize(std::min(narrow.size(), to.size()));
    source.read(first, std::span(narrow));
    for (std::size_t i = 0; i < narrow.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) to[i][k] = as_double(narrow[i][k]);
    first += narrow.size();
  }
}

}  // namespace

JoinedSource::JoinedSource(std::span<const HugePart> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].source == nullptr) throw Error(formatted("part {}: has no source of triangles", i));
    const std::uint64_t first = size(), count = parts[i].source->size();
    if (count >= Tag::kShared - first)
      throw Error(
          formatted("{}: {} triangles after {} of other parts are too many", parts[i].source->file(), count, first));
    sources_.push_back(parts[i].source);
    objects_.ends.push_back(first + count);
    objects_.options.push_back(parts[i].options);
    is_double_ = is_double_ || parts[i].source->is_double();
  }
}

std::string JoinedSource::file() const {
  return sources_.size() == 1 ? sources_[0]->file() : formatted("{} parts", sources_.size());
}

std::string JoinedSource::place(std::uint64_t triangle) const {
  const std::size_t part = part_of(triangle);
  return sources_[part]->place(triangle - begin_of(part));
}

void JoinedSource::rest() {
  for (TriangleSource* source : sources_) source->rest();
}

std::size_t JoinedSource::part_of(std::uint64_t triangle) const {
  return static_cast<std::size_t>(std::upper_bound(objects_.ends.begin(), objects_.ends.end(), triangle) -
                                  objects_.ends.begin());
}

template <typename Corners>
void JoinedSource::read_pieces(std::uint64_t first, std::span<Corners> to) {
  for (std::size_t part = to.empty() ? 0 : part_of(first); !to.empty(); ++part) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), objects_.ends[part] - first));
    if (count == 0) continue;
    read_piece(*sources_[part], first - begin_of(part), to.first(count));
    first += count;
    to = to.subspan(count);
  }
}

void JoinedSource::read(std::uint64_t first, std::span<CornersF> to) { read_pieces(first, to); }
void JoinedSource::read(std::uint64_t first, std::span<CornersD> to) { read_pieces(first, to); }

}  // namespace sightline::scale
