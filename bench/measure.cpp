#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace sightline::bench {
namespace {

using Processes = std::span<const std::unique_ptr<PeerProcess>>;

// A peer slower than this is timed at most twice.
constexpr double kSlowMilliseconds = 5000;

constexpr int kShown = 5;

auto pair_key(const Contact& c) { return std::tuple(c.object_a, c.object_b, c.a, c.b); }

std::string described(const char* what, const Contact& c) {
  return fmt::format("  {}: object {} triangle {}, object {} triangle {} ({})\n", what, c.object_a, c.a, c.object_b,
                     c.b, to_string(c.kind));
}

/// Sorts into canonical order and drops repeated pairs (FCL and Bullet may list a pair twice).
void make_canonical(std::vector<Contact>& contacts) {
  std::sort(contacts.begin(), contacts.end());
  const auto same_pair = [](const Contact& a, const Contact& b) { return pair_key(a) == pair_key(b); };
  contacts.erase(std::unique(contacts.begin(), contacts.end(), same_pair), contacts.end());
}

/// Hash of the pairs alone, in canonical order.
std::uint64_t hash_of_pairs(const std::vector<Contact>& contacts) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a over 32-bit words
  for (const Contact& c : contacts)
    for (const std::uint32_t word : {c.object_a, c.object_b, c.a, c.b}) hash = (hash ^ word) * 0x100000001B3u;
  return hash;
}

struct Difference {
  std::uint64_t missed = 0;    ///< in the reference only
  std::uint64_t invented = 0;  ///< in the answer only
  std::uint64_t other_kind = 0;
  std::string first;  ///< the first few differences, as text
};

/// Both in canonical order.
Difference compare(const std::vector<Contact>& reference, const std::vector<Contact>& answer, bool with_kinds) {
  Difference difference;
  int shown = 0;
  const auto note = [&](std::uint64_t& count, const char* what, const Contact& contact) {
    ++count;
    if (shown++ < kShown) difference.first += described(what, contact);
  };
  auto r = reference.begin();
  auto a = answer.begin();
  while (r != reference.end() || a != answer.end()) {
    if (a == answer.end() || (r != reference.end() && pair_key(*r) < pair_key(*a))) {
      note(difference.missed, "missed", *r++);
    } else if (r == reference.end() || pair_key(*a) < pair_key(*r)) {
      note(difference.invented, "invented", *a++);
    } else {
      if (with_kinds && r->kind != a->kind) note(difference.other_kind, "other kind", *a);
      ++r, ++a;
    }
  }
  return difference;
}

/// One untimed run of each peer: its answer against that of the first exact one.
void check_answers(const BenchScene& scene, Processes peers, SceneResult& result) {
  std::vector<Contact> reference;
  const Peer* reference_peer = nullptr;
  for (const std::unique_ptr<PeerProcess>& process : peers) {
    const Peer* peer = &process->peer();
    PeerResult& row = result.peers.emplace_back();
    row.peer = peer->name();
    std::vector<Contact> contacts = process->run().report.contacts;
    make_canonical(contacts);
    if (reference_peer == nullptr && peer->exact()) {
      reference_peer = peer;
      reference = std::move(contacts);
      continue;
    }
    if (reference_peer == nullptr) continue;
    const bool with_kinds = reference_peer->reports_kind() && peer->reports_kind();
    const Difference difference = compare(reference, contacts, with_kinds);
    row.missed = difference.missed;
    row.invented = difference.invented;
    if (peer->exact() && difference.missed + difference.invented + difference.other_kind > 0)
      throw Error(
          fmt::format("{}: {} found {} contacts and {} found {}; {} missed, {} invented, {} of another kind\n{}",
                      scene.name, reference_peer->name(), reference.size(), peer->name(), contacts.size(),
                      difference.missed, difference.invented, difference.other_kind, difference.first));
  }
  result.contacts = reference.size();
  result.hash = hash_of_pairs(reference);
}

}  // namespace

double PeerResult::median() const {
  const std::size_t n = milliseconds.size();
  return (milliseconds[(n - 1) / 2] + milliseconds[n / 2]) / 2;
}

const PeerResult* SceneResult::find(std::string_view peer) const {
  const auto it = std::find_if(peers.begin(), peers.end(), [&](const PeerResult& row) { return row.peer == peer; });
  return it == peers.end() ? nullptr : &*it;
}

double SceneResult::ratio(std::string_view peer, std::string_view other) const {
  const PeerResult *row = find(peer), *other_row = find(other);
  return row == nullptr || other_row == nullptr ? 0 : other_row->best() / row->best();
}

double SceneResult::cpu_ratio(std::string_view peer, std::string_view other) const {
  const PeerResult *row = find(peer), *other_row = find(other);
  return row == nullptr || other_row == nullptr ? 0 : other_row->cpu_milliseconds / row->cpu_milliseconds;
}

SceneResult measure(const BenchScene& scene, Processes peers, int runs) {
  SceneResult result;
  result.scene = scene.name;
  result.triangles = scene.triangles();
  result.objects = scene.size();
  check_answers(scene, peers, result);
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < peers.size(); ++i) {
      PeerResult& row = result.peers[i];
      if (run >= 2 && row.milliseconds.front() > kSlowMilliseconds) continue;
      auto [answer, cpu] = peers[i]->run();
      row.cpu_milliseconds = run == 0 ? cpu : std::min(row.cpu_milliseconds, cpu);
      const double milliseconds = answer.stats.milliseconds;
      if (run == 0 || milliseconds < row.milliseconds.front()) row.stats = std::move(answer.stats);
      row.milliseconds.insert(std::lower_bound(row.milliseconds.begin(), row.milliseconds.end(), milliseconds),
                              milliseconds);
    }
  return result;
}

}  // namespace sightline::bench
