// `sightline check`: each mesh against itself.
#include <algorithm>
#include <deque>
#include <new>
#include <optional>

#include "page/page.h"
#include "read/sequence.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/labels.h"
#include "sightline/io.h"
#include "tool/caption.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/findings.h"
#include "tool/outputs.h"
#include "tool/pruning.h"
#include "tool/triage.h"
#include "tool/units.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

constexpr std::string_view kUnitOfMovies = "meter";  // of glTF

struct CheckItem {
  static constexpr std::size_t kAlone = ~std::size_t{0};
  std::filesystem::path path;     ///< as on the command line; for a frame, its file
  std::string label;              ///< for messages
  std::size_t sequence = kAlone;  ///< number of the sequence
  std::size_t frame = 0;          ///< in it
  std::size_t moment = 0;         ///< of an animated file
  std::string error = {};         ///< not empty: unreadable, reported and skipped
  std::uint64_t count = 1;        ///< length of a run of missing frames
};

// The inputs of `check`: the files of the command line, with sequences as their frames.
struct CheckItems {
  /// Inputs that are no sequence and cannot be read become items with an error.
  explicit CheckItems(const Settings& settings) {
    for (const std::filesystem::path& path : settings.inputs) {
      std::optional<read::Sequence> found;
      std::string message;
      try {
        found = read::find_sequence(path, settings.frame_rate, settings.rest_only, read_options(settings));
      } catch (const Error& error) {
        message = error.what();
      }
      if (!found) {
        list.push_back({.path = path, .label = path.filename().string(), .error = message});
        continue;
      }
      for (std::size_t i = 0; i < found->frames.size(); ++i) {
        const read::SequenceFrame& frame = found->frames[i];
        list.push_back({.path = frame.path,
                        .label = frame.label,
                        .sequence = sequences.size(),
                        .frame = i,
                        .moment = frame.moment,
                        .error = frame.error,
                        .count = frame.count});
      }
      sequences.push_back(std::move(*found));
    }
  }

  /// The files that will be read, for the outputs: none of them may be written.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files;
    for (const CheckItem& item : list)
      if (files.empty() || files.back() != item.path) files.push_back(item.path);
    return files;
  }
  /// Number of meshes and frames, including those that are missing.
  std::size_t count() const {
    std::size_t sum = 0;
    for (const CheckItem& item : list) sum += item.count;
    return sum;
  }
  bool one_sequence() const { return sequences.size() == 1 && sequences[0].frames.size() == list.size(); }

  std::vector<CheckItem> list;
  std::vector<read::Sequence> sequences;
};

class Check {
  static constexpr std::size_t kNoMesh = ~std::size_t{0};

 public:
  explicit Check(const Settings& settings)
      : settings_(settings),
        items_(settings),
        outputs_(settings, items_.files()),
        triager_(settings),
        findings_(settings),
        progress_(settings.prints_summary()) {
    if (outputs_.json) json_.emplace(*outputs_.json, write_options(settings, &progress_), settings.details);
    if (outputs_.csv) csv_.emplace(*outputs_.csv, write_options(settings, &progress_));
    if (outputs_.csv_curves) csv_curves_.emplace(*outputs_.csv_curves, write_options(settings));
    if (outputs_.report) open_page();
  }

  int run() {
    if (json_) json_->begin_check(version());
    for (const CheckItem& item : items_.list) {
      begin_sequence(item);
      check_or_report(item);
      end_sequence(item);
    }
    triager_.finish();
    if (json_) json_->end_check(triager_.ignore_facts(), sequences_);
    write_rest();
    progress_.clear();
    findings_.print();
    if (settings_.prints_summary()) {
      if (items_.list.size() > 1 && !items_.one_sequence())
        print_out(check_total(items_.count(), with_contacts_, failed_));
      print_out(outputs_.summary());
    }
    outputs_.show(settings_);
    return failed_ > 0 ? kError : with_contacts_ > 0 ? kFound : kClean;
  }

 private:
  std::size_t number_of(const CheckItem& item) const { return static_cast<std::size_t>(&item - items_.list.data()); }
  static bool in_sequence(const CheckItem& item) { return item.sequence != CheckItem::kAlone; }

  void print(const std::string& text) {
    progress_.clear();
    if (settings_.prints_summary()) print_out(text);
  }

