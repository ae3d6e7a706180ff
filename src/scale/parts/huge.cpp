// The steps:
// 1. A sample of the triangles decides where space is cut (cuts.h).
// 2. The triangles are read once and written to the leaves that their boxes reach (store.h).
// 3. Leaves are answered one after the other (leaf.h). A leaf that does not fit is cut again, by steps 1 and 2.
// 4. Contacts are merged into canonical order, and components of leaves are joined (lists.h).
// A mesh that fits is one leaf from the beginning, and nothing is written.
#include "parts/huge.h"

#include <algorithm>
#include <cmath>

#include "base/float_environment.h"
#include "base/format.h"
#include "input/watch.h"
#include "parts/joined.h"
#include "parts/leaf.h"

namespace sightline::scale {
namespace {

/// Shares of HugeOptions::memory. Reading and answering do not happen at the same time.
struct Budget {
  explicit Budget(std::uint64_t memory, const HugeTuning& tuning)
      : buffers(static_cast<std::size_t>(memory / 4)),
        batch(static_cast<std::size_t>(memory / 8)),
        sample(static_cast<std::size_t>(memory / 8)),
        leaf(memory / 8 * 5),
        lists(tuning.list_bytes != 0 ? tuning.list_bytes : static_cast<std::size_t>(memory / 8)),
        contacts(memory / 8) {}
  std::size_t buffers;     ///< of all leaves, while triangles are distributed
  std::size_t batch;       ///< of triangles that are read at a time
  std::size_t sample;      ///< of boxes
  std::uint64_t leaf;      ///< that is answered
  std::size_t lists;       ///< of contacts, links and degenerate triangles
  std::uint64_t contacts;  ///< of a leaf, as the engine returns them
};

/// Triangles in the order of their numbers, from the caller or from a part on the disk.
template <typename Scalar>
class Input {
 public:
  virtual ~Input() = default;
  virtual std::uint64_t size() const = 0;
  /// The triangle at this place, for a sample.
  virtual Corners<Scalar> at(std::uint64_t place) = 0;
  /// Up to `most` further triangles; none at the end.
  virtual void next(std::size_t most, Triangles<Scalar>& to) = 0;
};

template <typename Scalar>
class SourceInput : public Input<Scalar> {
 public:
  SourceInput(TriangleSource& source, std::uint64_t first_number, Workers& workers)
      : source_(source), first_number_(first_number), workers_(workers) {}
  std::uint64_t size() const override { return source_.size(); }
  Corners<Scalar> at(std::uint64_t place) override {
    Corners<Scalar> corners;
    source_.read(place, std::span(&corners, 1));
    return corners;
  }
  void next(std::size_t most, Triangles<Scalar>& to) override {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, size() - done_));
    to.tags.resize(count);
    to.corners.resize(count);
    if (count > 0) source_.read(done_, std::span(to.corners));
    for (std::size_t i = 0; i < count; ++i) to.tags[i].bits = first_number_ + done_ + i;
    require_finite(to.corners);
    done_ += count;
  }

 private:
  static bool is_finite(const Corners<Scalar>& corners) {
    Scalar sum = 0;  // stays 0 unless a coordinate is not finite
    for (const auto& p : corners) sum += (p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2]);
    return sum == 0;
  }
  void require_finite(const std::vector<Corners<Scalar>>& list) {
    std::atomic<bool> finite{true};
    workers_.for_blocks(list.size(), 4096, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        if (!is_finite(list[i])) finite = false;
    });
    if (finite) return;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t k = 0; k < 9; ++k)
        if (const Scalar x = list[i][k / 3][k % 3]; !std::isfinite(x))
          throw Error(formatted("{}: {} of corner {} is {}, not a finite number", source_.place(done_ + i),
                                "xyz"[k % 3], k / 3, x));
  }

  TriangleSource& source_;
  std::uint64_t first_number_, done_ = 0;
  Workers& workers_;
};

