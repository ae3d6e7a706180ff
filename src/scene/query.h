// One query over a set of objects: the way of a triangle from the caller's arrays to the report.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "sightline/contact.h"
#include "sightline/mesh.h"
#include "sightline/options.h"

namespace sightline {

struct QueryObject {
  MeshView mesh;
  bool self = false;  ///< its contacts with itself are asked for
  std::optional<Motion> motion = {};
};

/// Working memory kept from query to query.
struct Workspace;
struct WorkspaceDelete {
  void operator()(Workspace* workspace) const;
};
using WorkspacePtr = std::unique_ptr<Workspace, WorkspaceDelete>;
WorkspacePtr make_workspace();

/// Throws Error for an option that this machine or the engine cannot honour.
void check_options(const Options& options);

/// Finds all contacts between distinct objects and within those with `self`. The input has been validated.
void run_query(std::span<const QueryObject> objects, const Options& options, Workspace& workspace, Report& report);

}  // namespace sightline
