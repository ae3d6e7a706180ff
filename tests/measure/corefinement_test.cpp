// Volumes of overlaps against CGAL's corefinement with exact constructions, on bodies in general position.
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>
#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "sightline/measure.h"
#include "support/random.h"
#include "support/sizes.h"

namespace {

using sightline::Extent;
using sightline::Mesh;
using sightline::Vec3d;
using testing_support::Random;
using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
namespace pmp = CGAL::Polygon_mesh_processing;

Surface surface_of(const Mesh& mesh) {
  Surface surface;
  for (std::size_t i = 0; i < mesh.view().positions.size(); ++i) {
    const Vec3d p = mesh.view().position(i);
    surface.add_vertex({p[0], p[1], p[2]});
  }
  for (const sightline::Triangle& t : mesh.triangles)
    surface.add_face(Surface::Vertex_index(t[0]), Surface::Vertex_index(t[1]), Surface::Vertex_index(t[2]));
  return surface;
}

TEST(Corefinement, OverlapsOfBumpyBodies) {
  Random random(1);
  int common_volumes = 0;
  for (int round = 0; round < testing_support::smaller(24); ++round) {
    const auto size = static_cast<std::size_t>(80 + random.below(400));
    const Vec3d at{random.in(-1.2, 1.2), random.in(-1.2, 1.2), random.in(-1.2, 1.2)};
    const Mesh a = sightline::scenes::bumpy_body(size);
    const Mesh b = sightline::scenes::bumpy_body(size, at, random.in(0.3, 1.2), static_cast<std::uint64_t>(1 + random.below(3)));
    const Extent extent = sightline::overlap(a, b, {.threads = 1});
    Surface p = surface_of(a), q = surface_of(b), common;
    ASSERT_TRUE(pmp::corefine_and_compute_intersection(p, q, common)) << round;
    const Kernel::FT volume = pmp::volume(common), area = pmp::area(common);
    EXPECT_TRUE(extent.volume.low <= volume && volume <= extent.volume.high)
        << round << ": [" << extent.volume.low << ", " << extent.volume.high << "], " << CGAL::to_double(volume);
    EXPECT_NEAR(extent.area.middle(), CGAL::to_double(area), 1e-9);
    common_volumes += extent.volume.low > 0;
  }
  EXPECT_GT(common_volumes, testing_support::smaller(8));
}

}  // namespace
