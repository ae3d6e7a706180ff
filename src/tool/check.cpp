// `sightline check`: each mesh against itself.
#include <algorithm>
#include <deque>
#include <new>
#include <optional>

#include "page/page.h"
#include "report/csv.h"
#include "report/json.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/findings.h"
#include "tool/outputs.h"
#include "tool/triage.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

class Check {
 public:
  explicit Check(const Settings& settings)
      : settings_(settings),
        outputs_(settings),
        triager_(settings),
        findings_(settings),
        progress_(settings.prints_summary()) {
    if (outputs_.json) json_.emplace(*outputs_.json, write_options(settings));
    if (outputs_.csv) csv_.emplace(*outputs_.csv, write_options(settings));
    if (outputs_.report) open_page();
  }

  int run() {
    if (json_) json_->begin_check(kVersion);
    for (const std::filesystem::path& path : settings_.inputs) check_or_tell(path);
    triager_.finish();
    if (json_) json_->end_check(triager_.ignore_facts());
    write_rest();
    progress_.clear();
    findings_.print();
    if (settings_.prints_summary()) {
      if (settings_.inputs.size() > 1) print_out(check_total(settings_.inputs.size(), with_contacts_, failed_));
      print_out(outputs_.summary());
    }
    return failed_ > 0 ? kError : with_contacts_ > 0 ? kFound : kClean;
  }

 private:
  // An error in one mesh is told, and the others still run.
  void check_or_tell(const std::filesystem::path& path) {
    std::string message;
    const std::size_t meshes = meshes_.size();
    try {
      return check_one(path);
    } catch (const OutOfDeviceMemory& error) {
      message = fmt::format("{}: {}", path.string(), error.what());
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::bad_alloc&) {
      message = fmt::format("{}: not enough memory", path.string());
    }
    ++failed_;
    meshes_.resize(meshes);
    // The list of parts counts all inputs, so that numbers are the same in all files.
    parts_.resize(number_of(path));
    parts_.push_back({.file = path.string(), .name = path.stem().string(), .mesh = {}, .facts = {}});
    progress_.clear();
    print_error(message);
    if (json_) json_->failed(path.string(), message);
    if (page_) page_->frame({.label = path.filename().string(), .complete = false, .error = message});
    findings_.add_error(path.string(), path.stem().string(), message);
  }

  std::size_t number_of(const std::filesystem::path& path) const { return &path - settings_.inputs.data(); }

  void check_one(const std::filesystem::path& path) {
    const std::string name = report::printable(path.filename().string());
    Stopwatch watch;
    progress_.step("reading " + name);
    Mesh& mesh = meshes_.emplace_back(read_mesh(path));
    stop_if_interrupted();
    const double read_ms = watch.lap();

    progress_.step("checking " + name);
    Options options = query_options(settings_, progress_);
    triager_.prepare(options);
    Report report = self_intersections(mesh, options);
    if (report.cancelled) throw Interrupted{};
    watch.lap();

    progress_.step("looking at " + name);
    parts_.push_back({.file = path.string(), .name = mesh.name, .mesh = mesh, .facts = report::facts(mesh)});
    stop_if_interrupted();
    const double topology_ms = watch.lap();

    Stats& stats = report.stats;
    stats.stages.insert(stats.stages.begin(), {"read", read_ms, mesh.triangles.size(), "triangles"});
    stats.stages.push_back({"topology", topology_ms, parts_.back().facts.vertices, "vertices"});
    stats.milliseconds += read_ms + topology_ms;
    finish(path, report);
  }

