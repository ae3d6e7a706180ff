// A scene that does not fit is cut in two by a plane across an axis, and each half is cut again until it fits.
//
// A cut at `c` gives the left half all triangles that reach to `c` or below (least coordinate ≤ c), the right half all
// that reach above `c` (greatest coordinate > c). A triangle that reaches over `c` is in both.
//
// No contact is lost: triangles in contact have a point in common. If that point's coordinate is at most `c`, both
// triangles reach to `c` or below and are together in the left half; else both reach above it, and are in the right
// one. (One half must be closed: with `<` on the left, too, triangles that touch just at `c` would be parted.) So a
// pair that is in contact and together in a part is together in one of its halves, and by induction in some tile that
// was answered. Where the cuts lie and how many there are does not matter, and no number is rounded in the comparison:
// positions are compared exactly.
//
// No contact is invented, and none changes its kind: whether and how two triangles are in contact depends on their
// corners, on which corners they share and on their objects only, and a tile has copies of exactly these. A contact
// that both halves found is in both lists, and one copy is dropped when the lists are put into canonical order.
#include "cuda/tiles.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "input/watch.h"
#include "order/canonical.h"

namespace sightline::cuda {
namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double middle() const { return low / 2 + high / 2; }
  double half_length() const { return high / 2 - low / 2; }
};

Interval extent(const MeshView& mesh, std::uint32_t triangle, int axis) {
  const Triangle& t = mesh.triangles[triangle];
  const double x[3] = {mesh.position(t[0])[axis], mesh.position(t[1])[axis], mesh.position(t[2])[axis]};
  return {std::min({x[0], x[1], x[2]}), std::max({x[0], x[1], x[2]})};
}

/// Triangles of some objects, and the box between the cuts that made it: triangles that meet only outside of this box
/// are found in another part.
struct Part {
  struct Run {
    std::uint32_t object;  ///< its place in the list
    std::size_t first;     ///< of its triangles in the list
  };
  std::vector<Run> runs;                 ///< objects ascending, none empty
  std::vector<std::uint32_t> triangles;  ///< numbers within their objects, ascending in each run
  std::array<Interval, 3> box;
  double share = 1;  ///< of the whole work, for progress

  std::size_t size() const { return triangles.size(); }
  std::size_t end_of(std::size_t run) const { return run + 1 < runs.size() ? runs[run + 1].first : triangles.size(); }
  void add(std::uint32_t object, std::uint32_t triangle) {
    if (runs.empty() || runs.back().object != object) runs.push_back({object, triangles.size()});
    triangles.push_back(triangle);
  }
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t run = 0; run < runs.size(); ++run)
      for (std::size_t i = runs[run].first; i < end_of(run); ++i) visit(i, runs[run].object, triangles[i]);
  }
};

Part whole_of(std::span<const QueryObject> objects) {
  Part part;
  for (std::size_t i = 0; i < objects.size(); ++i)
    for (std::size_t t = 0; t < objects[i].mesh.triangles.size(); ++t)
      part.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(t));
  return part;
}

struct Cut {
  int axis = 0;
  double at = 0;
};

