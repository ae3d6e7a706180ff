#include "read/records.h"

#include <algorithm>
#include <atomic>

#include "base/format.h"
#include "base/pages.h"
#include "read/triangulate.h"

namespace sightline::read {
namespace {

constexpr std::size_t kTrianglesAtOnce = 4096;  ///< that one thread reads

Triangle triangle_at(const TriangleRecords& records, const std::byte* record) {
  Triangle triangle;
  for (std::size_t k = 0; k < 3; ++k)
    triangle[k] = load_value<std::uint32_t>(record + records.indices + 4 * k, records.swap);
  return triangle;
}

}  // namespace

template <typename Scalar>
VertexCache<Scalar>::VertexCache(const VertexRecords& records, std::size_t bytes)
    : records_(records), raw_(kBlock * records.stride) {
  const std::size_t blocks = static_cast<std::size_t>((records.count + kBlock - 1) / kBlock);
  const std::size_t most = std::bit_floor(std::max<std::size_t>(bytes / (kBlock * sizeof(Point)), 2));
  const std::size_t slots = std::min(most, std::bit_ceil(std::max<std::size_t>(2 * blocks, 2)));
  shift_ = 64 - std::countr_zero(slots);
  block_.assign(slots, ~std::uint64_t{0});
  points_.resize(slots * kBlock);
}

template <typename Scalar>
void VertexCache<Scalar>::load(std::size_t slot, std::uint64_t block) {
  const std::uint64_t first = block * kBlock;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, records_.count - first));
  const std::span<std::byte> raw = std::span(raw_).first(count * records_.stride);
  block_[slot] = ~std::uint64_t{0};  // in case that the read throws
  records_.bytes.read(records_.begin + first * records_.stride, raw);
  for (std::size_t i = 0; i < count; ++i)
    points_[slot * kBlock + i] = records_.template decode<Scalar>(raw.data() + i * records_.stride);
  block_[slot] = block;
}

template class VertexCache<float>;
template class VertexCache<double>;

/// All vertices in memory if there is room, else a cache for each thread.
template <typename Scalar>
class IndexedSource::Reader {
 public:
  using Point = std::array<Scalar, 3>;
  Reader(const VertexRecords& vertices, std::uint64_t memory, Workers& workers)
      : raw_(workers.count()), all_fit_(vertices.count <= memory / sizeof(Point)) {
    if (all_fit_) load_all(vertices, workers);
    for (std::size_t i = 0; !all_fit_ && i < raw_.size(); ++i) caches_.emplace_back(vertices, memory / raw_.size());
  }

  void read(const TriangleRecords& triangles, std::uint64_t first, std::span<std::array<Point, 3>> to,
            std::size_t mine) {
    std::vector<std::byte>& raw = raw_[mine];
    raw.resize(to.size() * triangles.stride);
    triangles.bytes.read(triangles.begin + first * triangles.stride, raw);
    if (all_fit_)
      decode(triangles, raw, to, all_);
    else
      decode(triangles, raw, to, caches_[mine]);
  }

 private:
  template <typename Vertices>
  static void decode(const TriangleRecords& triangles, const std::vector<std::byte>& raw,
                     std::span<std::array<Point, 3>> to, Vertices& vertices) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Triangle t = triangle_at(triangles, raw.data() + i * triangles.stride);
      for (std::size_t k = 0; k < 3; ++k) to[i][k] = vertices[t[k]];
    }
  }
  void load_all(const VertexRecords& vertices, Workers& workers) {
    all_ = large_vector<Point>(static_cast<std::size_t>(vertices.count));
    workers.for_blocks(all_.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
      std::vector<std::byte> raw((last - first) * vertices.stride);
      vertices.bytes.read(vertices.begin + first * vertices.stride, raw);
      for (std::size_t i = first; i < last; ++i)
        all_[i] = vertices.template decode<Scalar>(raw.data() + (i - first) * vertices.stride);
    });
  }

  std::vector<std::vector<std::byte>> raw_;  ///< of each thread
  bool all_fit_;
  std::vector<Point> all_;
  std::vector<VertexCache<Scalar>> caches_;
};

IndexedSource::IndexedSource(std::string file, std::string name, VertexRecords vertices, TriangleRecords triangles,
                             const StreamSettings& settings)
    : file_(std::move(file)),
      name_(std::move(name)),
      vertices_(std::move(vertices)),
      triangles_(std::move(triangles)),
      settings_(settings),
      workers_(settings.threads, triangles_.count) {}
IndexedSource::~IndexedSource() = default;

