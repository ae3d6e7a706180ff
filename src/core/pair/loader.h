// Loads triangles into the frame of a group.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/box.h"
#include "image/frame.h"
#include "input/triangle_table.h"
#include "pair/group.h"
#include "rules/report.h"

namespace sightline {

/// A triangle that takes part in a region, with its claims there (rules/report.h) on u, v, w.
struct Member {
  std::uint32_t triangle;
  rules::Claims claims;
};

/// A member with its box, for dividing.
struct Boxed {
  Member member;
  Box box;
};

/// Place i of a sample of `size` among `count`: somewhere in the i-th of `size` equal pieces, since triangles of a mesh
/// often repeat, as the twelve of each box.
inline std::size_t sampled(std::size_t i, std::size_t size, std::size_t count) {
  return (i * count + (i + 1) * 0x9e3779b1 % count) / size;
}

/// How the coordinates of a group become floats.
struct GroupFrame {
  /// True if the float32 input is used directly: nothing is rounded, and equal positions are equal floats. Otherwise a
  /// coordinate is moved to the middle of the group in double, scaled by a power of two to a group of about unit size,
  /// and rounded once to float; the filter's bound counts that (Group::slop).
  bool exact = true;
  Sharing sharing = Sharing::by_index;
  double half = 1;  ///< 1/2 where differences of coordinates could overflow
  double origin[3] = {}, scale = 1;
  Box bounds;  ///< of the first triangles, for which the group was made

  /// Monotone on each axis.
  double place(int k, double x) const { return exact ? x : (x * half - origin[k]) * scale; }
  /// What lies very far beyond the group is clamped, and no filter runs then (Group::reach).
  static float clamped(double place) {
    constexpr double kFar = 0x1p100;
    return static_cast<float>(place < -kFar ? -kFar : place > kFar ? kFar : place);
  }
};

class Loader {
 public:
  /// `welded`: for each vertex of the table the first of its object that is equal to it, or null.
  Loader(const TriangleTable& table, const Frame& frame, const std::uint32_t* welded)
      : table_(table), welded_(welded), exact_(keeps_exact(table, frame)) {
    sharing_ = exact_ && is_soup(table) ? Sharing::by_position : Sharing::by_index;
  }

  /// Corners are shared by index in an indexed mesh, of which half as many vertices as triangles is typical. A soup in
  /// exact frames is compared by position; in rounded frames equal floats prove nothing, and the soup has to be welded
  /// first.
  static bool wants_weld(const TriangleTable& table, const Frame& frame) {
    return is_soup(table) && !keeps_exact(table, frame);
  }

  /// A member with its box.
  Boxed boxed(const Member& member, std::uint32_t& guess) const {
    const auto& object = table_.object_of(member.triangle, guess);
    return {member, object.box(member.triangle - object.first_triangle)};
  }

  /// Members with their boxes, appended.
  void boxed(std::span<const Member> members, std::vector<Boxed>& out, std::uint32_t& guess) const {
    constexpr std::size_t kBlock = 128;
    Triangle corners[kBlock];
    std::uint32_t objects[kBlock];
    out.reserve(out.size() + members.size());
    for (; !members.empty(); members = members.subspan(std::min(kBlock, members.size()))) {
      const std::size_t count = std::min(kBlock, members.size());
      locate(members.data(), static_cast<int>(count), corners, objects, guess);
      for (std::size_t i = 0; i < count; ++i) {
        const auto& object = table_.objects[objects[i]];
        out.push_back({members[i], object.box(members[i].triangle - object.first_triangle)});
      }
    }
  }

