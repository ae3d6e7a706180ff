// Skins of glTF: a vertex follows several nodes, its joints, each with a weight.
#pragma once

#include <optional>
#include <vector>

#include "read/gltf.h"
#include "read/placed.h"

namespace sightline::read {

/// For each joint, the transform of the mesh's vertices: its inverse bind matrix, then its transform in the scene.
struct GltfSkin {
  std::vector<Transform> joints;
  std::size_t matrices_read = 0;  ///< for the limit on the work of one file
};

/// Skin `index`, named at `from`. `worlds` are the transforms of all nodes of the scene, by number.
GltfSkin read_skin(GltfDocument& doc, std::uint64_t index, const std::string& from,
                   const std::vector<std::optional<Transform>>& worlds);

/// How many pairs of joints and weights the attributes of a primitive have: 0 if it is not skinned.
std::size_t skin_sets(const GltfDocument& doc, const GltfValue& attributes);

/// Moves each vertex to the weighted mean of its positions under its joints. Weights are divided by their sum.
void apply_skin(GltfDocument& doc, const GltfSkin& skin, const GltfValue& attributes, std::vector<Vec3d>& positions);

}  // namespace sightline::read
