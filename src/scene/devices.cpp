#include "sightline/devices.h"

#include <fmt/format.h>

#include "cuda/device.h"
#include "gl/device.h"
#include "pair/group.h"
#include "parallel.h"
#include "sightline/options.h"

namespace sightline {

std::vector<DeviceInfo> devices() {
  DeviceInfo cpu{"cpu", "", {}};
  cpu.facts.emplace_back("simd", to_string(best_simd()));
  cpu.facts.emplace_back("threads", fmt::format("{}", Workers(0).count()));
  return {cpu, {"cuda", cuda::missing(), cuda::facts()}, {"gl", gl::missing(), gl::facts()}};
}

}  // namespace sightline
