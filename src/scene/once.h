// A query over objects that no Scene keeps.
#pragma once

#include <functional>
#include <string>

#include "scene/query.h"

namespace sightline {

/// Validates the objects, on the threads of the options, and answers on their device. `name(i)` opens the message of an
/// Error about object i.
void query_once(std::span<const QueryObject> objects, const std::function<std::string(std::size_t)>& name,
                const Options& options, Report& report);

}  // namespace sightline
