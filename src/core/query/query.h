// One query over a set of objects, from the caller's arrays to the report; and the public queries with settings for
// tests and benchmarks.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "input/object.h"
#include "input/settings.h"

namespace sightline {

/// Working memory kept from query to query.
struct Workspace;
using WorkspacePtr = std::shared_ptr<Workspace>;
SIGHTLINE_API WorkspacePtr make_workspace();

/// Throws Error for settings that this machine or the engine cannot honour.
SIGHTLINE_API void check_settings(const Settings& settings);

/// Finds all contacts of wanted pairs of objects and within those with `self`. The input has been validated. `keep`:
/// the workspace keeps facts about objects whose versions did not change since its last query (query/rest.h).
SIGHTLINE_API void run_query(std::span<const QueryObject> objects, const Settings& settings, Workspace& workspace,
                             Report& report, bool keep = false);

SIGHTLINE_API Report self_intersections(const MeshView& mesh, const Settings& settings,
                                        const Device& device = Device::cpu());
SIGHTLINE_API void collide(Scene& scene, Report& report, const Settings& settings);
inline Report collide(Scene& scene, const Settings& settings) {
  Report report;
  collide(scene, report, settings);
  return report;
}

/// The objects that were not removed, with their versions; valid until the scene changes.
SIGHTLINE_API std::span<const QueryObject> objects_of(Scene& scene);

/// Validates objects that no Scene keeps, with the threads of the settings, and runs one query. `name(i)` begins the
/// message of an Error about object i.
void query_once(std::span<const QueryObject> objects, const std::function<std::string(std::size_t)>& name,
                const Settings& settings, const Device& device, Report& report);

}  // namespace sightline