  void begin_sequence(const CheckItem& item) {
    if (!in_sequence(item) || item.frame != 0) return;
    const read::Sequence& sequence = items_.sequences[item.sequence];
    summary_.emplace(sequence);
    sequences_.push_back({.name = sequence.name, .first_mesh = number_of(item), .found = {}});
    print((number_of(item) > 0 ? "\n" : "") + summary_->title());
    for (const std::string& note : sequence.notes) {
      print_error(fmt::format("warning: {}: {}", report::printable(sequence.name), report::printable(note)));
      if (page_) page_->add_note(note);
    }
  }
  void end_sequence(const CheckItem& item) {
    if (!in_sequence(item) || item.frame + 1 < items_.sequences[item.sequence].frames.size()) return;
    sequences_.back().found = summary_->found();
    print(summary_->total());
    summary_.reset();
  }

  // An error in one mesh is printed and the remaining meshes are checked.
  void check_or_report(const CheckItem& item) {
    std::string message = item.error;
    const std::size_t meshes = meshes_.size();
    if (message.empty()) {
      try {
        return check_one(item);
      } catch (const OutOfDeviceMemory& error) {
        message = fmt::format("{}: {}", item.path.string(), error.what());
      } catch (const Error& error) {
        stop_if_interrupted();  // a measure that is cancelled throws, too
        message = error.what();
      } catch (const std::bad_alloc&) {
        message = fmt::format("{}: not enough memory", item.path.string());
      }
    }
    failed_ += item.count;
    meshes_.resize(meshes);
    // The list of parts counts all inputs, so that numbers are the same in all files.
    if (parts_.size() == number_of(item))
      add_part({.file = item.path.string(), .name = item.path.stem().string(), .mesh = {}, .facts = {}});
    parts_.back().mesh = {};
    parts_.back().facts = {};
    parts_.back().self_overlap.reset();
    progress_.clear();
    print_error(message);
    if (in_sequence(item)) print(summary_->failed(item.label, item.count));
    if (json_) {
      name_frame(item);
      json_->failed(item.path.string(), message);
    }
    if (page_) page_->frame({.label = item.label, .complete = false, .error = message});
    findings_.add_error(item.path.string(), in_sequence(item) ? item.label : item.path.stem().string(), message);
  }

  void add_part(report::Part part) {
    part.label = labels_.next(part);
    parts_.push_back(std::move(part));
  }

  void name_frame(const CheckItem& item) {
    if (in_sequence(item)) json_->frame({item.sequence, item.frame, item.label});
  }

  Mesh read(const CheckItem& item) {
    if (!in_sequence(item) || !items_.sequences[item.sequence].movie) {
      read::MeshInUnit found = read::read_in_unit(item.path, read_options_);
      unit_ = unit_suffix(found.unit);
      return std::move(found.mesh);
    }
    unit_ = unit_suffix(kUnitOfMovies);
    Mesh mesh = items_.sequences[item.sequence].movie->mesh(item.moment);
    mesh.name += " " + item.label;
    return mesh;
  }

  // Frames of a sequence go through one scene, whose storage is used again.
  void find(const CheckItem& item, const Mesh& mesh) {
    papers::method::MethodSettings options = query_options(settings_, progress_);
    triager_.prepare(options);
    options.paper.record_dropped = page_.has_value() && settings_.method.method != MethodName::exact;
    if (!in_sequence(item)) scene_.reset();
    if (!scene_) scene_.emplace(settings_.chosen_device());
    if (scene_->size() == 0)
      scene_->add(mesh, {.self = true}, settings_.threads);
    else
      scene_->replace(0, mesh, settings_.threads);
    report_ = papers::method::run(*scene_, options);
  }

  void check_one(const CheckItem& item) {
    const std::string name = report::printable(item.label);
    Stopwatch watch;
    progress_.step("reading " + name);
    Mesh& mesh = meshes_.emplace_back(read(item));
    stop_if_interrupted();
    const double read_ms = watch.lap();

    add_part({.file = item.path.string(), .name = mesh.name, .mesh = mesh, .facts = {}});
    if (shows_facts(item)) {
      progress_.step("examining " + name);
      parts_.back().facts = report::facts(mesh, settings_.threads);
      stop_if_interrupted();
    }
    const double topology_ms = watch.lap();
    if (!in_sequence(item)) print((number_of(item) > 0 ? "\n" : "") + check_title(parts_.back()));

    progress_.step("checking " + name);
    find(item, mesh);
    if (report_.cancelled) throw Interrupted{};

    if (settings_.volume) {
      watch.lap();
      progress_.step("measuring " + name);
      report::Part::SelfOverlap& found = parts_.back().self_overlap.emplace();
      found.boundary = boundary(mesh);
      if (found.boundary.encloses())
        found.extent =
            self_overlap(mesh, {.threads = settings_.threads, .cancel = [] { return interrupt_signal() != 0; }});
      report_.stats.stages.push_back({"overlap", watch.lap(), 1, "meshes"});
    }

    Stats& stats = report_.stats;
    if (shows_facts(item))
      stats.stages.insert(stats.stages.begin(), {"topology", topology_ms, parts_.back().facts.vertices, "vertices"});
    stats.stages.insert(stats.stages.begin(), {"read", read_ms, mesh.triangles.size(), "triangles"});
    stats.milliseconds += read_ms + topology_ms;
    finish(item, report_);
  }

