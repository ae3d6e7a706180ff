#include "tool/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "picture/picture.h"
#include "tool/choices.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/description.h"
#include "tool/ranks.h"

namespace sightline::tool {
namespace {

constexpr const char* kOutput = "Output";
constexpr const char* kQuery = "Query";
constexpr const char* kNoEffectOnAnswer = "The answer does not depend on these";

constexpr const char* kExamples = R"(Examples:
  sightline check bunny.stl                      self-intersections of a mesh
  sightline check --ply marked.ply bunny.stl     and the mesh with coloured contacts
  sightline clash engine.obj                     parts of an assembly against each other
  sightline clash --clearance 0.5 a.stl b.stl    and those closer than 0.5

Exit status: 0 nothing found, 1 contacts found, 2 error.
'sightline COMMAND --help' lists the options of a command.)";

constexpr const char* kCheckExamples = R"(Examples:
  sightline check part.stl
  sightline check --json report.json part.stl
  sightline check --ply marked.ply part.stl      also writes marked_segments.ply
  sightline check --first --quiet *.stl          for the exit status only

  sightline check frame_%04d.obj                 a sequence: every frame of it
  sightline check frames/ walk.glb               a folder, an animated glTF file
  sightline check --memory 4G huge.ply           a mesh that is larger than memory

Each mesh is checked by itself; unreadable files are reported and skipped.
Exit status: 0 no contacts, 1 contacts found, 2 error.)";

