#include "method/kept.h"

#include <utility>

namespace sightline::papers::method {

Kept::Kept() : workspace_(make_workspace()) {}
Kept::~Kept() = default;

cuda::FrontEnd& Kept::front_end(const Device& device) {
  if (front_end_ == nullptr || front_end_number_ != device.number()) {
    front_end_.reset();
    front_end_ = std::make_unique<cuda::FrontEnd>(device);
    front_end_number_ = device.number();
  }
  return *front_end_;
}

std::vector<const Faces*> Kept::faces_of(const TriangleTable& table, std::span<const QueryObject> objects,
                                         Workers& workers) {
  std::unordered_map<std::uint64_t, Entry> before = std::exchange(entries_, {});
  once_.clear();
  topology_computed_ = faces_computed_ = 0;
  std::vector<const Faces*> faces;
  for (const TriangleTable::Object& object : table.objects) {
    const QueryObject& given = objects[object.place];
    Entry entry;
    if (const auto at = before.find(given.triangles_version); given.triangles_version != 0 && at != before.end())
      entry = std::move(at->second);
    const MeshView stored(given.mesh.positions, given.mesh.triangles);
    const bool is_current = entry.faces != nullptr &&
                            (entry.stored_version == given.stored_version || entry.faces->follow(stored, workers));
    entry.stored_version = given.stored_version;
    if (!is_current) {
      std::unique_ptr<FaceTopology> topology = entry.faces == nullptr ? nullptr : entry.faces->take_topology();
      entry.faces = std::make_unique<Faces>(stored, std::move(topology), workers);
      faces_computed_ += object.triangle_count;
      if (!entry.faces->topology_was_kept()) topology_computed_ += object.triangle_count;
    }
    faces.push_back(entry.faces.get());
    if (given.triangles_version != 0)
      entries_.emplace(given.triangles_version, std::move(entry));
    else
      once_.push_back(std::move(entry));
  }
  return faces;
}

std::uint64_t Kept::Pruned::enough(std::uint64_t triangles) const {
  if (triangles != triangles_ || frames_ + 1 >= kFrames) return 0;
  return static_cast<std::uint64_t>(kLarger * static_cast<double>(left_));
}

void Kept::Pruned::add(std::uint64_t triangles, std::uint64_t left, bool to_the_end) {
  if (!to_the_end) {
    ++frames_;
    return;
  }
  triangles_ = triangles;
  left_ = left;
  frames_ = 0;
}

}  // namespace sightline::papers::method
