// `sightline clash`: parts against each other.
#include "tool/clash.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "page/page.h"
#include "read/sequence.h"
#include "report/bcf.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/labels.h"
#include "sightline/io.h"
#include "tool/caption.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/findings.h"
#include "tool/outputs.h"
#include "tool/part_store.h"
#include "tool/pruning.h"
#include "tool/ranks.h"
#include "tool/triage.h"
#include "tool/units.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

struct Input {
  Assembly assembly;                 // without meshes if they are stored
  std::vector<std::string> files;    // per part
  std::vector<report::Facts> facts;  // per part
  std::unique_ptr<PartStore> store;  // with --memory, and over MPI
  double read_ms = 0, topology_ms = 0;

  MeshView view(std::size_t part) const { return store ? store->view(part) : assembly.view(part); }
};

// The files of a folder could be parts or frames.
void refuse_folder(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(
        fmt::format("{}: is a folder; 'clash' takes the files of one assembly, such as {}, or a sequence, such "
                    "as {}",
                    report::printable(path.string()), report::printable((path / "*").string()),
                    report::printable((path / "frame_%04d.obj").string())));
}

void add_facts(const Settings& settings, const Assembly& parts, std::size_t all, Input& input, Progress& progress) {
  Stopwatch watch;
  progress.step("examining the parts");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    input.facts.push_back(report::facts(parts.view(i), settings.threads));
    if (all > 0) progress.fraction(static_cast<double>(i + 1) / static_cast<double>(all));
    stop_if_interrupted();
  }
  input.topology_ms += watch.lap();
}

Input read_all(const Settings& settings, Progress& progress) {
  Input input;
  if (settings.memory || launched_ranks() > 1) input.store = std::make_unique<PartStore>(settings);
  const ReadOptions options = read_options(settings);
  for (const std::filesystem::path& path : settings.inputs) {
    progress.step("reading " + report::printable(path.filename().string()));
    Stopwatch watch;
    if (input.store) input.store->require_room(path);
    Assembly read = read_assembly(path, options);
    stop_if_interrupted();
    input.files.resize(input.files.size() + read.size(), path.string());
    if (input.store) {
      input.store->require_room(path, read);
      input.read_ms += watch.lap();
      add_facts(settings, read, 0, input, progress);
      watch.lap();
      input.store->add(read);
    }
    input.assembly.add(std::move(read));
    input.read_ms += watch.lap();
  }
  if (input.store)
    input.store->finish(input.assembly);
  else
    add_facts(settings, input.assembly, input.assembly.size(), input, progress);
  return input;
}

/// Labels for the terminal.
std::vector<std::string> shown_labels(std::span<const std::string> labels) {
  constexpr std::size_t kMostColumns = 32;
  std::vector<std::string> shown_ones;
  for (const std::string& label : labels) shown_ones.push_back(shown(label, kMostColumns));
  return shown_ones;
}

// An exit status of 0 would look like a clean assembly.
void refuse_single(const Settings& settings, const Input& input) {
  if (input.assembly.size() > 1 || settings.self) return;
  const std::string file = report::printable(input.files.empty() ? "" : input.files.front());
  throw Error(
      fmt::format("{}: has one part, so there is no pair to compare. 'sightline check' finds the self-intersections of "
                  "a mesh; 'clash' takes more files, or --self",
                  file));
}

std::vector<report::Part> make_parts(Input& input) {
  std::vector<report::Part> parts;
  for (std::size_t i = 0; i < input.assembly.size(); ++i)
    parts.push_back({.file = input.files[i],
                     .name = input.assembly.name(i),
                     .mesh = input.view(i),
                     .facts = std::move(input.facts[i])});
  return parts;
}

// By name or label, or by number where no part has that name. `option` is for the message.
std::size_t part_of(const char* option, const std::string& name, std::span<const report::Part> parts) {
  const std::vector<std::string> labels = report::labels(parts);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (labels[i] == name) return i;
    if (parts[i].name == name) found.push_back(i);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    throw Error(fmt::format("{}: {} parts are called '{}'; give a number, or '{}'", option, found.size(), name,
                            labels[found.front()]));
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number >= parts.size())
    throw Error(fmt::format("{}: there is no part '{}'", option, name));
  return number;
}

