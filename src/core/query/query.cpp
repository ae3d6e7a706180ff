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
#include "image/selection.h"
#include "input/watch.h"
#include "mesh/weld.h"
#include "order/canonical.h"
#include "pair/across.h"
#include "pair/divider.h"
#include "query/rest.h"

namespace sightline {

struct Workspace {
  TriangleTable table;  ///< of the objects that the query tests: all, or those that do not rest
  Frame frame;
  Bins bins;
  Buffer<std::uint32_t> welded;  ///< only for soups whose frames are rounded (pair/loader.h)
  DividerPool pool{table, frame, bins};

  Across across;
  Rest rest;
  const Frame no_frame = without_image();
  const Bins no_bins = {};
  DividerPool rest_pool{rest.table(), no_frame, no_bins};

  std::vector<std::size_t> tasks;
  std::vector<std::vector<Contact>> found;
  SortScratch sort;
  std::vector<Contact> fresh;  ///< contacts of what moved

  static Frame without_image() {
    Frame frame;
    frame.extent = 1;
    return frame;
  }
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
void cut_tasks(const Bins& bins, std::vector<std::size_t>& first) {
  constexpr std::uint64_t kEntriesPerTask = 2048;
  const std::size_t columns = bins.column_begin.size() - 1;
  first.assign(1, 0);
  std::uint64_t next = kEntriesPerTask;
  for (std::size_t column = 1; column < columns; ++column)
    if (bins.column_begin[column] >= next) {
      first.push_back(column);
      next = bins.column_begin[column] + kEntriesPerTask;
    }
  first.push_back(columns);
}

/// Blocks of objects without an image, cut into tasks.
constexpr std::size_t kBlocksPerTask = 16;
std::size_t block_tasks(const Across& across) { return (across.blocks() + kBlocksPerTask - 1) / kBlocksPerTask; }
void cut_tasks(const Across& across, std::vector<std::size_t>& first) {
  first.clear();
  for (std::size_t block = 0; block < across.blocks(); block += kBlocksPerTask) first.push_back(block);
  first.push_back(across.blocks());
}

/// One query while it runs: the contacts of the objects in the workspace's table and, if others rest, with these.
class Query {
 public:
  Query(Workspace& workspace, const Settings& options, Workers& workers, Report& report, StageClock& clock)
      : ws_(workspace), options_(options), workers_(workers), report_(report), clock_(clock), watch_(options) {
    for (std::vector<Contact>& part : ws_.found) part.clear();
  }
  /// `resting`: the objects at rest take part; `keep`: objects may come to rest.
  void run(std::span<const QueryObject> objects, bool resting, bool keep);

 private:
  bool choose(bool resting);
  bool make_image();
  template <typename Work>
  void run_tasks(DividerPool& pool, const std::uint32_t* welded, const Work& work);
  void sort(bool resting, bool keep);
  std::uint64_t bytes() const;