/// Across the longest axis of what is left, at the median of the triangles' middles. Another axis is taken if that cut
/// would leave a half with more than three quarters of the triangles and the other one does better. A sample is enough:
/// the place of the cut does not affect the answer (see above).
Cut choose_cut(std::span<const QueryObject> objects, const Part& part) {
  constexpr std::size_t kSample = 1 << 16;
  const std::size_t stride = (part.size() + kSample - 1) / kSample;
  struct Choice {
    Cut cut;
    double length = 0;
    std::size_t worst = 0;
  };
  std::array<Choice, 3> choices;
  std::vector<Interval> sample;
  std::vector<double> middles;
  for (int axis = 0; axis < 3; ++axis) {
    const Interval& box = part.box[axis];
    sample.clear();
    middles.clear();
    Interval all{box.high, box.low};
    part.for_each([&](std::size_t i, std::uint32_t object, std::uint32_t triangle) {
      if (i % stride != 0) return;
      const Interval full = extent(objects[object].mesh, triangle, axis);
      const Interval in{std::max(full.low, box.low), std::min(full.high, box.high)};
      all = {std::min(all.low, in.low), std::max(all.high, in.high)};
      sample.push_back(in);
      middles.push_back(std::clamp(in.middle(), in.low, in.high));
    });
    const auto median = middles.begin() + static_cast<std::ptrdiff_t>(middles.size() / 2);
    std::nth_element(middles.begin(), median, middles.end());
    Choice& choice = choices[axis];
    choice = {{axis, *median}, all.half_length(), 0};
    const auto below = std::count_if(sample.begin(), sample.end(), [&](const Interval& i) { return i.low <= *median; });
    const auto above = std::count_if(sample.begin(), sample.end(), [&](const Interval& i) { return i.high > *median; });
    choice.worst = static_cast<std::size_t>(std::max(below, above));
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.length > b.length; });
  for (const Choice& choice : choices)
    if (choice.worst <= sample.size() - sample.size() / 4) return choice.cut;
  return std::min_element(choices.begin(), choices.end(),
                          [](const Choice& a, const Choice& b) { return a.worst < b.worst; })
      ->cut;
}

/// The left half and the right half.
std::pair<Part, Part> split(std::span<const QueryObject> objects, const Part& part, const Cut& cut) {
  Part left{{}, {}, part.box, part.share / 2}, right = left;
  left.box[cut.axis].high = right.box[cut.axis].low = cut.at;
  part.for_each([&](std::size_t, std::uint32_t object, std::uint32_t triangle) {
    const Interval across = extent(objects[object].mesh, triangle, cut.axis);
    if (across.low <= cut.at) left.add(object, triangle);
    if (across.high > cut.at) right.add(object, triangle);
  });
  return {std::move(left), std::move(right)};
}

/// Copies of a part's meshes, with only those vertices that it uses. Storage is kept from part to part.
class Copies {
 public:
  explicit Copies(std::span<const QueryObject> originals) : originals_(originals) {}

  std::span<const QueryObject> make(const Part& part) {
    f32_.clear();
    f64_.clear();
    triangles_.clear();
    ranges_.clear();
    for (std::size_t run = 0; run < part.runs.size(); ++run) ranges_.push_back(copy_run(part, run));
    // Only now, when the arrays have stopped growing.
    objects_.clear();
    for (std::size_t run = 0; run < part.runs.size(); ++run) {
      const QueryObject& original = originals_[part.runs[run].object];
      const bool wide = original.mesh.positions.is_double();
      const auto [first, vertices] = ranges_[run];
      const std::size_t from = part.runs[run].first;
      QueryObject object;
      object.mesh = MeshView(wide ? Positions(std::span<const Vec3d>(f64_).subspan(first, vertices))
                                  : Positions(std::span<const Vec3f>(f32_).subspan(first, vertices)),
                             std::span<const Triangle>(triangles_).subspan(from, part.end_of(run) - from),
                             original.mesh.transform());
      object.options = original.options;
      object.id = static_cast<std::uint32_t>(run);
      objects_.push_back(object);
    }
    return objects_;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Vertices in the order of their first use. Returns where the run's first one is, and how many there are.
  std::pair<std::size_t, std::size_t> copy_run(const Part& part, std::size_t run) {
    const MeshView& mesh = originals_[part.runs[run].object].mesh;
    const Positions& positions = mesh.positions;
    const std::size_t first = positions.is_double() ? f64_.size() : f32_.size();
    if (place_.size() < positions.size()) place_.resize(positions.size(), kNone);
    std::uint32_t count = 0;
    for (std::size_t i = part.runs[run].first; i < part.end_of(run); ++i) {
      Triangle copy;
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t vertex = mesh.triangles[part.triangles[i]][corner];
        if (place_[vertex] == kNone) {
          place_[vertex] = count++;
          if (positions.is_double())
            f64_.push_back(positions.f64()[vertex]);
          else
            f32_.push_back(positions.f32()[vertex]);
        }
        copy[corner] = place_[vertex];
      }
      triangles_.push_back(copy);
    }
    for (std::size_t i = part.runs[run].first; i < part.end_of(run); ++i)
      for (const std::uint32_t vertex : mesh.triangles[part.triangles[i]]) place_[vertex] = kNone;
    return {first, count};
  }