  void finish(const std::filesystem::path& path, Report& report) {
    if (!settings_.baseline.empty() && report.method.can_miss)
      throw Error(
          fmt::format("{}: the method can miss contacts, so its list cannot be compared", settings_.baseline.string()));
    report::Triage triage = triager_.apply({&parts_.back(), 1}, number_of(path), report);
    if (triage.old != nullptr ? triage.added() > 0 : report.found > 0) ++with_contacts_;
    findings_.add_mesh(parts_.back(), report, triage);
    triager_.cut(report, triage);
    progress_.clear();
    if (settings_.prints_summary())
      print_out((number_of(path) > 0 ? "\n" : "") +
                check_summary(settings_, parts_.back(), report, triager_.lines(triage)));

    Stopwatch watch;
    const auto number = static_cast<std::uint32_t>(number_of(path));
    for (Contact& contact : report.contacts) contact.object_a = contact.object_b = number;
    progress_.step("writing");
    if (json_) json_->mesh({parts_, report.contacts}, number, report, triage);
    if (csv_) csv_->add({parts_, report.contacts});
    if (page_) write_page(path, report);
    outputs_.milliseconds += watch.lap();
    if (outputs_.geometry()) {
      contacts_.insert(contacts_.end(), report.contacts.begin(), report.contacts.end());
    }
    keep_for_image(report);
    if (!outputs_.geometry() && shown_ != number) {
      parts_.back().mesh = {};
      meshes_.pop_back();
    }
  }

  // A frame of the page for each mesh: they are checked one by one, and need not lie beside each other.
  void open_page() {
    const std::vector<std::filesystem::path>& inputs = settings_.inputs;
    page_.emplace(*outputs_.report, *viewer::shell(),
                  report::PageInfo{.title = inputs.size() == 1 ? inputs[0].filename().string()
                                                               : fmt::format("{} meshes", inputs.size()),
                                   .version = std::string(kVersion),
                                   .up = up_axis(settings_, inputs[0].string()),
                                   .expected_frames = inputs.size(),
                                   .independent = inputs.size() > 1,
                                   .frames_per_second = inputs.size() > 1 ? 1.0 : 25.0},
                  write_options(settings_));
  }

  void write_page(const std::filesystem::path& path, const Report& report) {
    std::vector<report::Part> only(parts_.size());  // the others may still be in memory for --ply
    only.back() = parts_.back();
    page_->frame({.label = settings_.inputs.size() > 1 ? path.filename().string() : "",
                  .parts = only,
                  .contacts = report.contacts,
                  .found = report.found,
                  .complete = report.complete,
                  .can_miss = report.method.can_miss,
                  .milliseconds = report.stats.milliseconds});
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
    for (Contact& contact : shown_contacts_) contact.object_a = contact.object_b = 0;
  }

  void write_image() {
    if (!outputs_.image) return;
    if (shown_ == kNoMesh) return outputs_.drop(outputs_.image);  // nothing could be read, which has been told
    progress_.step("drawing");
    const report::Part& part = parts_[shown_];
    outputs_.write_image(settings_, {{&part, 1}, shown_contacts_}, part.file);
    if (settings_.inputs.size() > 1 && settings_.prints_summary()) {
      progress_.clear();
      print_out(fmt::format("\nThe picture shows {}.\n", report::printable(part.file)));
    }
  }

  void write_rest() {
    Stopwatch watch;
    progress_.step("writing");
    if (csv_) report::write_csv_parts(*outputs_.csv_parts, parts_);
    if (outputs_.geometry()) outputs_.write_geometry({parts_, contacts_}, write_options(settings_));
    write_image();
    if (page_) page_->finish();
    stop_if_interrupted();
    outputs_.commit();
    outputs_.milliseconds += watch.lap();
  }

  const Settings& settings_;
  Outputs outputs_;
  Triager triager_;
  Findings findings_;
  Progress progress_;
  std::optional<report::JsonWriter> json_;
  std::optional<report::CsvContacts> csv_;
  std::optional<report::PageWriter> page_;
  std::deque<Mesh> meshes_;  // kept only for PLY, OBJ and the picture; a deque, as parts hold views
  std::vector<report::Part> parts_;
  std::vector<Contact> contacts_;
  static constexpr std::size_t kNoMesh = ~std::size_t{0};
  std::size_t shown_ = kNoMesh;  // the part in the picture
  std::uint64_t shown_found_ = 0;
  std::vector<Contact> shown_contacts_;
  std::size_t with_contacts_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

int check(const Settings& settings) { return Check(settings).run(); }

}  // namespace sightline::tool
