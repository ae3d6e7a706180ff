// The answer of one leaf, by the engine of the core.
#pragma once

#include "input/settings.h"
#include "parts/lists.h"
#include "parts/store.h"

namespace sightline::scale {

/// Bytes that the answer of a leaf takes for each of its triangles, contacts not included.
template <typename Scalar>
constexpr std::size_t kLeafBytes = sizeof(Scalar) == 4 ? 220 : 300;

/// The GPU that answers leaves, with its working memory; null for the CPU, which keeps none from leaf to leaf.
SIGHTLINE_API std::unique_ptr<Scene> leaf_engine(const Device& device);

struct LeafOptions {
  unsigned threads = 0;
  bool intersections = true;
  Tuning tuning = {};
  std::uint64_t most_contacts = 0;  ///< a leaf with more of them is not answered
  Scene* engine = nullptr;          ///< of leaf_engine()
};

/// Adds what the leaf counts, and nothing that another leaf counts. False, and nothing is added, if the leaf has too
/// many contacts. If the triangles have homes, payloads of contacts and degenerate triangles end with that of the
/// (first) triangle.
template <typename Scalar>
SIGHTLINE_API bool answer_leaf(const Triangles<Scalar>& triangles, const Region& region, const LeafOptions& options,
                               const Control& control, Totals& totals, HugeReport::Lists& lists);

/// The objects of a list of triangles: their numbers follow each other.
struct Objects {
  std::vector<std::uint64_t> ends;  ///< of the numbers of each
  std::vector<ObjectOptions> options;
};
/// The same for contacts of several objects. Adds no facts.
template <typename Scalar>
SIGHTLINE_API bool answer_leaf(const Triangles<Scalar>& triangles, const Objects& objects, const Region& region,
                               const LeafOptions& options, const Control& control, Totals& totals, Runs& contacts);

/// The triangles of a leaf as a mesh whose positions are distinct.
template <typename Scalar>
struct LeafMesh {
  std::vector<std::array<Scalar, 3>> points;
  std::vector<Triangle> triangles;
  MeshView view() const { return {Positions(points), triangles}; }
};

/// A leaf of a scene of several objects, which is kept from frame to frame.
template <typename Scalar>
class SIGHTLINE_API LeafScene {
 public:
  explicit LeafScene(const Device& device) : scene_(device) {}

  /// Objects count from 0, as those of the whole scene; an object may have no triangle here.
  void add(const ObjectOptions& options);
  std::size_t size() const { return objects_.size(); }
  void set_options(std::size_t object, const ObjectOptions& options);
  /// Other triangles.
  void replace(std::size_t object, Triangles<Scalar>&& triangles, unsigned threads);
  /// Adds the contacts of wanted pairs that the leaf counts, as answer_leaf does.
  void answer(const Region& region, const LeafOptions& options, const Control& control, Totals& totals, Runs& contacts);

 private:
  struct Object {
    Triangles<Scalar> triangles;
    LeafMesh<Scalar> mesh;
  };
  Scene scene_;
  std::vector<Object> objects_;
  Report report_;
};

}  // namespace sightline::scale