template <typename Scalar>
void IndexedSource::read_as(std::uint64_t first, std::span<std::array<std::array<Scalar, 3>, 3>> to,
                            std::unique_ptr<Reader<Scalar>>& reader) {
  if (!reader) reader = std::make_unique<Reader<Scalar>>(vertices_, settings_.memory, workers_);
  const std::size_t blocks = (to.size() + kTrianglesAtOnce - 1) / kTrianglesAtOnce;
  std::atomic<std::size_t> next{0};
  workers_.for_each(std::min<std::size_t>(workers_.count(), blocks), [&](std::size_t mine) {
    for (std::size_t block; (block = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
      const std::size_t begin = block * kTrianglesAtOnce;
      reader->read(triangles_, first + begin, to.subspan(begin, std::min(kTrianglesAtOnce, to.size() - begin)), mine);
    }
  });
}

void IndexedSource::read(std::uint64_t first, std::span<CornersF> to) { read_as<float>(first, to, f32_); }
void IndexedSource::read(std::uint64_t first, std::span<CornersD> to) { read_as<double>(first, to, f64_); }

void IndexedSource::rest() {
  f32_.reset();
  f64_.reset();
}

FaceFile::FaceFile(const StreamSettings& settings)
    : settings_(settings),
      file_(std::make_shared<disk::ScratchFile>(settings.scratch)),
      writer_(*file_, static_cast<std::size_t>(settings.memory / 8)) {}

void FaceFile::add(std::span<const std::uint32_t> corners) {
  writer_.add(static_cast<std::uint32_t>(corners.size()));
  writer_.add(corners);
  ++faces_;
  triangles_ += corners.size() - 2;
}

TriangleRecords FaceFile::triangles(const VertexRecords& vertices, const Source& source) {
  writer_.flush();
  if (triangles_ != faces_) return triangulated(vertices, source);
  TriangleRecords records;  // each with its number of corners, which is 3
  records.bytes.scratch = file_;
  records.count = triangles_;
  records.stride = 16;
  records.indices = 4;
  return records;
}

TriangleRecords FaceFile::triangulated(const VertexRecords& vertices, const Source& source) {
  const auto out = std::make_shared<disk::ScratchFile>(settings_.scratch);
  const auto share = static_cast<std::size_t>(settings_.memory / 4);
  disk::ScratchWriter<Triangle> writer(*out, share);
  VertexCache<double> f64(vertices, vertices.is_double ? share : 0);
  VertexCache<float> f32(vertices, vertices.is_double ? 0 : share);
  const auto position = [&](std::uint32_t i) {
    if (vertices.is_double) return f64[i];
    const Vec3f& p = f32[i];
    return Vec3d{p[0], p[1], p[2]};
  };
  // Numbers one after the other, through a buffer.
  std::vector<std::uint32_t> buffer(std::max<std::size_t>(share / 4, 1024));
  std::size_t at = buffer.size();
  std::uint64_t place = 0;
  const auto next = [&] {
    if (at == buffer.size()) {
      const auto left = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), (file_->size() - place) / 4));
      at = buffer.size() - left;
      file_->read(place, std::as_writable_bytes(std::span(buffer).last(left)));
      file_->release(place, 4 * left);
      place += 4 * left;
    }
    return buffer[at++];
  };
  std::vector<std::uint32_t> corners;
  std::vector<Vec3d> points;
  std::vector<Triangle> pieces;
  for (std::uint64_t face = 0; face < faces_; ++face) {
    corners.resize(next());
    for (std::uint32_t& corner : corners) corner = next();
    if (corners.size() == 3) {
      writer.add({corners[0], corners[1], corners[2]});
      continue;
    }
    points.clear();
    for (const std::uint32_t corner : corners) points.push_back(position(corner));
    pieces.resize(corners.size() - 2);
    if (!triangulate(points, source.limits.polygon_corners, pieces)) throw_not_convex(source, face, corners.size());
    for (const Triangle& t : pieces) writer.add({corners[t[0]], corners[t[1]], corners[t[2]]});
  }
  writer.flush();
  TriangleRecords records;
  records.bytes.scratch = out;
  records.count = triangles_;
  records.stride = sizeof(Triangle);
  return records;
}

void throw_not_in_pieces(const Source& source, std::string_view what) {
  throw Error(formatted("{}: {} cannot be read in pieces; binary STL, binary PLY and OBJ can", source.file, what));
}

std::unique_ptr<TriangleSource> checked(std::unique_ptr<TriangleSource> triangles, const Source& source) {
  if (triangles->size() == 0) throw_no_triangles(source);
  return triangles;
}

}  // namespace sightline::read
