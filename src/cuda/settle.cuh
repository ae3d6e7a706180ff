// The exact decision on the device, and the canonical order.
#pragma once

#include "cuda/pair.cuh"
#include "sightline/contact.h"

namespace sightline::cuda {

/// First triangle of each object and one more; null for one mesh.
struct ObjectTable {
  const std::uint32_t* first_triangle = nullptr;  ///< per object with triangles
  const std::uint32_t* id = nullptr;              ///< as the caller numbers it
};

template <typename T>
void settle(const DeviceMesh<T>& mesh, const Pair* survivors, std::uint32_t most_survivors, const ObjectTable& objects,
            Contact* contacts, std::uint32_t most_contacts, State<T>* state, cudaStream_t stream);

std::size_t sort_bytes(std::uint32_t contacts);
void sort_contacts(Contact* contacts, std::uint32_t count, void* memory, std::size_t bytes, cudaStream_t stream);

}  // namespace sightline::cuda