  std::span<const QueryObject> originals_;
  std::vector<Vec3f> f32_;
  std::vector<Vec3d> f64_;
  std::vector<Triangle> triangles_;
  std::vector<QueryObject> objects_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;  ///< of vertices, per run
  std::vector<std::uint32_t> place_;  ///< per vertex of an object, its number among the copies; all kNone in between
};

/// Times and counts add up, stage by stage. Pairs that are in two tiles count twice.
void add_stats(const Stats& tile, Stats& sum) {
  for (const Stage& stage : tile.stages) {
    const auto same = std::find_if(sum.stages.begin(), sum.stages.end(),
                                   [&stage](const Stage& s) { return s.name == stage.name && s.unit == stage.unit; });
    if (same == sum.stages.end()) {
      sum.stages.push_back(stage);
    } else {
      same->milliseconds += stage.milliseconds;
      same->count += stage.count;
    }
  }
  sum.candidates += tile.candidates;
  sum.decided_filtered += tile.decided_filtered;
  sum.decided_exact += tile.decided_exact;
  sum.peak_bytes = std::max(sum.peak_bytes, tile.peak_bytes);
  sum.threads = std::max(sum.threads, tile.threads);
  sum.simd = tile.simd;
  sum.device = tile.device;
}

class Tiling {
 public:
  Tiling(std::span<const QueryObject> objects, const Settings& options, const TileQuery& query, const TileRules& rules)
      : objects_(objects), options_(options), tile_options_(options), query_(query), rules_(rules), copies_(objects) {
    // The first contacts of a tile are not the first of the scene: each tile returns all contacts, and the list is cut
    // at the end.
    tile_options_.first = false;
    tile_options_.max_contacts = std::numeric_limits<std::uint64_t>::max();
    tile_options_.progress = {};
  }

  /// The whole scene did not fit: `refusal` is the message of that error.
  void run(const std::string& refusal, Report& report) {
    const auto start = Clock::now();
    report.contacts.clear();
    report.stats = Stats{};
    for (const QueryObject& object : objects_) report.stats.triangles += object.mesh.triangles.size();
    report.stats.stages.push_back({"tiles", 0, 0, "tiles"});
    cut(whole_of(objects_), refusal);
    bool stopped = false;
    while (!waiting_.empty() && !stopped) {
      const Part part = std::move(waiting_.back());
      waiting_.pop_back();
      stopped = (options_.cancel && options_.cancel()) || !answer(part, report.stats);
    }
    Stage& tiles = report.stats.stages.front();
    tiles.milliseconds = ms_since(start) - answering_ms_;
    tiles.count = tiles_;
    if (stopped) return finish_report(report, options_, 0, true);
    merge(report);
  }

 private:
  /// False if the query was cancelled.
  bool answer(const Part& part, Stats& stats) {
    const std::span<const QueryObject> copies = copies_.make(part);
    if (pointless(copies)) return done(part);
    if (++tiles_ > rules_.most_tiles)
      throw OutOfDeviceMemory(formatted("cuda: out of device memory: {} tiles are not enough", rules_.most_tiles));
    const auto start = Clock::now();
    std::optional<std::string> refusal;
    try {
      query_({copies, false}, tile_options_, tile_report_);
    } catch (const OutOfDeviceMemory& error) {
      refusal = error.what();
    }
    if (refusal) {
      --tiles_;
      cut(part, *refusal);
      return true;
    }
    answering_ms_ += ms_since(start);
    add_stats(tile_report_.stats, stats);
    if (tile_report_.cancelled) return false;
    keep(part);
    return done(part);
  }