// Parts turn about the centre of their box.
Vec3d center_of(const MeshView& mesh) {
  Vec3d low = {0, 0, 0}, high = {0, 0, 0};
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3d p = mesh.position(i);
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = i == 0 ? p[axis] : std::min(low[axis], p[axis]);
      high[axis] = i == 0 ? p[axis] : std::max(high[axis], p[axis]);
    }
  }
  return {low[0] / 2 + high[0] / 2, low[1] / 2 + high[1] / 2, low[2] / 2 + high[2] / 2};
}

std::vector<std::optional<Motion>> motions_of(const Settings& settings, std::span<const report::Part> parts) {
  std::vector<std::optional<Motion>> motions(parts.size());
  for (const std::string& text : settings.method.motions) {
    NamedMotion named = parse_motion(text);
    const std::size_t part = part_of("--motion", named.part, parts);
    named.motion.center = center_of(parts[part].mesh);
    motions[part] = named.motion;
  }
  if (settings.method.method == MethodName::velocity)
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!motions[i])
        throw Error(fmt::format("velocity: part '{0}' has no motion; every part needs one: --motion '{0}:VX,VY,VZ'",
                                report::printable(report::labels(parts)[i])));
  return motions;
}

}  // namespace

Report collide(const Settings& settings, std::span<const report::Part> parts, const Triager& triager,
               Progress& progress) {
  if (settings.pairs) return {};
  progress.step("checking parts");
  Scene scene(settings.chosen_device());
  for (const report::Part& part : parts) scene.add(part.mesh, {.self = settings.self}, settings.threads);
  papers::method::MethodSettings options = query_options(settings, progress);
  // The relation of a pair needs all its contacts: the list is cut afterwards.
  options.max_contacts = Options{}.max_contacts;
  triager.prepare(options);
  options.paper.motions = motions_of(settings, parts);
  for (const std::string& name : settings.method.rigid)
    options.paper.rigid.push_back(static_cast<ObjectId>(part_of("--rigid", name, parts)));
  options.paper.record_dropped = !settings.report.empty() && settings.method.method != MethodName::exact;
  Report report = papers::method::run(scene, options);
  if (report.cancelled) throw Interrupted{};
  return report;
}

namespace {

/// --tolerance in units of the positions.
double tolerance_of(const Settings& settings, const std::string& file_unit) {
  const std::string& text = settings.tolerance;
  if (text.empty()) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0) || !std::isfinite(value))
    throw Error(fmt::format("--tolerance: '{}' is not a finite number, 0 or more, with an optional unit",
                            report::printable(text)));
  const std::string suffix(end, text.data() + text.size());
  if (suffix.empty()) return value;
  const auto given = std::ranges::find(kUnits, std::string_view(suffix), &LengthUnit::suffix);
  if (given == std::end(kUnits))
    throw Error(
        fmt::format("--tolerance: the unit '{}' is not one of um, mm, cm, m, in, ft", report::printable(suffix)));
  const LengthUnit* own = unit_called(file_unit);
  if (own == nullptr)
    throw Error(fmt::format("--tolerance: '{}' has a unit, but {}; give a number in units of the file",
                            report::printable(text),
                            file_unit.empty() ? std::string("the files do not define one unit for all parts")
                                              : fmt::format("the file's unit '{}' is not known", file_unit)));
  return given == own ? value : value * given->meters / own->meters;
}

}  // namespace

void prepare_measures(const Settings& settings, const std::string& unit, ClashResult& result) {
  result.tolerance = tolerance_of(settings, unit);
  result.unit = unit;
  result.wants_depth = settings.depth;
  result.wants_volume = settings.volume;
}

ClashOptions relation_options(const Settings& settings, const ClashResult& result, Progress& progress) {
  return {.clearance = settings.clearance,
          .tolerance = result.tolerance,
          .depths = settings.depth,
          .volumes = settings.volume,
          .separations = settings.separation,
          .query = query_options(settings, progress)};
}

void set_pairs(ClashResult& result, Clashes found, Report& report) {
  result.pairs = std::move(found.pairs);
  report.stats.stages.insert(report.stats.stages.end(), found.stats.stages.begin(), found.stats.stages.end());
  report.stats.milliseconds += found.stats.milliseconds;
  stop_if_interrupted();
}