  /// Makes the members the first of a group and chooses its frame. Boxes are clamped to the region, which need not be
  /// tight.
  GroupFrame begin(Group& group, const Member* members, int count, const Box& region, std::uint32_t& guess) const {
    group.size = group.split = 0;
    clear_bounds(group);
    Triangle corners[Group::kCapacity];
    find(group, members, count, corners, guess);
    GroupFrame frame;
    frame.sharing = sharing_;
    if (exact_) {
      fill_exact(group, 0, corners);
      for (int k = 0; k < 3; ++k) {
        frame.bounds.low[k] = group.least_corner[k];
        frame.bounds.high[k] = group.greatest_corner[k];
      }
      frame.exact = is_ordinary(frame.bounds);
    } else {
      frame.bounds = bounds_of(group, corners);
      frame.exact = false;
    }
    if (!frame.exact) {
      frame.sharing = Sharing::by_index;
      centre(frame);
      clear_bounds(group);
      fill_rounded(group, 0, corners, frame, [](double place) { return static_cast<float>(place); });
    }
    for (int k = 0; k < 3; ++k) {
      const double low = std::max(region.low[k], frame.bounds.low[k]),
                   high = std::min(region.high[k], frame.bounds.high[k]);
      group.low[k] = GroupFrame::clamped(frame.place(k, low <= high ? low : frame.bounds.low[k]));
      group.high[k] = GroupFrame::clamped(frame.place(k, low <= high ? high : frame.bounds.high[k]));
    }
    return frame;
  }

  /// Appends triangles to a group, in its frame.
  void append(Group& group, const GroupFrame& frame, const Member* members, int count, std::uint32_t& guess) const {
    Triangle corners[Group::kCapacity];
    const int first = group.size;
    find(group, members, count, corners, guess);
    if (frame.exact)
      fill_exact(group, first, corners);
    else
      fill_rounded(group, first, corners, frame, GroupFrame::clamped);
  }

 private:
  static void clear_bounds(Group& group) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    group.least_corner = Quad4{kInfinity, kInfinity, kInfinity, kInfinity};
    group.greatest_corner = -group.least_corner;
  }
  struct Bounds {
    Quad4 least, greatest;
  };

  /// The vertices of members, and their objects. Two passes, so that the cache misses of one triangle do not wait for
  /// those of another; each by runs of one object.
  void locate(const Member* members, int count, Triangle* corners, std::uint32_t* objects, std::uint32_t& guess) const {
    for (int i = 0; i < count;) {
      const auto& object = table_.object_of(members[i].triangle, guess);
      const auto each = [&](const auto& visit) {
        for (std::uint32_t n; i < count && (n = members[i].triangle - object.first_triangle) < object.triangle_count;
             ++i) {
          objects[i] = guess;
          visit(n);
        }
      };
      if (object.separate)
        object.with_storage([&](const auto* points) {
          each([&](std::uint32_t n) {
            corners[i] = object.vertices(n);
            __builtin_prefetch(points + corners[i][0]);
            __builtin_prefetch(points + corners[i][2]);
          });
        });
      else
        each([&](std::uint32_t n) { __builtin_prefetch(object.triangles + n); });
    }
    for (int i = 0; i < count;) {
      const std::uint32_t of = objects[i];
      const auto& object = table_.objects[of];
      object.with_storage([&](const auto* points) {
        for (; i < count && objects[i] == of; ++i) {
          if (object.separate) continue;
          corners[i] = object.triangles[members[i].triangle - object.first_triangle];
          for (const std::uint32_t corner : corners[i]) __builtin_prefetch(points + corner);
        }
      });
    }
  }

  /// Numbers, objects and claims of further members of a group, and where their corners are.
  void find(Group& group, const Member* members, int count, Triangle* corners, std::uint32_t& guess) const {
    const int first = group.size;
    group.size += count;
    for (int i = 0; i < count; ++i) {
      group.triangle[first + i] = members[i].triangle;
      group.claims[first + i] = static_cast<std::uint8_t>(members[i].claims);
    }
    locate(members, count, corners, group.object + first, guess);
  }

  static bool is_soup(const TriangleTable& table) {
    return 10 * table.vertex_count > 6 * std::uint64_t{table.triangle_count};
  }
  static bool keeps_exact(const TriangleTable& table, const Frame& frame) {
    return table.all_f32 && (frame.extent == 0 || (frame.extent > 0x1p-20 && frame.extent < 0x1p20));
  }
  /// Differences whose products are far from underflow and overflow in float.
  static bool is_ordinary(const Box& bounds) {
    const double reach = bounds.longest();
    return reach > 0x1p-28 && reach < 0x1p28;
  }

  Box bounds_of(const Group& group, const Triangle* corners) const {
    Box box;
    for (int i = 0; i < group.size; ++i)
      table_.objects[group.object[i]].with_positions([&](const auto& at) {
        for (const std::uint32_t corner : corners[i]) {
          const auto& p = at(corner);
          box.add(Vec3d{p[0], p[1], p[2]});
        }
      });
    return box;
  }