/// The part's space on the disk becomes free on the way.
template <typename Scalar>
class PartInput : public Input<Scalar> {
 public:
  PartInput(Store<Scalar>& store, const Part& part) : store_(store), part_(part) {
    std::uint64_t sum = 0;
    for (const Part::Block& block : part.blocks) begin_.push_back(sum), sum += block.count;
  }
  std::uint64_t size() const override { return part_.count; }
  Corners<Scalar> at(std::uint64_t place) override {
    const auto block =
        static_cast<std::size_t>(std::upper_bound(begin_.begin(), begin_.end(), place) - begin_.begin() - 1);
    one_.tags.clear();
    one_.corners.clear();
    store_.read(part_.blocks[block], place - begin_[block], 1, one_);
    return one_.corners[0];
  }
  void next(std::size_t most, Triangles<Scalar>& to) override {
    to.tags.clear();
    to.corners.clear();
    while (to.size() < most && block_ < part_.blocks.size()) {
      const Part::Block& block = part_.blocks[block_];
      const std::uint64_t count = std::min<std::uint64_t>(most - to.size(), block.count - in_block_);
      store_.read(block, in_block_, count, to);
      in_block_ += count;
      if (in_block_ < block.count) break;
      store_.release(block);
      ++block_, in_block_ = 0;
    }
  }

 private:
  Store<Scalar>& store_;
  const Part& part_;
  std::vector<std::uint64_t> begin_;  ///< of the triangles of each block
  std::size_t block_ = 0;
  std::uint64_t in_block_ = 0;
  Triangles<Scalar> one_;
};

template <typename Scalar>
class Run {
 public:
  /// `objects` is null for one mesh.
  Run(TriangleSource& source, const Objects* objects, const HugeOptions& options, const HugeTuning& tuning,
      const Control& control)
      : source_(source),
        objects_(objects),
        options_(options),
        tuning_(tuning),
        control_(control),
        budget_(options.memory, tuning),
        most_(tuning.leaf_triangles != 0 ? tuning.leaf_triangles : budget_.leaf / kLeafBytes<Scalar>),
        workers_(options.threads, source.size()),
        engine_(leaf_engine(options.device)),
        lists_(std::make_shared<HugeReport::Lists>(options.scratch, budget_.lists)),
        store_(lists_->scratch) {}

  HugeReport run() {
    HugeReport report;
    StageClock clock(report.stats);
    totals_.facts.triangles = source_.size();
    const std::vector<Part> parts = source_.size() <= most_ ? std::vector<Part>() : distribute_source();
    if (parts.empty()) answer_source();
    source_.rest();
    std::uint64_t records = 0;
    for (const Part& part : parts) records += part.count;
    clock.stage("distribute", records, "records");
    for (const Part& part : parts) answer(part);
    clock.stage("answer", totals_.leaves, "leaves");
    lists_->contacts.finish();
    lists_->degenerate.finish();
    lists_->links.finish();
    totals_.facts.components += joined_components(lists_->links, totals_.nodes);
    clock.stage("merge", lists_->contacts.size(), "contacts");
    fill(report);
    return report;
  }

 private:
  static constexpr double kDistribution = 0.4;  ///< of all work, for progress

  LeafOptions leaf_options(bool any_number_of_contacts) const {
    return {.threads = options_.threads,
            .intersections = options_.intersections,
            .tuning = tuning_.engine,
            .most_contacts = any_number_of_contacts
                                 ? std::numeric_limits<std::uint64_t>::max()
                                 : std::max<std::uint64_t>(budget_.contacts / (2 * sizeof(Contact)), 1),
            .engine = engine_.get()};
  }
  bool try_answer(const Triangles<Scalar>& triangles, const Region& region, bool any_number_of_contacts) {
    const LeafOptions options = leaf_options(any_number_of_contacts);
    if (objects_ != nullptr)
      return answer_leaf(triangles, *objects_, region, options, control_, totals_, lists_->contacts);
    return answer_leaf(triangles, region, options, control_, totals_, *lists_);
  }

  std::vector<Part> distribute_source() {
    SourceInput<Scalar> input(source_, tuning_.first_number, workers_);
    return distribute(input, Part{.region = {}, .blocks = {}, .count = source_.size()}, kDistribution);
  }

