#include "gl/sweep.h"

#include <algorithm>
#include <cstring>

#include "gl/shaders.h"

namespace sightline::papers::gl {

using raster::SweepElement;

namespace {

/// As `Header` of programs/common.cpp, for a sweep.
struct Header {
  ListHeader lists;
  std::uint32_t fragments[2] = {0, 0}, unused[2] = {0, 0};
};
constexpr std::size_t kHeaderWords = sizeof(Header) / 4;

/// Counts the draw calls that an element stands for.
void add(raster::Counters& counters, const SweepElement& element, std::uint8_t passed) {
  const auto is = [&](raster::SweepUse use) { return (element.use & use) != 0 ? 1u : 0u; };
  const bool left_out = is(raster::kIfPassed) != 0 && (passed & raster::kPassedForward) == 0;
  const std::uint32_t tested = is(raster::kTestForward) + is(raster::kTestReverse);
  const std::uint32_t drawn = is(raster::kDrawForward) + (left_out ? 0 : is(raster::kDrawReverse));
  counters.queries += tested;
  counters.renders += drawn;
  counters.triangles += std::uint64_t{tested + drawn} * element.count;
}

}  // namespace

bool Sweeper::run(const raster::Target& target, std::span<const SweepElement> elements, std::span<std::uint8_t> passed,
                  raster::Counters& counters) {
  if (!upload(elements)) return false;
  Header header;
  answer_.assign(kHeaderWords + elements.size(), 0);
  for (bool done = entries_ == 0; !done;) {
    submit(target);
    context_.read(context_.buffer(Context::kSweep), 0, answer_.size() * 4, answer_.data(), "the answers of a sweep");
    std::memcpy(static_cast<void*>(&header), answer_.data(), sizeof header);
    done = header.lists.total[1] == 0 && header.lists.total[0] <= list_capacity(context_, true);
    if (done) continue;
    context_.fill(context_.buffer(Context::kTiles), 8 * tiles_of(target), 0);
    const std::size_t bytes = std::size_t{4} * header.lists.total[0];
    if (header.lists.total[1] != 0 || bytes > most_list_bytes()) return false;
    make_room(bytes);
  }
  counters.fragments += std::uint64_t{header.fragments[1]} << 32 | header.fragments[0];
  for (std::size_t i = 0; i < elements.size(); ++i) {
    // An element without triangles has no entry that would have set its word.
    passed[i] = elements[i].count == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(answer_[kHeaderWords + i]);
    add(counters, elements[i], passed[i]);
  }
  return true;
}

bool Sweeper::upload(std::span<const SweepElement> elements) {
  elements_.resize(elements.size());
  std::uint64_t entries = 0;
  one_each_ = true;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const SweepElement& e = elements[i];
    elements_[i] = {e.first, static_cast<std::uint32_t>(entries), e.group, e.use};
    entries += e.count;
    one_each_ &= e.count == 1;
  }
  if (entries > kMostEntries) return false;
  entries_ = static_cast<std::uint32_t>(entries);
  if (entries == 0) return true;
  context_.traced("host");
  primitives_.upload();
  context_.buffer(Context::kElements)
      .assign(context_, elements_.data(), elements_.size() * sizeof(GpuElement), "a sweep");
  context_.buffer(Context::kEntries).reserve(context_, 8 * entries, "a sweep");
  context_.buffer(Context::kLarge).reserve(context_, 4 * entries, "a sweep");
  make_room(std::min<std::size_t>(16 * entries, most_list_bytes()));
  context_.buffer(Context::kSweep).reserve(context_, 4 * (kHeaderWords + elements.size()), "a sweep");
  context_.traced("upload");
  return true;
}

void Sweeper::make_room(std::size_t lists) {
  context_.buffer(Context::kLists).reserve(context_, lists, "lists");
  context_.buffer(Context::kSorted).reserve(context_, lists, "lists");
}

void Sweeper::submit(const raster::Target& target) {
  const Header start;
  Buffer& header = context_.buffer(Context::kSweep);
  header.assign(context_, &start, sizeof start, "a sweep");
  const auto elements = static_cast<std::uint32_t>(elements_.size());
  const Lists lists{context_, primitives_, target, header, true, 0, entries_, elements, one_each_};
  context_.bind(2, Context::kElements);
  context_.bind(3, Context::kSorted);
  lists.measure();
  lists.fill();
  lists.use("sweep", sweep_tile_shader);
  context_.set("clear_key", raster::far_key(target.format));
  for (const GLint reverse : {0, 1}) {
    context_.set("reverse", reverse);
    lists.dispatch_tiles();
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    context_.traced(reverse == 0 ? "forward" : "reverse");
  }
}

}  // namespace sightline::papers::gl