  Workspace& ws_;
  const Settings& options_;
  Workers& workers_;
  Report& report_;
  StageClock& clock_;
  Watch watch_;
  bool by_columns_ = false, by_blocks_ = false;  ///< how pairs are found
  std::uint64_t cull_bytes_ = 0, contact_bytes_ = 0, candidates_ = 0, exact_ = 0, found_ = 0;
  std::size_t parts_ = 0;  ///< of ws_.found
};

/// Chooses how pairs are found. Objects of few triangles meet by their boxes (pair/across.h), unless settings of an
/// image are given, or the boxes separate little. False if the query was cancelled.
bool Query::choose(bool resting) {
  const TriangleTable& table = ws_.table;
  const bool alone = table.objects.empty() || (table.objects.size() == 1 && !table.any_self);
  const bool few = std::all_of(table.objects.begin(), table.objects.end(),
                               [](const auto& object) { return object.triangle_count <= Across::kFew; });
  bool among = !alone && few && options_.axis == Axis::automatic && options_.cell == 0 &&
               options_.visibility != VisibilityCull::on &&
               !(table.any_self && Loader::wants_weld(table, ws_.no_frame));
  by_blocks_ = among || (resting && !table.objects.empty());
  if (by_blocks_) {
    static const RestingObjects kNone;
    TriangleTable& all = resting ? ws_.rest.table() : ws_.table;
    ws_.across.begin(all, resting ? ws_.rest.objects() : kNone, among, workers_, watch_);
    if (among && ws_.across.is_crowded()) {
      among = false;
      ws_.across.leave_to_image();
      by_blocks_ = resting;
    }
    if (watch_.stopped()) return false;
    clock_.stage("boxes", ws_.across.blocks(), "blocks");
  }
  by_columns_ = !alone && !among;
  if (!by_columns_) ws_.frame = ws_.no_frame;
  return true;
}

/// Image: the grid, and every triangle in the columns that it covers. False if the query was cancelled.
bool Query::make_image() {
  ws_.table.find_separate(workers_);
  const TriangleTable& table = ws_.table;
  ws_.frame = make_frame(table, options_, workers_, watch_);
  if (watch_.stopped()) return false;
  clock_.stage("frame", ws_.frame.levels.columns(), "columns");
  place_vertices(table, ws_.frame, workers_, watch_, ws_.bins);
  if (watch_.stopped()) return false;
  Selection selection = select_triangles(table, ws_.bins, workers_);
  clock_.stage("place", table.vertex_count, "vertices");
  if (table.objects.size() > 1) {
    const VisibilityOutcome outcome =
        cull_by_visibility(table, ws_.frame, ws_.bins, options_.visibility, workers_, watch_, selection);
    if (watch_.stopped()) return false;
    cull_bytes_ = outcome.bytes;
    clock_.stage("visibility", outcome.count, outcome.unit);
  }
  bin_triangles(table, ws_.frame, selection, workers_, watch_, ws_.bins);
  if (watch_.stopped()) return false;
  clock_.stage("bin", ws_.bins.column_begin.back(), "entries");
  ws_.welded.resize(0);
  if (Loader::wants_weld(table, ws_.frame)) {
    weld_soup(table, workers_, watch_, ws_.welded);
    if (watch_.stopped()) return false;
    clock_.stage("weld", table.vertex_count, "vertices");
  }
  return true;
}

/// Calls work(i, divider) for the items of all tasks. With `first`, tasks after the earliest one with a contact are
/// skipped, and that task ends at its first group with a contact: which one that is, does not depend on timing.
template <typename Work>
void Query::run_tasks(DividerPool& pool, const std::uint32_t* welded, const Work& work) {
  const std::vector<std::size_t>& tasks = ws_.tasks;
  pool.begin(welded, options_.simd, workers_,
             {most_contacts(options_), options_.first, [this] { return watch_.stop(); }});
  std::atomic<std::size_t> earliest{tasks.size()};
  std::vector<Contact> first;
  std::mutex mutex;
  const auto run = [&](std::size_t task) {
    if (watch_.stop() || task > earliest.load(std::memory_order_relaxed)) return;
    std::unique_ptr<Divider> divider = pool.take();
    Settler& settler = divider->settler();
    for (std::size_t item = tasks[task]; item < tasks[task + 1]; ++item) {
      work(item, *divider);
      if (options_.first && settler.count > 0) break;
    }
    if (options_.first && settler.count > 0) {
      const std::lock_guard lock(mutex);
      if (task < earliest.load()) {
        earliest.store(task);
        first = std::move(settler.found);
      }
      settler.found.clear();
      settler.count = 0;
    }
    watch_.done_one();
    pool.give(std::move(divider));
  };
  // A single task may share its work, too, and only with the workers of this query.
  if (tasks.size() == 2)
    workers_.isolated([&] { run(0); });
  else
    workers_.for_each(tasks.size() - 1, run);
  const auto take = [this](std::vector<Contact>& contacts) {
    if (ws_.found.size() <= parts_) ws_.found.emplace_back();
    ws_.found[parts_++].swap(contacts);  // the storage goes back in the next query
  };
  for (const auto& divider : pool.all()) {
    candidates_ += divider->candidates();
    exact_ += divider->settler().exact_count;
    found_ += divider->settler().count;
    divider->settler().cut();
    if (!options_.first) take(divider->settler().found);
  }
  if (options_.first && !first.empty()) {
    found_ = 1;
    take(first);
  }
}

/// Report: canonical order, with the contacts among objects at rest.
void Query::sort(bool resting, bool keep) {
  ContactRange range;
  if (keep)
    range = ws_.rest.range();
  else
    for (const auto& object : ws_.table.objects) range.add(object.id, object.triangle_count);
  const std::span<const Contact> old = resting ? ws_.rest.contacts() : std::span<const Contact>();
  for (const auto& part : ws_.found) contact_bytes_ += part.size() * sizeof(Contact) * 2;  // and the sort's keys
  canonical_contacts(range, ws_.found, workers_, watch_, ws_.sort, old.empty() ? report_.contacts : ws_.fresh);
  if (!old.empty()) {
    report_.contacts.resize(old.size() + ws_.fresh.size());
    std::merge(old.begin(), old.end(), ws_.fresh.begin(), ws_.fresh.end(), report_.contacts.begin());
    found_ += old.size();
  }
  clock_.stage("sort", report_.contacts.size(), "contacts");
}

void Query::run(std::span<const QueryObject> objects, bool resting, bool keep) {
  if (!choose(resting) || (by_columns_ && !make_image())) return finish_report(report_, options_, 0, true);
  std::size_t tasks = 0;
  if (by_columns_) {
    cut_tasks(ws_.bins, ws_.tasks);
    tasks += ws_.tasks.size() - 1;
  }
  if (by_blocks_) tasks += block_tasks(ws_.across);
  watch_.expect(tasks);
  if (by_columns_)
    run_tasks(ws_.pool, ws_.welded.size() == 0 ? nullptr : ws_.welded.data(),
              [](std::size_t column, Divider& divider) { divider.column(column); });
  if (by_blocks_) {
    cut_tasks(ws_.across, ws_.tasks);
    run_tasks(resting ? ws_.rest_pool : ws_.pool, nullptr,
              [this](std::size_t block, Divider& divider) { ws_.across.run(block, divider); });
  }
  if (tasks > 0) {
    watch_.finish();
    clock_.stage("pair", candidates_, "pairs");
  }
  report_.stats.candidates = candidates_;
  report_.stats.decided_exact = exact_;
  report_.stats.decided_filtered = candidates_ - exact_;
  if (tasks > 0 || resting) sort(resting, keep);
  const bool all = !watch_.stopped() && found_ <= most_contacts(options_) && !(options_.first && found_ > 0);
  if (keep && all) ws_.rest.end(objects, report_.contacts, options_.threads, watch_);
  report_.stats.peak_bytes = bytes();
  finish_report(report_, options_, found_, watch_.stopped());
}

std::uint64_t Query::bytes() const {
  const Bins& bins = ws_.bins;
  std::uint64_t bytes = bins.entries.capacity_bytes() + bins.column_begin.capacity() * 8 +
                        bins.vertex_cells.capacity_bytes() + bins.counts.capacity_bytes() +
                        bins.large_boxes.capacity_bytes() + ws_.welded.capacity_bytes();
  return bytes + contact_bytes_ + ws_.across.bytes() + ws_.rest.bytes() + cull_bytes_;
}

/// The storage of the stages is kept.
void clear(Report& report) {
  std::vector<Stage> stages = std::move(report.stats.stages);
  stages.clear();
  report.contacts.clear();
  report.stats = Stats{};
  report.stats.stages = std::move(stages);
}

/// True unless so much moved near what rests that an image of everything takes less time. A cloth of 20,000 triangles,
/// of which 16,000 are near a body at rest of 20,000, 200,000 and 1M triangles, one thread: 4.1, 4.9 and 6.8 ms; with
/// an image of everything 2.9, 5.2 and 14.2 ms.
bool is_worth_it(Workspace& ws) {
  constexpr std::uint64_t kRestingPerNear = 10;
  const std::uint64_t resting = ws.rest.triangle_count() - ws.table.triangle_count;
  return kRestingPerNear * Across::estimate_near(ws.rest.table(), ws.rest.objects()) <= resting;
}

void answer(std::span<const QueryObject> objects, const Settings& options, Workspace& ws, Report& report, bool resting,
            bool keep) {
  clear(report);
  report.stats.simd = to_string(options.simd == Simd::best ? best_simd() : options.simd);
  StageClock clock(report.stats);
  if (resting) {
    ws.table.clear();
    for (const std::uint32_t place : ws.rest.moved()) {
      ws.table.add(objects[place], place);
      ws.rest.table().add(objects[place], place);
    }
    resting = options.rest == UseRest::on || is_worth_it(ws);
  }
  if (!resting) ws.table.assign(objects);
  Workers workers(options.threads, ws.table.triangle_count);
  report.stats.threads = workers.count();
  report.stats.triangles = resting ? ws.rest.triangle_count() : ws.table.triangle_count;
  Query(ws, options, workers, report, clock).run(objects, resting, keep);
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

void run_query(std::span<const QueryObject> objects, const Settings& options, Workspace& ws, Report& report,
               bool keep) {
  check_settings(options);
  if (!keep) {
    ws.rest.clear();
    return answer(objects, options, ws, report, false, false);
  }
  ws.rest.begin(objects);
  const bool resting = !ws.rest.empty() && ws.rest.fits() && options.rest != UseRest::off;
  if (!resting || !options.first) return answer(objects, options, ws, report, resting, true);
  // Which contact is the first must not depend on what rests. What rests can prove that there is none.
  Settings count = options;
  count.first = false;
  count.max_contacts = 0;
  count.progress = {};
  answer(objects, count, ws, report, true, true);
  if (report.found > 0 && !report.cancelled)
    answer(objects, options, ws, report, false, true);
  else if (options.progress && !report.cancelled)
    options.progress(1.0);
}

}  // namespace sightline
