// Sequences: numbered files, a folder of files, or a file that moves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightline/mesh.h"

namespace sightline::read {

/// A file that moves: glTF with animations or morph targets.
class Movie {
 public:
  virtual ~Movie() = default;
  virtual std::size_t size() const = 0;
  virtual std::string label(std::size_t moment) const = 0;
  /// One mesh of all triangles, as read_mesh gives it.
  virtual Mesh mesh(std::size_t moment) = 0;
  virtual const std::vector<std::string>& notes() const = 0;
};

struct SequenceFrame {
  std::string label;           ///< for people: the file's name, or the moment
  std::filesystem::path path;  ///< where it is, or would be
  std::size_t moment = 0;      ///< of the movie
  std::string error = {};      ///< not empty: this frame, or a run of frames, is not there
  std::uint64_t count = 1;     ///< of a long run that is not there: how many frames; its path is the folder
};

struct Sequence {
  std::string name;  ///< as it was given
  std::vector<SequenceFrame> frames;
  std::shared_ptr<Movie> movie = {};
  std::vector<std::string> notes = {};  ///< sentences about files that were not taken as they could be
};

/// At most so many frames.
inline constexpr std::size_t kMostFrames = 100'000;
/// A longer run of missing numbers is one frame, as numbers can be any distance apart.
inline constexpr std::uint64_t kMostNamed = 100;

/// What an argument stands for, or nothing if it is a plain file.
/// - A pattern such as frame_%04d.obj, if there is no file of that very name: all files that fit, by number.
/// - A folder: all mesh files in it (by extension), by name, numbers in names as numbers. Where more than half of them
///   are numbered alike, numbers can be missing; a note names the others.
/// - A glTF file with animations, `rate` frames a second, or with morph targets; not if `rest_only`.
/// Numbers that are missing between the first and the last become frames with an error; where all numbers are a
/// multiple apart, as in 0, 10, 20, that is the step, and a note says so. Throws Error where nothing fits, and for a
/// pattern that is none. A file of a folder or a pattern that moves by itself is one frame, in its rest pose, and a
/// note says so.
std::optional<Sequence> find_sequence(const std::filesystem::path& path, double rate, bool rest_only);

/// Files that a glTF file has its buffers in; none where it cannot be read, which its reader tells.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& path);

/// True for a glTF file (whatever its name ends in) with animations or morph targets; false also where it cannot be
/// read, which its reader tells.
bool moves(const std::filesystem::path& path);

}  // namespace sightline::read
