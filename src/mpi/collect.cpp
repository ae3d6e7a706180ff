#include "mpi/collect.h"

#include <exception>

#include "parts/store.h"

namespace sightline::mpi {
namespace {

using scale::Home;
using scale::Key;
using scale::Runs;
using scale::Totals;
using Bytes = std::span<const std::byte>;

constexpr std::size_t kHead = sizeof(Key) + 1;

/// Exchanges of records, in which all ranks take part until none of them has any left. After an error a rank goes on
/// without records, so that no other one waits.
class Rounds {
 public:
  Rounds(const Ranks& ranks, Runs& to)
      : ranks_(ranks),
        to_(to),
        most_(
            std::clamp<std::size_t>((std::size_t{1} << 26) / static_cast<std::size_t>(ranks.size()), 1 << 14, 1 << 20)),
        outgoing_(static_cast<std::size_t>(ranks.size())) {}

  /// work() calls send().
  template <typename Work>
  void run(const Work& work) {
    attempt(work);
    while (round(false)) {
    }
    if (failure_) std::rethrow_exception(failure_);
  }
  void send(int rank, const Key& key, Bytes payload) {
    if (rank == ranks_.rank()) return to_.add(key, payload);
    std::vector<std::byte>& out = outgoing_[static_cast<std::size_t>(rank)];
    const std::size_t at = out.size();
    out.resize(at + kHead + payload.size());
    std::memcpy(out.data() + at, &key, sizeof key);
    out[at + sizeof key] = static_cast<std::byte>(payload.size());
    std::copy(payload.begin(), payload.end(), out.begin() + static_cast<std::ptrdiff_t>(at + kHead));
    bytes_ += kHead + payload.size();
    if (bytes_ > most_) round(true);
  }

 private:
  template <typename Work>
  void attempt(const Work& work) {
    try {
      if (!failure_) work();
    } catch (...) {
      failure_ = std::current_exception();
      clear();
    }
  }
  void clear() {
    for (std::vector<std::byte>& out : outgoing_) out.clear();
    bytes_ = 0;
  }
  /// True if any rank has more records.
  bool round(bool more) {
    const std::vector<std::byte> received = ranks_.exchanged(outgoing_).items;
    clear();
    attempt([&] {
      for (Bytes bytes = received; !bytes.empty();) {
        Key key;
        std::memcpy(&key, bytes.data(), sizeof key);
        const auto size = std::to_integer<std::size_t>(bytes[sizeof key]);
        to_.add(key, bytes.subspan(kHead, size));
        bytes = bytes.subspan(kHead + size);
      }
    });
    return ranks_.max(std::uint64_t{more}) > 0;
  }

  const Ranks& ranks_;
  Runs& to_;
  std::size_t most_;  ///< bytes that a rank sends in one round, about
  std::vector<std::vector<std::byte>> outgoing_;
  std::size_t bytes_ = 0;
  std::exception_ptr failure_;
};

/// Records to rank 0, where they join those of the list itself, which was not finished there.
void to_rank_0(const Ranks& ranks, Runs& list, std::uint64_t shift = 0) {
  Rounds rounds(ranks, list);
  rounds.run([&] {
    if (ranks.rank() == 0) return;
    list.for_each([&](const Key& key, Bytes payload) {
      rounds.send(0, {.objects = key.objects, .a = key.a, .b = key.b + shift}, payload);
      return true;
    });
  });
}

/// Records to their homes, without the number of the home.
void to_homes(const Ranks& ranks, const Runs& from, Runs& to) {
  Rounds rounds(ranks, to);
  rounds.run([&] {
    from.for_each([&](const Key& key, Bytes payload) {
      Home home;
      std::memcpy(&home, payload.last(sizeof home).data(), sizeof home);
      rounds.send(home, key, payload.first(payload.size() - sizeof home));
      return true;
    });
  });
}

/// Each number becomes the sum over all ranks.
void add_up(const Ranks& ranks, HugeReport& report) {
  HugeFacts& facts = report.facts;
  std::vector<std::uint64_t*> numbers = {&facts.triangles,
                                         &facts.vertices,
                                         &facts.components,
                                         &facts.open_edges,
                                         &facts.nonmanifold_edges,
                                         &facts.duplicates,
                                         &facts.degenerate,
                                         &report.leaves,
                                         &report.records,
                                         &report.scratch_bytes,
                                         &report.stats.candidates,
                                         &report.stats.decided_exact,
                                         &report.stats.decided_filtered};
  for (std::uint64_t& count : report.counts) numbers.push_back(&count);
  std::vector<std::uint64_t> mine;
  for (const std::uint64_t* number : numbers) mine.push_back(*number);
  const std::vector<std::uint64_t> sums = ranks.sum(mine);
  for (std::size_t i = 0; i < numbers.size(); ++i) *numbers[i] = sums[i];
  for (const std::uint64_t count : report.counts) report.found += count;
}

}  // namespace

HugeReport collected(const Ranks& ranks, const MpiOptions& options, const Totals& totals,
                     std::shared_ptr<HugeReport::Lists> found) {
  using Lists = HugeReport::Lists;
  const bool first = ranks.rank() == 0, homes = options.contacts_to == ContactsTo::owner;
  const std::uint64_t shift = ranks.sum_before(totals.nodes), nodes = ranks.sum(totals.nodes);
  std::shared_ptr<Lists> kept = found;
  ranks.together([&] {
    if (homes) kept = std::make_shared<Lists>(options.scratch, static_cast<std::size_t>(options.list_memory));
    if (homes || !first) found->contacts.finish(), found->degenerate.finish();
    if (!first) found->links.finish();
  });
  for (Runs Lists::*const list : {&Lists::contacts, &Lists::degenerate})
    ranks.together([&] {
      if (homes)
        to_homes(ranks, (*found).*list, (*kept).*list);
      else
        to_rank_0(ranks, (*found).*list);
    });
  ranks.together([&] { to_rank_0(ranks, found->links, shift); });
  std::uint64_t joined = 0;
  ranks.together([&] {
    if (homes || first) kept->contacts.finish(), kept->degenerate.finish();
    if (!first) return;
    found->links.finish();
    joined = scale::joined_components(found->links, nodes);
  });

  HugeReport report;
  report.facts = totals.facts;
  if (first) report.facts.components += joined;
  report.leaves = totals.leaves;
  report.records = totals.records;
  report.scratch_bytes = found->scratch.peak() + (homes ? kept->scratch.peak() : 0);
  report.stats.candidates = totals.candidates;
  report.stats.decided_exact = totals.decided_exact;
  report.stats.decided_filtered = totals.decided_filtered;
  std::copy(std::begin(totals.counts), std::end(totals.counts), report.counts);
  add_up(ranks, report);
  report.stats.triangles = report.facts.triangles;
  report.stats.peak_bytes = ranks.max(totals.peak_bytes);
  report.stats.simd = totals.simd;
  report.stats.threads = totals.threads;
  report.stats.device = to_string(options.device);
  ranks.together([&] {
    if (!homes && !first) kept = std::make_shared<Lists>(options.scratch, 4096);
  });
  report.lists = std::move(kept);
  return report;
}

}  // namespace sightline::mpi
