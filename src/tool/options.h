// The command line.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "input/settings.h"
#include "tool/method_options.h"

namespace sightline::tool {

inline constexpr std::string_view kVersion = SIGHTLINE_VERSION;

/// Exit codes, as documented. An interrupt gives 128 + the signal's number.
inline constexpr int kClean = 0;
inline constexpr int kFound = 1;
inline constexpr int kError = 2;

/// What is printed.
enum class Format { text, json, github, junit };

enum class Command { check, clash, generate, papers, devices, demo };

struct Settings {
  Command command = Command::check;
  std::vector<std::filesystem::path> inputs;

  // Empty where not asked for.
  std::filesystem::path json, csv, ply, obj;
  std::filesystem::path image, report;
  std::uint32_t image_width = 1600, image_height = 1000;
  std::string image_up;  ///< x, y or z; empty: as the format has it
  bool quiet = false;
  Format format = Format::text;
  std::filesystem::path ignore, baseline;

  std::string device = "cpu";
  Tiles tiles = Tiles::never;
  std::uint64_t device_memory = 0;
  bool first = false;
  std::uint64_t max_contacts = std::numeric_limits<std::uint64_t>::max();
  unsigned threads = 0;
  Simd simd = Simd::best;
  Axis axis = Axis::automatic;
  double cell = 0;
  VisibilityCull visibility = VisibilityCull::automatic;
  GlQueries gl_queries = GlQueries::batched;

  MethodSettings method;

  // check: glTF files that move
  double frame_rate = 25;
  bool rest_only = false;

  // clash
  bool self = false;
  double clearance = 0;

  // generate
  std::string scene;
  std::filesystem::path scene_path;
  std::size_t scene_triangles = 0;  ///< 0: what suits the scene
  std::uint64_t scene_frame = 0;

  // demo
  std::optional<std::size_t> demo_frames;  ///< none: what suits the scene

  // papers
  std::vector<std::string> experiments;  ///< empty: all
  bool quick = false;
  std::filesystem::path markdown, bunny, dragon;

  /// Throws Error where it is not there.
  Device chosen_device() const;
  /// `--json -` takes standard output for itself.
  bool prints_summary() const { return !quiet && json != "-" && format == Format::text; }
};

/// The settings, or the exit code of a run that ends here (--help, --version, a mistake that was told on stderr).
std::variant<Settings, int> parse(int argc, char** argv);

}  // namespace sightline::tool
