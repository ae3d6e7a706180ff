// All regions at once, each triangle drawn once: a pixel keeps all its fragments, sorted by depth, and all its layers
// of both peels are read off that list. Regions are cut into bands of rows, which run in parallel.
#include "raster/cpu/peel.h"

#include <chrono>

#include "raster/cover.h"

namespace sightline::papers::raster::cpu {
namespace {

/// A primitive that is ready to be filled. Pixel (x, y) is inside edge i if edge[i] + dx[i] x + dy[i] y >= 0: the edge
/// function of cover.h, less 1 where a sample on the edge is outside.
struct Filled {
  std::int64_t edge[3], dx[3], dy[3];
  DepthPlane plane;
  std::int32_t x0, x1;  ///< columns, half open
  std::uint32_t id;
};

struct Rows {
  std::int32_t y0, y1;  ///< half open
};

/// Some triangles of one object of a region, projected.
struct Chunk {
  std::uint32_t region = 0;
  int object = 0;
  std::span<const std::uint32_t> triangles;
  std::vector<Filled> parts;
  std::vector<Rows> rows;  ///< of each part
  Rows all = {1 << 30, 0};
};

void add_part(Primitive p, std::uint32_t id, std::int32_t side, Chunk& chunk) {
  if (p.area == 0) return;
  make_front(p);
  const auto [x_low, x_high] = std::minmax({p.x[0], p.x[1], p.x[2]});
  const auto [y_low, y_high] = std::minmax({p.y[0], p.y[1], p.y[2]});
  // Samples within the corners' box.
  const auto first = [&](std::int32_t low) { return std::clamp((low + kHalf - 1) >> 8, 0, side); };
  const auto last = [&](std::int32_t high) { return std::clamp(((high - kHalf) >> 8) + 1, 0, side); };
  Filled part;
  part.x0 = first(x_low), part.x1 = last(x_high);
  const Rows rows = {first(y_low), last(y_high)};
  if (part.x0 >= part.x1 || rows.y0 >= rows.y1) return;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const std::int64_t dx = p.x[j] - p.x[i], dy = p.y[j] - p.y[i];
    const bool inclusive = dy < 0 || (dy == 0 && dx < 0);  // left or top
    part.edge[i] = dx * (kHalf - p.y[i]) - dy * (kHalf - p.x[i]) - (inclusive ? 0 : 1);
    part.dx[i] = -dy * kSubpixels;
    part.dy[i] = dx * kSubpixels;
  }
  part.plane = DepthPlane(p, Coverage::image);
  part.id = id;
  chunk.parts.push_back(part);
  chunk.rows.push_back(rows);
  chunk.all = {std::min(chunk.all.y0, rows.y0), std::max(chunk.all.y1, rows.y1)};
}

void project(const Geometry& geometry, const PeelRegion& region, DepthFormat format, std::span<const std::uint32_t> ids,
             Chunk& chunk) {
  const Projection projection(region.camera, {region.side, region.side, format});
  for (const std::uint32_t triangle : chunk.triangles) {
    const Triangle& t = geometry.triangles[triangle];
    Primitive parts[Projection::kMost];
    const int count =
        projection.triangle(geometry.positions[t[0]], geometry.positions[t[1]], geometry.positions[t[2]], parts);
    for (int i = 0; i < count; ++i) add_part(parts[i], ids[triangle], static_cast<std::int32_t>(region.side), chunk);
  }
}

struct Fragment {
  std::uint32_t key, id;
};

/// Rows of a region.
struct Band {
  std::uint32_t region = 0;
  Rows rows = {};
  std::vector<IdPair> pairs;
  std::uint64_t fragments = 0;
  std::array<PeelCounts, 2> counts;  ///< by the object that the peel begins with
};

/// Fragments of one object in a band: those of a pixel follow each other, in the order of drawing.
class Lists {
 public:
  void clear(std::size_t pixels) {
    made_.clear();
    start_.assign(pixels + 1, 0);
  }
  void add(std::uint32_t pixel, std::uint32_t key, std::uint32_t id) {
    made_.push_back({pixel, {key, id}});
    ++start_[pixel + 1];
  }
  void sort_by_pixel() {
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    sorted_.resize(made_.size());
    next_.assign(start_.begin(), start_.end() - 1);
    for (const Made& made : made_) sorted_[next_[made.pixel]++] = made.fragment;
  }
  std::span<Fragment> of(std::size_t pixel) {
    return {sorted_.data() + start_[pixel], start_[pixel + 1] - start_[pixel]};
  }
  std::size_t size() const { return made_.size(); }
  /// Memory of a large image is not kept for the next one.
  void release() {
    constexpr std::size_t kMost = std::size_t{1} << 18;
    if (made_.capacity() > kMost || start_.capacity() > kMost) *this = Lists();
  }

