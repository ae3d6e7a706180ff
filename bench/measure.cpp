#include "bench/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

#include "bench/agreement.h"

namespace sightline::bench {
namespace {

// A peer slower than this is timed at most twice.
constexpr double kSlowMilliseconds = 5000;

/// User and system time of the process so far.
double cpu_milliseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto milliseconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
  };
  return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
}

/// One untimed run of each peer: its answer against that of the first exact one.
void check_answers(const BenchScene& scene, const std::vector<Peer*>& peers, SceneResult& result) {
  std::vector<Contact> reference;
  const Peer* reference_peer = nullptr;
  for (Peer* peer : peers) {
    PeerResult& row = result.peers.emplace_back();
    row.peer = peer->name();
    std::vector<Contact> contacts = std::move(peer->run(scene).contacts);
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
    if (peer->exact() && !difference.none())
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

SceneResult measure(const BenchScene& scene, const std::vector<Peer*>& peers, int runs) {
  SceneResult result;
  result.scene = scene.name;
  result.triangles = scene.triangles();
  result.objects = scene.objects.size();
  check_answers(scene, peers, result);
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < peers.size(); ++i) {
      PeerResult& row = result.peers[i];
      if (run >= 2 && row.milliseconds.front() > kSlowMilliseconds) continue;
      const double cpu_before = cpu_milliseconds();
      Answer answer = peers[i]->run(scene);
      const double cpu = cpu_milliseconds() - cpu_before;
      row.cpu_milliseconds = run == 0 ? cpu : std::min(row.cpu_milliseconds, cpu);
      if (run == 0 || answer.milliseconds < row.milliseconds.front()) row.stats = std::move(answer.stats);
      const auto place = std::lower_bound(row.milliseconds.begin(), row.milliseconds.end(), answer.milliseconds);
      row.milliseconds.insert(place, answer.milliseconds);
    }
  return result;
}

}  // namespace sightline::bench
