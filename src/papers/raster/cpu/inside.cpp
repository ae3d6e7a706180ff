// Edges and faces are projected and binned into tiles. A tile makes a list of samples for each of its pixels, all in
// one array in the order of the pixels, so that the samples under a row of a face follow each other. Then each face
// runs once over the samples under it. Faces come solid after solid: a sample needs one tally, whatever the number of
// solids.
#include "raster/cpu/inside.h"

#include <array>
#include <atomic>

#include "raster/cpu/tile.h"

namespace sightline::papers::raster::cpu {
namespace {

using inside::Face;
using inside::kFine;
using inside::kFineHalf;
using inside::kFinePerSub;
using inside::Sample;
using inside::Tally;

constexpr PixelBox kNowhere = {0, 0, 0, 0};

struct Line {
  Segment ends;
  PixelBox box = kNowhere;
  std::uint32_t edge = 0, solid = 0;
};

struct FaceOf {
  Face face;
  PixelBox box;
  std::uint32_t solid;
};

std::vector<Line> lines_of(Workers& workers, const InsideQuery& query, const Geometry& geometry,
                           const Projection& projection, const Target& target) {
  std::vector<Line> lines(query.edges.size());
  workers.for_blocks(lines.size(), 1024, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t edge = query.edges[i];
      const Triangle& t = geometry.triangles[edge / 3];
      const auto [a, b] = edge_ends(t, static_cast<int>(edge % 3));
      Primitive line;
      if (projection.line(geometry.positions[t[a]], geometry.positions[t[b]], &line) == 0) continue;
      lines[i] = {raster::segment(line), pixel_box(line, target), edge, query.solid_of[edge / 3]};
    }
  });
  return lines;
}

std::vector<FaceOf> faces_of(Workers& workers, const InsideQuery& query, const Geometry& geometry,
                             const Projection& projection, const Target& target) {
  constexpr std::size_t kBlock = 512;
  std::vector<std::vector<FaceOf>> blocks((query.faces.size() + kBlock - 1) / kBlock);
  workers.for_blocks(query.faces.size(), kBlock, [&](std::size_t first, std::size_t last) {
    std::vector<FaceOf>& mine = blocks[first / kBlock];
    mine.reserve(last - first);
    for (std::size_t i = first; i < last; ++i) {
      const Triangle& t = geometry.triangles[query.faces[i]];
      const auto& at = geometry.positions;
      Primitive parts[Projection::kMost];
      const int made = projection.triangle(at[t[0]], at[t[1]], at[t[2]], parts);
      for (int part = 0; part < made; ++part)
        mine.push_back(
            {Face(parts[part], target.format), pixel_box(parts[part], target), query.solid_of[query.faces[i]]});
    }
  });
  std::vector<FaceOf> faces;
  std::size_t count = 0;
  for (const auto& block : blocks) count += block.size();
  faces.reserve(count);
  for (const auto& block : blocks) faces.insert(faces.end(), block.begin(), block.end());
  return faces;
}

/// False if no sample of the line lies in the box.
bool may_touch(const Line& line, const PixelBox& box) {
  auto [x0, y0, z0, x1, y1, z1] = line.ends;
  PixelBox within = box;
  if (std::abs(y1 - y0) > std::abs(x1 - x0)) {
    std::swap(x0, y0), std::swap(x1, y1);
    within = {box.y0, box.x0, box.y1, box.x1};
  }
  if (x0 > x1) std::swap(x0, x1), std::swap(y0, y1);
  const double left = std::max<double>(x0, within.x0 * kSubpixels),
               right = std::min<double>(x1, within.x1 * kSubpixels);
  if (left > right) return false;
  const double slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : 0;
  const auto [low, high] = std::minmax({y0 + slope * (left - x0), y0 + slope * (right - x0)});
  return high >= (within.y0 - 1) * kSubpixels && low <= (within.y1 + 1) * kSubpixels;
}

