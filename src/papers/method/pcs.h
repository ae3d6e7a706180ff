// The potentially colliding set of CULLIDE and Quick-CULLIDE at one level: elements, the order in which each view draws
// them, and one pass over them.
//
// Elements belong to groups, and elements of one group are never tested against each other. In a pass a group is first
// tested, element by element, against the drawn groups before it, and only then drawn. So a group is
// - an object without `self`: its elements are the object, its pieces or its triangles, tested with GEQUAL (CULLIDE's
//   test: clear means nearer, everywhere);
// - one triangle of an object with `self` (at triangle level), tested with GREATER (clear means not farther, so that
//   neighbours, which meet at equal depth, do not keep each other);
// - the whole of such an object at the levels above, drawn but never tested: a surface that folds hides itself.
//
// Why nothing is lost in conservative precision. Let a point p be in elements i and j of different groups, j drawn
// before i is tested. Both cover the pixel that p falls into, j's near end there is at most depth(p) and i's far end at
// least that. The buffer holds the least near end drawn, so far(i) >= stored: GEQUAL counts a fragment and i is not
// clear. Ends are rounded outwards with at least a whole unit (two ulp of a float) to spare on each side
// (raster/setup.h: low_key, high_key), so even far(i) >= stored + 2, and GREATER counts it as well. In both directions
// over the order, i is tested against every other group: an element clear twice shares no point with any that is left.
// Of two elements that share a point neither can be the first to leave, so both stay.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "method/hierarchy.h"
#include "method/method.h"

namespace sightline::papers::method {

enum class Role : std::uint8_t {
  between,  ///< tested with GEQUAL
  self,     ///< tested with GREATER
  kept,     ///< only drawn
};

struct Element {
  Range triangles;  ///< of the hierarchy's order
  std::uint32_t object = 0;
  std::uint32_t group = 0;  ///< counts up from 0; the elements of a group follow each other
  Role role = Role::between;
};

class Level {
 public:
  /// `name` is a string literal.
  Level(Context& context, const Hierarchy& hierarchy, std::string_view name, std::vector<Element> elements);

  const std::vector<Element>& elements() const { return elements_; }
  bool left(std::uint32_t element) const { return gone_[element] == 0; }
  std::uint64_t elements_left() const { return elements_left_; }
  std::uint64_t triangles_left() const { return triangles_left_; }
  /// True if some element that is left could still be clear.
  bool open() const { return open_ > 0; }

  /// The number of orders that views draw in: one for each view, or one for all with back_to_front off.
  std::size_t order_count() const { return orders_.size(); }
  std::size_t order_of(std::size_t view) const { return orders_.size() == 1 ? 0 : view; }

  /// Points the camera along a view. Then order() holds what is left, in the order of that view.
  void look(std::size_t view);
  std::span<const std::uint32_t> order() const { return *order_; }

  /// Both passes over order(): use(e) returns the uses of an element (raster::SweepUse, but for kStrictly, which
  /// follows from its role). The results (raster::SweepPassed) are in the order of order(), until the next sweep.
  template <typename Use>
  std::span<const std::uint8_t> sweep(const Use& use);
  bool testable(std::uint32_t element) const { return elements_[element].role != Role::kept; }

  void remove(std::uint32_t element);

  /// Calls reduce(view) for one view after the other, each as a pass of the report, until a whole round of them removed
  /// nothing, or for as many rounds as the options allow: rounds_here(). At the level of triangles it also ends when
  /// Context::enough are left.
  template <typename Reduce>
  void reduce_in_turn(const Reduce& reduce);

  /// What is left, ascending.
  std::vector<std::uint32_t> triangles() const;
  /// Numbers of the scene; the raster may use other numbers (Hierarchy::drawn).
  std::span<const std::uint32_t> triangles_of(std::uint32_t element) const {
    return hierarchy_.triangles(elements_[element].triangles);
  }
  const Hierarchy& hierarchy() const { return hierarchy_; }
  Context& context() const { return context_; }

 private:
  void make_orders();
  /// 0: no limit. A level above the triangles gets one round: what another round would remove there, the next level
  /// removes as well, and at less cost (an element that is clear as a whole is clear in all its parts). With whole
  /// objects first, as published, all levels are repeated.
  unsigned rounds_here() const;
  bool is_enough() const;
  std::vector<std::uint32_t> back_to_front(const raster::Camera& camera);
  void add_up();

  Context& context_;
  const Hierarchy& hierarchy_;
  std::string_view name_;
  std::vector<Element> elements_;
  std::vector<std::uint8_t> gone_;
  std::vector<std::vector<std::uint32_t>> orders_;  ///< of elements
  std::vector<Vec3d> sums_;                         ///< of an element's corners
  std::vector<std::uint32_t>* order_ = nullptr;     ///< the current one
  std::vector<raster::SweepElement> swept_;         ///< kept from sweep to sweep for its memory
  std::vector<std::uint8_t> passed_;
  std::uint64_t elements_left_ = 0, triangles_left_ = 0, open_ = 0;
};

/// The first step of both methods: the triangles that the boxes of objects leave (boxes.h); with object_level or
/// without patches, all.
Hierarchy first_hierarchy(Context& context);

// The levels, from the objects down. Each takes the elements that the level above left. Without a level of objects,
// that level is made and not pruned. Without patches, the level of triangles follows that of objects.
Level object_level(Context& context, Hierarchy& hierarchy);
/// Objects in patches of at most kPatch triangles. Makes the hierarchy of the objects that are left, and extracts it.
Level sub_object_level(const Level& objects, Hierarchy& hierarchy);
Level triangle_level(const Level& pieces);
/// Levels above the triangles cost a drawing of everything for each view, and only objects without `self` can leave
/// there. So they are worth their cost only if those objects are most of the scene. (The result depends on the scene
/// only.)
bool worth_upper_levels(const Scene& scene);
inline constexpr std::uint32_t kPatch = 64;

template <typename Use>
std::span<const std::uint8_t> Level::sweep(const Use& use) {
  swept_.resize(order_->size());
  passed_.resize(order_->size());
  for (std::size_t i = 0; i < swept_.size(); ++i) {
    const std::uint32_t e = (*order_)[i];
    const Element& element = elements_[e];
    const auto how = static_cast<std::uint8_t>(use(e) | (element.role == Role::self ? raster::kStrictly : 0));
    swept_[i] = {element.triangles.first, element.triangles.size(), element.group, how};
  }
  context_.raster.reset_queries();
  context_.raster.sweep(hierarchy_.drawn(), swept_, passed_);
  return passed_;
}

template <typename Reduce>
void Level::reduce_in_turn(const Reduce& reduce) {
  const std::size_t views = context_.views.size();
  std::size_t quiet = 0;  // views since something left
  const std::size_t most = rounds_here() == 0 ? SIZE_MAX : views * rounds_here();
  for (std::size_t turn = 0; turn < most && quiet < views && open() && !is_enough(); ++turn) {
    if (context_.stop && context_.stop()) return;
    const std::size_t view = turn % views;
    PassClock clock(context_, name_, context_.views[view].direction, static_cast<std::uint32_t>(turn / views));
    clock.pass().pcs_before = triangles_left_;
    clock.pass().elements_before = elements_left_;
    look(view);
    reduce(view);
    quiet = elements_left_ < clock.pass().elements_before ? 0 : quiet + 1;
    clock.pass().pcs_after = triangles_left_;
    clock.pass().elements_after = elements_left_;
    clock.end();
  }
}

}  // namespace sightline::papers::method
