// `sightline clash`: parts against each other.
#include <algorithm>
#include <charconv>
#include <map>

#include "page/page.h"
#include "read/sequence.h"
#include "report/csv.h"
#include "report/json.h"
#include "sightline/io.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/findings.h"
#include "tool/outputs.h"
#include "tool/pruning.h"
#include "tool/triage.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

struct Input {
  Assembly assembly;
  std::vector<std::string> files;  // per part
};

// `clash` takes the parts of one assembly; frames are for `check`.
void refuse_sequence(const std::filesystem::path& path) {
  const std::string name = report::printable(path.string());
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(fmt::format("{}: is a folder; 'clash' takes the files of one assembly, such as {}", name,
                            report::printable((path / "*").string())));
  if (const auto sequence = read::find_sequence(path, 1, true))
    throw Error(
        fmt::format("{}: is a sequence of {}; 'clash' takes one assembly, and 'check' takes a sequence. "
                    "Run 'clash' once for each frame",
                    name, counted(sequence->frames.size(), "frame")));
}

Input read_all(const Settings& settings, Progress& progress) {
  Input input;
  for (const std::filesystem::path& path : settings.inputs) {
    progress.step("reading " + report::printable(path.filename().string()));
    refuse_sequence(path);
    Assembly read = read_assembly(path);
    if (read::moves(path))
      print_error(
          fmt::format("warning: {}: moves; here only its rest pose is checked", report::printable(path.string())));
    stop_if_interrupted();
    input.files.resize(input.files.size() + read.size(), path.string());
    input.assembly.add(std::move(read));
  }
  return input;
}

// A name that several parts have is printed with its file, and with the part's number where that is not enough.
std::vector<std::string> labels(std::span<const report::Part> parts) {
  constexpr std::size_t kMostColumns = 32;
  std::map<std::string, int> names, with_file;
  const auto full = [](const report::Part& part) { return part.file + ":" + part.name; };
  for (const report::Part& part : parts) {
    ++names[part.name];
    ++with_file[full(part)];
  }
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const report::Part& part = parts[i];
    std::string label = names[part.name] == 1 && !part.name.empty() ? part.name : full(part);
    if (with_file[full(part)] > 1) label = fmt::format("{} #{}", part.name, i);
    labels.push_back(shown(label, kMostColumns));
  }
  return labels;
}

std::vector<report::Part> make_parts(const Input& input, Progress& progress) {
  std::vector<report::Part> parts;
  const Assembly& assembly = input.assembly;
  progress.step("examining the parts");
  for (std::size_t i = 0; i < assembly.size(); ++i) {
    const MeshView mesh = assembly.view(i);
    parts.push_back({.file = input.files[i], .name = assembly.name(i), .mesh = mesh, .facts = report::facts(mesh)});
    progress.fraction(static_cast<double>(i + 1) / static_cast<double>(assembly.size()));
    stop_if_interrupted();
  }
  return parts;
}

// By name, or by number where no part has that name. `option` is for the message.
std::size_t part_of(const char* option, const std::string& name, std::span<const report::Part> parts) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].name == name) found.push_back(i);
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    throw Error(fmt::format("{}: {} parts are called '{}'; give a number", option, found.size(), name));
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
  return motions;
}

/// With --pairs there is no list: the report is empty.
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

