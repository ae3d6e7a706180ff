// The OpenGL device, as the rest of the library sees it. No OpenGL header is needed to include this.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "raster/raster.h"
#include "sightline/papers.h"

namespace sightline::papers::gl {

/// Empty where the device can be used, else what is missing: in this build or on this machine. Checked once.
const std::string& missing();

/// The device in the output of `sightline devices`; empty where it is missing.
std::vector<std::pair<std::string, std::string>> facts();

/// Throws Error where the device is missing. Must be used on the thread that made it.
std::unique_ptr<raster::Raster> make_raster(GlQueries queries);

}  // namespace sightline::papers::gl
