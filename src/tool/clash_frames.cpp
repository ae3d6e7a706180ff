// `sightline clash` of an input that moves.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <tuple>

#include "report/labels.h"
#include "report/timeline.h"
#include "tool/clash.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/outputs.h"

namespace sightline::tool {
namespace {

void refuse(const Settings& settings) {
  const auto given = [](const char* option, bool is_given) {
    if (is_given)
      throw Error(
          fmt::format("{}: is for one assembly; 'clash' of an input that moves writes --json and --csv (--rest "
                      "takes a glTF file in its rest pose)",
                      option));
  };
  given("--ply", !settings.ply.empty());
  given("--obj", !settings.obj.empty());
  given("--image", !settings.image.empty());
  given("--report", !settings.report.empty());
  given("--bcf", !settings.bcf.empty());
  given("--baseline", !settings.baseline.empty());
  given("--first", settings.first);
  given("--max-contacts", settings.max_contacts != Options{}.max_contacts);
  given("--format", settings.format == Format::github || settings.format == Format::junit);
  given("--tolerance", !settings.tolerance.empty());
  given("--depth", settings.depth);
  given("--volume", settings.volume);
  given("--separation", settings.separation);
  given("--details", settings.details);
  given("--motion", !settings.method.motions.empty());
}

/// The number of frames, runs of missing ones counted.
std::uint64_t count_of(const read::Sequence& sequence) {
  std::uint64_t count = 0;
  for (const read::SequenceFrame& frame : sequence.frames) count += frame.count;
  return count;
}

class OverTime {
 public:
  OverTime(const Settings& settings, const read::Sequence& sequence)
      : settings_(settings),
        sequence_(sequence),
        outputs_(settings, files(settings, sequence)),
        triager_(settings),
        progress_(settings.prints_summary()) {
    for (Outputs::File* table : {&outputs_.csv_parts, &outputs_.csv_pairs})  // here --csv is one table
      if (*table) outputs_.drop(*table);
  }

  int run() {
    for (const std::string& note : sequence_.notes)
      print_error(fmt::format("warning: {}: {}", report::printable(sequence_.name), report::printable(note)));
    for (const std::filesystem::path& path : settings_.inputs)
      rest_.push_back(path.string() == sequence_.name ? Assembly() : read_assembly(path, read_options_));
    print(fmt::format("{}: {}\n", ink(Ink::bold, report::printable(sequence_.name)),
                      counted(count_of(sequence_), "frame")));
    for (const read::SequenceFrame& frame : sequence_.frames) {
      check_or_report(frame);
      print(frame_line(timeline_.frames().back()) + details_);
    }
    triager_.finish();
    write();
    progress_.clear();
    print(summary() + outputs_.summary());
    if (failed_ > 0) return kError;
    return timeline_.pairs().empty() ? kClean : kFound;
  }

