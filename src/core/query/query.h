// One query over a set of objects, from the caller's arrays to the report.
#pragma once

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

/// Finds all contacts of wanted pairs of objects and within those with `self`. The input has been validated.
SIGHTLINE_API void run_query(std::span<const QueryObject> objects, const Settings& settings, Workspace& workspace,
                             Report& report);

}  // namespace sightline