  // A sequence has a line for each frame, without facts.
  bool shows_facts(const CheckItem& item) const {
    return json_ || csv_ || page_ || (settings_.prints_summary() && !in_sequence(item));
  }

  void finish(const CheckItem& item, Report& report) {
    report::Triage triage = triager_.apply({&parts_.back(), 1}, number_of(item), report);
    if (triage.old != nullptr ? triage.added() > 0 : report.found > 0) ++with_contacts_;
    ignored_ += triage.ignored;
    findings_.add_mesh(parts_.back(), in_sequence(item) ? item.label : parts_.back().name, report, triage);
    triager_.cut(report, triage);
    const auto number = static_cast<std::uint32_t>(number_of(item));
    for (Contact& contact : report.contacts) contact.object_a = contact.object_b = number;
    const std::string curves = join_curves(report);
    if (in_sequence(item))
      print(summary_->frame(item.label, report, triage) + curves);
    else
      print(check_summary(settings_, parts_.back(), report, triager_.lines(triage) + curves));

    Stopwatch watch;
    const std::uint64_t items = items_of({{&parts_.back(), 1}, report.contacts}, page_.has_value());
    progress_.step("writing " + report::printable(item.label),
                   items * (json_.has_value() + csv_.has_value() + page_.has_value()));
    if (json_) {
      name_frame(item);
      json_->mesh({parts_, report.contacts}, number, report, triage);
    }
    if (csv_) csv_->add({parts_, report.contacts});
    if (page_) write_page(item, report, triage);
    outputs_.milliseconds += watch.lap();
    if (outputs_.geometry()) contacts_.insert(contacts_.end(), report.contacts.begin(), report.contacts.end());
    keep_for_image(report);
    if (!outputs_.geometry() && shown_ != number) {
      parts_.back().mesh = {};
      if (scene_ && scene_->size() > 0) scene_->replace(0, {});  // its views must not refer to freed memory
      meshes_.pop_back();
    }
  }

  // Writes the curves as CSV, and returns their lines of the summary.
  std::string join_curves(Report& report) {
    if (!settings_.details || (!csv_curves_ && !settings_.prints_summary())) return "";
    if (!report.complete) return no_curves_line();
    Stopwatch watch;
    const std::vector<report::CurvesOf> curves =
        report::join_curves({parts_, report.contacts}, write_options(settings_));
    stop_if_interrupted();
    const std::uint64_t count = curves.empty() ? 0 : curves[0].found.curves.size();
    report.stats.stages.push_back({"curves", watch.lap(), count, "curves"});
    report.stats.milliseconds += report.stats.stages.back().milliseconds;
    if (csv_curves_) csv_curves_->add(parts_, curves, report.contacts);
    stop_if_interrupted();
    outputs_.milliseconds += watch.lap();
    return curve_lines(curves, {}, unit_);
  }

  // A frame of the page for each mesh. Meshes of one command line are checked one by one, and need not lie beside each
  // other; a sequence is one thing that moves.
  void open_page() {
    const bool many = items_.list.size() > 1, moves = items_.one_sequence();
    const std::filesystem::path& first = settings_.inputs[0];
    page_.emplace(*outputs_.report, *viewer::shell(),
                  report::PageInfo{.title = settings_.inputs.size() == 1
                                                ? (first.filename().empty() ? first : first.filename()).string()
                                                : fmt::format("{} meshes", items_.list.size()),
                                   .version = version(),
                                   .expected_frames = items_.list.size(),
                                   .independent = many && !moves,
                                   .frames_per_second = moves  ? items_.sequences[0].rate
                                                        : many ? 1.0
                                                               : 25.0,
                                   .baseline = settings_.baseline.filename().string()},
                  write_options(settings_, &progress_));
  }

