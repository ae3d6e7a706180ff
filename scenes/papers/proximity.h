// Keeps layers of cloth apart with an engine that only finds contacts. Each query gets the cloth with each vertex moved
// along its normal by a random amount, other amounts in each query. Where layers are closer than these amounts, some of
// their triangles cross. Those pairs, with the side on which they were, keep a distance for a few queries from then on.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/papers/verlet.h"
#include "sightline/query.h"

namespace sightline::scenes {

class LayerKeeper {
 public:
  /// `thickness`: distance that layers keep. Cells of the grid closer than 3 belong to one layer.
  LayerKeeper(std::uint32_t rows, std::uint32_t columns, double thickness, const MeshView& obstacle);

  /// Runs a query. The triangles are those of the grid, two to a cell in row order.
  void run_query(const Particles& cloth, const std::vector<Triangle>& triangles, unsigned threads);
  /// Pushes apart the pairs that the queries found; to be called in every step.
  void push(Particles& cloth, const std::vector<Triangle>& triangles);

 private:
  /// Triangle a lies on the side `side_a` of b, 1 along its normal and -1 against it, and b on `side_b` of a.
  struct Pair {
    std::uint32_t a, b;
    double side_a, side_b;
    int age;
  };
  struct Touch {
    std::uint32_t triangle;
    Vec3d normal;
    double height;  ///< the obstacle's plane: dot(normal, p) = height
  };
  struct Push {
    double depth;
    Vec3d normal;
  };

  bool one_layer(std::uint32_t a, std::uint32_t b) const;
  void show(const Particles& cloth);
  void renew_pairs(const Particles& cloth, const std::vector<Triangle>& triangles);
  void renew_touches();
  void push_pair(Particles& cloth, const Triangle& a, const Triangle& b, double side) const;
  void push_out(Particles& cloth, const std::vector<Triangle>& triangles);

  std::uint32_t rows_, columns_;
  double thickness_;
  MeshView obstacle_;
  std::vector<Vec3d> shown_;
  Scene scene_;
  Report report_;
  std::uint64_t queries_ = 0;
  std::vector<Pair> pairs_;  ///< ascending by a, then b
  std::vector<Touch> touches_;
  std::vector<Push> pushes_;            ///< per particle, the least way out of the obstacle
  std::vector<std::uint32_t> touched_;  ///< particles that have a push
};

}  // namespace sightline::scenes