/// False if the face is away from all points of the box.
bool may_touch(const FaceOf& of, const PixelBox& box) {
  const Face& face = of.face;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t dx = face.x[(i + 1) % 3] - face.x[i], dy = face.y[(i + 1) % 3] - face.y[i];
    const std::int64_t x = dy < 0 ? box.x1 * kSubpixels + 1 : box.x0 * kSubpixels - 1;
    const std::int64_t y = dx > 0 ? box.y1 * kSubpixels + 1 : box.y0 * kSubpixels - 1;
    if (dx * (y - face.y[i]) - dy * (x - face.x[i]) < 0) return false;
  }
  return true;
}

struct Tiles {
  int columns, rows;
  std::size_t size() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
};

/// For each tile, the numbers of the items that may touch it, ascending. Count, scan, fill, as Bins does.
class TileLists {
 public:
  template <typename Item>
  TileLists(Workers& workers, const std::vector<Item>& items, const Tiles& tiles, const Target& target)
      : start_(tiles.size() + 1) {
    constexpr std::size_t kLeast = 1024;
    const std::size_t chunks = std::clamp<std::size_t>(items.size() / kLeast, 1, std::size_t{4} * workers.count());
    std::vector<std::uint32_t> counts(chunks * tiles.size());
    const auto walk = [&](std::size_t chunk, const auto& visit) {
      for (std::size_t i = items.size() * chunk / chunks; i < items.size() * (chunk + 1) / chunks; ++i) {
        const PixelBox& box = items[i].box;
        if (box.x0 >= box.x1 || box.y0 >= box.y1) continue;
        const int c0 = box.x0 / kTile, c1 = (box.x1 - 1) / kTile, r0 = box.y0 / kTile, r1 = (box.y1 - 1) / kTile;
        for (int row = r0; row <= r1; ++row)
          for (int column = c0; column <= c1; ++column)
            if ((c0 == c1 && r0 == r1) || may_touch(items[i], box_of(column, row, target)))
              visit(static_cast<std::size_t>(row) * static_cast<std::size_t>(tiles.columns) +
                        static_cast<std::size_t>(column),
                    static_cast<std::uint32_t>(i));
      }
    };
    workers.for_each(chunks, [&](std::size_t chunk) {
      std::uint32_t* own = counts.data() + chunk * tiles.size();
      walk(chunk, [&](std::size_t tile, std::uint32_t) { ++own[tile]; });
    });
    std::size_t sum = 0;
    for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
      start_[tile] = sum;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const std::uint32_t count = counts[chunk * tiles.size() + tile];
        counts[chunk * tiles.size() + tile] = static_cast<std::uint32_t>(sum - start_[tile]);
        sum += count;
      }
    }
    start_.back() = sum;
    items_.resize(sum);
    workers.for_each(chunks, [&](std::size_t chunk) {
      std::uint32_t* next = counts.data() + chunk * tiles.size();
      walk(chunk, [&](std::size_t tile, std::uint32_t item) { items_[start_[tile] + next[tile]++] = item; });
    });
  }
  std::span<const std::uint32_t> of(std::size_t tile) const {
    return {items_.data() + start_[tile], start_[tile + 1] - start_[tile]};
  }

  static PixelBox box_of(int column, int row, const Target& target) {
    const PixelBox all = whole(target);
    return {column * kTile, row * kTile, std::min((column + 1) * kTile, all.x1), std::min((row + 1) * kTile, all.y1)};
  }

 private:
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> items_;
};