 private:
  struct Made {
    std::uint32_t pixel;
    Fragment fragment;
  };
  std::vector<Made> made_;
  std::vector<Fragment> sorted_;
  std::vector<std::size_t> start_, next_;
};

/// Rows of the band that the part covers.
void fill(const Filled& part, const Rows& rows, const Band& band, std::uint32_t side, DepthFormat format,
          Lists& lists) {
  const std::int32_t y1 = std::min(rows.y1, band.rows.y1);
  for (std::int32_t y = std::max(rows.y0, band.rows.y0); y < y1; ++y) {
    std::int64_t at[3];
    for (int i = 0; i < 3; ++i) at[i] = part.edge[i] + part.dx[i] * part.x0 + part.dy[i] * y;
    bool entered = false;
    for (std::int32_t x = part.x0; x < part.x1; ++x) {
      const bool inside = (at[0] | at[1] | at[2]) >= 0;
      for (int i = 0; i < 3; ++i) at[i] += part.dx[i];
      if (!inside) {
        if (entered) break;
        continue;
      }
      entered = true;
      const double z = std::clamp(part.plane.at(x, y), part.plane.low, part.plane.high);
      lists.add(static_cast<std::uint32_t>(y - band.rows.y0) * side + static_cast<std::uint32_t>(x),
                nearest_key(z, format), part.id);
    }
  }
}

/// By depth; of equal depths only the one drawn last.
std::span<Fragment> by_depth(std::span<Fragment> list) {
  constexpr std::size_t kShort = 24;
  if (list.size() < 2) return list;
  if (list.size() > kShort) {
    std::stable_sort(list.begin(), list.end(), [](const Fragment& a, const Fragment& b) { return a.key < b.key; });
  } else {
    for (std::size_t i = 1; i < list.size(); ++i) {
      const Fragment moved = list[i];
      std::size_t to = i;
      for (; to > 0 && moved.key < list[to - 1].key; --to) list[to] = list[to - 1];
      list[to] = moved;
    }
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < list.size(); ++i)
    if (i + 1 == list.size() || list[i + 1].key != list[i].key) list[count++] = list[i];
  return list.first(count);
}

/// One pixel of the peel that begins with `object`.
void peel_pixel(const std::array<std::span<Fragment>, 2>& lists, int object, const PeelRegion& region,
                DepthFormat format, Band& band) {
  std::size_t next[2] = {0, 0};
  Fragment last = {0, 0};
  for (std::size_t layer = 0;; ++layer, object = 1 - object) {
    const std::span<Fragment> list = lists[object];
    std::size_t& at = next[object];
    while (at < list.size() && list[at].key <= last.key) ++at;  // no fragment has key 0
    if (at == list.size()) return;
    const Fragment now = list[at++];
    const bool pair = layer > 0 && layer_place(now.key, format) - layer_place(last.key, format) < region.reach;
    if (pair) {
      const IdPair found = object == 0 ? IdPair{band.region, now.id, last.id} : IdPair{band.region, last.id, now.id};
      if (band.pairs.empty() || band.pairs.back() != found) band.pairs.push_back(found);
    }
    const int start = layer % 2 == 0 ? object : 1 - object;
    band.counts[start].add(layer, 1, pair ? 1 : 0);
    last = now;
  }
}

void sort_pairs(std::vector<IdPair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

void run(const PeelRegion& region, std::span<const Chunk> chunks, DepthFormat format, Band& band) {
  thread_local std::array<Lists, 2> lists;
  const std::size_t pixels = std::size_t{region.side} * static_cast<std::size_t>(band.rows.y1 - band.rows.y0);
  for (Lists& list : lists) list.clear(pixels);
  for (const Chunk& chunk : chunks) {
    if (chunk.all.y0 >= band.rows.y1 || chunk.all.y1 <= band.rows.y0) continue;
    for (std::size_t i = 0; i < chunk.parts.size(); ++i)
      if (chunk.rows[i].y0 < band.rows.y1 && chunk.rows[i].y1 > band.rows.y0)
        fill(chunk.parts[i], chunk.rows[i], band, region.side, format, lists[chunk.object]);
  }
  for (Lists& list : lists) {
    band.fragments += list.size();
    list.sort_by_pixel();
  }
  for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
    std::array<std::span<Fragment>, 2> here;
    for (int object = 0; object < 2; ++object) here[object] = lists[object].of(pixel);
    if (here[0].empty() && here[1].empty()) continue;
    for (std::span<Fragment>& list : here) list = by_depth(list);
    for (int object = 0; object < 2; ++object)
      if ((region.starts >> object & 1) != 0) peel_pixel(here, object, region, format, band);
  }
  sort_pairs(band.pairs);
  for (Lists& list : lists) list.release();
}

}  // namespace

