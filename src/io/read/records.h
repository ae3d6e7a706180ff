// Meshes as records of one size in files: vertices and triangles are read by their numbers, with bounded memory.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/parallel.h"
#include "disk/scratch.h"
#include "read/read_memory.h"
#include "sightline/source.h"

namespace sightline::read {

/// Bytes by place: of the user's file, or of a scratch file.
struct Bytes {
  std::shared_ptr<const disk::InputFile> input = {};
  std::shared_ptr<const disk::ScratchFile> scratch = {};
  void read(std::uint64_t at, std::span<std::byte> to) const {
    if (input)
      input->read(at, to);
    else
      scratch->read(at, to);
  }
};

template <typename Value>
Value load_value(const std::byte* from, bool swap) {
  std::array<std::byte, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Value));
  if (swap)
    for (std::size_t i = 0; i < sizeof(Value) / 2; ++i) std::swap(bytes[i], bytes[sizeof(Value) - 1 - i]);
  return std::bit_cast<Value>(bytes);
}

/// Records of `stride` bytes from byte `begin` on.
struct Records {
  Bytes bytes = {};
  std::uint64_t begin = 0, count = 0;
  std::size_t stride = 0;
  bool swap = false;  ///< the file has the other byte order
};

struct VertexRecords : Records {
  std::array<std::size_t, 3> axis = {};  ///< place of each coordinate in a record
  bool is_double = false;

  template <typename Scalar>
  std::array<Scalar, 3> decode(const std::byte* record) const {
    return {load_value<Scalar>(record + axis[0], swap), load_value<Scalar>(record + axis[1], swap),
            load_value<Scalar>(record + axis[2], swap)};
  }
};

struct TriangleRecords : Records {
  std::size_t indices = 0;  ///< place of the three indices of 32 bits in a record
};

/// Vertices by number, from blocks of the file that stay in memory as long as there is room. Serves one thread.
template <typename Scalar>
class VertexCache {
 public:
  using Point = std::array<Scalar, 3>;
  VertexCache(const VertexRecords& records, std::size_t bytes);
  const Point& operator[](std::uint64_t vertex) {
    const std::uint64_t block = vertex / kBlock;
    const std::size_t slot = (block * 0x9E3779B97F4A7C15u) >> shift_;
    if (block_[slot] != block) load(slot, block);
    return points_[slot * kBlock + vertex % kBlock];
  }

 private:
  static constexpr std::size_t kBlock = 1024;
  void load(std::size_t slot, std::uint64_t block);

  const VertexRecords& records_;
  int shift_;
  std::vector<std::uint64_t> block_;  ///< that each slot holds
  std::vector<Point> points_;
  std::vector<std::byte> raw_;
};

/// How the triangles of a file are read in pieces.
struct StreamSettings {
  std::uint64_t memory = std::uint64_t{64} << 20;  ///< for the buffers of the reader
  std::filesystem::path scratch = {};
  unsigned threads = 0;
  std::uint32_t share = 0, shares = 1;  ///< of the records to check, as in OpenOptions
  std::function<bool(bool good)> agreed = {};

  std::uint64_t begin_of(std::uint32_t of, std::uint64_t count) const {
    return count / shares * of + std::min<std::uint64_t>(of, count % shares);
  }
  bool all_agree(bool good) const { return agreed ? agreed(good) : good; }
};

/// An indexed mesh as a source.
class IndexedSource : public TriangleSource {
 public:
  IndexedSource(std::string file, std::string name, VertexRecords vertices, TriangleRecords triangles,
                const StreamSettings& settings);
  ~IndexedSource() override;

  std::string file() const override { return file_; }
  std::string name() const override { return name_; }
  std::uint64_t size() const override { return triangles_.count; }
  bool is_double() const override { return vertices_.is_double; }
  void read(std::uint64_t first, std::span<CornersF> to) override;
  void read(std::uint64_t first, std::span<CornersD> to) override;
  void rest() override;

 private:
  template <typename Scalar>
  class Reader;
  template <typename Scalar>
  void read_as(std::uint64_t first, std::span<std::array<std::array<Scalar, 3>, 3>> to,
               std::unique_ptr<Reader<Scalar>>& reader);

  std::string file_, name_;
  VertexRecords vertices_;
  TriangleRecords triangles_;
  StreamSettings settings_;
  Workers workers_;
  std::unique_ptr<Reader<float>> f32_;
  std::unique_ptr<Reader<double>> f64_;
};

/// Faces in file order on the disk, written before their positions are known, and turned into records of triangles.
class FaceFile {
 public:
  explicit FaceFile(const StreamSettings& settings);
  /// At least three corners.
  void add(std::span<const std::uint32_t> corners);
  std::uint64_t triangle_count() const { return triangles_; }
  /// Ends the writing. Polygons are triangulated exactly as FaceList does it.
  TriangleRecords triangles(const VertexRecords& vertices, const Source& source);

 private:
  TriangleRecords triangulated(const VertexRecords& vertices, const Source& source);

  StreamSettings settings_;
  std::shared_ptr<disk::ScratchFile> file_;
  disk::ScratchWriter<std::uint32_t> writer_;
  std::uint64_t faces_ = 0, triangles_ = 0;
};

/// Throws Error: only binary STL, binary PLY and OBJ can be read in pieces; `what` the file is instead.
[[noreturn]] void throw_not_in_pieces(const Source& source, std::string_view what);

/// The file as a source; throws Error for formats that cannot be read in pieces, and for everything that read_model
/// refuses, with the same message.
std::unique_ptr<TriangleSource> stream_stl(std::shared_ptr<const disk::InputFile> file, const Source& source,
                                           const StreamSettings& settings);
std::unique_ptr<TriangleSource> stream_ply(std::shared_ptr<const disk::InputFile> file, const disk::Mapping& mapping,
                                           const Source& source, const StreamSettings& settings);
std::unique_ptr<TriangleSource> stream_obj(const disk::Mapping& mapping, const Source& source,
                                           const StreamSettings& settings);

/// Throws the Error of checked() for a file without triangles.
std::unique_ptr<TriangleSource> checked(std::unique_ptr<TriangleSource> triangles, const Source& source);

}  // namespace sightline::read
