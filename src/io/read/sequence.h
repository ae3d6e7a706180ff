// Sequences: numbered files, a folder of files, or a file that moves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sightline/io.h"

namespace sightline::read {

/// A file that moves: glTF with animations or morph targets.
class Movie {
 public:
  virtual ~Movie() = default;
  /// One mesh of all triangles, as read_mesh gives it.
  virtual Mesh mesh(std::size_t moment) = 0;
  /// The parts, as read_assembly gives them.
  virtual Assembly assembly(std::size_t moment) = 0;
};

struct SequenceFrame {
  std::string label;           ///< for messages: the file's name, or the moment
  std::filesystem::path path;  ///< the file of the frame; for a missing frame, the expected file
  std::size_t moment = 0;      ///< of the movie
  std::string error = {};      ///< not empty: this frame, or a run of frames, is missing
  std::uint64_t count = 1;     ///< a long run of missing frames is one entry: its length; its path is the folder
};

/// Frames a second of a glTF file, if the user names no rate, and the number of frames that such a run has at most.
inline constexpr double kUsualRate = 25;
inline constexpr std::size_t kUsualFrames = 250;

struct Sequence {
  std::string name;  ///< the argument of the command line
  std::vector<SequenceFrame> frames;
  std::shared_ptr<Movie> movie = {};
  double rate = kUsualRate;             ///< frames a second of a movie
  std::vector<std::string> notes = {};  ///< sentences about files that are not used in full
};

/// The largest number of frames of a sequence.
inline constexpr std::size_t kMostFrames = 100'000;
/// A longer run of missing numbers becomes one frame, since the distance between two numbers is not bounded.
inline constexpr std::uint64_t kMostNamed = 100;

/// read_mesh(), and the unit of the file as Assembly::unit.
struct MeshInUnit {
  Mesh mesh;
  std::string unit;
};
SIGHTLINE_API MeshInUnit read_in_unit(const std::filesystem::path& path, const ReadOptions& options);

/// The sequence that an argument stands for, or nothing if it is a plain file.
/// - A pattern such as frame_%04d.obj, if there is no file of exactly that name: all files that match, by number.
/// - A folder: all mesh files in it (by extension), by name, numbers in names as numbers. Where more than half of them
///   are numbered alike, numbers can be missing; a note names the others.
/// - A glTF file with animations, `rate` frames a second, or with morph targets; not if `rest_only`. A rate of 0 is
///   kUsualRate, or the rate that gives about kUsualFrames if that is lower; then a note is added.
/// Numbers that are missing between the first and the last become frames with an error. Where all numbers are a
/// multiple apart, as in 0, 10, 20, that is the step, and a note is added. Throws Error where no file matches, and for
/// a malformed pattern. A file of a folder or a pattern that has an animation is one frame, in its rest pose, and a
/// note is added.
SIGHTLINE_API std::optional<Sequence> find_sequence(const std::filesystem::path& path, double rate, bool rest_only,
                                                    const ReadOptions& options = {});

/// Files that hold the buffers of a glTF file. Empty if the file cannot be read: the error is reported when it is read.
SIGHTLINE_API std::vector<std::filesystem::path> files_beside(const std::filesystem::path& path);

/// True for a glTF file (with any extension) with animations or morph targets. False also for a file that cannot be
/// read: the error is reported when it is read.
SIGHTLINE_API bool moves(const std::filesystem::path& path);

}  // namespace sightline::read