/// A face in a tile: Face::place, with places counted from the tile's corner, in 1/65536 pixel.
struct FaceInTile {
  FaceInTile(const Face& face, const PixelBox& tile) : facing(face.facing) {
    for (int i = 0; i < 3; ++i) {
      const std::int64_t dx = face.x[(i + 1) % 3] - face.x[i], dy = face.y[(i + 1) % 3] - face.y[i];
      const std::int64_t side = dx * (std::int64_t{tile.y0} * kFine - std::int64_t{face.y[i]} * kFinePerSub) -
                                dy * (std::int64_t{tile.x0} * kFine - std::int64_t{face.x[i]} * kFinePerSub);
      const bool inclusive = dy < 0 || (dy == 0 && dx < 0);
      first[i] = static_cast<double>(side - (inclusive ? 0 : 1));
      along_x[i] = static_cast<double>(-dy);
      along_y[i] = static_cast<double>(dx);
      least[i] = -(std::abs(along_x[i]) + std::abs(along_y[i])) * kFinePerSub - 1;
    }
    const auto [x_low, x_high] = std::minmax({face.x[0], face.x[1], face.x[2]});
    const auto [y_low, y_high] = std::minmax({face.y[0], face.y[1], face.y[2]});
    const double x0 = tile.x0 * double{kFine}, y0 = tile.y0 * double{kFine};
    left = (x_low - 1) * double{kFinePerSub} - x0, right = (x_high + 1) * double{kFinePerSub} - x0;
    bottom = (y_low - 1) * double{kFinePerSub} - y0, top = (y_high + 1) * double{kFinePerSub} - y0;
  }
  /// Exact: the terms of a place in the tile are below 2^46, and `first` is exact up to 2^53. A larger one decides the
  /// sign alone.
  Face::Place place(double x, double y) const {
    if (x < left || x > right || y < bottom || y > top) return Face::Place::away;
    bool is_inside = facing != 0;
    for (int i = 0; i < 3; ++i) {
      const double side = first[i] + (along_x[i] * x + along_y[i] * y);
      if (side < least[i]) return Face::Place::away;
      is_inside = is_inside && side >= 0;
    }
    return is_inside ? Face::Place::inside : Face::Place::near;
  }
  /// Pixels from … to - 1 of a row that the face may touch; at least those.
  void narrow(int row, int& from, int& to) const {
    constexpr double kPixel = kFine;
    const double y = row * kPixel + kFineHalf;
    for (int i = 0; i < 3; ++i) {
      const double reach = (std::abs(along_x[i]) + std::abs(along_y[i])) * (kFineHalf + kFinePerSub);
      const double at = first[i] + along_y[i] * y + reach + 1, step = along_x[i];  // at x = 0, and by 1/65536 pixel
      if (step == 0) {
        if (at < 0) to = from;
        continue;
      }
      const double x = std::clamp((-at / step - kFineHalf) / kPixel, -1.0, kTile + 1.0);  // of a pixel's centre
      if (step > 0)
        from = std::max(from, static_cast<int>(std::floor(x)));
      else
        to = std::min(to, static_cast<int>(std::ceil(x)) + 1);
    }
  }
  double first[3], along_x[3], along_y[3], least[3];
  double left, right, bottom, top;
  std::int32_t facing;
};

class TileOfSamples {
 public:
  TileOfSamples(const InsideQuery& query, const Target& target, const PixelBox& pixels)
      : query_(query), target_(target), pixels_(pixels) {}

  void gather(const std::vector<Line>& lines, std::span<const std::uint32_t> list) {
    std::vector<At> unordered;
    for (const std::uint32_t i : list)
      inside::for_each_sample(lines[i].ends, pixels_, [&](const Sample& s) {
        const std::uint32_t key = nearest_key(s.depth, target_.format);
        const int pixel = (s.y - pixels_.y0) * kTile + (s.x - pixels_.x0);
        ++start_[static_cast<std::size_t>(pixel) + 1];
        unordered.push_back({static_cast<double>(s.fine_x - pixels_.x0 * kFine),
                             static_cast<double>(s.fine_y - pixels_.y0 * kFine),
                             inside::depth_of(key, target_.format),
                             lines[i].edge,
                             lines[i].solid,
                             key,
                             static_cast<std::uint32_t>(pixel),
                             {}});
      });
    for (std::size_t pixel = 0; pixel < kTilePixels; ++pixel) start_[pixel + 1] += start_[pixel];
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    samples_.resize(unordered.size());
    for (const At& s : unordered) samples_[next[s.pixel]++] = s;
  }
  std::size_t size() const { return samples_.size(); }

