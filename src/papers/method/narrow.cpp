// From the potentially colliding set to contacts: sweep-and-prune on boxes, then the exact test.
//
// The sweep runs along the longest axis of the set (I-COLLIDE's interval lists, rebuilt each time since nothing is kept
// between queries). Tasks are runs of the sorted list, so the order of finds does not depend on threads.
#include <algorithm>
#include <atomic>

#include "base/box.h"
#include "exact/tri_tri.h"
#include "method/method.h"

namespace sightline::papers::method {
namespace {

bool meet(const Box& a, const Box& b, int axis) { return a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis]; }

class Narrow {
 public:
  explicit Narrow(Context& context) : context_(context), scene_(context.scene) {}

  /// One pair, in any order.
  void test(std::uint32_t a, std::uint32_t b, std::vector<Contact>& found) {
    if (a > b) std::swap(a, b);
    const std::uint32_t object_a = scene_.object_of[a], object_b = scene_.object_of[b];
    tested_.fetch_add(1, std::memory_order_relaxed);
    const auto kind = exact::decide(scene_.corners(a), scene_.corners(b), object_a == object_b);
    if (!kind) return;
    const auto &in_a = scene_.table.objects[object_a], &in_b = scene_.table.objects[object_b];
    found.push_back({in_a.id, in_b.id, a - in_a.first_triangle, b - in_b.first_triangle, *kind});
  }

  /// Whether a contact of this pair is reported.
  bool is_wanted(std::uint32_t a, std::uint32_t b) const {
    const auto &of_a = scene_.table.objects[scene_.object_of[a]], &of_b = scene_.table.objects[scene_.object_of[b]];
    return &of_a == &of_b ? of_a.options.self : wanted(of_a.options, of_b.options);
  }

  void sweep(const Candidates& candidates, std::vector<std::vector<Contact>>& found) {
    const std::size_t count = candidates.triangles.size();
    std::vector<Box> box(count);
    for (std::size_t i = 0; i < count; ++i) box[i] = box_of(scene_.corners(candidates.triangles[i]));
    const std::array<int, 3> axes = axes_by_extent(box);
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
      return std::pair(box[i].low[axes[0]], i) < std::pair(box[j].low[axes[0]], j);
    });
    constexpr std::size_t kRun = 64;
    found.resize((count + kRun - 1) / kRun);
    context_.workers.for_each(found.size(), [&](std::size_t run) {
      if (context_.stop && context_.stop()) return;
      for (std::size_t s = run * kRun; s < std::min(count, (run + 1) * kRun); ++s) {
        const std::uint32_t i = order[s];
        for (std::size_t t = s + 1; t < count && box[order[t]].low[axes[0]] <= box[i].high[axes[0]]; ++t) {
          const std::uint32_t j = order[t];
          if (!meet(box[i], box[j], axes[1]) || !meet(box[i], box[j], axes[2])) continue;
          const std::uint32_t a = candidates.triangles[i], b = candidates.triangles[j];
          if (is_wanted(a, b) && !in_one_free_set(candidates, i, j)) test(a, b, found[run]);
        }
      }
    });
  }

  void pairs(const Candidates& candidates, std::vector<std::vector<Contact>>& found) {
    constexpr std::size_t kRun = 1024;
    found.resize((candidates.pairs.size() + kRun - 1) / kRun);
    context_.workers.for_each(found.size(), [&](std::size_t run) {
      if (context_.stop && context_.stop()) return;
      for (std::size_t i = run * kRun; i < std::min(candidates.pairs.size(), (run + 1) * kRun); ++i) {
        const auto [a, b] = candidates.pairs[i];
        const Box box_a = box_of(scene_.corners(a)), box_b = box_of(scene_.corners(b));
        if (meet(box_a, box_b, 0) && meet(box_a, box_b, 1) && meet(box_a, box_b, 2) && is_wanted(a, b))
          test(a, b, found[run]);
      }
    });
  }

  std::uint64_t tested() const { return tested_.load(); }

 private:
  static bool in_one_free_set(const Candidates& candidates, std::uint32_t i, std::uint32_t j) {
    if (candidates.free_set.empty()) return false;
    return candidates.free_set[i] != 0 && candidates.free_set[i] == candidates.free_set[j];
  }

  static std::array<int, 3> axes_by_extent(const std::vector<Box>& boxes) {
    if (boxes.empty()) return {0, 1, 2};
    Box all = boxes.front();
    for (const Box& box : boxes)
      for (int axis = 0; axis < 3; ++axis) {
        all.low[axis] = std::min(all.low[axis], box.low[axis]);
        all.high[axis] = std::max(all.high[axis], box.high[axis]);
      }
    std::array<int, 3> axes = {0, 1, 2};
    std::sort(axes.begin(), axes.end(), [&](int i, int j) {
      return std::pair(all.low[i] - all.high[i], i) < std::pair(all.low[j] - all.high[j], j);
    });
    return axes;
  }

  Context& context_;
  const Scene& scene_;
  std::atomic<std::uint64_t> tested_{0};
};

}  // namespace

std::vector<Contact> exact_contacts(Context& context, const Candidates& candidates) {
  Narrow narrow(context);
  std::vector<std::vector<Contact>> found;
  if (candidates.has_pairs)
    narrow.pairs(candidates, found);
  else
    narrow.sweep(candidates, found);
  context.report.pairs_tested += narrow.tested();
  std::vector<Contact> contacts;
  for (const auto& part : found) contacts.insert(contacts.end(), part.begin(), part.end());
  std::sort(contacts.begin(), contacts.end());
  return contacts;
}

}  // namespace sightline::papers::method
