// Which devices this build has and this machine can use.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sightline {

struct DeviceInfo {
  std::string name;     ///< "cpu", "cuda", "gl", as in Device
  std::string missing;  ///< empty where it can be used, else what is not there
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< in words, e.g. ("renderer", "llvmpipe …"); none if missing
};

/// All three, in this order. Asks the machine; never throws because something is missing.
std::vector<DeviceInfo> devices();

}  // namespace sightline