void peel(Workers& workers, const Geometry& geometry, DepthFormat format, std::span<const PeelRegion> regions,
          std::span<const std::uint32_t> ids, Peeled& result, Counters& counters) {
  constexpr std::size_t kChunk = 512;
  std::vector<Chunk> chunks;
  std::vector<std::size_t> first_chunk;
  std::vector<Band> bands;
  for (std::uint32_t r = 0; r < regions.size(); ++r) {
    const PeelRegion& region = regions[r];
    first_chunk.push_back(chunks.size());
    for (int object = 0; object < 2; ++object)
      for (auto left = region.triangles[object]; !left.empty();) {
        const auto some = left.first(std::min(left.size(), kChunk));
        chunks.push_back({r, object, some, {}, {}});
        left = left.subspan(some.size());
      }
    const auto side = static_cast<std::int32_t>(region.side), height = std::max(16, side / 64);
    for (std::int32_t y = 0; y < side; y += height) bands.push_back({r, {y, std::min(side, y + height)}, {}, 0, {}});
    counters.renders += 2;
    counters.triangles += region.triangles[0].size() + region.triangles[1].size();
  }
  first_chunk.push_back(chunks.size());
  workers.for_each(chunks.size(),
                   [&](std::size_t i) { project(geometry, regions[chunks[i].region], format, ids, chunks[i]); });
  workers.for_each(bands.size(), [&](std::size_t i) {
    const std::uint32_t r = bands[i].region;
    run(regions[r], std::span(chunks).subspan(first_chunk[r], first_chunk[r + 1] - first_chunk[r]), format, bands[i]);
  });

  const auto start = std::chrono::steady_clock::now();
  result = {};
  for (std::size_t begin = 0, end = 0; begin < bands.size(); begin = end) {
    std::array<PeelCounts, 2> counts;
    for (end = begin; end < bands.size() && bands[end].region == bands[begin].region; ++end) {
      const Band& band = bands[end];
      counters.fragments += band.fragments;
      result.pairs.insert(result.pairs.end(), band.pairs.begin(), band.pairs.end());
      for (int object = 0; object < 2; ++object)
        for (std::size_t layer = 0; layer < band.counts[object].pixels.size(); ++layer)
          counts[object].add(layer, band.counts[object].pixels[layer], band.counts[object].pixels_with_pairs[layer]);
    }
    for (const PeelCounts& of : counts) of.add_to(result.layers);
  }
  sort_pairs(result.pairs);
  result.read_back_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace sightline::papers::raster::cpu
