// The devices of this build and machine.

#include "base/format.h"
#include "base/parallel.h"
#include "cuda/device.h"
#include "pair/group.h"
#include "sightline/query.h"

namespace sightline {

Device Device::cuda(int number, const CudaOptions& options) {
  if (!cuda::missing().empty()) throw Error("cuda: " + cuda::missing());
  if (number < 0 || number >= cuda::count())
    throw Error(formatted("cuda: there is no GPU {}; this machine has {}", number, cuda::count()));
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
