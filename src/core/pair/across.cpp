#include "pair/across.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/radix_sort.h"
#include "input/watch.h"

namespace sightline {
namespace {

using Object = TriangleTable::Object;

constexpr rules::Claims kAllClaims = 7;  // a pair belongs to one block, whatever the cells are
constexpr std::size_t kLinear = 8;       // boxes that are compared faster one by one than in a tree
constexpr std::uint32_t kNatives = 32;   // of a block of a large object
constexpr std::size_t kGuests = 2048;    // tested at once

/// Calls visit(object) for each object at rest whose box meets `box` and whose contacts with `object` are wanted.
template <typename Visit>
void each_resting(const TriangleTable& table, const RestingObjects& resting, std::uint32_t object, const Box& box,
                  const Visit& visit) {
  const auto try_one = [&](std::uint32_t partner) {
    const RestingObjects::Object& other = resting.objects[partner];
    if (!other.gone && box.meets(other.box) &&
        (table.all_wanted || wanted(table.objects[object].options, table.objects[partner].options)))
      visit(partner);
    return false;
  };
  resting.tree.find([&box](const Box& other) { return box.meets(other); }, try_one);
  for (std::uint32_t i = resting.in_tree; i < resting.objects.size(); ++i) try_one(i);
}

/// The box of a triangle of floats, in which nothing is rounded; the fourth lane means nothing.
struct QuadBox {
  Quad4 low, high;

  QuadBox(const Object& object, const Triangle& t) {
    const Quad4 a = load(object, t[0]), b = load(object, t[1]), c = load(object, t[2]);
    low = a < b ? a : b;
    high = a < b ? b : a;
    low = low < c ? low : c;
    high = high > c ? high : c;
  }
  Box box() const { return {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}}; }

 private:
  static Quad4 load(const Object& object, std::uint32_t vertex) {
    const Vec3f* p = object.f32 + vertex;
    if (vertex + 1 == object.vertex_count) return Quad4{(*p)[0], (*p)[1], (*p)[2], 0};
    Quad4 quad;
    __builtin_memcpy(&quad, p, sizeof quad);  // and the next vertex' x, which is not used
    return quad;
  }
};

/// A box, also rounded outwards to float for triangles of floats.
class Region {
 public:
  Region() = default;
  explicit Region(const Box& box) : box_(box) {
    for (int k = 0; k < 3; ++k) {
      low_[k] = -above(-box.low[k]);
      high_[k] = above(box.high[k]);
    }
  }
  const Box& box() const { return box_; }
  bool meets(const QuadBox& box) const {
    const auto apart = (low_ > box.high) | (box.low > high_);
    return (apart[0] | apart[1] | apart[2]) == 0;
  }
  bool meets(const Box& box) const { return box_.meets(box); }

 private:
  /// The least float that is not below x.
  static float above(double x) {
    const auto y = static_cast<float>(x);
    return y < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
  }
  Box box_;
  Quad4 low_{}, high_{};
};

/// Calls visit(box) with the box of a triangle in the form that is the cheapest.
template <typename Visit>
auto with_box(const Object& object, std::uint32_t triangle, const Visit& visit) {
  return object.f32 != nullptr && object.transform == nullptr ? visit(QuadBox(object, object.triangles[triangle]))
                                                              : visit(object.box(triangle));
}
const Box& as_box(const Box& box) { return box; }
Box as_box(const QuadBox& box) { return box.box(); }

/// Boxes in which an object meets others; more are one box around them.
class Regions {
 public:
  void add(const Box& box) {
    if (count_ == kMost) {
      Box all = box;
      for (const Region& region : regions_) all.add(region.box());
      regions_[0] = Region(all);
      count_ = 1;
      full_ = true;
    } else if (full_) {
      Box all = regions_[0].box();
      all.add(box);
      regions_[0] = Region(all);
    } else {
      regions_[count_++] = Region(box);
    }
  }
  template <typename AnyBox>
  bool meet(const AnyBox& box) const {
    for (int i = 0; i < count_; ++i)
      if (regions_[i].meets(box)) return true;
    return false;
  }
  bool empty() const { return count_ == 0; }
  int size() const { return count_; }
  bool meets(int i, const Box& box) const { return regions_[i].meets(box); }

 private:
  static constexpr int kMost = 16;
  Region regions_[kMost];
  int count_ = 0;
  bool full_ = false;
};

}  // namespace

/// The natives of a block: their box, and smaller boxes that hold a few of them each.
struct Across::Natives {
  static constexpr std::size_t kTogether = 8;
  Box all;
  Regions regions;