  void write_page(const CheckItem& item, const Report& report, const report::Triage& triage) {
    // A frame of a sequence is the same part as the last one, in another shape.
    std::vector<report::Part> only(items_.one_sequence() ? 1
                                                         : parts_.size());  // others may still be in memory for --ply
    only.back() = parts_.back();
    std::vector<Contact> contacts;
    if (items_.one_sequence()) {
      contacts = report.contacts;
      for (Contact& contact : contacts) contact.object_a = contact.object_b = 0;
    }
    const bool several = items_.list.size() > 1 && !items_.one_sequence();
    const std::size_t model = !several ? 0 : in_sequence(item) ? items_.list.size() + item.sequence : number_of(item);
    if (model != up_model_ && !parts_.back().mesh.triangles.empty()) {
      up_model_ = model;
      up_ = up_axis(settings_, parts_.back().file, {&parts_.back(), 1});
      page_->set_up(up_);
      page_->set_unit(page_unit_ = unit_);
    } else if (unit_ != page_unit_) {
      page_->set_unit("");
    }
    report::PagePruning pruning = pruning_of(report.method, {&parts_.back(), 1});
    if (!pruning.passes.empty()) pruning.dropped_by.insert(pruning.dropped_by.begin(), only.size() - 1, {});
    page_->frame({.label = items_.list.size() > 1 ? item.label : "",
                  .up = up_,
                  .unit = unit_,
                  .parts = only,
                  .contacts = items_.one_sequence() ? contacts : report.contacts,
                  .found = report.found,
                  .complete = report.complete,
                  .can_miss = report.method.can_miss,
                  .milliseconds = report.stats.milliseconds,
                  .is_new = triage.old != nullptr ? &triage.comparison.is_new : nullptr,
                  .added = triage.comparison.added,
                  .stayed = triage.comparison.stayed,
                  .gone = triage.comparison.gone.size(),
                  .pruning = pruning.passes.empty() ? nullptr : &pruning});
  }

  // The picture shows the mesh with the most contacts, the first of them among equals.
  void keep_for_image(const Report& report) {
    if (!outputs_.image || (shown_ != kNoMesh && report.found <= shown_found_)) return;
    if (!outputs_.geometry() && shown_ != kNoMesh) {
      parts_[shown_].mesh = {};
      meshes_.pop_front();
    }
    shown_ = parts_.size() - 1;
    shown_found_ = report.found;
    shown_contacts_ = report.contacts;
    shown_notes_ = caption(parts_.back(), items_.list.size() > 1 ? items_.list[shown_].label : "", report);
    for (Contact& contact : shown_contacts_) contact.object_a = contact.object_b = 0;
  }

  void write_image() {
    if (!outputs_.image) return;
    if (shown_ == kNoMesh)
      return outputs_.drop(outputs_.image);  // no mesh could be read; the errors are printed already
    progress_.step("drawing", picture::kDrawSteps);
    const report::Part& part = parts_[shown_];
    outputs_.write_image(settings_, {{&part, 1}, shown_contacts_}, part.file, shown_notes_, progress_);
    if (items_.list.size() > 1)
      print(fmt::format("\nThe picture shows {}.\n", report::printable(items_.list[shown_].label)));
  }

  void write_rest() {
    Stopwatch watch;
    progress_.step("writing", outputs_.geometry() ? items_of({parts_, contacts_}, true) : 0);
    if (csv_) report::write_csv_parts(*outputs_.csv_parts, parts_);
    if (outputs_.geometry()) outputs_.write_geometry({parts_, contacts_}, write_options(settings_, &progress_));
    write_image();
    if (page_ && ignored_ > 0) page_->add_note(ignored_note(settings_, ignored_));
    if (page_) page_->finish();
    stop_if_interrupted();
    outputs_.commit();
    outputs_.milliseconds += watch.lap();
  }

  const Settings& settings_;
  const ReadOptions read_options_ = read_options(settings_);
  CheckItems items_;
  Outputs outputs_;
  Triager triager_;
  Findings findings_;
  std::uint64_t ignored_ = 0;  ///< contacts, in all meshes
  Progress progress_;
  std::optional<report::JsonWriter> json_;
  std::optional<report::CsvContacts> csv_;
  std::optional<report::CsvCurves> csv_curves_;
  std::optional<report::PageWriter> page_;
  std::string unit_;                // of the mesh that was read last
  std::size_t up_model_ = kNoMesh;  // to which the axis belongs: a mesh, a sequence, or the whole page
  int up_ = 2;
  std::string page_unit_;    // of the first mesh of that model
  std::deque<Mesh> meshes_;  // kept only for PLY, OBJ and the picture; a deque, as parts hold views
  std::vector<report::Part> parts_;
  report::LabelsInOrder labels_;
  std::vector<Contact> contacts_;
  std::size_t shown_ = kNoMesh;  // the part in the picture
  std::uint64_t shown_found_ = 0;
  std::vector<Contact> shown_contacts_;
  picture::Notes shown_notes_;
  std::optional<Scene> scene_;
  Report report_;
  std::optional<SequenceSummary> summary_;  // of the sequence that is being checked
  std::vector<report::SequenceFacts> sequences_;
  std::size_t with_contacts_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

int check(const Settings& settings) { return settings.memory ? check_huge(settings) : Check(settings).run(); }

}  // namespace sightline::tool