void classify_pairs(const Settings& settings, ClashResult& result, Report& report, Progress& progress) {
  result.pairs_known = report.complete;
  if (!result.pairs_known) return;  // --first ended the query, or the method can miss
  progress.step(settings.pairs ? "checking pairs" : "classifying pairs");
  std::vector<MeshView> views;
  for (const report::Part& part : result.parts) views.push_back(part.mesh);
  const ClashOptions options = relation_options(settings, result, progress);
  Clashes found =
      settings.pairs ? relations(std::span<const MeshView>(views), options) : classify(views, report, options);
  if (settings.pairs) report.stats.threads = found.stats.threads;
  set_pairs(result, std::move(found), report);
}

namespace {

// The page orders clashes by the thickness of their overlaps. `report` is the complete list.
void measure_overlaps(const Settings& settings, ClashResult& result, const Report& report, Progress& progress) {
  if (settings.report.empty() || !result.pairs_known || !report.complete) return;
  progress.step("measuring overlaps");
  std::vector<MeshView> views;
  for (const report::Part& part : result.parts) views.push_back(part.mesh);
  Report between = report;  // a part's contacts with itself are no overlap of two parts
  std::erase_if(between.contacts, [](const Contact& contact) { return contact.object_a == contact.object_b; });
  result.overlaps =
      overlaps(views, between, {.threads = settings.threads, .cancel = [] { return interrupt_signal() != 0; }}).pairs;
  stop_if_interrupted();
}

void count_contacts(ClashResult& result, const Report& report) {
  result.counts = report::count_kinds(report.contacts);
  result.self.resize(result.parts.size());
  for (const Contact& contact : report.contacts)
    if (contact.object_a == contact.object_b) ++result.self[contact.object_a].of[static_cast<int>(contact.kind)];
}

void describe_first(ClashResult& result, const Report& report) {
  if (report.contacts.empty()) return;
  const Contact& contact = report.contacts.front();
  const auto side = [&](std::uint32_t part, std::uint32_t triangle) {
    return fmt::format("triangle {} of {}", triangle, result.labels[part]);
  };
  const report::Contacts contacts = {result.parts, report.contacts};
  result.first = sentence(contact, contacts.geometry(contact), side(contact.object_a, contact.a),
                          side(contact.object_b, contact.b));
}

void write_page(const Settings& settings, const ClashResult& result, const Report& report, const report::Triage& triage,
                Outputs& outputs, const report::WriteOptions& options) {
  const std::vector<std::filesystem::path>& inputs = settings.inputs;
  report::PageWriter page(
      *outputs.report, *viewer::shell(),
      {.title = inputs.size() == 1 ? inputs[0].filename().string() : fmt::format("{} parts", result.parts.size()),
       .command = "clash",
       .version = version(),
       .up = up_axis(settings, inputs[0].string(), result.parts),
       .clearance = settings.clearance,
       .unit = std::string(unit_suffix(result.unit)),
       .baseline = settings.baseline.filename().string()},
      options);
  if (triage.ignored > 0) page.add_note(ignored_note(settings, triage.ignored));
  const report::PagePruning pruning = pruning_of(report.method, result.parts);
  std::vector<report::Part> parts = result.parts;
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].name = result.names[i];
  page.frame({.parts = parts,
              .contacts = report.contacts,
              .found = report.found,
              .complete = report.complete,
              .can_miss = report.method.can_miss,
              .milliseconds = report.stats.milliseconds,
              .pairs = result.pairs,
              .pairs_known = result.pairs_known,
              .overlaps = result.overlaps,
              .is_new = triage.old != nullptr ? &triage.comparison.is_new : nullptr,
              .pair_is_new = triage.old != nullptr ? &triage.comparison.pair_is_new : nullptr,
              .added = triage.comparison.added,
              .stayed = triage.comparison.stayed,
              .gone = triage.comparison.gone.size(),
              .pruning = pruning.passes.empty() ? nullptr : &pruning});
  page.finish();
}

