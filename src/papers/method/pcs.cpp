#include "method/pcs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "base/radix_sort.h"
#include "method/boxes.h"

namespace sightline::papers::method {
namespace {
constexpr std::string_view kTriangleLevel = "triangle";
}  // namespace

Level::Level(Context& context, const Hierarchy& hierarchy, std::string_view name, std::vector<Element> elements)
    : context_(context),
      hierarchy_(hierarchy),
      name_(name),
      elements_(std::move(elements)),
      gone_(elements_.size(), 0) {
  elements_left_ = elements_.size();
  for (const Element& element : elements_) {
    triangles_left_ += element.triangles.size();
    open_ += element.role != Role::kept ? 1 : 0;
  }
  if (!open()) return;
  make_orders();
  context_.raster.pool(hierarchy_.drawn());
}

void Level::make_orders() {
  context_.look_at_all();
  if (context_.options.back_to_front) {
    orders_.resize(context_.cameras.size());
    return;  // made when the view is first taken
  }
  orders_.resize(1);
  orders_[0].resize(elements_.size());
  std::iota(orders_[0].begin(), orders_[0].end(), 0u);
}

namespace {

struct FarFirst {
  std::uint32_t key;  ///< the smaller, the farther
  std::uint32_t element;
};

/// A number whose order is the reverse of the order of the depths, as floats. The order of two elements whose depths
/// are equal as floats does not matter, and half the bits are sorted in less than half the time. +0 and -0 are one
/// depth.
std::uint32_t far_first(double depth) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(depth) + 0.0f);
  return (bits >> 31) != 0 ? bits : ~bits & ~(std::uint32_t{1} << 31);
}

}  // namespace

/// The sums of the corners of each element that is left. The depth of an element in any view follows from its sum, so
/// that each triangle is read once.
void Level::add_up() {
  sums_.resize(elements_.size(), Vec3d{0, 0, 0});
  const Scene& scene = context_.scene;
  constexpr std::size_t kBlock = 256;
  context_.workers.for_each((elements_.size() + kBlock - 1) / kBlock, [&](std::size_t block) {
    for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, elements_.size()); ++i) {
      const auto e = static_cast<std::uint32_t>(i);
      if (gone_[e] != 0) continue;
      Vec3d sum = {0, 0, 0};
      for (const std::uint32_t t : triangles_of(e))
        for (const Vec3d& p : scene.corners(t))
          for (int axis = 0; axis < 3; ++axis) sum[axis] += p[axis];
      sums_[e] = sum;
    }
  });
}

// Groups from the farthest to the nearest by the mean depth of their corners. Of 21 050 triangles of a folded cloth,
// the first pass of Quick-CULLIDE left 574 with the mean, 955 with the middle of the range, 1390 with the farthest
// corner, 1821 with the nearest, and 12 885 front to back.
std::vector<std::uint32_t> Level::back_to_front(const raster::Camera& camera) {
  if (sums_.empty()) add_up();
  const auto size = static_cast<std::uint32_t>(elements_.size());
  const double along = camera.origin[0] * camera.forward[0] + camera.origin[1] * camera.forward[1] +
                       camera.origin[2] * camera.forward[2];
  const double range = camera.far - camera.near;  // so that no scene is too large or too small for floats
  std::vector<FarFirst> keys;                     // of each group that has an element left: its first one
  keys.reserve(elements_left_);
  for (std::uint32_t e = 0; e < size;) {
    const std::uint32_t first = e;
    Vec3d sum = {0, 0, 0};
    std::uint64_t corners = 0;
    for (; e < size && elements_[e].group == elements_[first].group; ++e) {
      if (gone_[e] != 0) continue;
      corners += 3 * std::uint64_t{elements_[e].triangles.size()};
      for (int axis = 0; axis < 3; ++axis) sum[axis] += sums_[e][axis];
    }
    if (corners == 0) continue;
    const double depth = sum[0] * camera.forward[0] + sum[1] * camera.forward[1] + sum[2] * camera.forward[2];
    keys.push_back({far_first((depth / static_cast<double>(corners) - along) / range), first});
  }
  radix_sort(
      keys, 32, [](const FarFirst& k) { return k.key; }, [] { return false; });  // stable: ties keep their order
  std::vector<std::uint32_t> order;
  order.reserve(elements_left_);
  for (const FarFirst& key : keys)
    for (std::uint32_t e = key.element; e < size && elements_[e].group == elements_[key.element].group; ++e)
      if (gone_[e] == 0) order.push_back(e);
  return order;
}

