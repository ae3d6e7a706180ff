#include "oracle/brute.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "exact/tri_tri.h"

namespace oracle {
namespace {

using sightline::Contact;
using sightline::MeshView;
using sightline::Vec3d;

/// Bounds as given, never rounded: comparisons of doubles are exact.
struct Box {
  Vec3d low, high;

  void add(const Box& other) {
    for (int k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }
  bool meets(const Box& other) const {
    for (int k = 0; k < 3; ++k)
      if (low[k] > other.high[k] || other.low[k] > high[k]) return false;
    return true;
  }
  /// Halves, so that the sum of two huge numbers stays finite. It only chooses where the tree is cut.
  double middle(int k) const { return low[k] / 2 + high[k] / 2; }
};

struct Item {
  Box box;
  std::uint32_t object, triangle;
};

/// Items in the order of a binary tree: a node is a range, its children are the halves. Ranges are cut at the median,
/// so that ratios of size do not matter to the depth, and on the axes by turns.
class Tree {
 public:
  explicit Tree(std::vector<Item> all) : items(std::move(all)), boxes_(items.empty() ? 0 : 4 * items.size()) {
    if (!items.empty()) build(0, 0, items.size(), 0);
  }

  /// Calls visit(j) for each item j > i whose box meets that of i.
  template <typename Visit>
  void partners(std::size_t i, const Visit& visit) const {
    descend(0, 0, items.size(), i, visit);
  }

  std::vector<Item> items;

 private:
  static constexpr std::size_t kLeaf = 4;

  void build(std::size_t node, std::size_t begin, std::size_t end, int axis) {
    if (end - begin > kLeaf) {
      const std::size_t middle = begin + (end - begin) / 2;
      std::nth_element(items.begin() + begin, items.begin() + middle, items.begin() + end,
                       [axis](const Item& a, const Item& b) { return a.box.middle(axis) < b.box.middle(axis); });
      build(2 * node + 1, begin, middle, (axis + 1) % 3);
      build(2 * node + 2, middle, end, (axis + 1) % 3);
    }
    boxes_[node] = items[begin].box;
    for (std::size_t i = begin; i < end; ++i) boxes_[node].add(items[i].box);
  }

  template <typename Visit>
  void descend(std::size_t node, std::size_t begin, std::size_t end, std::size_t i, const Visit& visit) const {
    if (end <= i + 1 || !boxes_[node].meets(items[i].box)) return;
    if (end - begin > kLeaf) {
      const std::size_t middle = begin + (end - begin) / 2;
      descend(2 * node + 1, begin, middle, i, visit);
      descend(2 * node + 2, middle, end, i, visit);
      return;
    }
    for (std::size_t j = std::max(begin, i + 1); j < end; ++j)
      if (items[j].box.meets(items[i].box)) visit(j);
  }

  std::vector<Box> boxes_;
};

Box box_of(const std::array<Vec3d, 3>& corners) {
  Box box{corners[0], corners[0]};
  for (const Vec3d& p : corners) box.add({p, p});
  return box;
}

}  // namespace

std::vector<Contact> brute_contacts(const std::vector<MeshView>& objects, const std::vector<bool>& self) {
  std::vector<Item> items;
  for (std::uint32_t o = 0; o < objects.size(); ++o)
    for (std::uint32_t t = 0; t < objects[o].triangles.size(); ++t)
      items.push_back({box_of(objects[o].corners(t)), o, t});
  const Tree tree(std::move(items));

  const auto decide = [&](const Item& one, const Item& other, std::vector<Contact>& found) {
    const bool in_order = std::pair(one.object, one.triangle) < std::pair(other.object, other.triangle);
    const Item &a = in_order ? one : other, &b = in_order ? other : one;
    const bool one_object = a.object == b.object;
    if (one_object && !self[a.object]) return;
    const auto kind = sightline::exact::decide(objects[a.object].corners(a.triangle),
                                               objects[b.object].corners(b.triangle), one_object);
    if (kind) found.push_back({a.object, b.object, a.triangle, b.triangle, *kind});
  };

  constexpr std::size_t kPiece = 256;
  const std::size_t count = tree.items.size();
  // A thread costs more than a few hundred triangles.
  const std::size_t threads = count < 4096 ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
  std::vector<std::vector<Contact>> found(threads);
  std::atomic<std::size_t> next{0};
  const auto work = [&](std::size_t thread) {
    for (std::size_t begin; (begin = next.fetch_add(kPiece)) < count;)
      for (std::size_t i = begin; i < std::min(count, begin + kPiece); ++i)
        tree.partners(i, [&](std::size_t j) { decide(tree.items[i], tree.items[j], found[thread]); });
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (std::thread& other : others) other.join();

  std::vector<Contact> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace oracle
