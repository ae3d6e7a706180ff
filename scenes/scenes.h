// Generated meshes for tests, benchmarks and the demo. Every generator is a pure function of its arguments and gives
// the same bits on every machine: its own random numbers, and no libm function but the correctly rounded sqrt.
// "About n" means the nearest count that the tessellation allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sightline/assembly.h"
#include "sightline/mesh.h"

namespace sightline::scenes {

// Cloth (cloth.cpp).

/// Crumpled sheet of about n triangles: an indexed grid of spacing about 1, folded by smooth noise in all three axes.
/// A few contacts per hundred triangles at every size, triangles of about one size.
Mesh crumpled_cloth(std::size_t n, std::uint64_t seed = 1);

// Closed bodies (bodies.cpp).

/// Subdivided icosahedron: 20 f² triangles, f chosen so that this is about n (4500 and 200 000 are exact).
Mesh sphere(std::size_t n, const Vec3d& center = {0, 0, 0}, double radius = 1);
/// Closed body with head and bumps: a sphere of about n triangles whose radius and shape follow smooth noise.
Mesh bumpy_body(std::size_t n, const Vec3d& center = {0, 0, 0}, double radius = 1, std::uint64_t seed = 1);
/// Torus of about n triangles around the z axis through `center`.
Mesh torus(std::size_t n, const Vec3d& center = {0, 0, 0}, double ring_radius = 1, double tube_radius = 0.4);
/// Two interpenetrating bumpy bodies of about n_each triangles as one mesh.
Mesh two_bodies(std::size_t n_each, std::uint64_t seed = 1);
/// Two linked, interpenetrating tori of about n_each triangles as one mesh.
Mesh two_tori(std::size_t n_each);
/// Unit balls in a box, so dense that each overlaps about four others; one object each.
std::vector<Mesh> spheres(std::size_t count = 400, std::size_t triangles_each = 4500, std::uint64_t seed = 1);
/// Two overlapping bodies of different resolution, one object each.
std::vector<Mesh> two_objects(std::size_t n_a = 200'000, std::size_t n_b = 70'000);

// Flat faces (flat.cpp).

/// exact: all triangles of a face lie in one plane. rounded: the same bodies turned, so that they do but for rounding.
enum class FlatCoordinates : std::uint8_t { exact, rounded };
/// Two interpenetrating bodies of about n_each triangles as one mesh: some hundred faces, each cut in four several
/// times. Most neighbours are coplanar. float32, or doubles that are no floats.
Mesh flat_bodies(std::size_t n_each, FlatCoordinates coordinates, bool doubles);

// Soups: n triangles without shared vertices (soups.cpp).

/// In the unit cube, of one size scale; the box of each overlaps about `neighbours` others.
Mesh uniform_soup(std::size_t n, std::uint64_t seed = 1, double neighbours = 4);
/// About n / 1000 clusters of very different density.
Mesh clustered_soup(std::size_t n, std::uint64_t seed = 1);
/// Sizes after Pareto with exponent 1.8, the largest allowed 1000 times the smallest.
Mesh heavy_tailed_soup(std::size_t n, std::uint64_t seed = 1);
/// Needles in random directions, 1000 times as long as wide.
Mesh needle_soup(std::size_t n, std::uint64_t seed = 1);

// Coincidences (lattice.cpp).

/// n triangles with small integer coordinates, no index shared. `degenerate` also lets triangles without area through.
Mesh lattice_soup(std::size_t n, std::uint64_t seed = 1, bool degenerate = false);
/// The triangles of lattice_soup with each coordinate times 0.1, rounded to double: near coincidences instead of exact
/// ones.
Mesh lattice_soup_tenth(std::size_t n, std::uint64_t seed = 1, bool degenerate = false);
/// Axis-aligned box of 12 triangles.
Mesh box(const Vec3d& low, const Vec3d& high);
/// side³ unit cubes stacked in exact face contact, one object each.
std::vector<Mesh> cubes_in_contact(std::size_t side = 10);
/// The stacked cubes as one mesh; cubes share positions but no indices.
Mesh cubes_in_contact_mesh(std::size_t side = 10);

// Parts (building.cpp).

/// `parts` slabs, columns, walls and pipes of about `triangles_each` triangles: instances of six meshes. Slabs, columns
/// and walls meet face to face, exactly, with triangles that do not match. Pipes meet end to end and run through walls.
Assembly building(std::size_t parts, std::size_t triangles_each = 610);
/// Closed pipes one after the other, whose ends of this many corners meet exactly.
std::vector<Mesh> pipes_end_to_end(std::size_t count, std::uint32_t corners);
/// Two plates face to face whose meshes of n × n cells do not match. `interlocked`: each has another piece, so that no
/// plane separates the parts.
std::vector<Mesh> plates(std::uint32_t n, bool interlocked = false);
/// Each part as a mesh of its own, in its place.
std::vector<Mesh> flattened(const Assembly& assembly);

// Cliffs (cliffs.cpp): scenes on which a careless grid takes seconds. `./dev bench cliffs` measures them.

/// Wavy sheet of about n triangles of size 1 over a sloping ground of two triangles `size` times as large; in double,
/// without contacts.
Mesh sheet_over_slope(std::size_t n, double size);
/// Two crumpled cloths of about n / 2 triangles each, `distance` apart, as one mesh in double.
Mesh cloths_apart(std::size_t n, double distance);
/// Boxes in a row along an axis, one object each, without contacts.
std::vector<Mesh> row_of_boxes(std::size_t count, int axis);
/// n tiny triangles in a flat layer and `walls` triangles of 1e5 times their size above it, spread over the list.
Mesh specks_under_walls(std::size_t n, std::size_t walls);
/// Parallel bars of 12 triangles side by side, each `bars` times as long as wide, turned by an angle about z.
Mesh grating(std::size_t bars, double cosine, double sine);
/// n triangles around one hub, the apex of a cone if `height` is not 0; in double.
Mesh disc(std::size_t n, double height = 0);
/// Closed tilted cylinder of about n triangles: two caps that are discs, and a wall of `rings` rings; in double.
Mesh cylinder(std::size_t n, std::size_t rings = 1);
/// Boxes side by side, far from the origin, with about 6e-17 instead of 0 as one coordinate; one mesh in double.
Mesh boxes_with_dust(std::size_t count);
/// Two layers of parallel bars, across each other and parallel to axes, bar by bar from each layer in turn; in double.
Mesh crossed_bars(std::size_t bars);
/// Closed tilted cylinder of about n triangles with teeth all around; in double.
Mesh gear(std::size_t n);
/// Two tilted square plates of about n / 2 triangles each, around a hole of so many corners: fans at the four corners.
Mesh drilled_plates(std::size_t n);
/// Wavy sheet of fine triangles, and n / 10 needles through it that are as long as the sheet is wide; in double.
Mesh needles_through_sheet(std::size_t n);
/// Boxes in boxes, one object each, without contacts; in double.
std::vector<Mesh> nested_boxes(std::size_t count);
/// Two plates of about n / 2 triangles face to face, meshed alike but turned against each other; in double.
std::vector<Mesh> turned_plates(std::size_t n);

// Demo (demo.cpp).

/// Closed tube of about n triangles along a figure of eight: it runs through itself where the curve crosses.
Mesh self_intersecting_tube(std::size_t n = 4000);
/// The clearance for which demo_assembly has a pair that is `near`.
inline constexpr double kDemoClearance = 0.1;
/// Named parts with at least one pair of each relation: clash, touch, contains, near and clear.
Assembly demo_assembly();

// A machine (machine.cpp).

/// Liners, pistons, rings, shafts and bearings: 67 parts and 80 clashes, 69 of them thin overlaps of polygons on one
/// circle. A bracket runs into six liners and a pipe into five, in earnest.
Assembly machine();

// Transforms (transforms.cpp). Positions keep their type unless stated otherwise.

/// A permutation of 0 … n-1.
std::vector<std::uint32_t> permutation(std::size_t n, std::uint64_t seed);
/// Triangles and vertices permuted: triangle i of the result is triangle permutation(n, seed)[i] of the mesh.
Mesh shuffled(const Mesh& mesh, std::uint64_t seed);
Mesh to_double(const Mesh& mesh);
/// Each coordinate rounded to the nearest float.
Mesh to_float(const Mesh& mesh);
/// Three vertices of its own for each triangle.
Mesh to_soup(const Mesh& mesh);
Mesh moved(const Mesh& mesh, const Vec3d& offset);
Mesh scaled(const Mesh& mesh, double factor);
/// Coordinate i of the result is coordinate axes[i] of the mesh.
Mesh with_axes(const Mesh& mesh, const std::array<int, 3>& axes);
/// All triangles as one mesh, in the order given; double if any of them is. Vertices are not welded.
Mesh merged(std::span<const Mesh> meshes);

}  // namespace sightline::scenes
