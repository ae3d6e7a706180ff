// The caller's callbacks, isolated: they cannot change the floating-point settings of a query.
#pragma once

#include <utility>

#include "base/float_environment.h"
#include "input/settings.h"

namespace sightline {

/// The options with isolated callbacks: a callback's change to the floating-point settings of its thread ends with the
/// call.
inline Settings shielded(Settings options) {
  if (options.cancel)
    options.cancel = [cancel = std::move(options.cancel)] {
      const FloatEnvironment environment;
      return cancel();
    };
  if (options.progress)
    options.progress = [progress = std::move(options.progress)](double fraction) {
      const FloatEnvironment environment;
      progress(fraction);
    };
  return options;
}

}  // namespace sightline