void classify_pairs(const Settings& settings, ClashResult& result, Report& report, Progress& progress) {
  result.pairs_known = report.complete;
  if (!result.pairs_known) return;  // --first ended the query, or the method can miss
  progress.step(settings.pairs ? "checking pairs" : "classifying pairs");
  std::vector<MeshView> views;
  for (const report::Part& part : result.parts) views.push_back(part.mesh);
  const ClashOptions options = {.clearance = settings.clearance, .query = query_options(settings, progress)};
  Clashes found = settings.pairs ? relations(views, options) : classify(views, report, options);
  if (settings.pairs) report.stats.threads = found.stats.threads;
  result.pairs = std::move(found.pairs);
  report.stats.stages.insert(report.stats.stages.end(), found.stats.stages.begin(), found.stats.stages.end());
  report.stats.milliseconds += found.stats.milliseconds;
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
                Outputs& outputs) {
  const std::vector<std::filesystem::path>& inputs = settings.inputs;
  report::PageWriter page(
      *outputs.report, *viewer::shell(),
      {.title = inputs.size() == 1 ? inputs[0].filename().string() : fmt::format("{} parts", result.parts.size()),
       .command = "clash",
       .version = version(),
       .up = up_axis(settings, inputs[0].string()),
       .clearance = settings.clearance,
       .baseline = settings.baseline.filename().string()},
      write_options(settings));
  if (triage.ignored > 0) page.add_note(ignored_note(settings, triage.ignored));
  const report::PagePruning pruning = pruning_of(report.method, result.parts);
  page.frame({.parts = result.parts,
              .contacts = report.contacts,
              .found = report.found,
              .complete = report.complete,
              .can_miss = report.method.can_miss,
              .milliseconds = report.stats.milliseconds,
              .pairs = result.pairs,
              .pairs_known = result.pairs_known,
              .is_new = triage.old != nullptr ? &triage.comparison.is_new : nullptr,
              .pair_is_new = triage.old != nullptr ? &triage.comparison.pair_is_new : nullptr,
              .added = triage.comparison.added,
              .stayed = triage.comparison.stayed,
              .gone = triage.comparison.gone.size(),
              .pruning = pruning.passes.empty() ? nullptr : &pruning});
  page.finish();
}

void write(const Settings& settings, const ClashResult& result, const Report& report, const report::Triage& triage,
           const Triager& triager, Outputs& outputs, Progress& progress) {
  Stopwatch watch;
  progress.step("writing");
  const report::WriteOptions options = write_options(settings);
  const report::Contacts contacts = {result.parts, report.contacts};
  if (outputs.json)
    report::JsonWriter(*outputs.json, options)
        .clash(version(),
               {.parts = result.parts,
                .pairs = result.pairs,
                .pairs_known = result.pairs_known,
                .clearance = settings.clearance,
                .self = settings.self,
                .has_contacts = !settings.pairs},
               report, triage, triager.ignore_facts());
  if (outputs.csv) {
    if (!settings.pairs) report::CsvContacts(*outputs.csv, options).add(contacts);
    report::write_csv_parts(*outputs.csv_parts, result.parts);
    report::write_csv_pairs(settings.pairs ? *outputs.csv : *outputs.csv_pairs, result.parts, result.pairs,
                            !settings.pairs);
  }
  if (outputs.geometry()) outputs.write_geometry(contacts, options);
  if (outputs.image) {
    progress.step("drawing");
    outputs.write_image(settings, contacts, result.parts.empty() ? "" : result.parts.front().file);
  }
  if (outputs.report) write_page(settings, result, report, triage, outputs);
  stop_if_interrupted();
  outputs.commit();
  outputs.milliseconds = watch.lap();
}

}  // namespace

int clash(const Settings& settings) {
  Outputs outputs(settings);
  Triager triager(settings);
  Progress progress(settings.prints_summary());
  Stopwatch watch;
  const Input input = read_all(settings, progress);
  const double read_ms = watch.lap();

  ClashResult result;
  result.parts = make_parts(input, progress);
  result.labels = labels(result.parts);
  const double topology_ms = watch.lap();

  Report report = collide(settings, result.parts, triager, progress);
  classify_pairs(settings, result, report, progress);
  report::Triage triage = triager.apply(result.parts, 0, report, &result.pairs);
  result.notes = triager.lines(triage);
  count_contacts(result, report);
  describe_first(result, report);
  Findings findings(settings);
  findings.add_assembly(result, report, triage);
  triager.cut(report, triage);

  Stats& stats = report.stats;
  stats.stages.insert(stats.stages.begin(), {{"read", read_ms, result.parts.size(), "parts"},
                                             {"topology", topology_ms, result.parts.size(), "parts"}});
  stats.milliseconds += read_ms + topology_ms;

  triager.finish();
  write(settings, result, report, triage, triager, outputs, progress);
  progress.clear();
  findings.print();
  if (settings.prints_summary()) print_out(clash_summary(settings, result, report) + outputs.summary());
  if (triage.old != nullptr) return triage.added() > 0 ? kFound : kClean;
  return report.found > 0 || !result.pairs.empty() ? kFound : kClean;
}

}  // namespace sightline::tool