void Level::look(std::size_t view) {
  context_.raster.camera(context_.cameras[view]);
  order_ = &orders_[order_of(view)];
  if (order_->empty())
    *order_ = back_to_front(context_.cameras[view]);
  else
    std::erase_if(*order_, [&](std::uint32_t e) { return gone_[e] != 0; });
}

unsigned Level::rounds_here() const {
  return name_ == kTriangleLevel || context_.options.object_level ? context_.options.rounds : 1;
}

bool Level::is_enough() const { return name_ == kTriangleLevel && triangles_left_ <= context_.enough; }

void Level::remove(std::uint32_t element) {
  if (gone_[element] != 0) return;
  gone_[element] = 1;
  --elements_left_;
  --open_;
  triangles_left_ -= elements_[element].triangles.size();
  if (context_.options.record_dropped)
    for (const std::uint32_t triangle : triangles_of(element)) context_.drop(triangle);
}

std::vector<std::uint32_t> Level::triangles() const {
  std::vector<std::uint32_t> all;
  all.reserve(triangles_left_);
  for (std::uint32_t e = 0; e < elements_.size(); ++e)
    if (left(e)) all.insert(all.end(), triangles_of(e).begin(), triangles_of(e).end());
  std::sort(all.begin(), all.end());
  return all;
}

bool worth_upper_levels(const Scene& scene) {
  std::uint64_t testable = 0;
  for (const TriangleTable::Object& object : scene.table.objects)
    testable += object.options.self ? 0 : object.triangle_count;
  return 2 * testable > scene.triangles.size();
}

Hierarchy first_hierarchy(Context& context) {
  if (context.options.object_level || !context.options.patches) return Hierarchy(context.scene);
  return Hierarchy(context.scene, near_others(context));
}

Level object_level(Context& context, Hierarchy& hierarchy) {
  context.raster.target(context.target());
  std::vector<Element> elements;
  const auto& objects = context.scene.table.objects;
  for (std::uint32_t o = 0; o < objects.size(); ++o)
    if (hierarchy.object(o).size() > 0)
      elements.push_back({hierarchy.object(o), o, o, objects[o].options.self ? Role::kept : Role::between});
  return Level(context, hierarchy, "object", std::move(elements));
}

namespace {

void cut(const Element& element, std::uint32_t most, std::vector<Element>& pieces) {
  if (element.triangles.size() <= most) {
    pieces.push_back(element);
    return;
  }
  for (std::uint32_t half = 0; half < 2; ++half) {
    Element part = element;
    part.triangles = element.triangles.part(half, 2);
    cut(part, most, pieces);
  }
}

}  // namespace

Level sub_object_level(const Level& objects, Hierarchy& hierarchy) {
  Context& context = objects.context();
  const auto is_cut = [&](std::uint32_t e) {
    const Element& element = objects.elements()[e];
    return objects.left(e) && element.role != Role::kept && element.triangles.size() > kPatch;
  };
  context.workers.for_each(objects.elements().size(), [&](std::size_t i) {
    const auto e = static_cast<std::uint32_t>(i);
    if (!is_cut(e)) return;
    if (context.options.random_hierarchy)
      hierarchy.shuffle(objects.elements()[e].object);
    else
      hierarchy.sort_in_space(objects.elements()[e].object, context.workers);
  });
  hierarchy.extract(context);
  std::vector<Element> pieces;
  for (std::uint32_t e = 0; e < objects.elements().size(); ++e) {
    if (is_cut(e))
      cut(objects.elements()[e], kPatch, pieces);
    else if (objects.left(e))
      pieces.push_back(objects.elements()[e]);
  }
  return Level(context, hierarchy, "sub-object", std::move(pieces));
}

Level triangle_level(const Level& pieces) {
  std::vector<Element> triangles;
  triangles.reserve(pieces.triangles_left());
  std::uint32_t group = 0;
  const Element* last = nullptr;
  for (std::uint32_t e = 0; e < pieces.elements().size(); ++e) {
    const Element& piece = pieces.elements()[e];
    if (!pieces.left(e)) continue;
    if (last != nullptr && last->object != piece.object) ++group;
    last = &piece;
    for (std::uint32_t i = piece.triangles.first; i < piece.triangles.last; ++i) {
      if (piece.role == Role::kept)
        triangles.push_back({{i, i + 1}, piece.object, group++, Role::self});
      else
        triangles.push_back({{i, i + 1}, piece.object, group, Role::between});
    }
  }
  return Level(pieces.context(), pieces.hierarchy(), kTriangleLevel, std::move(triangles));
}

}  // namespace sightline::papers::method
