// The exact decision on the device, and the canonical order.
#pragma once

#include "cuda/pair.cuh"
#include "sightline/contact.h"

namespace sightline::cuda {

/// Decides the survivors from `first` on.
template <typename T>
void settle(const DeviceMesh<T>& mesh, const PairOutput& output, std::uint32_t first, State<T>* state,
            cudaStream_t stream);

std::size_t sort_bytes(std::uint32_t contacts, const KeyLayout& layout);
/// Sorts the contacts' keys and unpacks them. The count is known on the device only (state->contacts): `room`, not
/// less, is sorted, and what is behind the count is filled up with keys that come last.
template <typename T>
void sort_contacts(const PairOutput& output, unsigned long long* other, std::uint32_t room, Contact* contacts,
                   void* memory, std::size_t bytes, const State<T>* state, cudaStream_t stream);

}  // namespace sightline::cuda
