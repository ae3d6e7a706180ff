// Files made for a test, in a folder of its own that goes away with it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "sightline/io.h"

namespace sightline::test {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sightline_read_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path write(const std::string& name, std::string_view contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Each part as a mesh of its own, in its place.
inline std::vector<Mesh> expanded(const Assembly& assembly) {
  std::vector<Mesh> list;
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    Mesh mesh = assembly.meshes[assembly.parts[i].mesh];
    mesh.name = assembly.name(i);
    std::visit(
        [&](auto& points) {
          for (std::size_t v = 0; v < points.size(); ++v)
            for (int k = 0; k < 3; ++k)
              points[v][k] = static_cast<std::remove_reference_t<decltype(points[v][k])>>(assembly.view(i).position(v)[k]);
        },
        mesh.positions);
    list.push_back(std::move(mesh));
  }
  return list;
}

class ReadTest : public testing::Test {
 protected:
  Mesh mesh(const std::string& name, std::string_view contents) const { return read_mesh(folder_.write(name, contents)); }
  std::vector<Mesh> parts(const std::string& name, std::string_view contents) const {
    return expanded(read_assembly(folder_.write(name, contents)));
  }
  /// The message of the Error that reading throws, without the folder in front of the file's name.
  std::string error(const std::string& name, std::string_view contents) const { return error_of(folder_.write(name, contents)); }
  std::string error_of(const std::filesystem::path& path) const {
    try {
      read_mesh(path);
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string prefix = folder_.path().string() + "/";
      for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
      return text;
    }
    return "no error";
  }

  Folder folder_;
};

inline std::vector<Vec3d> points(const Mesh& mesh) {
  const Positions positions = mesh.view().positions;
  std::vector<Vec3d> out;
  for (std::size_t i = 0; i < positions.size(); ++i) out.push_back(positions.stored(i));
  return out;
}
inline bool is_float(const Mesh& mesh) { return !mesh.view().positions.is_double(); }

template <typename Value>
std::string little(Value value) {
  std::string out(sizeof value, '\0');
  std::memcpy(out.data(), &value, sizeof value);
  return out;
}
inline std::string floats(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) out += little(value);
  return out;
}
template <typename Value>
std::string big(Value value) {
  const std::string bytes = little(value);
  return {bytes.rbegin(), bytes.rend()};
}

/// A GLB file.
inline std::string glb(std::string json, std::string binary) {
  while (json.size() % 4 != 0) json += ' ';
  while (binary.size() % 4 != 0) binary += '\0';
  const std::string chunks = little(static_cast<std::uint32_t>(json.size())) + "JSON" + json + little(static_cast<std::uint32_t>(binary.size())) + std::string("BIN\0", 4) + binary;
  return "glTF" + little(2u) + little(static_cast<std::uint32_t>(12 + chunks.size())) + chunks;
}

using Triangles = std::vector<Triangle>;

}  // namespace sightline::test
