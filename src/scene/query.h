// One query over a set of objects: the way of a triangle from the caller's arrays to the report.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "sightline/contact.h"
#include "sightline/mesh.h"
#include "sightline/options.h"

namespace sightline {

/// In a list of objects the ids ascend. They are not the places in the list.
struct QueryObject {
  MeshView mesh;
  bool self = false;     ///< its contacts with itself are asked for
  std::uint32_t id = 0;  ///< the object's number in the report
  std::optional<Motion> motion = {};
  /// Another number whenever they change: a device copies again only what did.
  std::uint64_t positions_version = 0, triangles_version = 0;
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

/// How many contacts the options leave in the list.
std::uint64_t most_contacts(const Options& options);
/// The end of each query: cuts the list and says whether it is complete. `found` counts what the list was before.
void finish_report(Report& report, const Options& options, std::uint64_t found, bool stopped);

/// Finds all contacts between distinct objects and within those with `self`. The input has been validated.
void run_query(std::span<const QueryObject> objects, const Options& options, Workspace& workspace, Report& report);

}  // namespace sightline