  /// The origin is in the bounds, so that no rounded coordinate is larger than the group (Group::slop ≤ Group::reach).
  static void centre(GroupFrame& frame) {
    double greatest = 0, extent = 0;
    for (int k = 0; k < 3; ++k)
      greatest = std::max({greatest, std::fabs(frame.bounds.low[k]), std::fabs(frame.bounds.high[k])});
    frame.half = greatest < 0x1p1022 ? 1 : 0.5;
    for (int k = 0; k < 3; ++k) {
      const double low = frame.bounds.low[k] * frame.half, high = frame.bounds.high[k] * frame.half;
      frame.origin[k] = std::clamp(0.5 * low + 0.5 * high, low, high);
      extent = std::max(extent, high - low);
    }
    frame.scale = extent > 0 ? std::ldexp(1.0, std::min(-std::ilogb(extent), 1000)) : 1;
  }

  static void put(Bounds& bounds, float* record, int corner, Quad4 quad, const Triangle& t) {
    bounds.least = quad < bounds.least ? quad : bounds.least;
    bounds.greatest = quad > bounds.greatest ? quad : bounds.greatest;
    __builtin_memcpy(record + 4 * corner, &quad, 16);
    __builtin_memcpy(record + 4 * corner + 3, &t[corner], 4);
  }

  void fill_exact(Group& group, int first, const Triangle* corners) const {
    Bounds bounds{group.least_corner, group.greatest_corner};
    for (int i = first; i < group.size;) {
      const std::uint32_t of = group.object[i];
      const auto& object = table_.objects[of];
      const auto fill = [&](const auto& at) {
        do {
          const Triangle& t = corners[i - first];
          for (int corner = 0; corner < 3; ++corner) put(bounds, group.record[i], corner, at(t[corner]), t);
        } while (++i < group.size && group.object[i] == of);
      };
      if (object.transform != nullptr) {
        fill([&object](std::uint32_t vertex) {
          const Vec3f q = object.single(vertex);
          return Quad4{q[0], q[1], q[2], 0};
        });
      } else {
        fill([positions = object.f32, last = object.vertex_count - 1](std::uint32_t vertex) {
          const Vec3f* p = positions + vertex;
          Quad4 quad;
          if (vertex < last)
            __builtin_memcpy(&quad, p, 16);  // and the next vertex' x, which is not used
          else
            quad = Quad4{(*p)[0], (*p)[1], (*p)[2], 0};
          return quad;
        });
      }
    }
    group.least_corner = bounds.least;
    group.greatest_corner = bounds.greatest;
  }

  template <typename Round>
  void fill_rounded(Group& group, int first, const Triangle* corners, const GroupFrame& frame,
                    const Round& round) const {
    Bounds bounds{group.least_corner, group.greatest_corner};
    const double half = frame.half, scale = frame.scale;
    const double origin[3] = {frame.origin[0], frame.origin[1], frame.origin[2]};
    const auto fill = [&](float* record, const auto& at, const Triangle& t, const Triangle& vertices) {
      for (int corner = 0; corner < 3; ++corner) {
        const auto& p = at(t[corner]);
        const Quad4 quad = {round((p[0] * half - origin[0]) * scale), round((p[1] * half - origin[1]) * scale),
                            round((p[2] * half - origin[2]) * scale), 0};
        put(bounds, record, corner, quad, vertices);
      }
    };
    for (int i = first; i < group.size; ++i) {
      const auto& object = table_.objects[group.object[i]];
      const Triangle& t = corners[i - first];
      Triangle vertices = t;
      if (welded_ != nullptr)
        for (std::uint32_t& vertex : vertices) vertex = welded_[object.first_vertex + vertex];
      object.with_positions([&](const auto& at) { fill(group.record[i], at, t, vertices); });
    }
    group.least_corner = bounds.least;
    group.greatest_corner = bounds.greatest;
  }

  const TriangleTable& table_;
  const std::uint32_t* welded_;
  const bool exact_;
  Sharing sharing_ = Sharing::by_index;
};

}  // namespace sightline
