// The exact decision on the device.
#pragma once

#include "cuda/pair.cuh"

namespace sightline::cuda {

/// Decides the survivors from `first` on.
template <typename T>
void settle(const DeviceMesh<T>& mesh, const PairOutput& output, std::uint32_t first, State<T>* state,
            cudaStream_t stream);

}  // namespace sightline::cuda
