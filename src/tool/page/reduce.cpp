// Distances are counted in cells of a grid over the model. A point whose distance from a contact is at most L cell
// widths on every axis lies at most L cells from the contact's cell; so "all triangles with a cell at most L cells from
// a contact" holds all triangles that come within L cell widths of it, and a few more.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "page/frame.h"

namespace sightline::report {
namespace {

constexpr double kNearShare = 0.8;  // of the room; the rest is for the coarse copy
constexpr int kSide = 128;          // cells along the longest axis: 2 MB of levels
constexpr std::uint8_t kFar = 255;

using Cell = std::array<int, 3>;

// Cubic cells over the box of all positions. Halves, as the extent of two finite doubles can be infinite.
class Grid {
 public:
  Grid(std::span<const Part> parts, int side) : side_(side) {
    for (const Part& part : parts)
      for (std::size_t i = 0; i < part.mesh.positions.size(); ++i) box_.add(part.mesh.position(i));
    for (int axis = 0; axis < 3; ++axis) half_ = std::max(half_, box_.half(axis));
  }

  int side() const { return side_; }
  std::size_t cells() const { return static_cast<std::size_t>(side_) * side_ * side_; }
  double width() const { return half_ / side_ * 2; }
  Cell cell(const Vec3d& p) const {
    Cell c = {};
    for (int axis = 0; axis < 3 && half_ > 0; ++axis) {
      const double share = (p[axis] / 2 - box_.low[axis] / 2) / half_;
      c[axis] = std::clamp(static_cast<int>(std::floor(share * side_)), 0, side_ - 1);
    }
    return c;
  }
  std::uint64_t index(const Cell& c) const {
    const auto side = static_cast<std::uint64_t>(side_);
    return (static_cast<std::uint64_t>(c[2]) * side + static_cast<std::uint64_t>(c[1])) * side +
           static_cast<std::uint64_t>(c[0]);
  }

 private:
  int side_;
  Box box_;
  double half_ = 0;
};

template <typename Visit>
void for_cells(const Cell& low, const Cell& high, const Visit& visit) {
  for (int z = low[2]; z <= high[2]; ++z)
    for (int y = low[1]; y <= high[1]; ++y)
      for (int x = low[0]; x <= high[0]; ++x) visit(Cell{x, y, z});
}

struct CellBox {
  Cell low = {}, high = {};
};
CellBox box_of(const Grid& grid, std::span<const Vec3d> points) {
  CellBox box = {grid.cell(points[0]), grid.cell(points[0])};
  for (const Vec3d& p : points.subspan(1)) {
    const Cell c = grid.cell(p);
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], c[axis]);
      box.high[axis] = std::max(box.high[axis], c[axis]);
    }
  }
  return box;
}

// For each cell the number of cells to the nearest one with a contact.
std::vector<std::uint8_t> levels(const Grid& grid, const Outlines& outlines) {
  const auto side = static_cast<std::size_t>(grid.side());
  std::vector<std::uint8_t> level(side * side * side, kFar);
  std::vector<Cell> front, next;
  for (std::size_t i = 0; i + 1 < outlines.start.size(); ++i) {
    if (outlines.size(i) == 0) continue;
    const CellBox box = box_of(grid, outlines.of(i));
    for_cells(box.low, box.high, [&](const Cell& c) {
      if (std::exchange(level[grid.index(c)], 0) != 0) front.push_back(c);
    });
  }
  for (std::uint8_t reached = 1; reached < kFar && !front.empty(); ++reached, front.swap(next)) {
    next.clear();
    for (const Cell& from : front) {
      Cell low, high;
      for (int axis = 0; axis < 3; ++axis) {
        low[axis] = std::max(0, from[axis] - 1);
        high[axis] = std::min(grid.side() - 1, from[axis] + 1);
      }
      for_cells(low, high, [&](const Cell& c) {
        if (level[grid.index(c)] != kFar) return;
        level[grid.index(c)] = reached;
        next.push_back(c);
      });
    }
  }
  return level;
}

std::uint8_t level_of(const Grid& grid, const std::vector<std::uint8_t>& level, const std::array<Vec3d, 3>& corners) {
  const CellBox box = box_of(grid, corners);
  std::uint8_t least = kFar;
  for_cells(box.low, box.high, [&](const Cell& c) { least = std::min(least, level[grid.index(c)]); });
  return least;
}

// The triangles near contacts, as many levels of them as there is room for.
void keep_near(const Contacts& contacts, const Outlines& outlines, std::size_t most, Shown& shown) {
  const Grid grid(contacts.parts, kSide);
  const std::vector<std::uint8_t> level = levels(grid, outlines);
  std::vector<std::vector<std::uint8_t>> of_triangle(contacts.parts.size());
  std::array<std::uint64_t, kFar + 1> count = {};
  for (std::size_t part = 0; part < contacts.parts.size(); ++part) {
    const MeshView& mesh = contacts.parts[part].mesh;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
      ++count[of_triangle[part].emplace_back(level_of(grid, level, mesh.corners(i)))];
  }
  int last = -1;
  for (std::uint64_t sum = 0; last + 1 < kFar && (sum += count[last + 1]) <= most;) ++last;
  if (last < 0) return;
  shown.within = last * grid.width();
  for (std::size_t part = 0; part < contacts.parts.size(); ++part)
    for (std::size_t i = 0; i < of_triangle[part].size(); ++i)
      if (of_triangle[part][i] <= last) shown.parts[part].triangles.push_back(static_cast<std::uint32_t>(i));
}