  void add(const Box& box) {
    all.add(box);
    regions.add(box);
  }
  /// False only if no native meets this box: the box lies beyond each native's box or strictly on one side of its
  /// plane.
  bool reach(const Box& box, const std::vector<Divider::Scratch::Facet>& facets) const {
    for (int i = 0; i < regions.size(); ++i) {
      if (!regions.meets(i, box)) continue;
      const std::size_t first = static_cast<std::size_t>(i) * kTogether;
      for (std::size_t k = first; k < std::min(first + kTogether, facets.size()); ++k)
        if (facets[k].box.meets(box) && facets[k].plane.side(box.low.data(), box.high.data()) == 0) return true;
    }
    return false;
  }
};

namespace {

/// Numbers places along a curve that visits near places one after the other, in about as many cells as there are
/// triangles. Where few are far away, the outermost cells hold them; the order affects only the time.
class Curve {
 public:
  /// `keys` has triangles in its lower halves.
  Curve(const Object& object, std::span<const std::uint64_t> keys)
      : side_(std::clamp((static_cast<int>(std::bit_width(keys.size())) + 2) / 3, 1, 10)) {
    constexpr std::size_t kSamples = 256;
    const std::size_t step = keys.size() / kSamples + 1;
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
      double middle[kSamples] = {};
      std::size_t count = 0;
      for (std::size_t i = 0; i < keys.size(); i += step)
        middle[count++] = object.box(static_cast<std::uint32_t>(keys[i])).middle(k);
      const std::size_t tail = count / 50;
      std::nth_element(middle, middle + tail, middle + count);
      low_[k] = middle[tail];
      std::nth_element(middle, middle + (count - 1 - tail), middle + count);
      extent = std::max(extent, 0.5 * middle[count - 1 - tail] - 0.5 * low_[k]);
    }
    factor_ = std::min((1 << side_) / extent, 1e300);
  }
  int bits() const { return 3 * side_; }
  std::uint64_t operator()(const Box& box) const {
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
      const double at = std::clamp((0.5 * box.middle(k) - 0.5 * low_[k]) * factor_, 0.0, (1 << side_) - 1.0);
      key |= spread(static_cast<std::uint32_t>(at)) << k;
    }
    return key;
  }

 private:
  /// Bit i becomes bit 3 i.
  static std::uint32_t spread(std::uint32_t x) {
    x = (x | x << 16) & 0x030000FF;
    x = (x | x << 8) & 0x0300F00F;
    x = (x | x << 4) & 0x030C30C3;
    return (x | x << 2) & 0x09249249;
  }
  int side_;  ///< bits an axis
  double low_[3], factor_;
};

}  // namespace

void Across::begin(TriangleTable& table, const RestingObjects& resting, bool among, Workers& workers, Watch& watch) {
  table_ = &table;
  resting_ = &resting;
  among_ = among;
  place(table, workers);
  if (among && boxes_.size() > kLinear)
    tree_.assign(
        boxes_.size(), [this](std::size_t i) { return boxes_[i]; }, scratch_, BoxTree::kLeaf, workers);
  blocks_.clear();
  near_.clear();
  for (std::uint32_t i = 0; i < boxes_.size() && !watch.stop(); ++i) {
    const std::uint32_t object = resting_count() + i;
    if (table.objects[object].triangle_count <= kFew)
      blocks_.push_back({object, 0, 0, boxes_[i]});
    else
      divide(object, watch);
  }
}

/// Positions of instances, computed once where they are used several times, and the boxes of the objects.
void Across::place(TriangleTable& table, Workers& workers) {
  const std::span<Object> moved = std::span(table.objects).subspan(resting_count());
  const auto is_expanded = [](const Object& object) {
    return object.transform != nullptr && object.triangle_count <= kFew;
  };
  std::size_t f32 = 0, f64 = 0;
  for (const auto& object : moved)
    if (is_expanded(object)) (object.f64 != nullptr ? f64 : f32) += object.vertex_count;
  Vec3f* next_f32 = f32_.resize(f32);
  Vec3d* next_f64 = f64_.resize(f64);
  boxes_.resize(moved.size());
  const auto expand = [](const auto& object, auto*& next, const auto& at) {
    for (std::uint32_t v = 0; v < object.vertex_count; ++v) next[v] = at(v);
    next += object.vertex_count;
    return next - object.vertex_count;
  };
  for (auto& object : moved) {
    if (!is_expanded(object)) continue;
    if (object.f64 != nullptr)
      object.f64 = expand(object, next_f64, [&object](std::uint32_t v) { return object.position(v); });
    else
      object.f32 = expand(object, next_f32, [&object](std::uint32_t v) { return object.single(v); });
    object.transform = nullptr;
  }
  constexpr std::size_t kBlock = 64;
  workers.for_blocks(moved.size(), kBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) boxes_[i] = moved[i].bounds();
  });
}

