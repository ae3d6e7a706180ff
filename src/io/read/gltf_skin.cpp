// Skins of glTF.

#include <cmath>
#include <set>
#include <string>

#include "base/format.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kInSet = 4;  // joints of a vertex in one pair of attributes

// Inverse matrices that programs compute are off by some bits; a matrix that is farther off is not an affine map.
constexpr double kNearAffine = 1e-4;

Transform inverse_bind(const GltfDocument& doc, const std::string& path, const double* m, std::size_t joint) {
  for (const std::size_t i : {3, 7, 11, 15})
    if (!(std::abs(m[i] - (i == 15 ? 1 : 0)) <= kNearAffine))
      doc.fail(path, formatted("the matrix of joint {} is not affine", joint));
  Transform out;
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 3; ++row) out.rows[row][column] = m[4 * column + row];
  return out;
}

std::string name(const char* attribute, std::size_t set) { return formatted("{}_{}", attribute, set); }

}  // namespace

GltfSkin read_skin(GltfDocument& doc, std::uint64_t index, const std::string& from,
                   const std::vector<std::optional<Transform>>& worlds) {
  const GltfValue value = doc.entry("skins", index, from);
  const std::size_t count = doc.array_size(value, "joints");
  std::vector<double> matrices;
  std::string matrices_path;
  if (const std::optional<GltfValue> binds = doc.get(value, "inverseBindMatrices")) {
    matrices = doc.numbers(doc.whole(*binds), binds->path, 16, "MAT4");
    matrices_path = binds->path;
    if (matrices.size() < 16 * count)
      doc.fail(binds->path, formatted("has {} matrices for {} joints", matrices.size() / 16, count));
  }
  GltfSkin skin;
  skin.matrices_read = count + matrices.size() / 16;
  for (std::size_t i = 0; i < count; ++i) {
    const GltfValue joint = doc.element(value, "joints", i);
    const std::uint64_t number = doc.whole(joint);
    if (number >= worlds.size() || !worlds[number])
      doc.fail(joint.path, formatted("node {} is not in the scene", number));
    Transform place = *worlds[number];
    if (!matrices.empty()) place = place * inverse_bind(doc, matrices_path, &matrices[16 * i], i);
    skin.joints.push_back(place);
  }
  return skin;
}

std::size_t skin_sets(const GltfDocument& doc, const GltfValue& attributes) {
  std::size_t sets = 0;
  std::set<std::string> good;
  for (;; ++sets) {
    const std::string joints = name("JOINTS", sets), weights = name("WEIGHTS", sets);
    if (!doc.get(attributes, joints.c_str()) || !doc.get(attributes, weights.c_str())) break;
    good.insert({joints, weights});
  }
  // An attribute without its partner is an error: if it was skipped, the vertices would be in another place without a
  // message.
  for (const auto& [key, value] : attributes.json->items()) {
    const bool joints = key.starts_with("JOINTS_");
    if ((!joints && !key.starts_with("WEIGHTS_")) || good.contains(key)) continue;
    const std::string partner = (joints ? "WEIGHTS" : "JOINTS") + key.substr(key.find('_'));
    const std::string missing =
        doc.get(attributes, partner.c_str()) ? name(joints ? "JOINTS" : "WEIGHTS", sets) : partner;
    doc.fail(attributes.path, formatted("{} without {}", quote(key), quote(missing)));
  }
  return sets;
}

void apply_skin(GltfDocument& doc, const GltfSkin& skin, const GltfValue& attributes, std::vector<Vec3d>& positions) {
  struct Set {
    std::vector<double> joints, weights;
    std::string joints_path, weights_path;
  };
  std::vector<Set> sets;
  const std::size_t count = skin_sets(doc, attributes);
  for (std::size_t k = 0; k < count; ++k) {
    const auto joints = doc.get(attributes, name("JOINTS", k).c_str());
    const auto weights = doc.get(attributes, name("WEIGHTS", k).c_str());
    Set set{doc.numbers(doc.whole(*joints), joints->path, kInSet, "VEC4"),
            doc.numbers(doc.whole(*weights), weights->path, kInSet, "VEC4"), joints->path, weights->path};
    for (const auto& [numbers, path] : {std::pair(&set.joints, &joints->path), std::pair(&set.weights, &weights->path)})
      if (numbers->size() != kInSet * positions.size())
        doc.fail(*path, formatted("is for {} vertices; there are {}", numbers->size() / kInSet, positions.size()));
    sets.push_back(std::move(set));
  }
  for (std::size_t v = 0; v < positions.size(); ++v) {
    double sum = 0;
    Vec3d moved = {0, 0, 0};
    for (const Set& set : sets)
      for (std::size_t i = kInSet * v; i < kInSet * (v + 1); ++i) {
        const double weight = set.weights[i], joint = set.joints[i];
        if (weight == 0) continue;
        if (weight < 0) doc.fail(set.weights_path, formatted("vertex {} has the weight {}", v, weight));
        if (!(joint >= 0 && joint < static_cast<double>(skin.joints.size())) || joint != std::floor(joint))
          doc.fail(set.joints_path,
                   formatted("vertex {} follows joint {}; there are {}", v, joint, skin.joints.size()));
        const Vec3d there = skin.joints[static_cast<std::size_t>(joint)](positions[v]);
        for (std::size_t axis = 0; axis < 3; ++axis) moved[axis] += weight * there[axis];
        sum += weight;
      }
    if (!(sum > 0)) doc.fail(sets.front().weights_path, formatted("vertex {} follows no joint", v));
    for (std::size_t axis = 0; axis < 3; ++axis) positions[v][axis] = moved[axis] / sum;
  }
}

}  // namespace sightline::read
