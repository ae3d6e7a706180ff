#include "report/document.h"

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/float_environment.h"
#include "base/parallel.h"
#include "exact/intersection.h"
#include "mesh/topology.h"

namespace sightline::report {

Facts facts(const MeshView& mesh, unsigned threads) {
  const FloatEnvironment environment;
  const bool small = mesh.triangles.size() < Workers::kWorthThreads;
  Workers workers(small ? 1 : threads);
  TopologyCounts found = topology_counts(mesh, workers);
  const std::uint64_t degenerate_count = found.degenerate.size();
  return {.triangles = mesh.triangles.size(),
          .vertices = found.vertices,
          .components = found.components,
          .open_edges = found.open_edges,
          .nonmanifold_edges = found.nonmanifold_edges,
          .duplicates = found.duplicates,
          .degenerate = std::move(found.degenerate),
          .degenerate_count = degenerate_count,
          .closed = found.closed};
}

Intersection Contacts::geometry(const Contact& contact) const {
  if (contact.object_a == contact.object_b) return intersection(mesh_a(contact), contact);
  return intersection(mesh_a(contact), mesh_b(contact), contact);
}

// The triangles b of contacts that follow each other lie anywhere. Without the fetches, two accesses to memory one
// after the other took as long as the rest of a line of the JSON file.
void Contacts::compute(std::size_t first, std::size_t count, GeometryBlock& block) const {
  constexpr std::size_t kTriangles = 16, kPositions = 8;
  for (std::size_t i = first; i < first + count; ++i) {
    if (i + kTriangles < list.size()) {
      const Contact& later = list[i + kTriangles];
      __builtin_prefetch(&mesh_b(later).triangles[later.b]);
    }
    if (i + kPositions < list.size()) {
      const Contact& later = list[i + kPositions];
      const Positions& points = mesh_b(later).positions;
      for (const std::uint32_t corner : mesh_b(later).triangles[later.b])
        __builtin_prefetch(points.is_double() ? static_cast<const void*>(points.f64().data() + corner)
                                              : static_cast<const void*>(points.f32().data() + corner));
    }
    block.a[i - first] = mesh_a(list[i]).corners(list[i].a);
    block.b[i - first] = mesh_b(list[i]).corners(list[i].b);
  }
  exact::intersections(std::span(block.a).first(count), std::span(block.b).first(count),
                       std::span(block.result).first(count));
}

std::uint64_t KindCounts::total() const { return std::accumulate(std::begin(of), std::end(of), std::uint64_t{0}); }

KindCounts count_kinds(std::span<const Contact> contacts) {
  KindCounts counts;
  for (const Contact& contact : contacts) ++counts.of[static_cast<int>(contact.kind)];
  return counts;
}

std::string digits(const Interval& x) {
  for (int digits = 6; digits >= 2; --digits) {
    const std::string low = fmt::format("{:.{}g}", x.low, digits);
    if (low == fmt::format("{:.{}g}", x.high, digits) && std::isfinite(x.high)) return low;
  }
  // Two digits, rounded outwards.
  const auto rounded = [](double value, int way) {
    std::string text = fmt::format("{:.2g}", value);
    if (value == 0 || !std::isfinite(value)) return text;
    const double written = std::strtod(text.c_str(), nullptr),
                 step = std::pow(10, std::floor(std::log10(std::abs(value))) - 1);
    return (written - value) * way < 0 ? fmt::format("{:.2g}", written + way * step) : text;
  };
  if (!std::isfinite(x.high)) return fmt::format("above {:.6g}", x.low);
  return fmt::format("{} to {}", rounded(x.low, -1), rounded(x.high, 1));
}

}  // namespace sightline::report
