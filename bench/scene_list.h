// The scenes of the benchmark, by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace sightline::bench {

/// Names of the scenes of the targets.
inline constexpr const char* kClothScenes[] = {"cloth-20k", "cloth-200k", "cloth-1M", "cloth-4M"};
inline constexpr const char* kCloth = "cloth-1M";
inline constexpr const char* kBodies = "bodies-1M";
inline constexpr const char* kFlatScenes[] = {"flat-1M", "flat-1M-rounded", "flat-1M-double", "flat-1M-double-rounded"};
inline constexpr const char* kSpheres = "spheres-400";
inline constexpr const char* kTwoObjects = "objects-200k-70k";
inline constexpr const char* kTori = "tori-1M";
inline constexpr const char* kSoup = "soup-1M";
inline constexpr const char* kHeavySoup = "heavy-1M";
inline constexpr const char* kClustered = "clustered-1M";
inline constexpr const char* kNeedles = "needles-100k";
inline constexpr const char* kLattices[] = {"lattice-20k", "lattice-tenth-20k"};
inline constexpr const char* kCubes = "cubes-1000";                ///< as one mesh
inline constexpr const char* kCubeObjects = "cubes-1000-objects";  ///< one object each

/// Relations of parts: a building whose parts are instances of a few meshes, and one whose parts share nothing.
inline constexpr const char* kBuilding = "building-20k";
inline constexpr const char* kFlatBuilding = "building-20k-flat";

struct SceneEntry {
  std::string name;
  std::function<BenchScene()> make;
  bool on_request = false;  ///< only with --scene
  bool for_cgal = true;     ///< false where CGAL would take minutes
};

/// `quick`: the same kinds of scenes at about a twentieth of the size, marked by a name that ends in "-quick".
std::vector<SceneEntry> scene_list(bool quick);

}  // namespace sightline::bench