// Where even those are too many: the triangles in contact, in canonical order.
void keep_contacts(const Contacts& contacts, std::size_t most, Shown& shown) {
  std::vector<std::unordered_set<std::uint32_t>> kept(contacts.parts.size());
  std::size_t count = 0;
  for (const Contact& contact : contacts.list) {
    if (count + 2 > most) break;
    count += kept[contact.object_a].insert(contact.a).second;
    count += kept[contact.object_b].insert(contact.b).second;
  }
  for (std::size_t part = 0; part < kept.size(); ++part) {
    shown.parts[part].triangles.assign(kept[part].begin(), kept[part].end());
    std::sort(shown.parts[part].triangles.begin(), shown.parts[part].triangles.end());
  }
}

// One vertex a cell, the mean of those in it; triangles that keep three different cells, each once. Triangles that are
// shown in full take part where they share a cell with others, so that no gap opens between the two.
void coarsen(const Grid& grid, const MeshView& mesh, ShownPart& part) {
  const auto cell_of = [&](std::uint32_t vertex) { return grid.index(grid.cell(mesh.position(vertex))); };
  std::vector<bool> shared(grid.cells());
  const auto for_triangles = [&](const auto& visit) {
    std::size_t next_kept = 0;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      const bool kept = next_kept < part.triangles.size() && part.triangles[next_kept] == i;
      next_kept += kept;
      visit(mesh.triangles[i], kept);
    }
  };
  for_triangles([&](const Triangle& triangle, bool kept) {
    for (const std::uint32_t vertex : triangle)
      if (!kept) shared[cell_of(vertex)] = true;
  });
  std::unordered_map<std::uint64_t, std::uint32_t> vertex_of;
  std::unordered_set<std::uint64_t> seen;
  std::vector<double> weight;
  for_triangles([&](const Triangle& fine, bool kept) {
    const std::uint64_t cells[3] = {cell_of(fine[0]), cell_of(fine[1]), cell_of(fine[2])};
    if (cells[0] == cells[1] || cells[1] == cells[2] || cells[2] == cells[0]) return;
    if (kept && !shared[cells[0]] && !shared[cells[1]] && !shared[cells[2]]) return;
    Triangle triangle;
    for (int k = 0; k < 3; ++k) {
      const auto [found, is_new] = vertex_of.try_emplace(cells[k], static_cast<std::uint32_t>(weight.size()));
      triangle[k] = found->second;
      if (is_new) {
        weight.push_back(0);
        part.coarse_positions.push_back({0, 0, 0});
      }
      // A running mean: a sum could overflow.
      Vec3d& mean = part.coarse_positions[triangle[k]];
      const double share = 1 / ++weight[triangle[k]];
      const Vec3d corner = mesh.position(fine[k]);
      for (int axis = 0; axis < 3; ++axis) mean[axis] += corner[axis] * share - mean[axis] * share;
    }
    Triangle sorted = triangle;
    std::sort(sorted.begin(), sorted.end());
    const std::uint64_t key = (std::uint64_t{sorted[0]} << 42) ^ (std::uint64_t{sorted[1]} << 21) ^ sorted[2];
    if (seen.insert(key).second) part.coarse_triangles.push_back(triangle);
  });
}

void add_coarse(const Contacts& contacts, std::size_t most, Shown& shown) {
  const int first = std::clamp(static_cast<int>(std::sqrt(static_cast<double>(most))), 8, 512);
  for (int side = first; side >= 4; side = side * 2 / 3) {
    const Grid grid(contacts.parts, side);
    std::size_t count = 0;
    for (std::size_t i = 0; i < contacts.parts.size() && count <= most; ++i) {
      ShownPart& part = shown.parts[i];
      part.coarse_positions.clear();
      part.coarse_triangles.clear();
      coarsen(grid, contacts.parts[i].mesh, part);
      count += part.coarse_triangles.size();
    }
    if (count <= most) return;
  }
  for (ShownPart& part : shown.parts) part.coarse_positions = {}, part.coarse_triangles = {};
}

}  // namespace

Shown reduce(const Contacts& contacts, const Outlines& outlines, std::size_t most) {
  Shown shown;
  shown.parts.resize(contacts.parts.size());
  for (const Part& part : contacts.parts) shown.triangles += part.mesh.triangles.size();
  if (shown.triangles <= most) return shown;

  shown.reduced = true;
  for (ShownPart& part : shown.parts) part.all = false;
  const auto near = static_cast<std::size_t>(static_cast<double>(most) * kNearShare);
  if (!contacts.list.empty()) {
    keep_near(contacts, outlines, near, shown);
    if (!shown.within) keep_contacts(contacts, near, shown);
  }
  shown.triangles = 0;
  for (const ShownPart& part : shown.parts) shown.triangles += part.triangles.size();
  add_coarse(contacts, most - shown.triangles, shown);
  return shown;
}

}  // namespace sightline::report