void write(const Settings& settings, const ClashResult& result, const Report& report, const report::Triage& triage,
           const Triager& triager, const HugeReport* streamed, Outputs& outputs, Progress& progress) {
  Stopwatch watch;
  const report::WriteOptions options = write_options(settings, &progress);
  const report::Contacts contacts = {result.parts, report.contacts};
  const auto begin = [&](const std::filesystem::path& path, bool with_meshes) {
    progress.step("writing " + report::printable(path.filename().string()), items_of(contacts, with_meshes));
  };
  if (outputs.json) begin(settings.json, false);
  if (outputs.json) {
    report::JsonWriter writer(*outputs.json, options, settings.details);
    const report::ClashReport about = {.parts = result.parts,
                                       .labels = result.names,
                                       .pairs = result.pairs,
                                       .pairs_known = result.pairs_known,
                                       .clearance = settings.clearance,
                                       .self = settings.self,
                                       .has_contacts = !settings.pairs,
                                       .tolerance = result.tolerance,
                                       .unit = result.unit};
    if (streamed != nullptr)
      writer.clash(version(), about, *streamed, result.listed);
    else
      writer.clash(version(), about, report, triage, triager.ignore_facts());
  }
  if (outputs.csv) {
    begin(settings.csv, false);
    if (!settings.pairs) {
      report::CsvContacts table(*outputs.csv, options);
      if (streamed != nullptr)
        table.add(result.parts, 0, *streamed, result.listed);
      else
        table.add(contacts);
    }
    report::write_csv_parts(*outputs.csv_parts, result.parts);
    report::write_csv_pairs(settings.pairs ? *outputs.csv : *outputs.csv_pairs, result.parts, result.pairs,
                            {.contacts = !settings.pairs,
                             .depth = settings.depth,
                             .volume = settings.volume,
                             .separation = settings.separation || result.tolerance > 0,
                             .nearest = settings.clearance > 0,
                             .tolerance = result.tolerance > 0});
  }
  const std::string first_file = result.parts.empty() ? "" : result.parts.front().file;
  if (outputs.bcf) {
    progress.step("writing " + report::printable(settings.bcf.filename().string()),
                  report.contacts.size() + result.pairs.size());
    const LengthUnit* unit = unit_called(result.unit);
    report::write_bcf(*outputs.bcf,
                      {.parts = result.parts,
                       .labels = result.names,
                       .pairs = result.pairs,
                       .contacts = report.contacts,
                       .author = fmt::format("sightline {}", version()),
                       .up = up_axis(settings, first_file, result.parts),
                       .unit = std::string(unit_suffix(result.unit)),
                       .meters = unit == nullptr ? 1 : unit->meters},
                      options);
  }
  if (outputs.geometry()) begin(outputs.ply ? settings.ply : settings.obj, true);
  if (outputs.geometry()) outputs.write_geometry(contacts, options);
  if (outputs.image) {
    progress.step("drawing", picture::kDrawSteps);
    outputs.write_image(settings, contacts, first_file, caption(result, report), progress);
  }
  if (outputs.report) begin(settings.report, true);
  if (outputs.report) write_page(settings, result, report, triage, outputs, options);
  stop_if_interrupted();
  outputs.commit();
  outputs.milliseconds = watch.lap();
}

/// Writes the curves of --details as CSV, and adds their lines of the summary.
void join_curves(const Settings& settings, ClashResult& result, Report& report, Outputs& outputs, Progress& progress) {
  if (!settings.details || (!outputs.csv_curves && !settings.prints_summary())) return;
  const report::WriteOptions options = write_options(settings);
  std::optional<report::CsvCurves> csv;
  if (outputs.csv_curves) csv.emplace(*outputs.csv_curves, options);
  if (!report.complete) {
    result.notes += no_curves_line();
    return;
  }
  progress.step("joining curves");
  Stopwatch watch;
  const std::vector<report::CurvesOf> curves = report::join_curves({result.parts, report.contacts}, options);
  stop_if_interrupted();
  report.stats.stages.push_back({"curves", watch.lap(), curves.size(), "pairs"});
  report.stats.milliseconds += report.stats.stages.back().milliseconds;
  if (csv) csv->add(result.parts, curves, report.contacts);
  stop_if_interrupted();
  result.notes += curve_lines(curves, result.labels, unit_suffix(result.unit));
}

std::string bcf_note(const Settings& settings, const ClashResult& result) {
  if (settings.bcf.empty() || unit_called(result.unit) != nullptr) return "";
  return fmt::format("{} is in meters; it takes a file unit as a meter, because the files do not define one unit\n",
                     report::printable(settings.bcf.string()));
}

