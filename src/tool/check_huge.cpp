// `sightline check --memory`: each mesh against itself, out of core. The output is that of `check`.
#include "tool/check_huge.h"

#include <new>
#include <optional>

#include "parts/huge.h"
#include "read/file.h"
#include "read/sequence.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/labels.h"
#include "report/streamed.h"
#include "sightline/io.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/outputs.h"
#include "tool/summary.h"

namespace sightline::tool {
namespace {

class HugeCheck {
 public:
  HugeCheck(const Settings& settings, const FindHuge& find)
      : settings_(settings), find_(find), outputs_(settings), progress_(settings.prints_summary()) {
    if (outputs_.json) json_.emplace(*outputs_.json, write_options(settings));
    if (outputs_.csv) csv_.emplace(*outputs_.csv, write_options(settings));
  }

  int run() {
    if (json_) json_->begin_check(version());
    for (const std::filesystem::path& path : settings_.inputs) check_or_report(path);
    if (json_) json_->end_check();
    if (csv_) report::write_csv_parts(*outputs_.csv_parts, parts_);
    stop_if_interrupted();
    outputs_.commit();
    progress_.clear();
    if (settings_.prints_summary()) {
      if (settings_.inputs.size() > 1) print_out(check_total(settings_.inputs.size(), with_contacts_, failed_));
      print_out(outputs_.summary());
    }
    return failed_ > 0 ? kError : with_contacts_ > 0 ? kFound : kClean;
  }

 private:
  void print(const std::string& text) {
    progress_.clear();
    if (settings_.prints_summary()) print_out(text);
  }

  // An error in one mesh is printed and the remaining meshes are checked.
  void check_or_report(const std::filesystem::path& path) {
    std::string message;
    const std::size_t number = parts_.size();
    try {
      return check_one(path);
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::bad_alloc&) {
      message = fmt::format("{}: not enough memory", path.string());
    }
    ++failed_;
    if (parts_.size() == number)
      add_part({.file = path.string(), .name = path.stem().string(), .mesh = {}, .facts = {}});
    parts_.back().facts = {};
    progress_.clear();
    print_error(message);
    if (json_) json_->failed(path.string(), message);
  }

  void add_part(report::Part part) {
    part.label = labels_.next(part);
    parts_.push_back(std::move(part));
  }

  void check_one(const std::filesystem::path& path) {
    HugeAnswer answer = find_(path, json_ || csv_, progress_);
    HugeReport& found = answer.report;
    if (found.cancelled) throw Interrupted{};
    found.stats.stages.insert(found.stats.stages.begin(), {"read", answer.read_ms, found.facts.triangles, "triangles"});
    found.stats.milliseconds += answer.read_ms;
    add_part({.file = path.string(), .name = answer.name, .mesh = {}, .facts = facts_of(found.facts)});
    finish(found);
  }

  static report::Facts facts_of(const HugeFacts& facts) {
    return {.triangles = facts.triangles,
            .vertices = facts.vertices,
            .components = facts.components,
            .open_edges = facts.open_edges,
            .nonmanifold_edges = facts.nonmanifold_edges,
            .duplicates = facts.duplicates,
            .degenerate = {},
            .degenerate_count = facts.degenerate,
            .closed = facts.closed()};
  }

  void finish(const HugeReport& found) {
    if (found.found > 0) ++with_contacts_;
    const report::Part& part = parts_.back();
    const std::uint64_t kept = std::min(found.found, settings_.max_contacts);
    if (settings_.prints_summary()) {
      std::string text = (parts_.size() > 1 ? "\n" : "") + check_title(part);
      text += contact_lines(settings_, found.found, kept, report::count_kinds(found, kept));
      text += line("flaws", flaws(part.facts));
      if (settings_.memory) text += disk_line(found);
      print(text + time_line(found.stats, settings_.verbose));
    }
    Stopwatch watch;
    progress_.step("writing");
    if (json_) json_->mesh(part, found, kept);
    if (csv_) csv_->add(parts_, static_cast<std::uint32_t>(parts_.size() - 1), found, kept);
    outputs_.milliseconds += watch.lap();
  }

  const Settings& settings_;
  const FindHuge& find_;
  Outputs outputs_;
  Progress progress_;
  std::optional<report::JsonWriter> json_;
  std::optional<report::CsvContacts> csv_;
  std::vector<report::Part> parts_;
  report::LabelsInOrder labels_;
  std::size_t with_contacts_ = 0;
  std::size_t failed_ = 0;
};

HugeAnswer find_out_of_core(const Settings& settings, const std::filesystem::path& path, bool intersections,
                            Progress& progress) {
  const std::string name = report::printable(path.filename().string());
  Stopwatch watch;
  progress.step("reading " + name);
  const std::unique_ptr<TriangleSource> source =
      open_triangles(path, open_options(settings, path, *settings.memory / 4));
  stop_if_interrupted();
  const double read_ms = watch.lap();
  progress.step("checking " + name);
  const HugeOptions options{.memory = *settings.memory / 4 * 3,
                            .scratch = settings.scratch,
                            .threads = settings.threads,
                            .device = settings.chosen_device(),
                            .intersections = intersections,
                            .progress = [&progress](double done) { progress.fraction(done); },
                            .cancel = [] { return interrupt_signal() != 0; }};
  return {scale::self_intersections(*source, options, huge_tuning(settings)), source->name(), read_ms};
}

}  // namespace

OpenOptions open_options(const Settings& settings, const std::filesystem::path& path, std::uint64_t memory) {
  if (path == read::kStandardInput)
    throw Error("standard input cannot be read in pieces; write it to a file, or leave --memory out");
  if (read::find_sequence(path, settings.frame_rate, false))
    throw Error(fmt::format("{}: is a sequence; only files can be read in pieces", path.string()));
  return {.memory = memory,
          .scratch = settings.scratch,
          .threads = settings.threads,
          .warning = read_options(settings).warning};
}

scale::HugeTuning huge_tuning(const Settings& settings) {
  scale::HugeTuning tuning;
  tuning.least_memory = 0;  // the options have a bound for all of it
  tuning.engine.simd = settings.simd;
  tuning.engine.axis = settings.axis;
  tuning.engine.cell = settings.cell;
  return tuning;
}

int check_huge(const Settings& settings, const FindHuge& find) { return HugeCheck(settings, find).run(); }

int check_huge(const Settings& settings) {
  return check_huge(settings, [&](const std::filesystem::path& path, bool intersections, Progress& progress) {
    return find_out_of_core(settings, path, intersections, progress);
  });
}

}  // namespace sightline::tool
