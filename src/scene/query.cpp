// TEMPORARY stand-in: sort along x and sweep. Replaced by the image pipeline.
#include "scene/query.h"

#include <algorithm>
#include <vector>

#include "exact/pair_of.h"

namespace sightline {

bool available(Simd simd) { return simd == Simd::best || simd == Simd::scalar; }

struct Workspace {};
void WorkspaceDelete::operator()(Workspace* workspace) const { delete workspace; }
WorkspacePtr make_workspace() { return WorkspacePtr(new Workspace); }

void run_query(std::span<const QueryObject> objects, const Options& options, Workspace&, Report& report) {
  report = Report{};
  struct Item {
    double lo[3], hi[3];
    std::uint32_t object, triangle;
  };
  std::vector<Item> items;
  for (std::uint32_t o = 0; o < objects.size(); ++o)
    for (std::uint32_t t = 0; t < objects[o].mesh.triangles.size(); ++t) {
      const auto c = objects[o].mesh.corners(t);
      Item item{{}, {}, o, t};
      for (int axis = 0; axis < 3; ++axis) {
        item.lo[axis] = std::min({c[0][axis], c[1][axis], c[2][axis]});
        item.hi[axis] = std::max({c[0][axis], c[1][axis], c[2][axis]});
      }
      items.push_back(item);
    }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.lo[0] < b.lo[0]; });
  for (std::size_t i = 0; i < items.size(); ++i)
    for (std::size_t j = i + 1; j < items.size() && items[j].lo[0] <= items[i].hi[0]; ++j) {
      const Item* a = &items[i];
      const Item* b = &items[j];
      if (a->lo[1] > b->hi[1] || b->lo[1] > a->hi[1] || a->lo[2] > b->hi[2] || b->lo[2] > a->hi[2]) continue;
      if (a->object == b->object && !objects[a->object].self) continue;
      if (std::pair(b->object, b->triangle) < std::pair(a->object, a->triangle)) std::swap(a, b);
      const auto kind = exact::decide(objects[a->object].mesh.corners(a->triangle),
                                      objects[b->object].mesh.corners(b->triangle), a->object == b->object);
      if (kind) report.contacts.push_back({a->object, b->object, a->triangle, b->triangle, *kind});
    }
  std::sort(report.contacts.begin(), report.contacts.end());
  report.found = report.contacts.size();
  if (report.found > options.max_contacts) {
    report.contacts.resize(options.max_contacts);
    report.complete = false;
  }
}

}  // namespace sightline
