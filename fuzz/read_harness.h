// The guarantee of every reader for any bytes: a valid mesh, or an Error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "read/read_memory.h"

namespace sightline::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

inline void check_parts(const read::Model& model) {
  std::size_t triangles = 0;
  const Assembly assembly = read::to_assembly(model, "stem");
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    const MeshView part = assembly.view(i);
    validate(part);
    const std::vector<std::uint32_t>& faces = assembly.meshes[assembly.parts[i].mesh].faces;
    require(!assembly.name(i).empty() && !part.triangles.empty());
    require(faces.empty() || (faces.size() == part.triangles.size() && std::is_sorted(faces.begin(), faces.end())));
    triangles += part.triangles.size();
  }
  require(triangles == model.placed_triangles());
}

inline read::Source source_of(std::span<const std::byte> bytes) {
  return {.bytes = bytes,
          .file = "fuzz",
          .stem = "stem",
          .sibling = {},
          .limits = {.instanced = 100'000, .inflated = 10'000'000, .polygon_corners = 1'000}};
}

/// Threads that read pieces of the text end with the same model, or with the same error.
inline int check_pieces(std::span<const std::byte> bytes, read::Format format) {
  read::Source source = source_of(bytes);
  read::Model models[2];
  std::string errors[2];
  for (int i = 0; i < 2; ++i) {
    source.threads = i == 0 ? 1 : 2;
    source.piece_bytes = 1 + bytes.size() % 61;
    try {
      models[i] = read::read_model(source, format);
    } catch (const Error& error) {
      errors[i] = error.what();
    }
  }
  const auto same_run = [](const read::Run& a, const read::Run& b) {
    return a.first_triangle == b.first_triangle && a.shape == b.shape;
  };
  const auto same_part = [](const read::Part& a, const read::Part& b) {
    return a.name == b.name && a.shape == b.shape;
  };
  const auto& [one, many] = models;
  require(errors[0] == errors[1] && one.positions == many.positions && one.triangles == many.triangles);
  require(one.faces == many.faces);
  require(std::equal(one.runs.begin(), one.runs.end(), many.runs.begin(), many.runs.end(), same_run));
  require(std::equal(one.parts.begin(), one.parts.end(), many.parts.begin(), many.parts.end(), same_part));
  return 0;
}

/// Parts and the mesh hold the same triangles, and all of them are valid.
inline int read_and_check(std::span<const std::byte> bytes, read::Format format) {
  const read::Source source = source_of(bytes);
  read::Model model;
  try {
    read::detect(bytes, ".xyz");
    model = read::read_model(source, format);
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with("fuzz"));
    return 0;
  }
  check_parts(model);
  try {
    const Mesh mesh = read::to_mesh(std::move(model), source);
    validate(mesh);
  } catch (const Error& error) {
    require(std::string_view(error.what()).find("after placing all instances") != std::string_view::npos);
  }
  return 0;
}

}  // namespace sightline::fuzz
