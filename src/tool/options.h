// The command line.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "input/settings.h"
#include "sightline/papers.h"
#include "tool/method_options.h"

namespace sightline::tool {

/// Exit codes, as documented. An interrupt gives 128 + the signal's number.
inline constexpr int kClean = 0;
inline constexpr int kFound = 1;
inline constexpr int kError = 2;

/// The format of standard output.
enum class Format { text, json, github, junit };

/// In the order of kCommands (main.cpp).
enum class Command { check, clash, generate, demo, papers, devices };

struct Settings {
  Command command = Command::check;
  std::vector<std::filesystem::path> inputs;

  // Empty: the file is not written.
  std::filesystem::path json, csv, ply, obj;
  std::filesystem::path image, report, bcf;
  std::uint32_t image_width = 1600, image_height = 1000;
  bool image_size_given = false;
  std::string image_up;  ///< x, y or z; empty: the default of the file format
  bool quiet = false, verbose = false;
  bool open = false;  ///< the page, or the picture if there is none
  Format format = Format::text;
  std::vector<std::string> ignore;  ///< files, or patterns such as *bolt*,*column*
  std::filesystem::path baseline;

  std::string device = "cpu";
  int gpu = 0;             ///< number of the GPU, for device cuda
  bool gpu_given = false;  ///< otherwise each rank of an MPI run chooses its own
  CudaOptions cuda;
  bool first = false;
  std::uint64_t max_contacts = std::numeric_limits<std::uint64_t>::max();
  unsigned threads = 0;
  Simd simd = Simd::best;
  Axis axis = Axis::automatic;
  double cell = 0;
  VisibilityCull visibility = VisibilityCull::automatic;
  papers::GlQueries gl_queries = papers::GlQueries::batched;

  MethodSettings method;

  // out of core
  std::optional<std::uint64_t> memory;  ///< bytes
  std::filesystem::path scratch;

  // glTF files
  double frame_rate = 0;  ///< of a file that moves; 0: chosen
  bool rest_only = false;
  bool primitives = false;  ///< a part for each primitive

  // clash
  bool self = false;
  bool group = false;  ///< the summary joins pairs whose names differ in numbers only
  bool pairs = false;  ///< relations only, without a list of contacts
  double clearance = 0;
  std::string tolerance;  ///< a number, and maybe a unit
  bool depth = false;
  bool volume = false;
  bool separation = false;
  bool details = false;

  // generate
  std::string scene;
  std::filesystem::path scene_path;
  std::size_t scene_triangles = 0;  ///< 0: the default of the scene
  std::uint64_t scene_frame = 0;

  // demo
  std::optional<std::size_t> demo_frames;  ///< none: the default of the scene
  std::filesystem::path body_path;         ///< where the body goes that a user moves; empty: by keys, or its own path

  // papers
  std::vector<std::string> experiments;  ///< empty: all
  bool quick = false;
  std::filesystem::path markdown, bunny, dragon;

  /// The device of the exact engine, and the renderer of a paper's method. Throw Error if it is missing.
  Device chosen_device() const;
  papers::Renderer chosen_renderer() const;
  /// `--json -` reserves standard output for JSON.
  bool prints_summary() const { return !quiet && json != "-" && format == Format::text; }
};

/// The settings, or the exit code of a run that ends here (--help, --version, a mistake that was reported on stderr).
std::variant<Settings, int> parse(int argc, char** argv);

}  // namespace sightline::tool