/// Without a tolerance, every contact counts. With one, contacts of a part with itself count, and those of pairs that
/// do more than touch. With a baseline, only what is new counts. The list is not cut yet.
bool fails(const ClashResult& result, const Report& report, const HugeReport* streamed, const report::Triage& triage) {
  const bool compared = triage.old != nullptr;
  if (!(result.tolerance > 0) || !result.pairs_known)
    return compared ? triage.added() > 0 : report.found > 0 || !result.pairs.empty();
  std::set<std::pair<std::uint32_t, std::uint32_t>> failing;
  for (std::size_t i = 0; i < result.pairs.size(); ++i) {
    const PartPair& pair = result.pairs[i];
    if (!result.fails(pair)) continue;
    if (!compared || triage.comparison.pair_is_new[i]) return true;
    failing.emplace(pair.a, pair.b);
  }
  if (streamed != nullptr)
    return std::ranges::any_of(result.self, [](const report::KindCounts& counts) { return counts.total() > 0; });
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    const Contact& c = report.contacts[i];
    if (compared && !triage.comparison.is_new[i]) continue;
    if (c.object_a == c.object_b || failing.contains({c.object_a, c.object_b})) return true;
  }
  return false;
}

/// The only input that moves, if there is one.
std::optional<read::Sequence> sequence_of(const Settings& settings) {
  std::optional<read::Sequence> found;
  for (const std::filesystem::path& path : settings.inputs) {
    std::optional<read::Sequence> one;
    try {
      one = read::find_sequence(path, settings.frame_rate, settings.rest_only, read_options(settings));
    } catch (const Error&) {
      std::error_code error;  // of a file: it is reported when the file is read, after the outputs were opened
      if (!std::filesystem::is_regular_file(path, error)) throw;
    }
    if (one && found)
      throw Error(
          fmt::format("{} and {}: 'clash' takes one input that moves, beside others that rest (--rest takes all "
                      "glTF files in their rest pose)",
                      report::printable(found->name), report::printable(one->name)));
    if (one) found = std::move(one);
  }
  return found;
}

}  // namespace

int clash(const Settings& settings) {
  for (const std::filesystem::path& path : settings.inputs) refuse_folder(path);
  if (std::optional<read::Sequence> sequence = sequence_of(settings)) {
    if (settings.memory || launched_ranks() > 1)
      throw Error(fmt::format("{}: is a sequence; {} clash takes files that rest", report::printable(sequence->name),
                              settings.memory ? "with --memory" : "over MPI"));
    return clash_over_time(settings, *sequence);
  }
  Outputs outputs(settings);
  Triager triager(settings);
  Progress progress(settings.prints_summary());
  Input input = read_all(settings, progress);

  ClashResult result;
  result.parts = make_parts(input);
  result.names = report::labels(result.parts);
  for (std::size_t i = 0; i < result.parts.size(); ++i) result.parts[i].label = result.names[i];
  result.labels = shown_labels(result.names);
  prepare_measures(settings, input.assembly.unit, result);

  Report report;
  std::optional<HugeReport> streamed;
  if (input.store) {
    streamed = clash_stored(settings, *input.store, result, report, progress);
  } else {
    report = collide(settings, result.parts, triager, progress);
    classify_pairs(settings, result, report, progress);
    measure_overlaps(settings, result, report, progress);
  }
  report::Triage triage = triager.apply(result.parts, 0, report, &result.pairs);
  result.notes += triager.lines(triage);
  if (!streamed) count_contacts(result, report);
  describe_first(result, report);
  const bool failed = fails(result, report, streamed ? &*streamed : nullptr, triage);
  Findings findings(settings);
  findings.add_assembly(result, report, triage);
  triager.cut(report, triage);
  if (!streamed) result.listed = report.contacts.size();

  Stats& stats = report.stats;
  stats.stages.insert(stats.stages.begin(), {{"read", input.read_ms, result.parts.size(), "parts"},
                                             {"topology", input.topology_ms, result.parts.size(), "parts"}});
  stats.milliseconds += input.read_ms + input.topology_ms;
  if (streamed) streamed->stats = stats;

  triager.finish();
  refuse_single(settings, input);
  join_curves(settings, result, report, outputs, progress);
  write(settings, result, report, triage, triager, streamed ? &*streamed : nullptr, outputs, progress);
  progress.clear();
  findings.print();
  if (settings.prints_summary())
    print_out(clash_summary(settings, result, report) + outputs.summary() + bcf_note(settings, result));
  outputs.show(settings);
  return failed ? kFound : kClean;
}

}  // namespace sightline::tool