  void cut(const Part& part, const std::string& refusal) {
    const auto give_up = [&] {
      throw OutOfDeviceMemory(
          formatted("{}; a tile of {} triangles cannot be cut into smaller ones", refusal, part.size()));
    };
    if (part.size() <= rules_.fewest) give_up();
    auto [left, right] = split(objects_, part, choose_cut(objects_, part));
    // Halves that are hardly smaller would lead to more and more tiles that all have the same triangles.
    if (std::max(left.size(), right.size()) > part.size() - (part.size() + 15) / 16) give_up();
    waiting_.push_back(std::move(right));
    waiting_.push_back(std::move(left));
  }

  /// Adds the contacts of a tile with the numbers that triangles and objects have in the scene. Both kinds of numbers
  /// ascend, so the smaller one of a pair stays the smaller one.
  void keep(const Part& part) {
    std::vector<Contact>& list = found_.emplace_back(tile_report_.contacts);
    for (Contact& contact : list) {
      const Part::Run &a = part.runs[contact.object_a], &b = part.runs[contact.object_b];
      contact = {objects_[a.object].id, objects_[b.object].id, part.triangles[a.first + contact.a],
                 part.triangles[b.first + contact.b], contact.kind};
    }
  }

  bool done(const Part& part) {
    done_ += part.share;
    if (options_.progress && done_ < 1) options_.progress(done_);
    return true;
  }

  void merge(Report& report) {
    StageClock clock(report.stats);
    Watch watch(options_);
    ContactRange range;
    std::uint64_t triangles = 0;
    for (const QueryObject& object : objects_) {
      range.add(object.id, static_cast<std::uint32_t>(object.mesh.triangles.size()));
      triangles += object.mesh.triangles.size();
    }
    SortScratch scratch;
    Workers workers(options_.threads, triangles);
    canonical_contacts(range, found_, workers, watch, scratch, report.contacts);
    // A pair that lies in two tiles is in both lists.
    report.contacts.erase(std::unique(report.contacts.begin(), report.contacts.end()), report.contacts.end());
    const std::uint64_t found = report.contacts.size();
    clock.stage("merge", found, "contacts");
    if (options_.progress) options_.progress(1.0);
    finish_report(report, options_, found, watch.stopped());
  }

  std::span<const QueryObject> objects_;
  const Settings& options_;
  Settings tile_options_;
  const TileQuery& query_;
  const TileRules& rules_;
  Copies copies_;
  Report tile_report_;
  std::vector<Part> waiting_;  ///< a stack: few parts wait at a time
  std::vector<std::vector<Contact>> found_;
  std::size_t tiles_ = 0;
  double answering_ms_ = 0, done_ = 0;
};

}  // namespace

bool pointless(std::span<const QueryObject> objects) {
  int with_triangles = 0;
  for (const QueryObject& object : objects) {
    if (object.mesh.triangles.empty()) continue;
    if (object.options.self || ++with_triangles > 1) return false;
  }
  return true;
}

void query_in_tiles(std::span<const QueryObject> objects, const Settings& options, bool tiles, const TileQuery& query,
                    Report& report, const TileRules& rules) {
  std::string refusal;
  try {
    return query({objects, true}, options, report);
  } catch (const OutOfDeviceMemory& error) {
    refusal = error.what();
  }
  if (!tiles)
    throw OutOfDeviceMemory(refusal + "; --tiles auto (CudaOptions::tiles) cuts the scene into tiles that fit");
  Tiling(objects, options, query, rules).run(refusal, report);
}

}  // namespace sightline::cuda
