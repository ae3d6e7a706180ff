// The exceptions of the library: all of them are an Error.
#pragma once

#include <stdexcept>

namespace sightline {

/// Bad input, an unreadable file, a missing device or a refused option. The message names the file, the element
/// and the value, and is meant to be shown to a person as it stands.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The memory of a GPU, or what `Options::device_memory` allows of it, is not enough for the query.
class OutOfDeviceMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace sightline
