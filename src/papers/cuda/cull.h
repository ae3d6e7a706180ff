// The steps of velocity culling on a CUDA device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "moving/pair_test.h"
#include "sightline/contact.h"

namespace sightline::papers::cuda {

/// Where an object begins in the arrays of all objects.
struct Place {
  std::uint32_t first_block, first_triangle, first_vertex;  ///< blocks of faces
  std::uint32_t id;                                         ///< in the report
};

struct DeviceObject {
  moving::Body body;
  moving::FaceView faces;                  ///< arrays on the device
  const std::uint32_t* face_of = nullptr;  ///< per triangle; null: triangle t is face t
  std::uint32_t face_count = 0;
  std::uint32_t first_test = 0, test_count = 0;
  bool two_sided = false;
};

/// All objects of a frame, on the device.
struct Frame {
  const Place* places = nullptr;
  const DeviceObject* objects = nullptr;
  const moving::PairTest* tests = nullptr;
  const std::uint32_t* const* cells = nullptr;  ///< per object (moving/cells.h)
  std::uint32_t object_count = 0, block_count = 0, triangle_count = 0, vertex_count = 0;
};

/// All vertices as the engine takes them, in float if all objects are stored in float. One of the two is null.
void place_vertices(const Frame& frame, float* f32, double* f64, cudaStream_t stream);

/// Per face, 1 if it stays: those of an object begin at its first triangle, as Left::stays does on the host.
void mark_faces(const Frame& frame, std::uint8_t* stays, cudaStream_t stream);

/// Per triangle, 1 if its face stays. Where no object has faces of several triangles, `stays` is that already.
void spread_to_triangles(const Frame& frame, const std::uint8_t* stays, std::uint8_t* flags, cudaStream_t stream);

/// Bytes that `list_triangles` needs beside its arrays.
std::size_t list_bytes(std::uint32_t triangle_count);
/// The triangles whose flag is set, ascending, and how many these are.
void list_triangles(const Frame& frame, const std::uint8_t* flags, void* scratch, std::size_t scratch_bytes,
                    std::uint32_t* list, std::uint32_t* count, cudaStream_t stream);
/// Per object and one more, where its triangles begin in the list.
void find_begins(const Frame& frame, const std::uint32_t* list, const std::uint32_t* count, std::uint32_t* begin,
                 cudaStream_t stream);

/// The three vertices of each triangle of the list, by their numbers among all vertices.
void gather_triangles(const Frame& frame, const std::uint32_t* list, std::uint32_t count, std::uint32_t* triangles,
                      cudaStream_t stream);

/// Contacts of the listed triangles, whose objects are numbered by place and whose triangles count within the list, as
/// contacts of the whole objects.
void restore_numbers(const Frame& frame, const std::uint32_t* list, const std::uint32_t* begin, const Contact* from,
                     std::uint32_t count, Contact* to, cudaStream_t stream);

}  // namespace sightline::papers::cuda