  void answer_source() {
    require_room(source_.size());
    Triangles<Scalar> all;
    SourceInput<Scalar>(source_, tuning_.first_number, workers_).next(static_cast<std::size_t>(source_.size()), all);
    source_.rest();
    try_answer(all, {}, true);
  }

  /// Answers the part, or cuts it again.
  void answer(const Part& part) {
    control_.check();
    if (part.count == 0) return done(part);
    if (part.count <= most_) {
      Triangles<Scalar> triangles;
      store_.read_all(part, workers_, triangles);
      if (try_answer(triangles, part.region, part.count == 1)) return done(part);
    }
    std::vector<Part> smaller;
    if (part.stuck < kMostStuck && part.growth < kMostGrowth) {
      PartInput<Scalar> input(store_, part);
      smaller = distribute(input, part, 0);
    }
    if (smaller.empty()) return answer_undivided(part);
    for (const Part& piece : smaller) answer(piece);
  }

  /// No cut divides the part: its triangles meet at one place, or reach across all of it.
  void answer_undivided(const Part& part) {
    require_room(part.count);
    Triangles<Scalar> triangles;
    store_.read_all(part, workers_, triangles);
    try_answer(triangles, part.region, true);
    done(part);
  }

  void require_room(std::uint64_t count) const {
    if (count > budget_.leaf / kLeafBytes<Scalar>)
      throw Error(
          formatted("{}: {} triangles lie at one place, where cuts hardly divide them; they need about {} MiB of "
                    "memory, and the limit is {} MiB",
                    source_.file(), count, (count * kLeafBytes<Scalar> / 5 * 8 >> 20) + 1, options_.memory >> 20));
  }

  /// The part's space stays in use: most file systems write all data of a range to the disk before they free it, and
  /// the largest size of the scratch data is that after the distribution in any case.
  void done(const Part& part) {
    done_ += part.share * (1 - kDistribution);
    control_.progress(std::min(1.0, kDistribution + done_));
  }

  /// At most so many leaves that each has a buffer.
  std::vector<Part> distribute(Input<Scalar>& input, const Part& whole, double progress) {
    const Cuts cuts(sample_of(input), sample_per_leaf(whole.count), whole.region);
    if (cuts.leaves() == 1) return {};
    Distributor<Scalar> distributor(store_, cuts, budget_.buffers, workers_);
    Triangles<Scalar> batch;
    const std::size_t most = std::clamp<std::size_t>(budget_.batch / (2 * kRecordBytes<Scalar>), 1024, 1 << 16);
    std::uint64_t read = 0;
    for (input.next(most, batch); batch.size() > 0; input.next(most, batch)) {
      control_.check();
      distributor.add(batch);
      read += batch.size();
      if (progress > 0) control_.progress(progress * static_cast<double>(read) / static_cast<double>(whole.count));
    }
    std::vector<Part> parts = distributor.finish();
    std::uint64_t sum = 0;
    for (const Part& part : parts) sum += part.count;
    for (Part& part : parts) {
      part.share = whole.share * static_cast<double>(part.count) / static_cast<double>(sum);
      part.stuck = part.count > whole.count / 8 * 7 ? whole.stuck + 1 : 0;
      part.growth = whole.growth * static_cast<double>(sum) / static_cast<double>(whole.count);
    }
    return parts;
  }