 private:
  static std::vector<std::filesystem::path> files(const Settings& settings, const read::Sequence& sequence) {
    std::vector<std::filesystem::path> list = settings.inputs;
    for (const read::SequenceFrame& frame : sequence.frames) list.push_back(frame.path);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  void print(const std::string& text) {
    progress_.clear();
    if (settings_.prints_summary()) print_out(text);
  }

  void check_or_report(const read::SequenceFrame& frame) {
    std::string message = frame.error;
    details_.clear();
    if (message.empty()) {
      try {
        timeline_.add(check(frame));
        return;
      } catch (const Error& error) {
        message = error.what();
      } catch (const std::bad_alloc&) {
        message = fmt::format("{}: not enough memory", frame.path.string());
      }
    }
    failed_ += frame.count;
    progress_.clear();
    print_error(message);
    timeline_.add({.label = frame.label, .error = message, .count = frame.count});
  }

  report::TimelineFrame check(const read::SequenceFrame& frame) {
    Stopwatch watch;
    progress_.step("reading " + report::printable(frame.label));
    const Assembly moving =
        sequence_.movie ? sequence_.movie->assembly(frame.moment) : read_assembly(frame.path, read_options_);
    stop_if_interrupted();
    ClashResult result;
    for (std::size_t i = 0; i < settings_.inputs.size(); ++i) {
      const bool moves = settings_.inputs[i].string() == sequence_.name;
      const Assembly& parts = moves ? moving : rest_[i];
      // The sequence is the file of all its frames, so that labels stay the same.
      for (std::size_t k = 0; k < parts.size(); ++k)
        result.parts.push_back(
            {.file = settings_.inputs[i].string(), .name = parts.name(k), .mesh = parts.view(k), .facts = {}});
    }
    if (result.parts.size() < 2 && !settings_.self)
      throw Error(
          fmt::format("{}: has one part, so there is no pair to compare. 'sightline check' finds the "
                      "self-intersections of a mesh; 'clash' takes more files, or --self",
                      frame.path.string()));
    result.names = report::labels(result.parts);
    for (std::size_t i = 0; i < result.parts.size(); ++i) result.parts[i].label = result.names[i];
    Report report = collide(settings_, result.parts, triager_, progress_);
    classify_pairs(settings_, result, report, progress_);
    if (!result.pairs_known)
      throw Error("the method can miss contacts, so pairs cannot be compared over time; use an exact method");
    triager_.apply(result.parts, 0, report, &result.pairs);
    if (settings_.verbose) details_ = time_line(report.stats, true) + choices_line(report.stats);
    return {
        .label = frame.label, .found = report.found, .milliseconds = watch.lap(), .pairs = frame_pairs(result, report)};
  }

  static std::vector<report::FramePair> frame_pairs(const ClashResult& result, const Report& report) {
    std::vector<report::FramePair> list;
    std::vector<std::uint64_t> self(result.parts.size());
    for (const Contact& contact : report.contacts)
      if (contact.object_a == contact.object_b) ++self[contact.object_a];
    for (std::size_t i = 0; i < self.size(); ++i)
      if (self[i] > 0)
        list.push_back({.a = result.names[i],
                        .b = result.names[i],
                        .self = true,
                        .relation = Relation::clash,
                        .contacts = self[i],
                        .gap = std::numeric_limits<double>::quiet_NaN()});
    for (const PartPair& pair : result.pairs) {
      std::uint64_t contacts = 0;
      for (const std::uint64_t count : pair.contacts) contacts += count;
      list.push_back({.a = result.names[pair.a],
                      .b = result.names[pair.b],
                      .relation = pair.relation,
                      .contacts = contacts,
                      .gap = pair.gap});
    }
    return list;
  }

  std::string frame_line(const report::TimelineFrame& frame) const {
    const std::string label = shown(frame.label, 40);
    if (!frame.error.empty()) return fmt::format("  {}  {}\n", label, ink(Ink::red, "not checked"));
    std::map<std::string, std::uint64_t> counts;
    for (const report::FramePair& pair : frame.pairs)
      ++counts[pair.self ? "self" : std::string(to_string(pair.relation))];
    std::string text;
    for (const char* word : {"clash", "self", "contains", "touch", "near"})
      if (counts.contains(word)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(counts[word]), word);
    return fmt::format("  {}  {:>8}  {}\n", label, duration(frame.milliseconds),
                       text.empty() ? ink(Ink::green, "all clear") : ink(Ink::red, text));
  }

  void write() {
    Stopwatch watch;
    progress_.step("writing");
    if (outputs_.json)
      report::write_timeline_json(*outputs_.json, timeline_, version(), sequence_.name, settings_.clearance);
    if (outputs_.csv) report::write_timeline_csv(*outputs_.csv, timeline_);
    stop_if_interrupted();
    outputs_.commit();
    outputs_.milliseconds = watch.lap();
  }

  struct Row {
    report::PairHistory history;
    std::uint64_t pairs = 1;
  };
  /// With --group, pairs of one relation whose names differ in numbers only are joined: all their frames, and the worst
  /// of the pairs.
  std::vector<Row> rows() const {
    std::vector<Row> rows;
    std::map<std::tuple<bool, Relation, std::string, std::string>, std::size_t> groups;
    for (report::PairHistory& history : timeline_.pairs()) {
      report::FramePair& worst = history.worst;
      if (settings_.group) {
        worst.a = report::group_of(worst.a);
        worst.b = report::group_of(worst.b);
        if (worst.b < worst.a) std::swap(worst.a, worst.b);
        const auto [group, is_new] = groups.try_emplace({worst.self, worst.relation, worst.a, worst.b}, rows.size());
        if (!is_new) {
          Row& row = rows[group->second];
          std::vector<std::uint32_t> all;
          std::ranges::set_union(row.history.frames, history.frames, std::back_inserter(all));
          row.history.frames = std::move(all);
          ++row.pairs;
          continue;
        }
      }
      rows.push_back({std::move(history)});
    }
    return rows;
  }

  std::string summary() const {
    const std::vector<Row> pairs = rows();
    const std::vector<report::TimelineFrame>& frames = timeline_.frames();
    std::vector<std::string> titles = {"relation", "part", "part", "frames", "which", "worst"};
    if (settings_.group) titles.insert(titles.begin() + 3, "pairs");
    Table table(settings_.group ? "<<<>><<" : "<<<><<", titles);
    for (std::size_t i = 0; i < std::min(kMostRows, pairs.size()); ++i) {
      const report::PairHistory& pair = pairs[i].history;
      std::string worst = shown(frames[pair.worst_frame].label, 40);
      if (pair.worst.contacts > 0) worst += ", " + counted(pair.worst.contacts, "contact");
      if (std::isfinite(pair.worst.gap) && pair.worst.gap > 0 && pair.worst.contacts == 0)
        worst += fmt::format(", gap {:.6g}", pair.worst.gap);
      std::vector<std::string> cells = {pair.worst.self ? "self" : std::string(to_string(pair.worst.relation)),
                                        shown(pair.worst.a, 32),
                                        pair.worst.self ? "itself" : shown(pair.worst.b, 32),
                                        grouped(pair.frames.size()),
                                        report::runs_of(pair.frames),
                                        worst};
      if (settings_.group) cells.insert(cells.begin() + 3, grouped(pairs[i].pairs));
      table.add(std::move(cells), relation_ink(pair.worst.relation));
    }
    std::uint64_t with = 0, checked = 0;
    double milliseconds = 0;
    for (const report::TimelineFrame& frame : frames) {
      checked += frame.error.empty();
      with += !frame.pairs.empty();
      milliseconds += frame.milliseconds;
    }
    std::string text =
        pairs.empty()
            ? ""
            : "\n" + table.text() +
                  and_more(pairs.size(), settings_.group ? "--csv" : "--csv, or --group to join pairs by name");
    text += fmt::format("\n  {}: {} clear, {} with pairs that are not clear", counted(checked + failed_, "frame"),
                        grouped(checked - with), grouped(with));
    if (failed_ > 0) text += fmt::format(", {} not checked", grouped(failed_));
    return text + fmt::format("; {}\n", duration(milliseconds));
  }

  const Settings& settings_;
  const read::Sequence& sequence_;
  const ReadOptions read_options_ = read_options(settings_);
  Outputs outputs_;
  Triager triager_;
  Progress progress_;
  std::vector<Assembly> rest_;  // per input; empty for the one that moves
  report::Timeline timeline_;
  std::uint64_t failed_ = 0;
  std::string details_;  // with --verbose, of the last frame
};

}  // namespace

int clash_over_time(const Settings& settings, const read::Sequence& sequence) {
  refuse(settings);
  return OverTime(settings, sequence).run();
}

}  // namespace sightline::tool
