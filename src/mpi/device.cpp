#include "mpi/device.h"

namespace sightline::mpi {
namespace {

/// The place of this rank among the ranks of its node.
int place_in_node(const Ranks& ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks.comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int place = 0;
  MPI_Comm_rank(node, &place);
  MPI_Comm_free(&node);
  return place;
}

int count_gpus() {
  const std::vector<DeviceInfo> all = devices();
  return static_cast<int>(std::count_if(
      all.begin(), all.end(), [](const DeviceInfo& info) { return info.name == "cuda" && info.missing.empty(); }));
}

}  // namespace

Device device_of(const Ranks& ranks, const MpiOptions& options) {
  const int place = place_in_node(ranks);
  Device device = Device::cpu();
  ranks.together([&] {
    if (options.device == Device::Type::cpu) return;
    device = Device::cuda(options.gpu >= 0 ? options.gpu : place % std::max(count_gpus(), 1), options.cuda);
  });
  return device;
}

}  // namespace sightline::mpi
