// Steps:
// 1. Number the vertices of all triangles in contact, equal positions of a part alike.
// 2. Each contact has nine pairs of vertices: one of triangle a, one of triangle b. Two contacts are neighbours exactly
//    if they have a pair in common. The pairs are put into lists by their first vertex (a counting sort), each list is
//    sorted by the second, and contacts that stand together are joined (union-find). A triangle with very many
//    contacts costs no more than others: the work is nine pairs a contact, whatever meets it.
// 3. Roots become clusters, sorted by size.
#include "report/clusters.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/union_find.h"
#include "mesh/weld.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

constexpr uint32_t kNoCluster = 0xFFFFFFFFu;

// Step 1. Numbers count through all parts, so that the smaller object has the smaller numbers.
class Vertices {
 public:
  explicit Vertices(const Contacts& contacts) : parts_(contacts.parts), number_(contacts.parts.size()) {
    for (const Contact& contact : contacts.list) {
      mark(contact.object_a, contact.a);
      mark(contact.object_b, contact.b);
    }
    for (size_t part = 0; part < number_.size(); ++part) weld_marked(part);
  }
  Triangle of(uint32_t part, uint32_t triangle) const {
    const Triangle& t = parts_[part].mesh.triangles[triangle];
    const std::vector<uint32_t>& number = number_[part];
    return {number[t[0]], number[t[1]], number[t[2]]};
  }
  uint32_t count() const { return count_; }

 private:
  void mark(uint32_t part, uint32_t triangle) {
    const MeshView& mesh = parts_[part].mesh;
    if (number_[part].empty()) number_[part].assign(mesh.positions.size(), kNoCluster);
    for (const uint32_t vertex : mesh.triangles[triangle]) number_[part][vertex] = 0;
  }
  void weld_marked(size_t part) {
    std::vector<uint32_t>& number = number_[part];
    std::vector<uint32_t> used;
    std::vector<Vec3d> points;
    for (uint32_t vertex = 0; vertex < number.size(); ++vertex)
      if (number[vertex] != kNoCluster) {
        used.push_back(vertex);
        points.push_back(parts_[part].mesh.position(vertex));
      }
    const std::vector<uint32_t> first = weld(std::span<const Vec3d>(points));
    for (size_t i = 0; i < used.size(); ++i) number[used[i]] = count_ + first[i];
    count_ += static_cast<uint32_t>(used.size());
  }

  std::span<const Part> parts_;
  std::vector<std::vector<uint32_t>> number_;  // per part and position; empty where the part has no contact
  uint32_t count_ = 0;
};

// Step 2. The root of a set is the least contact of the cluster: the smaller number always becomes the root.
UnionFind joined(const Contacts& contacts, const Vertices& vertices) {
  UnionFind sets(contacts.list.size());
  struct Entry {
    uint32_t other, contact;
    auto operator<=>(const Entry&) const = default;
  };
  const auto each = [&](const auto& emit) {
    for (uint32_t i = 0; i < contacts.list.size(); ++i) {
      const Contact& c = contacts.list[i];
      for (const uint32_t a : vertices.of(c.object_a, c.a))
        for (const uint32_t b : vertices.of(c.object_b, c.b)) emit(std::min(a, b), Entry{std::max(a, b), i});
    }
  };
  std::vector<uint64_t> end(size_t{vertices.count()} + 1, 0);
  each([&](uint32_t vertex, Entry) { ++end[vertex]; });
  uint64_t sum = 0;
  for (uint64_t& e : end) sum += std::exchange(e, sum);
  std::vector<Entry> entries(sum);
  each([&](uint32_t vertex, Entry entry) { entries[end[vertex]++] = entry; });
  uint64_t begin = 0;
  for (uint32_t vertex = 0; vertex < vertices.count(); begin = end[vertex++]) {
    std::sort(entries.begin() + begin, entries.begin() + end[vertex]);
    for (uint64_t i = begin + 1; i < end[vertex]; ++i)
      if (entries[i].other == entries[i - 1].other) sets.join(entries[i].contact, entries[i - 1].contact);
  }
  return sets;
}

// Step 3.
Clusters collect(const Contacts& contacts, const Outlines& outlines, UnionFind sets) {
  const auto count = static_cast<uint32_t>(contacts.list.size());
  std::vector<uint32_t> number(count, kNoCluster);  // of the cluster, by root; then by contact
  std::vector<Cluster> found;
  for (uint32_t i = 0; i < count; ++i) {
    const Contact& contact = contacts.list[i];
    uint32_t& mine = number[sets.root(i)];
    if (mine == kNoCluster) {
      mine = static_cast<uint32_t>(found.size());
      // Roots come in ascending order, so `first` is the least contact until the sort below has used it.
      found.push_back({.part_a = contact.object_a, .part_b = contact.object_b, .first = i, .kinds = {}, .box = {}});
    }
    number[i] = mine;
    Cluster& cluster = found[mine];
    ++cluster.count;
    ++cluster.kinds.of[static_cast<int>(contact.kind)];
    for (const Vec3d& p : outlines.of(i)) cluster.box.add(p);
  }
  std::vector<uint32_t> order(found.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t x, uint32_t y) { return found[x].count > found[y].count; });

  Clusters result;
  result.list.reserve(found.size());
  std::vector<uint64_t> next(found.size());
  uint64_t first = 0;
  for (const uint32_t old : order) {
    found[old].first = next[old] = first;
    first += found[old].count;
    result.list.push_back(found[old]);
  }
  result.contacts.resize(count);
  for (uint32_t i = 0; i < count; ++i) result.contacts[next[number[i]]++] = i;
  return result;
}

}  // namespace

Clusters clusters(const Contacts& contacts, const Outlines& outlines) {
  if (contacts.list.size() >= kNoCluster)
    throw Error(fmt::format("{} contacts: at most {} can be grouped into clusters", contacts.list.size(), kNoCluster - 1));
  UnionFind sets = joined(contacts, Vertices(contacts));
  return collect(contacts, outlines, std::move(sets));
}

}  // namespace sightline::report