constexpr const char* kClashExamples = R"(Examples:
  sightline clash engine.obj                     the objects and groups of one file
  sightline clash housing.stl shaft.stl          one part a file
  sightline clash --clearance 0.5 --csv gaps.csv engine.obj
  sightline clash --self engine.obj              each part against itself, too
  sightline clash --pairs building.obj           only the relations of parts
  sightline clash --memory 4G parts/*.ply        parts that are larger than memory together
  sightline clash walk.glb                       over time: which pairs meet, in which frames
  sightline clash --ignore '*bolt*,*column*' --group building.obj

Relations: clash (surfaces cross or volumes overlap), touch, contains (one wholly
inside the other), near (closer than --clearance), clear.
Exit status: 0 all pairs clear, 1 any other relation or self-contact, 2 error.)";

constexpr const char* kCompletionHelp = R"(Examples:
  source <(sightline completion bash)            in this shell; in ~/.bashrc for all
  sightline completion zsh > ~/.zfunc/_sightline
  sightline completion fish > ~/.config/fish/completions/sightline.fish)";

constexpr const char* kDevicesHelp =
    R"(cpu runs all methods, cuda the exact method (also after velocity), gl the papers'
methods.
Exit status: 0, whatever is missing.)";

template <bool zero_allowed>
std::string finite(std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value)) return "'" + text + "' is not a number";
  if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return "";
  return fmt::format("'{}' is not a finite number {} 0", text, zero_allowed ? "of at least" : "above");
}

// CLI11 takes "-1" for an unsigned as its two's complement in some versions; so only digits are accepted.
std::string whole_number(std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "'" + text + "' is not a whole number of at least 0";
}

template <typename Value>
CLI::Option* add_number(CLI::App& app, const char* name, Value& target, const char* type,
                        std::string (*check)(std::string&), const char* text) {
  return app.add_option(name, target, text)->type_name(type)->check(CLI::Validator(check, ""));
}

CLI::Option* add_threads(CLI::App& app, Settings& settings) {
  const char* text = "Worker threads (default: one for each core)";
  return add_number(app, "--threads", settings.threads, "N", whole_number, text)
      ->check(CLI::Range(0, 1024).description(""));
}

CLI::Option* add_path(CLI::App& app, const char* name, std::filesystem::path& target, const char* text) {
  return app.add_option(name, target, text)->type_name("PATH");
}

template <typename Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <typename Value>
CLI::Option* add_choice(CLI::App& app, const char* option, Value& target, const Names<Value>& names, const char* text) {
  std::vector<std::string> words;
  for (const auto& [word, value] : names) words.push_back(word);
  const auto choose = [&target, names](const std::string& chosen) {
    for (const auto& [word, value] : names)
      if (word == chosen) target = value;
  };
  return app.add_option_function<std::string>(option, choose, text)->check(one_of(words))->type_name("NAME");
}

void set_image_size(Settings& settings, const std::string& text) {
  const std::size_t cross = text.find_first_of("xX");
  const auto side = [&](const std::string& digits) -> std::uint32_t {
    const bool number =
        !digits.empty() && digits.size() < 6 && digits.find_first_not_of("0123456789") == std::string::npos;
    const unsigned long value = number ? std::stoul(digits) : 0;
    if (value < picture::kLeastSide || value > picture::kMostSide)
      throw CLI::ValidationError("--image-size",
                                 fmt::format("'{}' is not a size such as 1600x1000 (each side {} to {})", text,
                                             picture::kLeastSide, picture::kMostSide));
    return static_cast<std::uint32_t>(value);
  };
  settings.image_size_given = true;
  settings.image_width = side(text.substr(0, cross));
  settings.image_height = side(cross == std::string::npos ? "" : text.substr(cross + 1));
}

void add_picture_options(CLI::App& app, Settings& settings, const char* text, const char* size) {
  add_path(app, "--image", settings.image, text)->group(kOutput);
  app.add_option_function<std::string>(
         "--image-size", [&settings](const std::string& given) { set_image_size(settings, given); },
         fmt::format("Size of the picture in pixels (default: {})", size))
      ->type_name("WxH")
      ->needs("--image")
      ->group(kOutput);
}

void add_open_option(CLI::App& app, Settings& settings) {
  app.add_flag("--open", settings.open, "Open the page of --report when it is written, or the picture of --image")
      ->group(kOutput);
}

void add_output_options(CLI::App& app, Settings& settings) {
  const auto path = [&](const char* name, std::filesystem::path& target, const char* text) {
    add_path(app, name, target, text)->group(kOutput);
  };
  path("--json", settings.json, "The whole result as JSON ('-': instead of the summary)");
  app.add_flag("--details", settings.details,
               "Also the curves of the contacts, as CSV in NAME_curves; in the JSON also normals and manifolds")
      ->group(kOutput);
  path("--csv", settings.csv, "Tables of contacts (PATH), parts (NAME_parts), pairs (NAME_pairs)");
  path("--ply", settings.ply, "Mesh with contacts coloured, and NAME_segments");
  path("--obj", settings.obj, "The same as OBJ with materials (.mtl)");
  path("--report", settings.report, "The result as a page for a browser: one file, no network");
  add_picture_options(app, settings, "A picture as PNG: contacts coloured, their curves on top", "1600x1000");
  add_open_option(app, settings);
  add_choice(app, "--image-up", settings.image_up, {{"x", "x"}, {"y", "y"}, {"z", "z"}},
             "The axis that points up in the picture: x, y, z (default: that of the format, or the most likely one)")
      ->type_name("AXIS")
      ->needs("--image")
      ->group(kOutput);
  const Names<Format> formats = {
      {"text", Format::text}, {"json", Format::json}, {"github", Format::github}, {"junit", Format::junit}};
  add_choice(app, "--format", settings.format, formats,
             "Format of the output: text (default), json (as --json -), github (annotations), junit (XML)")
      ->group(kOutput);
  CLI::Option* quiet =
      app.add_flag("-q,--quiet", settings.quiet, "Print errors only; the exit status is the result")->group(kOutput);
  app.add_flag("-v,--verbose", settings.verbose,
               "Also print all parts, the time of each stage and the engine's choices")
      ->excludes(quiet)
      ->group(kOutput);
}

// 512M, 2G: whole numbers, of bytes or of powers of 1024.
std::uint64_t parse_size(const char* option, const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t power = unit.size() == 1 ? kUnits.find(static_cast<char>(std::toupper(unit[0]))) : kUnits.npos;
  const int shift = unit.empty() || power == kUnits.npos ? 0 : 10 * (static_cast<int>(power) + 1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  const bool fits = error == std::errc{} && value > 0 && value <= std::numeric_limits<std::uint64_t>::max() >> shift;
  if (!fits || (!unit.empty() && power == kUnits.npos))
    throw CLI::ValidationError(option, fmt::format("'{}' is not a size such as 512M or 2G", text));
  return value << shift;
}

const std::vector<std::string> kDevices = {"cpu", "cuda", "gl", "best"};

void set_device(Settings& settings, const std::string& text) {
  const std::size_t colon = text.find(':');
  settings.device = text.substr(0, colon);
  settings.gpu_given = colon != std::string::npos;
  const std::string digits = colon == std::string::npos ? "0" : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), settings.gpu);
  const bool number = error == std::errc() && end == digits.data() + digits.size() && settings.gpu >= 0;
  const bool known = std::ranges::find(kDevices, settings.device) != kDevices.end();
  if (!known || !number || (colon != std::string::npos && settings.device != "cuda"))
    throw CLI::ValidationError("--device", fmt::format("'{}' is not cpu, cuda, cuda:N, gl or best{}", text,
                                                       known ? "" : did_you_mean(settings.device, kDevices)));
}

void add_device_options(CLI::App& app, Settings& settings) {
  app.add_option_function<std::string>(
         "--device", [&settings](const std::string& text) { set_device(settings, text); },
         "Device: cpu (default), cuda, cuda:N (GPU number N), gl, best")
      ->check(such_as(kDevices))
      ->type_name("NAME")
      ->group(kQuery);
  add_choice(app, "--tiles", settings.cuda.tiles, {{"auto", true}, {"off", false}},
             "A scene larger than the GPU's memory: auto (in tiles), off (an error, default)")
      ->group(kQuery);
  app.add_option_function<std::string>(
         "--device-memory",
         [&settings](const std::string& text) { settings.cuda.memory = parse_size("--device-memory", text); },
         "Limit on the GPU memory in use, such as 512M or 2G (default: all)")
      ->type_name("SIZE")
      ->group(kQuery);
}

// With `best` the options apply only where there is a GPU.
void check_device_options(const CLI::App& command, const Settings& settings) {
  for (const char* name : {"--tiles", "--device-memory"}) {
    if (command.get_option(name)->count() == 0) continue;
    if (settings.device != "cuda" && settings.device != "best")
      throw CLI::ValidationError(
          name, fmt::format("is for the memory of the cuda device; --device is {}, not cuda or best", settings.device));
    if (settings.method.method != MethodName::exact)
      throw CLI::ValidationError(name, "is for the exact method; velocity on the cuda device keeps all objects there");
  }
}

void add_memory_options(CLI::App& app, Settings& settings) {
  app.add_option_function<std::string>(
         "--memory", [&settings](const std::string& text) { settings.memory = parse_size("--memory", text); },
         "Out of core: at most this memory, such as 4G; check takes binary STL, binary PLY and OBJ")
      ->type_name("SIZE")
      ->group(kQuery);
  add_path(app, "--scratch", settings.scratch,
           "Folder of the scratch files of --memory and of runs over MPI (default: the system's)")
      ->group(kQuery);
}

constexpr std::uint64_t kLeastMemory = std::uint64_t{16} << 20;

// Options that need the whole mesh in memory are refused.
void check_memory_options(const CLI::App& command, const Settings& settings) {
  const bool over_mpi = launched_ranks() > 1;
  const char* const why = over_mpi ? "MPI" : "--memory";
  if (!settings.scratch.empty() && !settings.memory && !over_mpi) throw CLI::RequiresError("--scratch", "--memory");
  if (!settings.memory && !over_mpi) return;
  if (over_mpi && std::ranges::find(settings.inputs, std::filesystem::path("-")) != settings.inputs.end())
    throw CLI::ValidationError("MPI", "standard input is read by one process; write it to a file");
  if (settings.memory && over_mpi)
    throw CLI::ValidationError("--memory", "is for one process; over MPI each rank keeps its share in memory");
  if (settings.memory && *settings.memory < kLeastMemory)
    throw CLI::ValidationError("--memory", fmt::format("{} bytes; at least 16M are needed", *settings.memory));
  if (settings.pairs) return;  // it has refused what needs contacts
  const bool is_clash = command.get_name() == "clash";
  std::vector<const char*> refused{"--first", "--ply",    "--obj",      "--report",
                                   "--image", "--ignore", "--baseline", "--details"};
  refused.insert(refused.end(), is_clash ? std::initializer_list<const char*>{"--bcf"}
                                         : std::initializer_list<const char*>{"--rest", "--volume"});
  for (const char* name : refused)
    if (command.get_option(name)->count() > 0)
      throw CLI::ValidationError(why, fmt::format("cannot be used with {}, which needs {} in memory", name,
                                                  is_clash ? "all parts" : "the mesh"));
  if (settings.format == Format::github || settings.format == Format::junit)
    throw CLI::ValidationError(why, fmt::format("cannot be used with --format github or junit, which need {} in memory",
                                                is_clash ? "all parts" : "the mesh"));
  if (settings.device == "gl" || (over_mpi && settings.device == "best"))
    throw CLI::ValidationError(why, fmt::format("runs on cpu or cuda; --device is {}", settings.device));
  if (settings.method.method != MethodName::exact)
    throw CLI::ValidationError(why, "is for the exact method; the papers' methods keep all objects in memory");
}

void add_query_options(CLI::App& app, Settings& settings) {
  add_device_options(app, settings);
  add_memory_options(app, settings);
  app.add_option("--ignore", settings.ignore,
                 "Leave out the pairs in this CSV file, or those that fit two patterns: '*bolt*,*column*'")
      ->allow_extra_args(false)
      ->type_name("PATH")
      ->group(kQuery);
  CLI::Option* baseline =
      add_path(app, "--baseline", settings.baseline, "Compare with this JSON report: only new contacts count")
          ->group(kQuery);
  app.add_flag("--first", settings.first, "Stop at the first contact, and print it")->excludes(baseline)->group(kQuery);
  add_number(app, "--max-contacts", settings.max_contacts, "N", whole_number,
             "Keep and write only the first N contacts")
      ->group(kQuery);
  add_threads(app, settings)->group(kQuery);
}

void add_gl_queries(CLI::App& app, Settings& settings) {
  const Names<papers::GlQueries> ways = {{"batched", papers::GlQueries::batched}, {"each", papers::GlQueries::each}};
  add_choice(app, "--gl-queries", settings.gl_queries, ways,
             "Device gl, queries of a pass together or one by one: batched, each")
      ->group(kNoEffectOnAnswer);
}

void add_tuning_options(CLI::App& app, Settings& settings) {
  const Names<Simd> simd = {{"best", Simd::best}, {"scalar", Simd::scalar}, {"sse4", Simd::sse4},
                            {"avx2", Simd::avx2}, {"avx512", Simd::avx512}, {"neon", Simd::neon}};
  const Names<Axis> axis = {{"auto", Axis::automatic}, {"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}};
  const Names<VisibilityCull> visibility = {
      {"auto", VisibilityCull::automatic}, {"on", VisibilityCull::on}, {"off", VisibilityCull::off}};
  add_choice(app, "--simd", settings.simd, simd, "Instruction set: best, scalar, sse4, avx2, avx512, neon")
      ->group(kNoEffectOnAnswer);
  add_choice(app, "--axis", settings.axis, axis, "Projection axis: auto, x, y, z")->group(kNoEffectOnAnswer);
  add_gl_queries(app, settings);
  add_choice(app, "--visibility", settings.visibility, visibility, "Visibility cull between parts: auto, on, off")
      ->group(kNoEffectOnAnswer);
  add_number(app, "--cell", settings.cell, "SIZE", finite<true>, "Image cell, in mean triangle extents (0: chosen)")
      ->group(kNoEffectOnAnswer);
}

// CLI11's help, with our usage line and without its empty lines in pairs.
class Help : public CLI::Formatter {
 public:
  explicit Help(std::string usage) : usage_(std::move(usage)) {
    column_width(24);
    label("REQUIRED", "");
  }
  std::string make_usage(const CLI::App*, std::string) const override { return "\nUsage: " + usage_ + "\n"; }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text.ends_with('\n') ? text : text + "\n";
  }

 private:
  std::string usage_;
};

CLI::App* add_command(CLI::App& app, const char* name, const char* text, const char* usage, const char* footer) {
  CLI::App* command = app.add_subcommand(name, text);
  command->formatter(std::make_shared<Help>(fmt::format("sightline {} {}", name, usage)));
  command->footer(footer);
  return command;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// The message of CLI11 would only be that a subcommand is required.
void check_first_word(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = command_names(app);
  const std::vector<std::string> known = {"-h", "--help", "--version"};
  const bool dashed = word.starts_with('-');
  if (std::ranges::find(dashed ? known : commands, word) != (dashed ? known : commands).end()) return;
  throw CLI::ParseError(
      not_there(dashed ? "option" : "command", word, dashed ? known : commands, "the commands are " + listed(commands)),
      kError);
}

/// The first argument that the command does not have, and the nearest one that it has.
std::string not_expected(const CLI::App& command) {
  std::vector<std::string> known;
  const CommandText text = command_texts(command).front();
  for (const OptionText& option : text.options)
    if (!option.is_argument) known.insert(known.end(), option.names.begin(), option.names.end());
  const std::vector<std::string> left = command.remaining();
  std::string word = left.empty() ? "" : left.back();
  for (const std::string& other : left)  // the last comes first
    if (other.starts_with('-')) word = other;
  if (!word.starts_with('-')) return fmt::format("'{}': one argument too many", word);
  word = word.substr(0, word.find('='));
  return fmt::format("'{}' has no option '{}'{}", command.get_name(), word, did_you_mean(word, known));
}

/// The text of an error, in our words where an option is given more than once.
std::string given_once(const std::string& text) {
  constexpr std::string_view kTooMany = ": At Most 1 required but received ";
  const std::size_t at = text.find(kTooMany);
  if (at == std::string::npos) return text;
  return fmt::format("{} is given {} times; give it once", text.substr(0, at), text.substr(at + kTooMany.size()));
}

/// Commands about the tool itself, which end in parse().
struct OwnCommands {
  CLI::App *completion = nullptr, *help = nullptr, *version = nullptr;
  std::string shell, command;
  bool man = false;

  void add_to(CLI::App& app) {
    completion = add_command(app, "completion", "Print a script that completes commands and options in a shell",
                             "SHELL", kCompletionHelp);
    completion->add_option("SHELL", shell, "bash, zsh or fish")->required()->check(one_of(shells()))->type_name("");
    help = add_command(app, "help", "Print the help of the tool or of a command", "[OPTIONS] [COMMAND]", "");
    std::vector<std::string> names = command_names(app);
    names.push_back("version");
    help->add_option("COMMAND", command, "Command; without it, the tool's own help")
        ->check(one_of(names))
        ->type_name("");
    help->add_flag("--man", man, "As a manual page: sightline help --man check | man -l -");
    version = add_command(app, "version", "Print the version", "", "");
  }

  /// Nothing if another command was given.
  std::optional<std::string> output(CLI::App& app) const {
    if (version->parsed()) return fmt::format("sightline {}\n", sightline::version());
    if (!completion->parsed() && !help->parsed()) return std::nullopt;
    const std::vector<CommandText> commands = command_texts(app);
    if (completion->parsed()) return tool::completion(commands, shell);
    if (man) return manual(commands, *std::ranges::find(commands, command, &CommandText::name), sightline::version());
    return command.empty() ? own_help(app) : app.get_subcommand(command)->help();
  }
};

/// The options that need the list of contacts are refused.
void add_pairs_option(CLI::App& clash, Settings& settings) {
  CLI::Option* pairs =
      clash.add_flag("--pairs", settings.pairs, "Only the relation of each pair, without a list of contacts: faster")
          ->group(kQuery);
  for (const char* other :
       {"--self", "--first", "--max-contacts", "--ply", "--obj", "--image", "--report", "--details"})
    pairs->excludes(clash.get_option(other));
}
void check_pairs_option(const Settings& settings) {
  if (!settings.pairs) return;
  if (settings.device != "cpu")
    throw CLI::ValidationError("--pairs", fmt::format("runs on the cpu; --device is {}", settings.device));
  if (settings.method.method != MethodName::exact)
    throw CLI::ValidationError("--pairs", "is exact; the papers' methods find contacts");
}

void add_motion_options(CLI::App& command, Settings& settings) {
  add_number(command, "--fps", settings.frame_rate, "N", finite<false>,
             "Frames a second of an animated glTF file (default: 25; fewer, with a warning, from 10 s on)")
      ->group(kQuery);
  command.add_flag("--rest", settings.rest_only, "Only the rest pose of an animated glTF file")->group(kQuery);
}

void add_query_command(CLI::App& command, Settings& settings, const char* what, const char* text) {
  command.add_option(what, settings.inputs, text)->required()->type_name("")->group("Input");
  add_output_options(command, settings);
  add_query_options(command, settings);
}

void add_papers_options(CLI::App& command, Settings& settings) {
  command.add_option("EXPERIMENT", settings.experiments, "Experiments to run (default: all)")
      ->check(such_as(experiment_names()))
      ->type_name("");
  add_path(command, "--json", settings.json, "Tables and plots as JSON ('-': instead of the text)");
  add_path(command, "--markdown", settings.markdown, "A page; its plots are written to the folder papers/ beside it");
  add_path(command, "--bunny", settings.bunny, "A scanned model in place of the generated bunny");
  add_path(command, "--dragon", settings.dragon,
           "A scanned model in place of the dragon ('./dev models' fetches both)");
  command.add_flag("--quick", settings.quick, "Small sizes and few frames, as a short trial");
  add_threads(command, settings);
  command.add_option("--device", settings.device, "Device: cpu (default), gl; for 'vanecek' and 'exact': cpu, cuda")
      ->check(one_of({"cpu", "gl", "cuda"}))
      ->type_name("NAME");
  add_gl_queries(command, settings);
  command.add_flag("-q,--quiet", settings.quiet, "Print errors only");
}

}  // namespace

int launched_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* text = std::getenv(name)) return std::max(1, std::atoi(text));
  return 1;
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

Device Settings::chosen_device() const {
  const bool best = device == "best" && method.method == MethodName::exact;  // the papers' methods: cpu only
  if (best && Device::best().type() == Device::Type::cpu) return Device::cpu();
  return best || device == "cuda" ? Device::cuda(gpu, cuda) : Device::cpu();
}

papers::Renderer Settings::chosen_renderer() const {
  return device == "gl" ? papers::Renderer::gl(gl_queries) : papers::Renderer::cpu();
}

std::variant<Settings, int> parse(int argc, char** argv) {
  Settings settings;
  CLI::App app("Every collision and self-intersection of triangle meshes, exactly.", "sightline");
  app.formatter(std::make_shared<Help>("sightline COMMAND [OPTIONS] FILE..."));
  app.footer(kExamples);
  app.set_version_flag("--version", fmt::format("sightline {}", version()), "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);

  CLI::App* check =
      add_command(app, "check", "Find all self-intersections of each mesh", "[OPTIONS] MESH...", kCheckExamples);
  add_query_command(*check, settings, "MESH", "Mesh files: STL, OBJ, PLY, OFF, glTF/GLB, 3MF; sequences");
  add_motion_options(*check, settings);
  check->add_flag("--volume", settings.volume, "The volume in which a closed mesh overlaps itself")->group(kQuery);
  add_method_options(*check, settings.method, false);
  add_tuning_options(*check, settings);

  CLI::App* clash = add_command(app, "clash", "Find all contacts between parts, and the relation of each pair",
                                "[OPTIONS] PART...", kClashExamples);
  add_query_command(*clash, settings, "PART", "Files; each named object or group in one is a part");
  add_path(*clash, "--bcf", settings.bcf, "A topic for each pair as BCF 2.1 (.bcf, .bcfzip), for BIM programs")
      ->group(kOutput);
  clash->add_flag("--group", settings.group, "In the summary, join pairs whose names differ in numbers only")
      ->group(kOutput);
  add_motion_options(*clash, settings);
  clash->add_flag("--primitives", settings.primitives, "glTF: a part for each primitive of a mesh")->group(kQuery);
  clash->add_flag("--self", settings.self, "Also contacts of each part with itself")->group(kQuery);
  add_pairs_option(*clash, settings);
  add_number(*clash, "--clearance", settings.clearance, "D", finite<true>,
             "Report pairs of parts that are closer than D as near")
      ->group(kQuery);
  clash
      ->add_option_function<std::string>(
          "--tolerance",
          [&settings](const std::string& text) {
            if (text.empty()) throw CLI::ValidationError("--tolerance", "'' is not a number");
            settings.tolerance = text;
          },
          "A clash that a move shorter than D ends is a touch. D is in units of the file, or with um, mm, cm, "
          "m, in or ft if the file defines its unit")
      ->type_name("D")
      ->group(kQuery);
  clash->add_flag("--depth", settings.depth, "The depth and the deepest point of pairs that clash; deepest pairs first")
      ->group(kQuery);
  clash->add_flag("--volume", settings.volume, "The volume in which the parts of a pair overlap")->group(kQuery);
  clash
      ->add_flag("--separation", settings.separation,
                 "A short move of the first part that ends all contact of a pair, verified")
      ->group(kQuery);
  add_method_options(*clash, settings.method, true);
  add_tuning_options(*clash, settings);

  const std::string scenes = scene_list();
  CLI::App* generate =
      add_command(app, "generate", "Write a generated mesh for a first trial", "[OPTIONS] NAME OUT", scenes.c_str());
  generate->add_option("NAME", settings.scene, "Scene")->required()->check(such_as(scene_names()))->type_name("");
  generate->add_option("OUT", settings.scene_path, "File to write: .stl, .obj, .ply or .off")
      ->required()
      ->type_name("");
  add_number(*generate, "--triangles", settings.scene_triangles, "N", whole_number, "Number of triangles, approximate");
  add_number(*generate, "--frame", settings.scene_frame, "K", whole_number,
             "Number of the frame, for a scene that moves");

  const std::string demos = demo_list();
  CLI::App* demo = add_command(app, "demo", "Run one of the papers' scenes live", "[OPTIONS] [NAME]", demos.c_str());
  demo->add_option("NAME", settings.scene, "Scene; without it, all scenes are listed")
      ->check(such_as(demo_names()))
      ->type_name("");
  add_number(*demo, "--frames", settings.demo_frames, "N", whole_number, "Number of frames (default: see the list)");
  add_number(*demo, "--triangles", settings.scene_triangles, "N", whole_number,
             "Number of triangles, approximate (default: at most 20000)");
  add_path(*demo, "--report", settings.report, "The page to write (default: NAME.html)");
  add_picture_options(*demo, settings, "All frames as an animated PNG", "640x400");
  add_open_option(*demo, settings);
  add_path(*demo, "--path", settings.body_path,
           "moving-body: the body's places, a line a frame: X Y Z [RX RY RZ] (degrees)");
  demo->add_flag("-q,--quiet", settings.quiet, "Print errors only");
  add_threads(*demo, settings);
  add_drive_option(*demo, settings.method);
  add_method_options(*demo, settings.method, true);

  const std::string experiments = experiment_list();
  CLI::App* papers =
      add_command(app, "papers", "Run the papers' experiments again", "[OPTIONS] [EXPERIMENT...]", experiments.c_str());
  add_papers_options(*papers, settings);

  CLI::App* devices = add_command(app, "devices", "List the devices, and what is missing for those that cannot be used",
                                  "[OPTIONS]", kDevicesHelp);
  add_path(*devices, "--json", settings.json, "The list as JSON ('-': instead of the text)");

  OwnCommands own;
  own.add_to(app);

  const CLI::App* const commands[] = {check, clash, generate, demo, papers, devices};  // as Command
  const auto chosen = [&] { return std::ranges::find_if(commands, [](const CLI::App* one) { return one->parsed(); }); };

  try {
    if (argc < 2) {
      print_err(app.help());
      return kError;
    }
    check_first_word(app, argv[1]);
    app.parse(argc, argv);
    if (const std::optional<std::string> text = own.output(app)) {
      print_out(*text);
      return kClean;
    }
    for (const CLI::App* command : {check, clash, demo})
      if (command->parsed()) {
        check_method_options(*command, settings.method);
        if (command != demo) check_device_options(*command, settings);
        if (command != demo) check_memory_options(*command, settings);
      }
    check_pairs_option(settings);
    if (settings.open && !demo->parsed() && settings.report.empty() && settings.image.empty())
      throw CLI::ValidationError("--open", "needs --report or --image, whose file it opens");
    if (settings.format != Format::text && settings.format != Format::json && settings.json == "-")
      throw CLI::ValidationError("--format", "--json - already writes to standard output");
    if (settings.format == Format::json && !settings.json.empty() && settings.json != "-")
      throw CLI::ValidationError("--format", "json is also written by --json; use one of them");
    if (settings.format == Format::json) settings.json = "-";
    if (settings.details && settings.json.empty() && settings.csv.empty() && !settings.prints_summary())
      throw CLI::ValidationError("--details", "is a part of the summary, JSON and CSV; none of them is written");
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    app.exit(request, text, text);
    print_out(text.str());
    return kClean;
  } catch (const CLI::ParseError& mistake) {
    const bool extra = mistake.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    print_error(extra && !parsed.empty() ? not_expected(*parsed.front()) : given_once(mistake.what()));
    print_err(fmt::format("Try 'sightline{} --help'.\n",
                          chosen() == std::end(commands) ? "" : " " + (*chosen())->get_name()));
    return kError;
  }
  settings.command = static_cast<Command>(chosen() - commands);
  return settings;
}

}  // namespace sightline::tool
