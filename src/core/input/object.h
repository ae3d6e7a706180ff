// An object of a query, and the check of its mesh.
#pragma once

#include "sightline/query.h"

namespace sightline {

class Workers;

/// The public validate(), shared by these workers.
void validate(const MeshView& mesh, const std::string& name, Workers& workers);

/// In a list of objects the ids ascend. They are not the places in the list.
struct QueryObject {
  MeshView mesh;
  ObjectOptions options = {};
  std::uint32_t id = 0;  ///< the object's number in the report
  /// A version gets another number whenever the data change, and no number is used twice in a process: a device copies
  /// again only what changed, and a cache can hold objects of several scenes.
  std::uint64_t positions_version = 0, triangles_version = 0;
  std::uint64_t stored_version = 0;  ///< of the stored points: another transform keeps it
};

}  // namespace sightline
