// One query: image, pairs, exact decision, canonical list. The steps are those of docs/architecture.md.
#include "query/query.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "cull/visibility.h"
#include "image/bin.h"
#include "input/watch.h"
#include "mesh/weld.h"
#include "order/canonical.h"
#include "pair/divider.h"

namespace sightline {

struct Workspace {
  TriangleTable table;
  Bins bins;
  Buffer<std::uint32_t> welded;  ///< only for soups whose frames are rounded (pair/loader.h)
  std::vector<std::vector<Contact>> found;
};
WorkspacePtr make_workspace() { return std::make_shared<Workspace>(); }

namespace {

void weld_soup(const TriangleTable& table, Workers& workers, Watch& watch, Buffer<std::uint32_t>& welded) {
  welded.resize(table.vertex_count);
  const std::function<bool()> cancel = [&watch] { return watch.stop(); };
  try {
    workers.for_each(table.objects.size(), [&](std::size_t i) {
      const TriangleTable::Object& object = table.objects[i];
      std::uint32_t* first = welded.data() + object.first_vertex;
      object.with_positions([&](const auto& at) { weld(at, object.vertex_count, first, workers, Poll(cancel)); });
    });
  } catch (const Error&) {
    if (!watch.stopped()) throw;
  }
}

/// Columns cut into tasks of about equal numbers of entries.
std::vector<std::size_t> cut_tasks(const Bins& bins) {
  constexpr std::uint64_t kEntriesPerTask = 2048;
  const std::size_t columns = bins.column_begin.size() - 1;
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
  std::uint64_t candidates = 0, exact = 0, found = 0;
};

/// Runs all columns. With `first`, tasks after the earliest one with a contact are skipped, and that task ends at its
/// first group with a contact: which one that is, does not depend on timing.
Totals run_columns(const Workspace& workspace, const Frame& frame, const Settings& options, Workers& workers,
                   Watch& watch, std::vector<std::vector<Contact>>& found) {
  const Bins& bins = workspace.bins;
  const std::vector<std::size_t> tasks = cut_tasks(bins);
  watch.expect(tasks.size() - 1);
  DividerPool pool(workspace.table, frame, bins, workspace.welded.size() == 0 ? nullptr : workspace.welded.data(),
                   group_kernel(options.simd), workers,
                   {most_contacts(options), options.first, [&watch] { return watch.stop(); }});
  std::atomic<std::size_t> earliest{tasks.size()};
  std::mutex mutex;
  workers.for_each(tasks.size() - 1, [&](std::size_t task) {
    if (watch.stop() || task > earliest.load(std::memory_order_relaxed)) return;
    std::unique_ptr<Divider> divider = pool.take();
    Settler& settler = divider->settler();
    for (std::size_t column = tasks[task]; column < tasks[task + 1]; ++column) {
      divider->column(column);
      if (options.first && settler.count > 0) break;
    }
    if (options.first && settler.count > 0) {
      const std::lock_guard lock(mutex);
      if (task < earliest.load()) {
        earliest.store(task);
        found.assign(1, std::move(settler.found));
      }
      settler.found.clear();
      settler.count = 0;
    }
    watch.done_one();
    pool.give(std::move(divider));
  });
  watch.finish();
  Totals totals;
  for (const auto& divider : pool.all()) {
    totals.candidates += divider->candidates();
    totals.exact += divider->settler().exact_count;
    totals.found += divider->settler().count;
    divider->settler().cut();
    if (!options.first) found.push_back(std::move(divider->settler().found));
  }
  if (options.first) totals.found = found.empty() ? 0 : 1;
  return totals;
}

std::uint64_t bytes_of(const Workspace& workspace, const std::vector<std::vector<Contact>>& found) {
  const Bins& bins = workspace.bins;
  std::uint64_t bytes = bins.entries.capacity_bytes() + bins.column_begin.capacity() * 8 +
                        bins.vertex_cells.capacity_bytes() + bins.counts.capacity_bytes() +
                        bins.large_boxes.capacity_bytes() + workspace.welded.capacity_bytes();
  for (const auto& part : found) bytes += part.capacity() * sizeof(Contact) * 2;  // and the sort's keys
  return bytes;
}

}  // namespace

void check_settings(const Settings& options) {
  if (group_kernel(options.simd) == nullptr)
    throw Error(formatted("options: simd {} is not available on this machine", to_string(options.simd)));
  if (!(options.cell >= 0) || options.cell > 1e6)
    throw Error(formatted("options: cell {} is not a size in mean triangle extents (0 chooses)", options.cell));
  constexpr unsigned kMostThreads = 1024;
  if (options.threads > kMostThreads)
    throw Error(formatted("options: {} threads; at most {}", options.threads, kMostThreads));
}

void run_query(std::span<const QueryObject> objects, const Settings& options, Workspace& workspace, Report& report) {
  check_settings(options);
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

  // Image: the grid, and every triangle in the columns that it covers.
  Watch watch(options);
  const auto ended = [&] {
    if (watch.stopped()) finish_report(report, options, 0, true);
    return watch.stopped();
  };
  const Frame frame = make_frame(workspace.table, options, workers, watch);
  if (ended()) return;
  clock.stage("frame", frame.levels.columns(), "columns");
  place_vertices(workspace.table, frame, workers, watch, workspace.bins);
  if (ended()) return;
  Selection selection = select_triangles(workspace.table, workspace.bins, workers);
  clock.stage("place", workspace.table.vertex_count, "vertices");
  VisibilityOutcome outcome;
  if (workspace.table.objects.size() > 1) {
    outcome = cull_by_visibility(workspace.table, frame, workspace.bins, options.visibility, workers, watch, selection);
    if (ended()) return;
    clock.stage("visibility", outcome.count, outcome.unit);
  }
  bin_triangles(workspace.table, frame, selection, workers, watch, workspace.bins);
  if (ended()) return;
  clock.stage("bin", workspace.bins.column_begin.back(), "entries");

  workspace.welded.resize(0);
  if (Loader::wants_weld(workspace.table, frame)) {
    weld_soup(workspace.table, workers, watch, workspace.welded);
    if (ended()) return;
    clock.stage("weld", workspace.table.vertex_count, "vertices");
  }

  // Pairs: groups within the columns, filtered and settled.
  workspace.found.clear();
  const Totals totals = run_columns(workspace, frame, options, workers, watch, workspace.found);
  clock.stage("pair", totals.candidates, "pairs");
  report.stats.candidates = totals.candidates;
  report.stats.decided_exact = totals.exact;
  report.stats.decided_filtered = totals.candidates - totals.exact;
  report.stats.peak_bytes = bytes_of(workspace, workspace.found) + outcome.bytes;

  // Report: canonical order.
  canonical_contacts(workspace.table, workspace.found, workers, watch, report.contacts);
  clock.stage("sort", report.contacts.size(), "contacts");
  finish_report(report, options, totals.found, watch.stopped());
}

}  // namespace sightline
