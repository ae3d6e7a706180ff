// Skins of glTF: vertices that follow several nodes, the joints, each by a share.
#pragma once

#include <optional>
#include <vector>

#include "read/gltf.h"
#include "read/placed.h"

namespace sightline::read {

/// For each joint where it takes a vertex of the mesh to: its inverse bind matrix, then its place in the scene.
struct GltfSkin {
  std::vector<Transform> joints;
  std::size_t matrices_read = 0;  ///< what it took, for those who count
};

/// Skin `index`, named at `from`. `worlds` are the transforms of all nodes of the scene, by number.
GltfSkin read_skin(GltfDocument& doc, std::uint64_t index, const std::string& from,
                   const std::vector<std::optional<Transform>>& worlds);

/// How many pairs of joints and weights the attributes of a primitive have: none where it is not skinned.
std::size_t skin_sets(const GltfDocument& doc, const GltfValue& attributes);

/// Moves each vertex to the mean of where its joints take it, by their weights. Weights are divided by their sum.
void apply_skin(GltfDocument& doc, const GltfSkin& skin, const GltfValue& attributes, std::vector<Vec3d>& positions);

}  // namespace sightline::read
