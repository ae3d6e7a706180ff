// The faces of rigid bodies that move away, for the method `velocity`. The test of a face is in moving/pair_test.h, for
// the CPU and the GPU.
#pragma once

#include <span>
#include <vector>

#include "input/triangle_table.h"
#include "method/faces.h"
#include "method/left.h"
#include "method/run.h"
#include "moving/pair_test.h"
#include "sightline/papers.h"

namespace sightline::papers::method {

using moving::MovingFace;
using moving::recedes;
using moving::RelativeMotion;

/// What decides about the faces in one frame. Per object of the table.
struct FaceTests {
  std::vector<moving::Body> bodies;
  std::vector<std::vector<moving::PairTest>> tests;  ///< with each other object that the body may hit
  std::vector<std::uint8_t> two_sided;               ///< its faces can be hit from both sides
  std::vector<const std::uint32_t*> cells;           ///< of its faces (moving/cells.h); null if it has none
};

/// Steps 2 and 3 for objects. `faces` and `motions`: per object of the table.
FaceTests tests_of(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
                   const MethodOptions& options, Workers& workers);

/// The faces of an object in host memory.
moving::FaceView view_of(const TriangleTable::Object& object, const Faces& faces);

/// Faces that can be the first to be hit. `faces` and `motions`: per object of the table.
void velocity(const TriangleTable& table, std::span<const Faces* const> faces, std::span<const Motion> motions,
              const MethodOptions& options, Workers& workers, Left& left);

}  // namespace sightline::papers::method
