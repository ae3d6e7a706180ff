// Assemblies, and the public questions about their parts: relations first (solid/classify.h), then what the options
// measure (assembly/pairs.cpp).

#include "sightline/assembly.h"

#include <iterator>

#include "assembly/classify.h"
#include "base/float_environment.h"
#include "base/format.h"
#include "input/watch.h"
#include "query/query.h"
#include "sightline/depth.h"

namespace sightline {

std::vector<MeshView> Assembly::views() const {
  std::vector<MeshView> all;
  for (std::size_t i = 0; i < size(); ++i) all.push_back(view(i));
  return all;
}

void Assembly::add(Mesh mesh) {
  parts.push_back({mesh.name, static_cast<std::uint32_t>(meshes.size())});
  meshes.push_back(std::move(mesh));
}

void Assembly::add(Assembly other) {
  if (parts.empty() && meshes.empty())
    unit = other.unit;
  else if (unit != other.unit)
    unit.clear();
  const auto first = static_cast<std::uint32_t>(meshes.size());
  std::move(other.meshes.begin(), other.meshes.end(), std::back_inserter(meshes));
  for (Part& part : other.parts) {
    part.mesh += first;
    parts.push_back(std::move(part));
  }
}

namespace {

Clashes measured(std::span<const MeshView> parts, const Report* contacts, const ClashOptions& options,
                 Containment containment) {
  const FloatEnvironment environment;
  Clashes result = solid::classify(parts, contacts, options, containment);
  ClashOptions own = options;
  own.query = shielded(options.query);
  if (contacts != nullptr)
    measure_pairs(parts, *contacts, result, own);
  else
    measure_pairs(parts, result, own);
  return result;
}

}  // namespace

Clashes classify(std::span<const MeshView> parts, const Report& contacts, const ClashOptions& options,
                 Containment containment) {
  return measured(parts, &contacts, options, containment);
}
Clashes classify(std::span<const MeshView> parts, const Report& contacts, const ClashOptions& options) {
  return measured(parts, &contacts, options, Containment::automatic);
}

Clashes relations(std::span<const MeshView> parts, const ClashOptions& options) {
  if (options.query.first) throw Error("clashes: relations have no first contact; `first` needs the list of contacts");
  return measured(parts, nullptr, options, Containment::automatic);
}

Clashes clashes(const Assembly& assembly, const ClashOptions& options, const Device& device) {
  const FloatEnvironment environment;
  const std::vector<MeshView> parts = assembly.views();
  if (options.relations_only) {
    if (device.type() != Device::Type::cpu)
      throw Error(formatted("clashes: relations_only is not available on {}", to_string(device.type())));
    return relations(parts, options);
  }
  std::vector<QueryObject> objects;
  for (const MeshView& part : parts) objects.push_back({part, {}, static_cast<std::uint32_t>(objects.size())});
  Report contacts;
  query_once(
      objects, [](std::size_t i) { return formatted("part {}", i); }, options.query, device, contacts);
  Clashes result = classify(parts, contacts, options);
  Stats stats = std::move(contacts.stats);
  stats.stages.insert(stats.stages.end(), result.stats.stages.begin(), result.stats.stages.end());
  stats.milliseconds += result.stats.milliseconds;
  result.stats = std::move(stats);
  return result;
}

}  // namespace sightline
