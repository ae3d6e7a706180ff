// One query: image, pairs, exact decision, canonical list. The steps are those of docs/architecture.md.
#include "scene/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "cull/visibility.h"
#include "image/bin.h"
#include "mesh/weld.h"
#include "pair/divider.h"
#include "parallel.h"
#include "report/canonical.h"
#include "scene/stage_clock.h"

namespace sightline {

struct Workspace {
  TriangleTable table;
  Bins bins;
  Buffer<std::uint32_t> welded;  ///< only for soups whose frames are rounded (pair/loader.h)
  std::vector<std::vector<Contact>> found;
};
void WorkspaceDelete::operator()(Workspace* workspace) const { delete workspace; }
WorkspacePtr make_workspace() { return WorkspacePtr(new Workspace); }

namespace {

/// Tells the caller how far a query is, and asks whether to go on.
class Watch {
 public:
  Watch(const Options& options, std::size_t tasks) : options_(options), tasks_(tasks) {}
  /// True if the query is to end. Called before each task.
  bool stop() {
    if (stopped_.load(std::memory_order_relaxed)) return true;
    if (options_.cancel && options_.cancel()) stopped_.store(true, std::memory_order_relaxed);
    return stopped_.load(std::memory_order_relaxed);
  }
  void done_one() {
    const std::size_t done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!options_.progress) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || done <= told_) return;
    told_ = done;
    options_.progress(static_cast<double>(done) / static_cast<double>(tasks_));
  }
  bool stopped() const { return stopped_.load(); }
  /// All done: the last word is 1, whichever task happened to be told last.
  void finish() {
    if (options_.progress && !stopped() && told_ < tasks_) options_.progress(1.0);
  }

 private:
  const Options& options_;
  std::size_t tasks_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::size_t told_ = 0;
};

void weld_soup(const TriangleTable& table, Workers& workers, Buffer<std::uint32_t>& welded) {
  welded.resize(table.vertex_count);
  const std::size_t parts = std::min(workers.count(), 16u);
  workers.for_each(parts, [&](std::size_t part) {
    for (const auto& object : table.objects) {
      std::uint32_t* first = welded.data() + object.first_vertex;
      if (object.f64 != nullptr)
        weld_part(std::span(object.f64, object.vertex_count), part, parts, first);
      else
        weld_part(std::span(object.f32, object.vertex_count), part, parts, first);
    }
  });
}

/// Columns cut into tasks of about equal numbers of entries.
std::vector<std::size_t> cut_tasks(const Bins& bins, std::size_t columns) {
  constexpr std::uint64_t kEntriesPerTask = 2048;
  std::vector<std::size_t> first = {0};
  std::uint64_t next = kEntriesPerTask;
  for (std::size_t column = 1; column < columns; ++column)
    if (bins.column_begin[column] >= next) {
      first.push_back(column);
      next = bins.column_begin[column] + kEntriesPerTask;
    }
  first.push_back(columns);
  return first;
}

struct Totals {
  std::uint64_t candidates = 0, exact = 0, groups = 0, members = 0;
};

/// Runs all columns. With `first`, tasks after the earliest one with a contact are skipped, and that task ends at its
/// first column with a contact: which one that is, does not depend on timing.
Totals run_columns(const Workspace& workspace, const Frame& frame, const Options& options, Workers& workers,
                   Watch& watch, const std::vector<std::size_t>& tasks, std::vector<std::vector<Contact>>& found) {
  DividerPool pool(workspace.table, frame, workspace.welded.size() == 0 ? nullptr : workspace.welded.data(),
                   group_kernel(options.simd), workers, [&watch] { return watch.stop(); });
  std::atomic<std::size_t> earliest{tasks.size()};
  std::mutex mutex;
  workers.for_each(tasks.size() - 1, [&](std::size_t task) {
    if (watch.stop() || task > earliest.load(std::memory_order_relaxed)) return;
    std::unique_ptr<Divider> divider = pool.take();
    const Bins& bins = workspace.bins;
    for (std::size_t column = tasks[task]; column < tasks[task + 1]; ++column) {
      const std::uint64_t begin = bins.column_begin[column];
      divider->column(bins.entries.data() + begin, bins.column_begin[column + 1] - begin,
                      static_cast<std::int32_t>(column % frame.size[0]),
                      static_cast<std::int32_t>(column / frame.size[0]));
      if (options.first && !divider->settler().found.empty()) break;
    }
    if (options.first && !divider->settler().found.empty()) {
      const std::lock_guard lock(mutex);
      if (task < earliest.load()) {
        earliest.store(task);
        found.assign(1, std::move(divider->settler().found));
      }
      divider->settler().found.clear();
    }
    watch.done_one();
    pool.give(std::move(divider));
  });
  Totals totals;
  for (const auto& divider : pool.all()) {
    totals.candidates += divider->candidates();
    totals.exact += divider->settler().exact_count;
    totals.groups += divider->groups();
    totals.members += divider->members();
    if (!options.first) found.push_back(std::move(divider->settler().found));
  }
  return totals;
}

