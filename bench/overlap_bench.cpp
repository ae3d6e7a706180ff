// Overlap volumes against CGAL's corefinement with exact constructions. First the answers, then the times: the exact
// volume of CGAL must lie in our interval, or the exit code is 1.
//
//   sightline_overlap_bench [--threads N] [--runs K] [--size N]   N: triangles of each of the two large bodies
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bench/timer.h"
#include "scenes/scenes.h"
#include "sightline/curves.h"
#include "sightline/depth.h"
#include "sightline/measure.h"

namespace {

using namespace sightline;
using bench::cpu_milliseconds;
using bench::Timer;
using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using SurfaceMesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace pmp = CGAL::Polygon_mesh_processing;

struct Settings {
  unsigned threads = 2;
  int runs = 5;
  std::size_t size = 500'000;
};

struct Time {
  double wall = 1e300, cpu = 1e300;
  template <typename Work>
  void add(const Work& work) {
    const Timer timer;
    const double start = cpu_milliseconds();
    work();
    wall = std::min(wall, timer.milliseconds());
    cpu = std::min(cpu, cpu_milliseconds() - start);
  }
};

SurfaceMesh cgal_mesh(const Mesh& mesh) {
  SurfaceMesh surface;
  const MeshView view = mesh.view();
  for (std::size_t i = 0; i < view.positions.size(); ++i) {
    const Vec3d p = view.position(i);
    surface.add_vertex({p[0], p[1], p[2]});
  }
  for (const Triangle& t : mesh.triangles)
    surface.add_face(SurfaceMesh::Vertex_index(t[0]), SurfaceMesh::Vertex_index(t[1]), SurfaceMesh::Vertex_index(t[2]));
  return surface;
}

/// From arrays to the volume, as for us.
Kernel::FT cgal_volume(const Mesh& a, const Mesh& b) {
  SurfaceMesh p = cgal_mesh(a), q = cgal_mesh(b), common;
  pmp::corefine_and_compute_intersection(p, q, common);
  return pmp::volume(common);
}

Report contacts_of(const std::vector<Mesh>& parts, const Settings& settings) {
  Scene scene;
  for (const Mesh& part : parts) scene.add(part);
  return scene.collide({.threads = settings.threads});
}

void print(std::string_view scene, std::string_view what, const Time& time) {
  fmt::print("{:<16} {:<44} {:9.1f} {:9.1f}\n", scene, what, time.wall, time.cpu);
}

bool two_bodies(const Settings& settings, std::size_t size, bool against_cgal) {
  const std::vector<Mesh> parts{scenes::bumpy_body(size), scenes::bumpy_body(size, {0.7, 0.3, 0.2}, 1, 2)};
  const std::string name = fmt::format("2 x {}", parts[0].triangles.size());
  Time detection, with_self, measuring, joining, deep, cgal;
  Protrusions depths;
  Report report;
  Extent extent;
  const Mesh merged = scenes::merged(parts);
  for (int run = 0; run < settings.runs; ++run) {
    with_self.add([&] { self_intersections(merged, {.threads = settings.threads}); });
    detection.add([&] { report = contacts_of(parts, settings); });
    measuring.add([&] { extent = overlap(parts[0], parts[1], report.contacts, {.threads = settings.threads}); });
    joining.add([&] { curves(parts[0], parts[1], report.contacts); });
    deep.add([&] { depths = protrusions(parts[0], parts[1], report.contacts, {.threads = settings.threads}); });
  }
  bool agree = true;
  if (against_cgal) {
    Kernel::FT volume;
    cgal.add([&] { volume = cgal_volume(parts[0], parts[1]); });
    agree = extent.volume.low <= volume && volume <= extent.volume.high;
  }
  print(name, "detection, all contacts of one mesh", with_self);
  print(name, fmt::format("detection, between the bodies ({} contacts)", report.contacts.size()), detection);
  print(name, "overlap, after detection", measuring);
  print(name, "curves, after detection", joining);
  print(name, "protrusions, after detection", deep);
  for (const Protrusion& p : {depths.a, depths.b})
    fmt::print("{:<16} depth {:.15g}, width {:.1e} of it\n", name, p.depth.middle(), p.depth.width() / p.depth.low);
  if (against_cgal) print(name, "CGAL corefinement, exact, volume", cgal);
  fmt::print("{:<16} volume {:.15g}, width {:.1e} of it{}\n", name, extent.volume.middle(),
             extent.volume.width() / extent.volume.low, agree ? "" : "; CGAL'S VOLUME IS NOT IN THE INTERVAL");
  return agree;
}

void spheres(const Settings& settings) {
  const std::vector<Mesh> parts = scenes::spheres();
  const std::vector<MeshView> views(parts.begin(), parts.end());
  Time detection, measuring, deep;
  std::size_t pairs = 0;
  for (int run = 0; run < settings.runs; ++run) {
    Report report;
    detection.add([&] { report = contacts_of(parts, settings); });
    measuring.add([&] { pairs = overlaps(views, report, {.threads = settings.threads}).pairs.size(); });
    Clashes clashes = classify(views, report, {.query = {.threads = settings.threads}});
    deep.add([&] { measure_pairs(views, report, clashes, {.depths = true, .query = {.threads = settings.threads}}); });
  }
  print("400 spheres", "detection, between the spheres", detection);
  print("400 spheres", fmt::format("overlaps of {} pairs, after detection", pairs), measuring);
  print("400 spheres", "depths of all pairs, after detection", deep);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const long value = std::strtol(argv[i + 1], nullptr, 10);
    if (value < 1) return 2;
    if (option == "--threads")
      settings.threads = static_cast<unsigned>(value);
    else if (option == "--runs")
      settings.runs = static_cast<int>(value);
    else if (option == "--size")
      settings.size = static_cast<std::size_t>(value);
    else
      return fmt::print(stderr, "{}: not an option\n", option), 2;
  }
  fmt::print("{} threads, best of {} runs\n{:<16} {:<44} {:>9} {:>9}\n", settings.threads, settings.runs, "scene", "",
             "wall ms", "cpu ms");
  const bool agree = two_bodies(settings, 20'000, true);
  two_bodies(settings, settings.size, false);
  spheres(settings);
  return agree ? 0 : 1;
}