/// Blocks of a large object: of its triangles that reach something at rest, in an order of their places.
void Across::divide(std::uint32_t object, Watch& watch) {
  const Object& mesh = table_->objects[object];
  Regions regions;
  each_partner(object, boxes_[object - resting_count()],
               [&](std::uint32_t partner) { regions.add(box_of_object(partner)); });
  if (regions.empty()) return;
  constexpr std::uint32_t kPiece = 1 << 14;
  sorted_.clear();
  for (std::uint32_t first = 0; first < mesh.triangle_count && !watch.stop(); first += kPiece)
    for (std::uint32_t i = first; i < first + std::min(kPiece, mesh.triangle_count - first); ++i)
      if (with_box(mesh, i, [&](const auto& box) { return regions.meet(box); })) sorted_.push_back(i);
  if (sorted_.empty() || watch.stop()) return;
  const Curve curve(mesh, sorted_);
  for (std::uint64_t& key : sorted_) {
    const auto triangle = static_cast<std::uint32_t>(key);
    key |= with_box(mesh, triangle, [&](const auto& box) { return curve(as_box(box)); }) << 32;
  }
  radix_sort(
      sorted_, other_, curve.bits(), [](std::uint64_t key) { return key >> 32; }, [&watch] { return watch.stop(); });
  for (std::size_t first = 0; first < sorted_.size(); first += kNatives) {
    const std::size_t last = std::min<std::size_t>(first + kNatives, sorted_.size());
    Block block{
        object, static_cast<std::uint32_t>(near_.size() + first), static_cast<std::uint32_t>(near_.size() + last), {}};
    for (std::size_t i = first; i < last; ++i)
      block.box.add(
          with_box(mesh, static_cast<std::uint32_t>(sorted_[i]), [](const auto& box) { return as_box(box); }));
    blocks_.push_back(block);
  }
  near_.insert(near_.end(), sorted_.begin(), sorted_.end());
}

/// Calls visit(object) for each object whose contacts with this one belong to this one, and whose box meets `box`.
template <typename Visit>
void Across::each_partner(std::uint32_t object, const Box& box, const Visit& visit) const {
  each_resting(*table_, *resting_, object, box, visit);
  if (!among_) return;
  const std::uint32_t own = object - resting_count();
  const auto try_one = [&](std::uint32_t i) {
    const std::uint32_t partner = resting_count() + i;
    if (i > own && box.meets(boxes_[i]) &&
        (table_->all_wanted || wanted(table_->objects[object].options, table_->objects[partner].options)))
      visit(partner);
    return false;
  };
  if (boxes_.size() > kLinear)
    tree_.find([&box](const Box& other) { return box.meets(other); }, try_one);
  else
    for (std::uint32_t i = own + 1; i < boxes_.size(); ++i) try_one(i);
}

std::uint64_t Across::estimate_near(const TriangleTable& table, const RestingObjects& resting) {
  constexpr std::uint32_t kSamples = 256;
  std::uint64_t near = 0;
  for (auto i = static_cast<std::uint32_t>(resting.objects.size()); i < table.objects.size(); ++i) {
    const Object& mesh = table.objects[i];
    if (mesh.triangle_count <= kFew) continue;
    Regions regions;
    each_resting(table, resting, i, mesh.bounds(),
                 [&](std::uint32_t partner) { regions.add(resting.objects[partner].box); });
    if (regions.empty()) continue;
    const std::uint32_t step = mesh.triangle_count / kSamples + 1;
    for (std::uint64_t k = step / 2; k < mesh.triangle_count; k += step)
      if (with_box(mesh, static_cast<std::uint32_t>(k), [&](const auto& box) { return regions.meet(box); }))
        near += step;
  }
  return near;
}

bool Across::is_crowded() const {
  constexpr std::size_t kSamples = 64, kMostPartners = 64;
  const std::size_t step = std::max<std::size_t>(1, boxes_.size() / kSamples);
  std::size_t samples = 0, partners = 0;
  for (std::size_t i = 0; i < boxes_.size(); i += step, ++samples)
    each_partner(static_cast<std::uint32_t>(resting_count() + i), boxes_[i], [&](std::uint32_t) { ++partners; });
  return partners > kMostPartners * samples;
}

