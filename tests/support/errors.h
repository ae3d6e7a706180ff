// The error of a call, as text.
#pragma once

#include <string>

#include "sightline/mesh.h"

namespace testing_support {

/// The message of the Error that `action` throws; empty if it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const sightline::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace testing_support
