// Reading from memory: what the file readers, the tests and the fuzzers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::read {

enum class Format : std::uint8_t { unknown, stl, obj, ply, off, gltf, three_mf };

using Points = std::variant<std::vector<Vec3f>, std::vector<Vec3d>>;

/// Bounds on what a small file may unfold to. What a file holds outright is bounded by its size.
struct Limits {
  /// Vertices, and triangles, after placing all instances; a larger file may have kInstancedPerByte more for each byte.
  std::uint64_t instanced = std::uint64_t{1} << 24;
  std::uint64_t inflated = std::uint64_t{1} << 30;  ///< bytes of one decompressed archive entry
  std::uint64_t polygon_corners = 10'000;           ///< of a polygon that is not convex
};

constexpr std::uint64_t kInstancedPerByte = 4;

struct Source {
  std::span<const std::byte> bytes;
  std::string file;  ///< as messages name it
  std::string stem;  ///< names a part without a name
  /// Contents of a file that this one refers to; throws Error. Empty: no such file can be had.
  std::function<std::vector<std::byte>(const std::string& relative)> sibling = {};
  Limits limits = {};

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// Triangles from `first_triangle` up to the next run belong to `part`.
struct Run {
  std::size_t first_triangle = 0;
  std::uint32_t part = 0;
};

/// A file's contents in file order. Every index is in range and every coordinate finite.
struct Model {
  Points positions = {};
  std::vector<Triangle> triangles = {};
  std::vector<std::string> parts = {};  ///< names, empty where the file gives none
  std::vector<Run> runs = {};           ///< by first_triangle; empty: all triangles are one part
};

Model read_stl(const Source& source);
Model read_obj(const Source& source);
Model read_ply(const Source& source);
Model read_off(const Source& source);
Model read_gltf(const Source& source);
Model read_three_mf(const Source& source);

/// The format that the contents show, else the one that `extension` (".stl") stands for.
Format detect(std::span<const std::byte> bytes, std::string_view extension);

/// What a reader gave, with the checks that all formats share: some triangles, few enough to be numbered.
Model checked(Model model, const Source& source);

/// Reads as `format`; throws Error, and nothing else, on bad input, on a file without triangles and on want of memory.
Model read_model(const Source& source, Format format);

/// All triangles in file order over all positions in file order.
Mesh to_mesh(Model model, const std::string& stem);
/// The parts that have triangles, each with the positions it uses in the order of their first use.
std::vector<Mesh> to_parts(Model model, const std::string& stem);

}  // namespace sightline::read