/// The triangles of the block that reach a partner, or all if the object is compared with itself.
void Across::find_natives(const Block& block, Natives& natives, Divider::Scratch& scratch) const {
  const Object& mesh = table_->objects[block.object];
  constexpr std::size_t kMostTested = 4;  // with more partners, few triangles reach none
  Regions regions;
  if ((among_ && mesh.options.self) || scratch.partners.size() > kMostTested)
    regions.add(block.box);
  else
    for (const std::uint32_t partner : scratch.partners) regions.add(box_of_object(partner));
  scratch.natives.clear();
  Box few;
  const auto add = [&](std::uint32_t triangle) {
    with_box(mesh, triangle, [&](const auto& box) {
      if (!regions.meet(box)) return;
      few.add(as_box(box));
      scratch.natives.push_back({mesh.first_triangle + triangle, kAllClaims});
      if (scratch.natives.size() % Natives::kTogether == 0) natives.add(std::exchange(few, {}));
    });
  };
  if (block.first == block.last)
    for (std::uint32_t i = 0; i < mesh.triangle_count; ++i) add(i);
  else
    for (std::uint32_t i = block.first; i < block.last; ++i) add(static_cast<std::uint32_t>(near_[i]));
  if (!few.empty()) natives.add(few);
}

void Across::run(std::size_t number, Divider& divider) const {
  const Block& block = blocks_[number];
  Divider::Scratch& scratch = divider.scratch;
  scratch.partners.clear();
  each_partner(block.object, block.box, [&](std::uint32_t partner) { scratch.partners.push_back(partner); });
  const bool self = among_ && table_->objects[block.object].options.self;
  if (scratch.partners.empty() && !self) return;
  Natives natives;
  find_natives(block, natives, scratch);
  if (self) divider.test_group(scratch.natives, {}, block.box);
  if (!scratch.natives.empty()) meet(natives, divider);
}

/// The natives against the triangles of the partners.
void Across::meet(const Natives& natives, Divider& divider) const {
  Divider::Scratch& scratch = divider.scratch;
  scratch.guests.clear();
  scratch.facets.clear();
  const auto flush = [&] {
    if (!scratch.guests.empty()) divider.test_group(scratch.natives, scratch.guests, natives.all, false);
    scratch.guests.clear();
  };
  for (const std::uint32_t partner : scratch.partners) {
    const Object& other = table_->objects[partner];
    if (!natives.all.meets(box_of_object(partner))) continue;
    const auto add = [&](std::uint32_t triangle) {
      with_box(other, triangle, [&](const auto& box) {
        if (!natives.regions.meet(box)) return;
        scratch.guests.push_back({{other.first_triangle + triangle, kAllClaims}, as_box(box)});
        if (scratch.guests.size() >= kGuests) flush();
      });
    };
    const BoxTree* tree = partner < resting_count() ? resting_->objects[partner].tree : nullptr;
    if (tree == nullptr) {
      for (std::uint32_t i = 0; i < other.triangle_count; ++i) add(i);
      continue;
    }
    if (scratch.facets.empty()) find_facets(scratch);
    tree->find_leaves([&natives](const Box& box) { return natives.all.meets(box) && natives.regions.meet(box); },
                      [&](const BoxTree::Node& leaf) {
                        if (natives.reach(leaf.box, scratch.facets))
                          for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) add(tree->items()[i]);
                        return false;
                      });
  }
  flush();
}

/// Boxes and planes of the natives.
void Across::find_facets(Divider::Scratch& scratch) const {
  std::uint32_t guess = 0;
  for (const Member& native : scratch.natives) {
    const std::array<Vec3d, 3> t = table_->object_of(native.triangle, guess).corners(native.triangle);
    double corner[3][3];
    for (int i = 0; i < 3; ++i) std::copy_n(t[i].data(), 3, corner[i]);
    scratch.facets.push_back({box_of(t), rules::BoxPlane(corner)});
  }
}

std::uint64_t Across::bytes() const {
  return f32_.capacity_bytes() + f64_.capacity_bytes() + boxes_.capacity() * sizeof(Box) + tree_.bytes() +
         scratch_.capacity() * sizeof(BoxTree::Item) + blocks_.capacity() * sizeof(Block) +
         (near_.capacity() + sorted_.capacity() + other_.capacity()) * sizeof(std::uint64_t);
}

}  // namespace sightline
