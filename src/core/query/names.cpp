// The version, the devices of this build and machine, and names of the enumerations as the tool prints them and the
// JSON schema fixes them.
#include "base/format.h"
#include "base/parallel.h"
#include "cuda/device.h"
#include "pair/group.h"
#include "sightline/sightline.h"

namespace sightline {

const char* version() {
#define SIGHTLINE_TEXT(x) #x
#define SIGHTLINE_DOTTED(x, y, z) SIGHTLINE_TEXT(x) "." SIGHTLINE_TEXT(y) "." SIGHTLINE_TEXT(z)
  return SIGHTLINE_DOTTED(SIGHTLINE_VERSION_MAJOR, SIGHTLINE_VERSION_MINOR, SIGHTLINE_VERSION_PATCH);
}

std::string_view to_string(Kind kind) {
  constexpr std::string_view kNames[kKindCount] = {"touching", "crossing", "coplanar", "duplicate"};
  return kNames[static_cast<int>(kind)];
}

std::string_view to_string(Relation relation) {
  constexpr std::string_view kNames[] = {"clear", "near", "touch", "contains", "clash"};
  return kNames[static_cast<int>(relation)];
}

std::string_view to_string(Device::Type type) { return type == Device::Type::cpu ? "cpu" : "cuda"; }

Device Device::cuda(int number, const CudaOptions& options) {
  cuda::require_gpu(number);
  Device device(Type::cuda);
  device.number_ = number;
  device.cuda_ = options;
  return device;
}

Device Device::best() { return cuda::missing().empty() ? cuda() : cpu(); }

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all(1);
  all[0].name = "cpu";
  all[0].facts = {{"simd", std::string(to_string(best_simd()))}, {"threads", formatted("{}", Workers(0).count())}};
  if (!cuda::missing().empty()) all.push_back({"cuda", cuda::missing(), {}});
  for (int number = 0; number < cuda::count(); ++number) all.push_back({"cuda", "", cuda::facts(number)});
  return all;
}

}  // namespace sightline
