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

class ReadTest : public testing::Test {
 protected:
  Mesh mesh(const std::string& name, std::string_view contents) const { return read_mesh(folder_.write(name, contents)); }
  std::vector<Mesh> parts(const std::string& name, std::string_view contents) const {
    const Assembly assembly = read_assembly(folder_.write(name, contents));
    std::vector<Mesh> list;  // instances as meshes of their own
    for (const Assembly::Part& part : assembly.parts) {
      list.push_back(assembly.meshes[part.mesh]);
      list.back().name = part.name;
    }
    return list;
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
template <typename Value>
std::string big(Value value) {
  const std::string bytes = little(value);
  return {bytes.rbegin(), bytes.rend()};
}

using Triangles = std::vector<Triangle>;

}  // namespace sightline::test