  std::size_t sample_size(std::uint64_t count) const {
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(count, std::min<std::size_t>(budget_.sample / (4 * sizeof(Box)), 1 << 17)));
  }
  /// The sample of a leaf that has two thirds of the triangles that fit: a sample is not exact.
  std::size_t sample_per_leaf(std::uint64_t count) const {
    const double wanted =
        static_cast<double>(most_) / 3 * 2 * static_cast<double>(sample_size(count)) / static_cast<double>(count);
    const std::size_t fan_out =
        tuning_.fan_out != 0 ? tuning_.fan_out : std::max<std::size_t>(budget_.buffers >> 14, 2);
    const auto least = static_cast<double>(sample_size(count)) / static_cast<double>(fan_out);
    return std::max<std::size_t>(static_cast<std::size_t>(std::max(wanted, least)), 1);
  }
  std::vector<Box> sample_of(Input<Scalar>& input) {
    const std::uint64_t count = input.size();
    const std::size_t size = sample_size(count);
    std::vector<Box> sample;
    sample.reserve(size);
    try {
      for (std::size_t i = 0; i < size; ++i) {
        if (i % 1024 == 0) control_.check();
        const auto place =
            static_cast<std::uint64_t>(static_cast<double>(count) / static_cast<double>(size) * static_cast<double>(i));
        sample.push_back(box_of_corners(input.at(std::min(place, count - 1))));
      }
    } catch (const Error&) {
      // The error to report is the first one of the list.
      Triangles<Scalar> batch;
      for (input.next(1024, batch); batch.size() > 0; input.next(1024, batch)) control_.check();
      throw;
    }
    std::erase_if(sample, [](const Box& box) { return !box.finite(); });  // an Error when the list is read
    return sample;
  }

  void fill(HugeReport& report) {
    report.facts = totals_.facts;
    std::copy(std::begin(totals_.counts), std::end(totals_.counts), report.counts);
    for (const std::uint64_t count : totals_.counts) report.found += count;
    report.leaves = totals_.leaves;
    report.records = totals_.records;
    report.scratch_bytes = lists_->scratch.peak();
    report.stats.triangles = totals_.facts.triangles;
    report.stats.candidates = totals_.candidates;
    report.stats.decided_exact = totals_.decided_exact;
    report.stats.decided_filtered = totals_.decided_filtered;
    report.stats.peak_bytes = totals_.peak_bytes;
    report.stats.simd = totals_.simd;
    report.stats.threads = totals_.threads;
    report.stats.device = to_string(options_.device.type());
    report.lists = std::move(lists_);
  }

  static constexpr int kMostStuck = 3;
  static constexpr double kMostGrowth = 32;

  TriangleSource& source_;
  const Objects* objects_;
  const HugeOptions& options_;
  const HugeTuning& tuning_;
  const Control& control_;
  Budget budget_;
  std::uint64_t most_;  ///< triangles of a leaf
  Workers workers_;
  std::unique_ptr<Scene> engine_;
  std::shared_ptr<HugeReport::Lists> lists_;
  Store<Scalar> store_;
  Totals totals_;
  double done_ = 0;
};

HugeReport answer(TriangleSource& source, const Objects* objects, const HugeOptions& options,
                  const HugeTuning& tuning) {
  if (options.memory < tuning.least_memory)
    throw Error(formatted("memory: {} bytes; at least {} are needed", options.memory, tuning.least_memory));
  const Control control(options);
  try {
    if (source.is_double()) return Run<double>(source, objects, options, tuning, control).run();
    return Run<float>(source, objects, options, tuning, control).run();
  } catch (const Stopped&) {
    HugeReport report;
    report.cancelled = true;
    report.lists = std::make_shared<HugeReport::Lists>(options.scratch, 4096);
    return report;
  }
}

}  // namespace

HugeReport self_intersections(TriangleSource& source, const HugeOptions& options, const HugeTuning& tuning) {
  const FloatEnvironment environment;
  return answer(source, nullptr, options, tuning);
}

HugeReport contacts(std::span<const HugePart> parts, const HugeOptions& options, const HugeTuning& tuning) {
  const FloatEnvironment environment;
  JoinedSource source(parts);
  return answer(source, &source.objects(), options, tuning);
}

}  // namespace sightline::scale

namespace sightline {

HugeReport self_intersections(TriangleSource& source, const HugeOptions& options) {
  return scale::self_intersections(source, options, scale::HugeTuning{});
}

HugeReport contacts(std::span<const HugePart> parts, const HugeOptions& options) {
  return scale::contacts(parts, options, scale::HugeTuning{});
}

}  // namespace sightline