  void cross(const FaceOf& of) {
    if (of.solid != solid_) end_of_solid();
    solid_ = of.solid;
    const InsideSolid& own = query_.solids[solid_];
    const Face& face = of.face;
    const FaceInTile in_tile(face, pixels_);
    const double from_x = pixels_.x0 * double{kFine} - (face.x0 * kFine + kFineHalf);
    const double from_y = pixels_.y0 * double{kFine} - (face.y0 * kFine + kFineHalf);
    const int left = std::max(of.box.x0 - pixels_.x0, 0), right = std::min(of.box.x1, pixels_.x1) - pixels_.x0;
    const int bottom = std::max(of.box.y0 - pixels_.y0, 0), top = std::min(of.box.y1, pixels_.y1) - pixels_.y0;
    constexpr int kWide = 8;
    for (int row = bottom; row < top; ++row) {
      int x0 = left, x1 = right;
      if (right - left > kWide) in_tile.narrow(row, x0, x1);
      if (x0 >= x1) continue;
      const std::uint32_t end = start_[static_cast<std::size_t>(row * kTile + x1)];
      for (std::uint32_t i = start_[static_cast<std::size_t>(row * kTile + x0)]; i < end; ++i) {
        At& s = samples_[i];
        const Face::Place place = in_tile.place(s.x, s.y);
        if (place == Face::Place::away || s.solid == solid_ || !wanted(query_.solids[s.solid], own)) continue;
        // Face::depth, with the same numbers: places are whole numbers, and exact.
        const double depth = std::clamp(
            (face.z + face.zy * ((s.y + from_y) * (1.0 / kFine))) + face.zx * ((s.x + from_x) * (1.0 / kFine)),
            face.low, face.high);
        crossed_.push_back(i);
        s.tally.meet(depth, face.margin, s.depth, place == Face::Place::inside, face.facing, own.sided);
      }
    }
  }
  void end_of_solid() {
    for (const std::uint32_t i : crossed_) {
      At& s = samples_[i];
      const bool open = s.tally.open();
      if (open || s.tally.inside())
        found.push_back({s.edge, solid_, static_cast<std::uint32_t>(pixels_.x0) + s.pixel % kTile,
                         static_cast<std::uint32_t>(pixels_.y0) + s.pixel / kTile, s.key, open});
      s.tally = {};  // it may be in the list again
    }
    crossed_.clear();
  }

  std::vector<Inside> found;

 private:
  struct At {
    double x, y, depth;  ///< counted from the tile's corner, in 1/65536 pixel
    std::uint32_t edge, solid, key, pixel;
    Tally tally;
  };
  const InsideQuery& query_;
  const Target& target_;
  PixelBox pixels_;
  std::vector<std::uint32_t> start_ = std::vector<std::uint32_t>(kTilePixels + 1);  ///< by pixel
  std::vector<At> samples_;
  std::vector<std::uint32_t> crossed_;  ///< samples that the current solid has crossed
  std::uint32_t solid_ = 0;
};

}  // namespace

std::vector<Inside> find_inside(Workers& workers, const InsideQuery& query, const Geometry& geometry,
                                const Projection& projection, const Target& target, std::uint64_t& samples) {
  const std::vector<Line> lines = lines_of(workers, query, geometry, projection, target);
  const std::vector<FaceOf> faces = faces_of(workers, query, geometry, projection, target);
  const Tiles tiles{(static_cast<int>(target.width) + kTile - 1) / kTile,
                    (static_cast<int>(target.height) + kTile - 1) / kTile};
  const TileLists lines_in(workers, lines, tiles, target), faces_in(workers, faces, tiles, target);
  std::vector<std::vector<Inside>> found(tiles.size());
  std::atomic<std::uint64_t> count = 0;
  workers.for_each(tiles.size(), [&](std::size_t i) {
    if (lines_in.of(i).empty()) return;
    const int column = static_cast<int>(i) % tiles.columns, row = static_cast<int>(i) / tiles.columns;
    TileOfSamples tile(query, target, TileLists::box_of(column, row, target));
    tile.gather(lines, lines_in.of(i));
    count.fetch_add(tile.size(), std::memory_order_relaxed);
    if (tile.size() == 0) return;
    for (const std::uint32_t face : faces_in.of(i)) tile.cross(faces[face]);
    tile.end_of_solid();
    found[i] = std::move(tile.found);
  });
  samples = count.load();
  std::vector<Inside> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace sightline::papers::raster::cpu