std::uint64_t bytes_of(const Workspace& workspace, const std::vector<std::vector<Contact>>& found) {
  const Bins& bins = workspace.bins;
  std::uint64_t bytes = bins.entries.capacity_bytes() + bins.column_begin.capacity() * 8 +
                        bins.vertex_cells.capacity_bytes() + bins.counts.capacity() * 4 +
                        workspace.welded.capacity_bytes();
  for (const auto& part : found) bytes += part.capacity() * sizeof(Contact) * 2;  // and the sort's keys
  return bytes;
}

}  // namespace

void check_options(const Options& options) {
  if (group_kernel(options.simd) == nullptr)
    throw Error(fmt::format("options: simd {} is not available on this machine", to_string(options.simd)));
  if (!(options.cell >= 0) || options.cell > 1e6)
    throw Error(fmt::format("options: cell {} is not a size in mean triangle extents (0 chooses)", options.cell));
  constexpr unsigned kMostThreads = 1024;
  if (options.threads > kMostThreads)
    throw Error(fmt::format("options: {} threads; at most {}", options.threads, kMostThreads));
}

std::uint64_t most_contacts(const Options& options) {
  return options.first ? std::min<std::uint64_t>(1, options.max_contacts) : options.max_contacts;
}

void finish_report(Report& report, const Options& options, std::uint64_t found, bool stopped) {
  const std::uint64_t most = most_contacts(options);
  report.cancelled = stopped;
  report.complete = !stopped && found <= most && !(options.first && found > 0);
  if (report.contacts.size() > most) report.contacts.resize(most);
  report.found = options.first ? std::min<std::uint64_t>(found, 1) : found;
}

void run_query(std::span<const QueryObject> objects, const Options& options, Workspace& workspace, Report& report) {
  check_options(options);
  report.contacts.clear();
  report.stats = Stats{};
  report.stats.simd = to_string(options.simd == Simd::best ? best_simd() : options.simd);
  StageClock clock(report.stats);
  workspace.table.assign(objects);
  Workers workers(options.threads, workspace.table.triangle_count);
  report.stats.threads = workers.count();
  report.stats.triangles = workspace.table.triangle_count;
  const bool pointless =
      workspace.table.objects.empty() || (workspace.table.objects.size() == 1 && !workspace.table.any_self);
  if (pointless) return finish_report(report, options, 0, false);

  // Image: the grid, and every triangle in the cells that it covers.
  const Frame frame = make_frame(workspace.table, options, workers);
  clock.stage("frame", frame.columns(), "columns");
  place_vertices(workspace.table, frame, workers, workspace.bins);
  Selection selection = select_triangles(workspace.table, workspace.bins, workers);
  clock.stage("place", workspace.table.vertex_count, "vertices");
  VisibilityOutcome outcome;
  if (workspace.table.objects.size() > 1) {
    outcome = cull_by_visibility(workspace.table, frame, workspace.bins, options.visibility, workers, selection);
    clock.stage("visibility", outcome.count, outcome.unit);
  }
  bin_triangles(workspace.table, frame, selection, workers, workspace.bins);
  clock.stage("bin", workspace.bins.column_begin.back(), "entries");

  workspace.welded.resize(0);
  if (Loader::wants_weld(workspace.table, frame)) {
    weld_soup(workspace.table, workers, workspace.welded);
    clock.stage("weld", workspace.table.vertex_count, "vertices");
  }

  // Pairs: groups within the columns, filtered and settled.
  const std::vector<std::size_t> tasks = cut_tasks(workspace.bins, frame.columns());
  Watch watch(options, tasks.size() - 1);
  workspace.found.clear();
  const Totals totals = run_columns(workspace, frame, options, workers, watch, tasks, workspace.found);
  watch.finish();
  clock.stage("pair", totals.candidates, "pairs");
  report.stats.candidates = totals.candidates;
  report.stats.decided_exact = totals.exact;
  report.stats.decided_filtered = totals.candidates - totals.exact;
  report.stats.peak_bytes = bytes_of(workspace, workspace.found) + outcome.bytes;

  // Report: canonical order.
  canonical_contacts(workspace.table, workspace.found, workers, report.contacts);
  clock.stage("sort", report.contacts.size(), "contacts");
  finish_report(report, options, report.contacts.size(), watch.stopped());
}

}  // namespace sightline
