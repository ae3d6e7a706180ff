// Reading from memory: shared by the file readers, the tests and the fuzzers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightline/assembly.h"

namespace sightline::read {

enum class Format : std::uint8_t { unknown, stl, obj, ply, off, gltf, three_mf };

using Points = std::variant<std::vector<Vec3f>, std::vector<Vec3d>>;

/// Bounds on the size of the model that a small file may expand to. Data that is stored in full is bounded by the size
/// of the file.
struct Limits {
  /// Triangles of one mesh after placing all instances; a larger file may have kInstancedPerByte more for each byte.
  std::uint64_t instanced = std::uint64_t{1} << 25;
  std::uint64_t inflated = std::uint64_t{1} << 30;  ///< bytes of one decompressed archive entry
  std::uint64_t polygon_corners = 10'000;           ///< of a polygon that is not convex
};

constexpr std::uint64_t kInstancedPerByte = 4;

struct Source {
  std::span<const std::byte> bytes;
  std::string file;  ///< as messages name it
  std::string stem;  ///< names a part without a name
  /// Contents of a file that this one refers to; throws Error. Empty: other files are not available.
  std::function<std::vector<std::byte>(const std::string& relative)> sibling = {};
  Limits limits = {};
  unsigned threads = 0;  ///< as Options::threads
  /// Text that one thread reads at a time. No result depends on it.
  std::size_t piece_bytes = std::size_t{1} << 19;
  bool part_per_primitive = false;  ///< as in ReadOptions
  std::function<void(const std::string& message)> warning = {};
  std::function<bool()> cancel = {};  ///< as in ReadOptions; stays true

  /// A sentence about this file.
  void warn(const std::string& message) const {
    if (warning) warning(file + ": " + message);
  }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// Triangles from `first_triangle` up to the next run belong to `shape`.
struct Run {
  std::size_t first_triangle = 0;
  std::uint32_t shape = 0;
};

/// A shape in its place. Instances share a shape.
struct Part {
  std::string name;  ///< empty where the file gives none
  std::uint32_t shape = 0;
  Transform transform = {};
};

/// A file's contents in file order. Every index is in range; every coordinate is finite, before and after the
/// transforms.
struct Model {
  Points positions = {};
  std::vector<Triangle> triangles = {};
  std::vector<std::uint32_t> faces = {};  ///< as Mesh::faces
  std::vector<Part> parts = {};
  std::string unit = {};       ///< as Assembly::unit
  std::vector<Run> runs = {};  ///< by first_triangle; empty: all triangles are one shape, in one part

  /// The triangles of all parts, each instance counted.
  std::uint64_t placed_triangles() const;
};

Model read_stl(const Source& source);
/// Fills `to` with the bytes of a file from a place on; false if it cannot. Threads may call it at the same time.
using ReadPlace = std::function<bool(std::uint64_t place, std::span<std::byte> to)>;
/// A binary STL file of `size` bytes, without the whole file in memory. Nothing if a part of it cannot be read.
std::optional<Model> read_stl_by_place(std::uint64_t size, const ReadPlace& read_place, const Source& source);
Model read_obj(const Source& source);
Model read_ply(const Source& source);
Model read_off(const Source& source);
Model read_gltf(const Source& source);
Model read_three_mf(const Source& source);

/// The count in the header agrees with the size of the file.
bool is_binary_stl(std::span<const std::byte> bytes);
/// The same by the first bytes of a file of `size` bytes.
bool is_binary_stl(std::span<const std::byte> head, std::uint64_t size);
/// Whether a file of `size` bytes that begins so is a binary STL file (as detect() finds for all of its bytes).
bool begins_as_binary_stl(std::span<const std::byte> head, std::uint64_t size);
/// OFF with any of its prefixes, supported or not. The number of vertices may follow without a space.
bool is_off_keyword(std::string_view word);
/// The format that the contents show, else the one that `extension` (".stl") stands for.
Format detect(std::span<const std::byte> bytes, std::string_view extension);
/// Contents of a well-known format that is not read.
bool is_foreign(std::string_view text);
/// "is a STEP file, which is not read; export …", by the contents or else by the extension; empty if it is not known.
std::string foreign_advice(std::string_view text, std::string_view extension);

inline bool is_finite(const Vec3d& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }
/// The first point that the transform moves out of the range of doubles.
std::optional<std::size_t> first_not_finite(std::span<const Vec3d> points, const Transform& transform);

/// Checks the result of a reader, the same for all formats: at least one triangle, and few enough triangles to be
/// numbered.
Model checked(Model model, const Source& source);

[[noreturn]] void throw_no_triangles(const Source& source);
/// Throws Error if the contents cannot be a mesh: nothing, UTF-16, or no known format.
void check_contents(const Source& source, Format format);

/// Reads as `format`; throws Error, and nothing else, on bad input, on a file without triangles and if memory runs out.
Model read_model(const Source& source, Format format);

/// All triangles of all parts, in file order. Throws Error if the instances have too many (Limits::instanced).
Mesh to_mesh(Model model, const Source& source);
/// The parts that have triangles. Each mesh has the positions it uses in the order of their first use.
Assembly to_assembly(Model model, const std::string& stem);

}  // namespace sightline::read
