// Velocity culling on a GPU in a build without CUDA: a Device::cuda() does not exist there, so nothing gets here.
#include "cuda/front_end.h"

namespace sightline::papers::cuda {

struct FrontEnd::Impl {};
FrontEnd::FrontEnd(const Device&) { throw Error("cuda: built without CUDA"); }
FrontEnd::~FrontEnd() = default;
std::uint64_t FrontEnd::cull(const TriangleTable&, std::span<const MovingObject>) { return 0; }
void FrontEnd::fetch_stays(std::uint8_t*) {}
void FrontEnd::find(const Settings&, Report&) {}
std::uint64_t FrontEnd::bytes_kept() const { return 0; }

}  // namespace sightline::papers::cuda
